"""The panels of the ramp chart as values: paths in a stretched SVG, text beside it.

The drawing area is `total_s` wide and 100 high, stretched by the page; text stays out of it and
keeps its size. Red ground marks only the panel and stage that broke a limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from readiness.model.verdict import Check, Outcome, Severity
from readiness.report.measured import Measured
from readiness.report.numbers import SPACE, exact, quantity, share, significant
from readiness.report.timeline import Timeline, Values
from readiness.report.view import RunView

_FAR = 5  # a limit this many times above the data is told, not drawn
_WAITS = (("aas_cpu", "cpu"), ("other", "other"), ("aas_io", "read"), ("aas_lock", "lock"))
WAITS = (*_WAITS, ("aas_commit", "commit"))
WAIT_WORDS = {
    "commit": "commit",
    "lock": "row lock",
    "read": "data read",
    "other": "other",
    "cpu": "CPU",
}


@dataclass(frozen=True, slots=True)
class Curve:
    """One line (`band`, `accent`, `muted`) or one layer of a stack (a wait): its SVG path."""

    tone: str
    path: str
    words: str
    metric: str = ""
    is_area: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A level across some stages: a limit, or the number of cores. Positions are 0 to 1."""

    tone: str
    x1: float
    x2: float
    y: float
    words: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart. `ticks` are (height 0 to 1, text); `stages` are (text, broke a limit) per stage;
    `readings` are (name, unit, values) for the cursor. Without curves `empty` says why."""

    key: str
    title: str
    hint: str
    height_px: int
    curves: tuple[Curve, ...]
    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, str], ...]
    stages: tuple[tuple[str, bool], ...]
    readings: tuple[tuple[str, str, Values], ...]
    alt: str
    top: float = 1.0  # the value at height 1
    far: str = ""
    empty: str = ""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a panel shows: metrics with their tone and words, bottom layer first."""

    key: str
    title: str
    hint: str
    height_px: int
    unit: str
    series: tuple[tuple[str, str, str], ...]
    limits: tuple[str, ...]  # metrics whose limits are drawn
    family: tuple[str, ...]  # metric prefixes whose failed checks colour the stage
    value: Callable[[Measured], float | None]
    keeps_limit: bool = False
    least: float = 0.0  # the scale reaches at least here, so that noise looks like noise
    empty: str = "Not measured in this run."


_PLANS = (
    _Plan(
        "rate", "Checkouts per second", "", 96, "/s",
        (("achieved_rate_per_s", "accent", "achieved"),),
        (), ("achieved", "goodput", "dropped", "in_flight"),
        lambda m: m.achieved_per_s,
    ),
    _Plan(
        "latency", "Commit latency, ms", "", 130, "ms",
        (("commit_p50_ms", "muted", "p50"), ("commit_p99_ms", "accent", "p99")),
        ("commit_p99_ms", "commit_p50_ms"), ("commit",),
        lambda m: m.commit_p99_ms,
        empty="Not measured: no COMMIT was timed.",
    ),
    _Plan(
        "aas", "Average active sessions", "", 130, "",
        (("aas", "accent", "all"),),
        ("aas",), ("aas", "threads_running"),
        lambda m: m.means.get("aas"),
        empty="Not measured: the server gave no figures of its sessions.",
    ),
    _Plan(
        "iops", "Storage operations per second", "(above: both together)", 96, "/s",
        (("read_iops", "muted", "read"), ("write_iops", "accent", "write")),
        ("read_iops", "write_iops"), ("read_iops", "write_iops", "fsyncs"),
        lambda m: m.iops,
    ),
    _Plan(
        "errors", "Errors, % of checkouts", "", 56, "ratio",
        (("error_ratio", "accent", ""),),
        ("error_ratio",), ("error_ratio",),
        lambda m: m.error_ratio, keeps_limit=True, least=0.01,
    ),
    _Plan(
        "lag", "Schedule lag p99, ms", "(is the generator on time?)", 56, "ms",
        (("schedule_lag_p99_ms", "accent", ""),),
        ("schedule_lag_p99_ms",), ("schedule_lag",),
        lambda m: m.lag_p99_ms, keeps_limit=True, least=1.0,
    ),
)  # fmt: skip


def panels(run: RunView, time: Timeline, figures: Sequence[Measured]) -> tuple[Panel, ...]:
    """The six panels; `figures` stand in the order of `time.spans`."""
    return tuple(_panel(plan, run, time, figures) for plan in _PLANS)


def _panel(plan: _Plan, run: RunView, time: Timeline, figures: Sequence[Measured]) -> Panel:
    series = [(m, tone, words) for m, tone, words in plan.series if time.row(m)]
    is_stacked = plan.key == "aas" and any(time.row(m) for m, _ in WAITS)
    highest = max([time.highest(*(m for m, _, _ in series)), *_plan_rates(plan, time)], default=0.0)
    limits = _limits(plan, run, time)
    near = [v for *_, v, _ in limits if plan.keeps_limit or not highest or v <= _FAR * highest]
    top, ticks = axis([highest, plan.least, *near], plan.height_px)
    curves = _stack(time, top) if is_stacked else _curves(plan, series, time, top)
    return Panel(
        key=plan.key,
        title=f"{plan.title} by wait" if is_stacked else plan.title,
        hint=plan.hint,
        height_px=plan.height_px,
        curves=curves,
        lines=tuple(
            Line(tone, x1, x2, v / top, words) for tone, x1, x2, v, words in limits if v <= top
        ),
        ticks=tuple((v / top, _tick(v, plan.unit)) for v in ticks),
        stages=_stages(plan, run, time, figures),
        readings=_readings(plan, series, time, is_stacked=is_stacked),
        alt=_alt(plan, time, figures),
        top=top,
        far=_far([words for *_, v, words in limits if v > top]),
        empty="" if curves else plan.empty,
    )


def axis(values: Sequence[float], height_px: int) -> tuple[float, tuple[float, ...]]:
    """The top of the scale, 8 % above the largest value, and two to four round ticks from 0.

    What is too small for any unit of ours (below 1e-9) is drawn as nothing."""
    top = max(values, default=0.0) * 1.08
    top = top if top > 1e-9 else 1.0
    wanted = top / (3 if height_px >= 90 else 1.4)
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(m * power for m in (1, 2, 2.5, 3, 5, 10) if m * power >= wanted * 0.999)
    return max(top, step * 1.08), tuple(step * i for i in range(int(max(top, step) / step) + 1))


def path(points: Sequence[tuple[float, float]], top: float) -> str:
    """An SVG path through points (seconds, value) in a drawing 100 high."""
    corners = [f"{x:g} {100 - min(value / top, 1.0) * 100:.1f}" for x, value in points]
    return f"M{' '.join(corners)}" if corners else ""


def _plan_rates(plan: _Plan, time: Timeline) -> list[float]:
    return [s.stage.rate_per_s for s in time.spans] if plan.key == "rate" else []


def _curves(
    plan: _Plan, series: Sequence[tuple[str, str, str]], time: Timeline, top: float
) -> tuple[Curve, ...]:
    band = [_band(time, top)] if plan.key == "rate" and time.spans else []
    lines = [Curve(tone, _line(time, m, top), words, m) for m, tone, words in series]
    return (*band, *lines)


def _line(time: Timeline, metric: str, top: float) -> str:
    return " ".join(path(points, top) for points in strokes(time, time.row(metric)))


def _band(time: Timeline, top: float) -> Curve:
    return Curve("band", path(ground(time), top), "offered")


def ground(time: Timeline) -> list[tuple[float, float]]:
    """The planned rate as corner points (seconds, rate): up along a ramp, then level."""
    corners: list[tuple[float, float]] = []
    for span in time.spans:
        stage, end = span.stage, float(span.start_s + span.length_s)
        up = min(stage.ramp_s, float(span.length_s))
        first = stage.from_rate_per_s if stage.ramp_s else stage.rate_per_s
        corners += [(float(span.start_s), first), (span.start_s + up, stage.rate_per_s)]
        corners.append((end, stage.rate_per_s))
    return list(dict.fromkeys(corners))


def stacked(time: Timeline) -> list[tuple[str, Values]]:
    """(wait, upper edge) of each layer, bottom first; what is left of `aas` is "other".

    A column without any sample stays None: a gap is no zero."""
    waits = [time.row(m) or (None,) * len(time.edges_s) for m, _ in WAITS if m != "other"]
    known = [_sum(column) for column in zip(*waits, strict=True)]
    whole = time.row("aas") or tuple(known)
    other = tuple(_left(w, k) for w, k in zip(whole, known, strict=True))
    high: Values = tuple(None if v is None else 0.0 for v in other)
    layers: list[tuple[str, Values]] = []
    for metric, wait in WAITS:
        row = other if metric == "other" else time.row(metric)
        if not any(row):
            continue
        high = tuple(None if a is None else a + (b or 0.0) for a, b in zip(high, row, strict=True))
        layers.append((wait, high))
    return layers


def _sum(parts: Sequence[float | None]) -> float | None:
    found = [v for v in parts if v is not None]
    return math.fsum(found) if found else None


def _left(whole: float | None, known: float | None) -> float | None:
    if whole is None:
        return None if known is None else 0.0
    return max(whole - (known or 0.0), 0.0)


def outlines(time: Timeline, high: Values) -> list[list[tuple[float, float]]]:
    """The upper edge as corner points (seconds, value), one list per stretch without a gap; each
    reaches over the whole width of its columns, so that a lone one is seen."""
    found: list[list[tuple[float, float]]] = []
    is_open = False
    for (begin, end), value in zip(time.edges_s, high, strict=True):
        if value is None:
            is_open = False
            continue
        if is_open:
            found[-1].pop()
        else:
            found.append([(begin, value)])
        found[-1] += [((begin + end) / 2, value), (end, value)]
        is_open = True
    return found


def strokes(time: Timeline, row: Values) -> list[list[tuple[float, float]]]:
    """A line as points (seconds, value), one list per stretch without a gap: from middle to middle
    of its columns, and over the whole width of a lone one."""
    return [points if len(points) == 3 else points[1:-1] for points in outlines(time, row)]


def _stack(time: Timeline, top: float) -> tuple[Curve, ...]:
    """Layers down to the ground, the highest first: each next one covers its foot."""
    return tuple(
        Curve(wait, _area(outlines(time, high), top), WAIT_WORDS[wait], is_area=True)
        for wait, high in reversed(stacked(time))
    )


def _area(stretches: Sequence[Sequence[tuple[float, float]]], top: float) -> str:
    """Closed shapes that stand on the ground."""
    return " ".join(f"{path(points, top)}V100H{points[0][0]:g}Z" for points in stretches)


def _limits(
    plan: _Plan, run: RunView, time: Timeline
) -> list[tuple[str, float, float, float, str]]:
    """(tone, from, to, value, words) of each level; a stretch of stages with one limit is one."""
    found: list[tuple[str, float, float, float, str]] = []
    for metric in plan.limits:
        for start, end, value in _stretches(run, time, metric):
            unit = f" ({metric.split('_')[-2] if plan.key == 'latency' else metric.split('_')[0]})"
            tail = unit if len(plan.series) > 1 else ""
            shown = quantity(value, "ratio" if plan.unit == "ratio" else plan.unit, as_set=True)
            found.append(("limit", start, end, value, f"limit {shown}{tail}"))
    cores = time.highest("vcpu") if plan.key == "aas" else 0.0
    if cores:
        found.append(("cores", 0.0, 1.0, cores, f"{exact(cores)}{SPACE}vCPU"))
    return found


def _stretches(run: RunView, time: Timeline, metric: str) -> list[tuple[float, float, float]]:
    by_stage = {s: v for s, v in _limits_by_stage(run, metric).items() if v}
    found: list[tuple[float, float, float]] = []
    for span in time.spans:
        value = by_stage.get(span.stage.name)
        start, end = span.start_s / time.total_s, (span.start_s + span.length_s) / time.total_s
        if value is None:
            continue
        if found and found[-1][1:] == (start, value):
            found[-1] = (found[-1][0], end, value)
        else:
            found.append((start, end, value))
    return found


def _limits_by_stage(run: RunView, metric: str) -> dict[str, float]:
    """The strictest upper limit of a metric at each stage, of checks and validity rules."""
    found = [(r.stage, r.limit) for r in run.verdict.validity if r.name == metric]
    found += [
        (c.stage, c.limit)
        for c in run.verdict.checks
        if c.metric == metric and not c.flow and c.limit is not None and c.op in ("<=", "<")
    ]
    return {stage: min(v for s, v in found if s == stage) for stage, _ in found}


def _stages(
    plan: _Plan, run: RunView, time: Timeline, figures: Sequence[Measured]
) -> tuple[tuple[str, bool], ...]:
    broken = {c.stage for c in run.verdict.checks if _broke(c) and c.metric.startswith(plan.family)}
    broken |= {
        r.stage for r in run.verdict.validity if not r.holds and r.name.startswith(plan.family)
    }
    return tuple(
        (_value(plan, measured), span.stage.name in broken)
        for span, measured in zip(time.spans, figures, strict=True)
    )


def _broke(check: Check) -> bool:
    return (
        check.outcome is Outcome.FAILED and check.severity is not Severity.INFO and not check.flow
    )


def _value(plan: _Plan, measured: Measured) -> str:
    value = plan.value(measured)
    if value is None:
        return ""
    return share(value) if plan.unit == "ratio" else significant(value)


def _tick(value: float, unit: str) -> str:
    return exact(value * 100) if unit == "ratio" else exact(value)


def _readings(
    plan: _Plan, series: Sequence[tuple[str, str, str]], time: Timeline, *, is_stacked: bool
) -> tuple[tuple[str, str, Values], ...]:
    shown = [(m, words) for m, _, words in reversed(series)]
    if plan.key == "rate":
        shown.append(("offered_rate_per_s", "offered"))
    if is_stacked:
        shown += [(m, WAIT_WORDS[wait]) for m, wait in reversed(WAITS) if time.row(m)]
    factor = 100.0 if plan.unit == "ratio" else 1.0
    unit = "%" if plan.unit == "ratio" else plan.unit
    return tuple((words, unit, _rounded(time.row(m), factor)) for m, words in shown if time.row(m))


def _rounded(values: Values, factor: float) -> Values:
    return tuple(None if v is None else float(f"{v * factor:.3g}") for v in values)


def _alt(plan: _Plan, time: Timeline, figures: Sequence[Measured]) -> str:
    pairs = [(s.short, _value(plan, f)) for s, f in zip(time.spans, figures, strict=True)]
    said = ", ".join(f"{value} at {stage}" for stage, value in pairs if value)
    return f"{plan.title}: {said or 'not measured'}."


def _far(words: Sequence[str]) -> str:
    return f"{', '.join(dict.fromkeys(words))}: above this scale" if words else ""

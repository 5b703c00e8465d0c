"""`LiveRamp`: how a ramp is going, second by second, as a frame to redraw or as a line to log.

It answers three questions: is it going well, what does the database wait for, and when does the
load stop by itself.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from readiness.analysis.figures import latency_ms
from readiness.model.load import Stage, StageResult, Tick
from readiness.model.metrics import Sample
from readiness.model.verdict import AbortRule, Expectation
from readiness.report.measured import Measured, measure
from readiness.report.numbers import clock, exact, plain, quantity, rate, share, significant
from readiness.report.summary import StageRow
from readiness.report.terminal import paint, stage_line, stage_table
from readiness.report.view import label, multiple
from readiness.report.words import cause_words

_BARS = "▁▂▃▄▅▆▇█"
_TRACE = 42
_METER = 25
_LATEST_S = 300  # looked at each second: a soak must not be merged anew for hours
_WATCHED = ("commit_p99_ms", "aas", "error_ratio", "schedule_lag_p99_ms")
_WAITS = {"aas_commit": "commit", "aas_cpu": "CPU", "aas_lock": "row lock", "aas_io": "data read"}


class LiveRamp:
    """The state of a running ramp. `begin` a stage, `update` it each second, `end` it.

    `expectations` give the limits that are shown, `abort` the rules that stop the load, `context`
    is the second line of a frame (the clone, the seed, what Ctrl-C does)."""

    def __init__(
        self,
        plan: str,
        stages: Sequence[Stage],
        *,
        normal_rate_per_s: float = 0.0,
        expectations: Sequence[Expectation] = (),
        abort: Sequence[AbortRule] = (),
        context: str = "",
    ) -> None:
        self._plan = plan
        self._stages = list(stages)
        self._normal_per_s = normal_rate_per_s
        self._expectations = expectations
        self._abort = abort
        self._context = context
        self._done: dict[str, StageRow] = {}
        self._stage: Stage | None = None
        self._ticks: deque[Tick] = deque(maxlen=_LATEST_S)
        self._seconds = 0  # of the running stage
        self._samples: list[Sample] = []
        self._over_s = 0
        self._traces: dict[str, list[float | None]] = {
            m: [] for m in ("achieved_rate_per_s", "commit_p99_ms", "aas", "schedule_lag_p99_ms")
        }

    def begin(self, stage: Stage) -> None:
        """A stage starts; a repeated one forgets its first try."""
        self._stage, self._samples, self._over_s, self._seconds = stage, [], 0, 0
        self._ticks.clear()
        self._done.pop(stage.name, None)

    def update(self, tick: Tick, samples: Sequence[Sample] = ()) -> None:
        """One second of the running stage."""
        self._ticks.append(tick)
        self._seconds += 1
        self._samples += samples
        sessions = [s.value for s in samples if s.metric == "aas" and math.isfinite(s.value)]
        commit = latency_ms(tick.commit, "p99")
        self._traces["achieved_rate_per_s"].append(float(tick.finished))
        self._traces["commit_p99_ms"].append(commit)
        self._traces["aas"].append(sessions[-1] if sessions else None)
        self._traces["schedule_lag_p99_ms"].append(latency_ms(tick.lag, "p99"))
        limit = self._limit("commit_p99_ms")
        self._over_s = self._over_s + 1 if limit and commit and commit > limit else 0

    def end(self, result: StageResult) -> None:
        """The running stage is over."""
        figures = measure(result, self._samples)
        self._stage = result.stage
        over = "failed" if self._is_over(figures) else "passed"
        self._done[result.stage.name] = self._row(
            result.stage, "stopped" if result.aborted_by else over, figures
        )
        self._stage = None

    def line(self, now_s: float) -> str:
        """Where the ramp stands, in one line for a log. `now_s`: seconds since the epoch."""
        if self._stage is None:
            return plain(f"{clock(now_s)}  {self._plan}: {len(self._done)} stages done")
        stage = self._stage
        figures = self._figures(stage)
        parts = [
            f"{significant(figures.achieved_per_s or 0.0)} of {self._asked(stage)}",
            f"commit p99 {quantity(figures.commit_p99_ms, 'ms')}",
            f"sessions {quantity(figures.means.get('aas'), '')}",
            f"errors {quantity(figures.error_ratio, 'ratio')}",
            f"lag p99 {quantity(figures.lag_p99_ms, 'ms')}",
        ]
        time = f"{_minutes(self._seconds)} of {_minutes(stage.duration_s)}"
        return plain(f"{clock(now_s)}  {self._label(stage)}, {time}: {', '.join(parts)}")

    def frame(self, now_s: float, *, colour: bool = False) -> str:
        """The whole picture, to be drawn over the frame before; always the same lines high while
        a stage runs. `now_s`: seconds since the epoch."""
        lines = [self._title(now_s), f" {self._context}" if self._context else "", ""]
        lines += [*self._table(colour=colour), ""]
        if self._stage is not None:
            figures = self._figures(self._stage)
            lines += [*self._trace_lines(self._stage, figures), "", _waiting(figures), ""]
            lines += self._warning(colour=colour)
        return plain("\n".join(lines))

    def _title(self, now_s: float) -> str:
        if self._stage is None:
            return f" {self._plan} · {len(self._done)} of {len(self._stages)} stages done"
        number = [s.name for s in self._stages].index(self._stage.name) + 1
        left_s = sum(s.duration_s for s in self._stages[number - 1 :]) - self._seconds
        time = f"{_minutes(self._seconds)} of {_minutes(self._stage.duration_s)}"
        stage = f"{self._label(self._stage)}, stage {number} of {len(self._stages)}"
        ends = clock(now_s + max(left_s, 0.0))
        return f" {self._plan} · {stage} · {time}      {clock(now_s)}, ends {ends}"

    def _table(self, *, colour: bool) -> list[str]:
        rows = [self._current(s) for s in self._stages]
        width = max([11, *(len(row.label) + 1 for row in rows)])
        head = stage_table(rows)[0]
        return [
            head,
            *(
                stage_line(
                    row, width, note="over limit" if row.outcome == "over" else "", colour=colour
                )
                for row in rows
            ),
        ]

    def _current(self, stage: Stage) -> StageRow:
        if stage.name in self._done:
            return self._done[stage.name]
        if self._stage is None or stage.name != self._stage.name:
            return self._row(stage, "not run", Measured())
        figures = self._figures(stage)
        return self._row(stage, "over" if self._is_over(figures) else "running", figures)

    def _row(self, stage: Stage, outcome: str, figures: Measured) -> StageRow:
        return StageRow(stage.name, self._label(stage), stage.rate_per_s, outcome, figures)

    def _label(self, stage: Stage) -> str:
        times = stage.rate_per_s / self._normal_per_s if self._normal_per_s > 0 else 0.0
        return label(stage.name, multiple(times) if times else "")

    def _figures(self, stage: Stage) -> Measured:
        """The running stage so far, of a long one its latest five minutes; before the measured part
        begins, all its seconds."""
        begins = math.ceil(stage.ramp_s + stage.warmup_s)
        begins = begins if any(t.second >= begins for t in self._ticks) else 0
        started = min((s.ts for s in self._samples), default=0.0) - 1.0
        so_far = StageResult(
            stage=stage,
            started_at=started,
            ended_at=started + self._seconds,
            ticks=tuple(self._ticks),
            measured_from_s=begins,
            statements={},
            errors={},
            checkouts_ok=0,
            checkouts_failed=0,
        )
        return measure(so_far, self._samples)

    def _asked(self, stage: Stage) -> str:
        """The rate of the plan; of a tuned stage the one that a person holds now."""
        if not stage.is_tuned or not self._ticks:
            return rate(stage.rate_per_s)
        return f"{rate(float(self._ticks[-1].offered))} now"

    def _limit(self, metric: str) -> float | None:
        """The strictest upper limit of a metric at the running stage."""
        stage = self._stage.name if self._stage else ""
        found = [
            e.limit
            for e in self._expectations
            if e.metric == metric
            and not e.flow
            and e.limit is not None
            and e.op in ("<=", "<")
            and any(fnmatchcase(stage, pattern) for pattern in e.stages)
        ]
        return min(found, default=None)

    def _is_over(self, figures: Measured) -> bool:
        values = (
            figures.commit_p99_ms,
            figures.means.get("aas"),
            figures.error_ratio,
            figures.lag_p99_ms,
        )
        limits = (self._limit(metric) for metric in _WATCHED)
        return any(
            v is not None and m is not None and v > m for v, m in zip(values, limits, strict=True)
        )

    def _trace_lines(self, stage: Stage, figures: Measured) -> list[str]:
        achieved = significant(figures.achieved_per_s or 0.0)
        cores = figures.means.get("vcpu")
        rows = (
            ("rate", "achieved_rate_per_s", f"{achieved} of {self._asked(stage)}"),
            ("commit", "commit_p99_ms", self._against(figures.commit_p99_ms, "commit_p99_ms")),
            ("sessions", "aas", self._against(figures.means.get("aas"), "aas")),
            (
                "lag",
                "schedule_lag_p99_ms",
                self._against(figures.lag_p99_ms, "schedule_lag_p99_ms"),
            ),
        )
        lines = [
            f" {name:<9} {sparkline(self._traces[metric], _TRACE, self._limit(metric)):<{_TRACE}}  {text}"
            for name, metric, text in rows
        ]
        if cores:
            lines[2] += f", {exact(cores)} vCPU"
        return lines

    def _against(self, value: float | None, metric: str) -> str:
        unit = "ms" if metric.endswith("_ms") else ""
        limit = self._limit(metric)
        return quantity(value, unit) + (f", limit {exact(limit)}" if limit is not None else "")

    def _warning(self, *, colour: bool) -> list[str]:
        """Two lines: what is over its limit, and when the load stops by itself."""
        rules = " or ".join(cause_words(rule.text) for rule in self._abort)
        stops = f"The load stops by itself at {rules}." if rules else "No rule stops the load."
        limit = self._limit("commit_p99_ms")
        if not self._over_s or limit is None:
            return ["", f"   {stops}"]
        text = f" ! commit p99 over its limit of {exact(limit)} ms for {_minutes(self._over_s)}."
        return [paint(text, "warn", colour=colour), f"   {stops}"]


def sparkline(values: Sequence[float | None], width: int, limit: float | None = None) -> str:
    """The whole history in at most `width` bars; a bar shows the highest value it stands for. The
    scale reaches to the limit at least, so that small values look small."""
    top = max([v for v in values if v is not None] + [limit or 0.0])
    columns = min(len(values), width)
    edges = [round(i * len(values) / columns) for i in range(columns + 1)] if columns else []
    bars = []
    for start, end in pairwise(edges):
        known = [v for v in values[start:end] if v is not None]
        level = max(known) / top if known and top > 0 else 0.0
        bars.append(_BARS[min(int(level * len(_BARS)), len(_BARS) - 1)] if known else " ")
    return "".join(bars)


def _waiting(figures: Measured) -> str:
    """What active sessions wait for, as bars of their share."""
    parts = {words: figures.means.get(metric, 0.0) for metric, words in _WAITS.items()}
    total = max(figures.means.get("aas", 0.0), sum(parts.values()))
    if total <= 0 or not any(parts.values()):
        return ""
    ranked = sorted(parts.items(), key=lambda item: -item[1])[:3]
    shown = [(words, value / total) for words, value in ranked if value / total >= 0.005]
    bars = [f"{w} {'▇' * max(1, round(part * _METER))} {share(part)}" for w, part in shown]
    rest = 1 - sum(part for _, part in shown)
    tail = [f"rest {share(rest)}"] if rest >= 0.005 else []
    return f" waiting   {'   '.join([*bars, *tail])}"


def _minutes(seconds: float) -> str:
    """ "4:50"."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}"

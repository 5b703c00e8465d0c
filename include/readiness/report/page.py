"""`render_page(run)`: report.html, one file without a single outside reference.

It reads without JavaScript, in the dark, on paper, and from 500 px up. Everything that came from a
run passes through Jinja's escaping.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from readiness import __version__
from readiness.report import numbers, words
from readiness.report.figures import Panel, panels
from readiness.report.summary import Summary, summarize
from readiness.report.timeline import Timeline, timeline
from readiness.report.view import RunView

if TYPE_CHECKING:
    from jinja2 import Environment

_OUTCOMES = {
    "passed": ("good", "✓"),
    "risk": ("warn", "▲"),
    "failed": ("bad", "✕"),
    "stopped": ("bad", "■"),
    "invalid": ("inv", "?"),
    "unchecked": ("off", "·"),
    "not run": ("off", "○"),
}
_BELIEFS = {
    "yes": ("✓ yes, ", "good"),
    "mostly": ("▲ mostly, ", "warn"),
    "no": ("? no, ", "inv"),
    "unknown": ("", "muted"),
}
_SEVERITIES = {"critical": ("bad", "✕"), "warning": ("warn", "▲"), "info": ("off", "i")}


def render_page(run: RunView) -> str:
    """The whole page as text, to be written as UTF-8."""
    summary, time = summarize(run), timeline(run)
    figures = {row.name: row.figures for row in summary.stages}
    drawn = panels(run, time, [figures[s.stage.name] for s in time.spans])
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            run=run,
            s=summary,
            sign=words.SIGNS[summary.word],
            time=time,
            panels=drawn,
            time_ticks=time_ticks(time.total_s),
            chart_data=_chart_data(time, drawn),
            bar=_bar(summary),
            facts=_facts(run, summary),
            outcomes=_OUTCOMES,
            stage_outcomes={row.name: row.outcome for row in summary.stages},
            severities=_SEVERITIES,
            glossary=words.GLOSSARY,
            inputs=_inputs(run),
            version=__version__,
        )
    )


@cache
def _environment() -> Environment:
    # Imported here so that commands that draw no page start without it.
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("readiness.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    made.filters |= {
        "significant": lambda v: numbers.NOTHING if v is None else numbers.significant(v),
        "share": lambda v: numbers.NOTHING if v is None else numbers.share(v),
        "count": numbers.count,
        "rate": numbers.rate,
        "moment": numbers.moment,
        "duration": numbers.duration,
        "sentence": lambda text: f"{text[:1].upper()}{text[1:]}",
    }
    return made


def _bar(summary: Summary) -> dict[str, object] | None:
    """The bar from 0 to the peak; None where no rate can be claimed."""
    if summary.peak_per_s <= 0 or summary.word.value == "INVALID":
        return None
    part = min(summary.held_per_s / summary.peak_per_s, 1.0)
    missing = max(summary.peak_per_s - summary.held_per_s, 0.0)
    return {
        "part": part,
        "holds": _named("holds", summary.held_per_s, summary.held_label),
        "missing": f"missing {numbers.rate(missing)}" if missing > 0 else "",
        "share": f"{numbers.share(summary.held_per_s / summary.peak_per_s)} of the peak",
        "peak": _named("forecast peak", summary.peak_per_s, summary.peak_label),
    }


def _named(words_before: str, per_s: float, label: str) -> str:
    return f"{words_before} {numbers.rate(per_s)}{f' ({label})' if label else ''}"


def _facts(run: RunView, summary: Summary) -> list[tuple[str, str, str]]:
    """(question, answer, tone) of the line of facts under the bar."""
    total, held = len(summary.rules), len(summary.rules) - len(summary.broken_rules)
    mark, tone = _BELIEFS[summary.belief]
    rules = f"{held} of {total} rules hold" if total else "no rule was checked"
    seconds = sum(max((t.second for t in r.ticks), default=-1) + 1 for r in run.results)
    begun, planned = len(run.results), len(run.stages)
    facts = [
        ("Can it be believed?", f"{mark}{rules}", tone),
        ("Checks", _checks(summary), "bad" if summary.failed else ""),
        ("Load", f"{numbers.duration(seconds)}, {begun} of {planned} stages", ""),
    ]
    if run.verdict.expires_on:
        facts.append(("Stands until", numbers.day(run.verdict.expires_on), ""))
    facts.append(("Scope", summary.scope, "warn" if summary.is_demonstration else ""))
    return facts


def _checks(summary: Summary) -> str:
    total = len(summary.checks)
    if not total:
        return "none"
    if summary.failed:
        return summary.failed_words
    waiting = f", {len(summary.open)} not evaluated" if summary.open else ""
    return f"{len(summary.passed)} of {total} passed{waiting}"


def time_ticks(total_s: int) -> list[tuple[float, str]]:
    """(position 0 to 1, text) along the time axis, at most nine round ones."""
    steps = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200)
    step = next((s for s in steps if total_s / s <= 8), 14400)
    unit, name = (60, "min") if step >= 60 else (1, "s")
    marks = list(range(0, total_s + 1, step)) if total_s else []
    texts = [f"{m // unit}" for m in marks]
    if texts:
        texts[-1] += f"{numbers.SPACE}{name}"
    return [(m / total_s, text) for m, text in zip(marks, texts, strict=True)]


def _chart_data(time: Timeline, drawn: tuple[Panel, ...]) -> dict[str, object]:
    """What the cursor shows: (start, length, clock) of each stage, and the readings of columns."""
    return {
        "total": time.total_s,
        "step": time.step_s,
        "spans": [(s.start_s, s.length_s, round(s.wall_s)) for s in time.spans],
        "panels": {p.key: p.readings for p in drawn if p.readings},
    }


def _inputs(run: RunView) -> list[tuple[str, str]]:
    """What a rerun needs to be the same run."""
    record = run.record
    ran = numbers.stretch(record.started_at, record.ended_at)
    rows = [("Run id", record.run_id), ("Ran", ran), ("Plan", record.plan)]
    rows += [("Expectations", record.expectations), ("Seed", str(record.seed))]
    rows += [("Airflow run", record.airflow_run_id)]
    if record.normal_rate_per_s > 0:
        rows.append(("Normal rate (1x)", numbers.with_unit(f"{record.normal_rate_per_s:g}", "/s")))
    if record.capacity_per_s > 0:
        rows.append(("Capacity calibrated", numbers.rate(record.capacity_per_s)))
    rows += [(f"SHA-256 of {name}", value[:12]) for name, value in record.hashes.items()]
    rows += [(f"Version of {name}", value) for name, value in record.versions.items()]
    return [(name, value) for name, value in rows if value]

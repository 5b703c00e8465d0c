"""The stages of a run as rows of a chat message: as wide as a phone, or as a table."""

from __future__ import annotations

from readiness.model.message import Block
from readiness.model.verdict import Check
from readiness.report.judged import BAD
from readiness.report.numbers import SPACE, exact, quantity, rate
from readiness.report.slack_blocks import ROW_CHARACTERS, rows, table
from readiness.report.summary import StageRow, Summary, stage_row
from readiness.report.view import RunView

_MARKS = {
    "passed": "✓",
    "risk": "▲",
    "failed": "✕",
    "stopped": "■",
    "invalid": "?",
    "unchecked": "•",
    "running": "▶",
    "not run": "·",
}
_NAME = 12


def stage_rows(run: RunView, *, running: str = "") -> list[Block]:
    """Stage, rate and commit p99, one line each; nothing without stages."""
    if not run.stages:
        return []
    shown = [stage_row(run, stage) for stage in run.stages]
    names = [_name(run, row.name) for row in shown]
    width = max([5, *(len(name) for name in names)])
    lines = [f"  {'stage':<{width}}{'rate':>8}{'commit p99':>11}"]
    for row, name in zip(shown, names, strict=True):
        mark = _MARKS["running" if row.name == running else row.outcome]
        figure = commit_p99(row) if row.has_run else ""
        line = f"{mark} {name:<{width}}{rate(row.offered_per_s):>8}{figure:>11}".rstrip()
        note = _limit_note(run, row)
        lines.append(
            f"{line}  {note}" if note and len(line) + len(note) + 2 <= ROW_CHARACTERS else line
        )
    return [rows(lines)]


def _limit_note(run: RunView, row: StageRow) -> str:
    broken = [c for c in run.verdict.checks if c.stage == row.name and _is_commit_p99(c)]
    limit = next((c.limit for c in broken if c.limit is not None), None)
    return f"limit {exact(limit)}" if limit is not None else ""


def _is_commit_p99(check: Check) -> bool:
    return check.metric == "commit_p99_ms" and not check.flow and check.outcome in BAD


def stage_table(run: RunView, summary: Summary) -> list[Block]:
    """The stages of a judged run as one table; nothing without stages."""
    if not summary.stages:
        return []
    head = ("Stage", "Per s", "Commit p99", "Sessions", "Main wait", "Errors")
    body = [
        (
            f"{_MARKS[row.outcome]} {run.short(row.name)}",
            _figure(row.figures.achieved_per_s, ""),
            commit_p99(row),
            _figure(row.figures.means.get("aas"), ""),
            _wait(row),
            _figure(row.figures.error_ratio, "ratio"),
        )
        for row in summary.stages
    ]
    return [table(head, body, frozenset({1, 2, 3, 5}))]


def stage_lists(run: RunView, summary: Summary) -> list[Block]:
    """The table as two lists of a fixed-width font, each as wide as a phone."""
    if not summary.stages:
        return []
    names = {row.name: _name(run, row.name) for row in summary.stages}
    width = max(5, *(len(name) for name in names.values()))
    lines = [f"  {'stage':<{width}}{'wait':>13}{'errors':>10}"]
    for row in summary.stages:
        errors = _figure(row.figures.error_ratio, "ratio")
        start = f"{_MARKS[row.outcome]} {names[row.name]:<{width}}"
        lines.append(f"{start}{_wait(row):>13}{errors:>10}")
    return [*stage_rows(run), rows(lines)]


def _name(run: RunView, stage: str) -> str:
    """A stage in at most 12 characters: its multiple where no other has it, else its own name."""
    brief = run.brief(stage)
    alike = [s for s in run.stages if run.brief(s.name) == brief]
    name = brief if len(alike) == 1 else stage
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _figure(value: float | None, unit: str) -> str:
    return quantity(value, unit).replace(f"<{SPACE}", "under ")


def commit_p99(row: StageRow) -> str:
    """A stage's commit p99 with its unit."""
    return _figure(row.figures.commit_p99_ms, "ms")


def _wait(row: StageRow) -> str:
    if row.main_wait is None:
        return "–"
    name, part = row.main_wait
    return f"{name} {quantity(part, 'ratio')}"

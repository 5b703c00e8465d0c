"""What a command says in a terminal: the answer of a run, the end of the demo, an error.

At most 84 columns, ASCII rules where a machine reads: the very last line is `verdict: READY`.
Colour only when asked for, and never the only sign.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from readiness.errors import ConfigMistakes, Mistake, ReadinessError, TargetRefused
from readiness.report.companions import CompanionRow
from readiness.report.numbers import (
    count,
    duration,
    exact,
    plain,
    quantity,
    significant,
)
from readiness.report.summary import StageRow, Summary
from readiness.report.words import SIGNS, Sign

_COLOURS = {"good": "32", "warn": "33", "bad": "31", "inv": "35", "off": "2"}
_MARKS = {
    "passed": ("✓", "good"),
    "risk": ("▲", "warn"),
    "failed": ("✕", "bad"),
    "stopped": ("■", "bad"),
    "invalid": ("?", "inv"),
    "unchecked": ("·", "off"),
    "running": ("▶", "good"),
    "over": ("▶", "bad"),
    "not run": ("○", "off"),
}
_SEVERITIES = {"critical": "✕", "warning": "▲", "info": "i"}
_WIDTH = 84
_LINES_AROUND = 2


@dataclass(frozen=True, slots=True)
class DemoEnd:
    """What only the demo knows. `safety` says what was refused, `left` what still runs,
    `tries` are commands to go on with, and what each shows."""

    safety: str
    left: str
    took_s: float
    report: str
    is_cached: bool = False
    tries: tuple[tuple[str, str], ...] = ()


def paint(text: str, tone: str, *, colour: bool) -> str:
    """The text in the colour of a tone, when colour is asked for."""
    code = _COLOURS.get(tone)
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code else text


def ramp_summary(summary: Summary, *, colour: bool = False) -> str:
    """The answer of a ramp: verdict, reason, stages, failed checks, validity; last the verdict."""
    lines = [
        *_answer(summary, colour=colour),
        *_failed(summary),
        *_told(summary),
        *_validity(summary),
    ]
    lines += _scope(summary)
    lines += [
        "",
        *_prose("next", summary.next_step),
        *_row("report", f"{summary.folder}/report.html"),
    ]
    return _end(lines, summary)


def demo_tail(summary: Summary, end: DemoEnd, *, colour: bool = False) -> str:
    """The last lines of the demo, the very last `verdict: …`."""
    took = f"{duration(end.took_s)}{' (set-up was cached)' if end.is_cached else ''}"
    lines = [
        *_answer(summary, colour=colour),
        *_failed(summary),
        *_told(summary),
        *_validity(summary),
    ]
    lines += [*_row("workload", _funnel(summary)), *_row("safety", end.safety)]
    lines += [*_row("left", end.left), *_row("took", took), *_scope(summary)]
    lines += _row("report", end.report)
    width = max((len(command) for command, _ in end.tries), default=0)
    for n, (command, words) in enumerate(end.tries):
        lines += _row("" if n else "try", f"{command:<{width}}    {words}")
    return _end(lines, summary)


def step_line(
    name: str, seconds: float, text: str = "", *, is_done: bool = True, colour: bool = False
) -> str:
    """One finished step of a long command: "✓ load stage 2x   20 s   4.00 of 4/s"."""
    mark = paint("✓", "good", colour=colour) if is_done else paint("✕", "bad", colour=colour)
    return plain(f"  {mark} {name:<22}{duration(seconds):>12}   {text}").rstrip()


def stage_table(rows: Sequence[StageRow], *, colour: bool = False) -> list[str]:
    """Head and one line per stage: rate, commit p99, sessions, errors, lag."""
    width = max([11, *(len(row.label) + 1 for row in rows)])
    head = f"   {'stage':<{width}}{'rate/s':>12}  {'commit p99':>13}{'sessions':>10}{'errors':>10}"
    return [f"{head}{'lag p99':>11}", *(stage_line(r, width, colour=colour) for r in rows)]


def stage_line(row: StageRow, width: int, *, note: str = "", colour: bool = False) -> str:
    """One line of the stage table."""
    mark, tone = _MARKS[row.outcome]
    offered = exact(float(f"{row.offered_per_s:.3g}"))
    start = f" {paint(mark, tone, colour=colour)} {row.label:<{width}}"
    if not row.has_run:
        return f"{start}{'':>6} of {offered}"
    figures = row.figures
    achieved = "" if figures.achieved_per_s is None else significant(figures.achieved_per_s)
    cells = (
        (f"{achieved:>6} of {offered:<4}", 14),
        (quantity(figures.commit_p99_ms, "ms"), 13),
        (quantity(figures.means.get("aas"), ""), 10),
        (quantity(figures.error_ratio, "ratio"), 10),
        (quantity(figures.lag_p99_ms, "ms"), 11),
    )
    text = "".join(f"{text:>{size}}" for text, size in cells)
    return plain(f"{start}{text}  {note}").rstrip()


def companion_table(rows: Sequence[CompanionRow]) -> list[str]:
    """Head and one line per stage of each flow beside the first; nothing for a plan of one flow."""
    if not rows:
        return []
    names = [f"{row.flow} at {row.stage}" for row in rows]
    width = max([11, *(len(name) + 1 for name in names)])
    head = f"   {'beside it':<{width}}{'rate/s':>12}  {'response p50':>13}{'p99':>10}{'errors':>10}"
    return ["", head, *(_companion_line(*pair, width) for pair in zip(names, rows, strict=True))]


def _companion_line(name: str, row: CompanionRow, width: int) -> str:
    achieved = "" if row.achieved_per_s is None else significant(row.achieved_per_s)
    asked = exact(float(f"{row.asked_per_s:.3g}"))
    rates = f"{achieved:>6} of {asked:<4}"
    p50, p99 = quantity(row.p50_ms, "ms"), quantity(row.p99_ms, "ms")
    errors = quantity(row.error_ratio, "ratio")
    return plain(f"   {name:<{width}}{rates:>14}{p50:>13}{p99:>10}{errors:>10}").rstrip()


def _answer(summary: Summary, *, colour: bool) -> list[str]:
    sign = SIGNS[summary.word]
    return [
        f"{_verdict(sign, colour=colour)}  {summary.headline}",
        "",
        *textwrap.wrap(
            summary.sentence, _WIDTH, initial_indent="  ", subsequent_indent="  ",
            break_on_hyphens=False,
        ),
        "",
        *stage_table(summary.stages, colour=colour),
        *companion_table(summary.companions),
        "",
    ]  # fmt: skip


def _verdict(sign: Sign, *, colour: bool) -> str:
    return paint(f"{sign.mark} {sign.text}", sign.tone, colour=colour)


def _failed(summary: Summary) -> list[str]:
    if not summary.failed:
        passed, total = len(summary.passed), len(summary.checks)
        waiting = f", {len(summary.open)} not evaluated" if summary.open else ""
        text = f"{passed} of {total} passed{waiting}" if total else "none were evaluated"
        return _row("checks", text)
    width = max(len(c.expectation) for c in summary.failed)
    lines: list[str] = []
    for c in summary.failed:
        mark = _SEVERITIES[c.severity]
        start = f" {'' if lines else 'failed':<9}{mark} {c.expectation:<{width}}  "
        lines += textwrap.wrap(
            plain(c.why if c.is_invariant else c.sentence), _WIDTH, initial_indent=start, subsequent_indent=" " * len(start),
            break_on_hyphens=False,
        )  # fmt: skip
    return lines


def _told(summary: Summary) -> list[str]:
    """What is worth a line though it decides nothing: close calls, recoveries, the data."""
    close = [f"{c.sentence}: another run may end otherwise" for c in summary.passed if c.is_close]
    named = {"close": close, "recovery": summary.recoveries, "data": summary.invariants}
    return [line for name, texts in named.items() for text in texts for line in _prose(name, text)]


def _validity(summary: Summary) -> list[str]:
    total, broken = len(summary.rules), summary.broken_rules
    if not total:
        return _row("valid", "unknown, no rule was checked")
    if not broken:
        return _row("valid", f"{summary.belief}, {total} of {total} rules hold")
    first = broken[0]
    text = f"{summary.belief}, {len(broken)} of {total} rules broke: {first.name} at {first.stage}"
    return _prose("valid", f"{text}, {first.measured}, limit {first.limit}")


def _scope(summary: Summary) -> list[str]:
    if not summary.is_demonstration:
        return []
    return _row("scope", "demonstration on invented data: no evidence about any real database")


def _funnel(summary: Summary) -> str:
    steps = [f"{count(number)} {words}" for words, number in summary.funnel]
    return " → ".join(steps) or "not counted"


def _row(name: str, text: str) -> list[str]:
    """One labelled line, as it is: commands and paths are never broken."""
    return [plain(f" {name:<9}{text}").rstrip()]


def _prose(name: str, text: str) -> list[str]:
    """One labelled sentence, broken between words."""
    return textwrap.wrap(
        plain(text), _WIDTH, initial_indent=f" {name:<9}", subsequent_indent=" " * 10,
        break_on_hyphens=False,
    )  # fmt: skip


def _end(lines: Sequence[str], summary: Summary) -> str:
    return "\n".join([*(plain(line) for line in lines), f"verdict: {summary.word.value}"])


def format_error(error: ReadinessError, *, colour: bool = False) -> str:
    """An error as a person needs it: what, where, what to type next, the exit code."""
    done = " Nothing was started." if isinstance(error, ConfigMistakes) else ""
    lines = [f"{paint('✕', 'bad', colour=colour)} {error.message}{done}", ""]
    if isinstance(error, ConfigMistakes):
        for mistake in error.mistakes:
            lines += [*_mistake(mistake, colour=colour), ""]
    if isinstance(error, TargetRefused):
        lines += [*_keys(error, colour=colour), ""]
    if error.hint:
        lines += [*(f"  {line}".rstrip() for line in error.hint.splitlines()), ""]
    return "\n".join([*lines, f"(exit {error.exit_code})"])


def _keys(error: TargetRefused, *, colour: bool) -> list[str]:
    words = {
        True: paint("ok     ", "good", colour=colour),
        False: paint("missing", "bad", colour=colour),
    }
    names = [name for name, _, _ in error.keys] + (["target"] if error.where else [])
    width = max(map(len, names), default=0)
    where = [f"  {'target':<{width}}   {error.where}"] if error.where else []
    return where + [
        f"  {name:<{width}}   {words[holds]}   {why}" for name, holds, why in error.keys
    ]


def _mistake(mistake: Mistake, *, colour: bool) -> list[str]:
    """File, line and column; the line with what stands above it; a caret under the mistake."""
    where = f"  {mistake.path}:{mistake.line}:{mistake.column}"
    source = _source(mistake)
    if not source:
        return [where, f"    {mistake.text}"]
    first = mistake.line - len(source) + 1
    width = len(str(mistake.line))
    shown = [f"    {first + n:>{width}} | {text}" for n, text in enumerate(source)]
    carets = paint("^" * max(mistake.width, 1), "bad", colour=colour)
    caret = f"    {'':>{width}} | {' ' * (mistake.column - 1)}{carets} {mistake.text}"
    return [where, *shown, caret]


def _source(mistake: Mistake) -> list[str]:
    """The line of the mistake and up to two above it; [] when the file cannot be shown."""
    try:
        lines = mistake.path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    if not 1 <= mistake.line <= len(lines):
        return []
    shown = lines[max(mistake.line - 1 - _LINES_AROUND, 0) : mistake.line]
    return [line.replace("\t", " ") for line in shown]  # one column each, as they are counted

"""The ramp chart as a PNG, for messages and mail: the panels of report.html without the page.

The same run gives the same bytes: no date, no pyplot, and the font that matplotlib brings along.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from readiness.report.answer import headline
from readiness.report.figures import Panel, ground, outlines, panels, stacked, strokes
from readiness.report.numbers import plain
from readiness.report.page import time_ticks
from readiness.report.summary import summarize
from readiness.report.timeline import Timeline, timeline
from readiness.report.view import RunView
from readiness.report.words import SIGNS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK, _MUTED, _LINE, _GRID = "#16191d", "#565e6b", "#d5dae1", "#e8ebef"
_TONES = {
    "good": "#0f6b39",
    "warn": "#8a5000",
    "bad": "#b3261e",
    "inv": "#5b3f9b",
    "accent": "#0b5cad",
    "muted": _MUTED,
    "band": "#c3c9d2",
    "limit": "#b3261e",
    "cores": _INK,
    "cpu": "#3b8fd6",
    "commit": "#d55e00",
    "read": "#1f4e8c",
    "lock": "#00866b",
    "other": "#8d949e",
}
_BROKE = "#fdeceb"
_DPI = 120
_WIDTH_IN = 9.0
_PANEL_GAP_IN, _TOP_IN, _BOTTOM_IN = 0.62, 1.1, 0.4
_LEFT, _RIGHT = 0.085, 0.985
_NEAR_END = 0.97  # a label centred here would be cut


def ramp_chart_png(run: RunView) -> bytes:
    """The chart of a run, 1,080 pixels wide; a run without a stage gives its verdict alone."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    time, summary = timeline(run), summarize(run)
    figures = {row.name: row.figures for row in summary.stages}
    drawn = [p for p in panels(run, time, [figures[s.stage.name] for s in time.spans]) if p.curves]
    heights = [p.height_px / 80 for p in drawn]
    total = _TOP_IN + sum(heights) + _PANEL_GAP_IN * max(len(drawn) - 1, 0) + _BOTTOM_IN
    with rc_context({"font.family": "DejaVu Sans", "font.size": 9, "axes.unicode_minus": True}):
        figure = Figure(figsize=(_WIDTH_IN, total), dpi=_DPI, facecolor="white")
        _head(figure, run, total)
        top = total - _TOP_IN
        for panel, height in zip(drawn, heights, strict=True):
            bottom = top - height
            axes = figure.add_axes((_LEFT, bottom / total, _RIGHT - _LEFT, height / total))
            _draw(axes, panel, time, is_last=panel is drawn[-1])
            top = bottom - _PANEL_GAP_IN
        out = io.BytesIO()
        figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


def _head(figure: Figure, run: RunView, total_in: float) -> None:
    sign = SIGNS[run.verdict.verdict]
    y = 1 - 0.2 / total_in
    text = figure.text(
        0.012,
        y,
        f"{sign.mark} {sign.text}",
        color=_TONES[sign.tone],
        size=15,
        weight="bold",
        va="center",
    )
    width = text.get_window_extent().width / (_WIDTH_IN * _DPI)
    figure.text(0.012 + width + 0.015, y, plain(headline(run)), size=11, va="center", color=_INK)
    if run.verdict.scope == "demonstration":
        note = "demonstration on invented data: no evidence about any real database"
        figure.text(0.012, 1 - 0.43 / total_in, note, size=8.5, va="center", color=_TONES["warn"])


def _draw(axes: Axes, panel: Panel, time: Timeline, *, is_last: bool) -> None:
    axes.set_xlim(0, time.total_s)
    axes.set_ylim(0, 1)
    _frame(axes, panel, time, is_last=is_last)
    for span, (value, is_broken) in zip(time.spans, panel.stages, strict=True):
        if is_broken:
            axes.axvspan(span.start_s, span.start_s + span.length_s, color=_BROKE, lw=0, zorder=0)
        middle = span.start_s + span.length_s / 2
        words = f"{span.brief}: {plain(value)}" if panel.key == "rate" else plain(value)
        axes.annotate(
            words, (middle, 1), (0, 3), textcoords="offset points", ha="center", va="bottom",
            size=8.5, color=_TONES["bad"] if is_broken else _INK,
            weight="bold" if is_broken else "normal",
        )  # fmt: skip
    if any(c.is_area for c in panel.curves):
        _stack(axes, panel, time)
    else:
        _lines(axes, panel, time)
    _levels(axes, panel, time)


def _frame(axes: Axes, panel: Panel, time: Timeline, *, is_last: bool) -> None:
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_MUTED)
    axes.tick_params(length=0, colors=_MUTED, labelsize=8.5)
    axes.set_yticks([y for y, _ in panel.ticks], [plain(text) for _, text in panel.ticks])
    axes.grid(axis="y", color=_GRID, lw=0.8, zorder=0)
    axes.set_axisbelow(True)
    for span in time.spans[1:]:
        axes.axvline(span.start_s, color=_LINE, lw=0.9, zorder=1)
    marks = time_ticks(time.total_s) if is_last else []
    axes.set_xticks([x * time.total_s for x, _ in marks], [plain(text) for _, text in marks])
    if marks and marks[-1][0] > _NEAR_END:
        axes.get_xticklabels()[-1].set_horizontalalignment("right")
    axes.annotate(
        panel.title, (0, 1), (0, 17), xycoords="axes fraction", textcoords="offset points", size=9.5, weight="bold",
        color=_INK, va="bottom", annotation_clip=False,
    )  # fmt: skip
    _key(axes, panel)


def _key(axes: Axes, panel: Panel) -> None:
    """What the colours mean, right of the title, each word in its own colour."""
    shown = [(c.words, _TONES[c.tone]) for c in panel.curves if c.words and len(panel.curves) > 1]
    shown += [(plain(panel.far), _MUTED)] if panel.far else []
    offset = 0.0
    for words, colour in reversed(shown):
        text = axes.annotate(
            words, (1, 1), (-offset, 17), xycoords="axes fraction", textcoords="offset points", ha="right", va="bottom",
            size=8.5, color=colour if colour != _TONES["band"] else "#8d949e", weight="bold",
            annotation_clip=False,
        )  # fmt: skip
        offset += text.get_window_extent().width / _DPI * 72 + 10


def _lines(axes: Axes, panel: Panel, time: Timeline) -> None:
    for curve in panel.curves:
        colour = _TONES[curve.tone]
        if curve.tone == "band":
            x, y = _scaled(ground(time), panel.top)
            axes.plot(x, y, color=colour, lw=5, zorder=2, solid_capstyle="butt")
            continue
        for points in strokes(time, time.row(curve.metric)):
            axes.plot(*_scaled(points, panel.top), color=colour, lw=1.5, zorder=3)


def _scaled(points: Sequence[tuple[float, float]], top: float) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y / top for _, y in points]


def _stack(axes: Axes, panel: Panel, time: Timeline) -> None:
    """The highest layer first: each next one covers its foot."""
    for wait, high in reversed(stacked(time)):
        for points in outlines(time, high):
            x, y = _scaled(points, panel.top)
            axes.fill_between(x, y, facecolor=_TONES[wait], lw=0.5, edgecolor="white", zorder=2)


def _levels(axes: Axes, panel: Panel, time: Timeline) -> None:
    for line in panel.lines:
        colour = _TONES[line.tone]
        x1, x2 = line.x1 * time.total_s, line.x2 * time.total_s
        axes.plot([x1, x2], [line.y, line.y], color=colour, lw=1.4, zorder=4)
        is_high = line.y > 0.8
        axes.annotate(
            plain(line.words), (x1, line.y), (4, -3 if is_high else 2), textcoords="offset points",
            va="top" if is_high else "bottom", size=8.5, color=colour, zorder=5,
            bbox={"facecolor": "white", "alpha": 0.75, "lw": 0, "pad": 1},
        )  # fmt: skip

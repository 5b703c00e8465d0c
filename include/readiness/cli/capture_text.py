"""A capture's summary as lines for people."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.capture.history import HistoryShape
from readiness.capture.rates import Rate
from readiness.capture.summary import CaptureSummary, FlowSummary


def as_text(summary: CaptureSummary | HistoryShape) -> str:
    """One block, one fact a line; warnings last."""
    lines = _shape(summary) if isinstance(summary, HistoryShape) else _capture(summary)
    return "\n".join([*lines, *(f"  ! {warning}" for warning in summary.warnings)])


def _shape(found: HistoryShape) -> list[str]:
    return [
        f"{found.source}  ({found.dialect}: shape only, never replayed)",
        f"  {found.lines:,} lines, {found.sessions:,} sessions, {found.span_s:,.1f} s",
        f"  statements    {found.statements:,}: {_counts(found.kinds)}",
        f"  digests       {len(found.digests):,}; {found.nested:,} statements in stored programs",
        f"  errors        {_counts(found.errors)}",
    ]


def _capture(summary: CaptureSummary) -> list[str]:
    when = f", {summary.began_at} to {summary.ended_at}" if summary.began_at else ""
    lines = [
        f"{summary.source}  ({summary.dialect}{when})",
        f"  {summary.lines:,} lines, {summary.events:,} records, {summary.sessions:,} sessions",
        f"  commands      {_counts(summary.commands)}",
        f"  users         {_counts(summary.users)}",
        f"  transactions  {summary.transactions:,}: {_counts(summary.outcomes)}",
        f"  statements    {summary.statements:,}: {_counts(summary.kinds)}",
        f"  rate          {_rate(summary.rate, 'transactions')}",
    ]
    return [*lines, *(_flows(summary.flows) if summary.flows else ())]


def _flows(found: FlowSummary) -> list[str]:
    names = f" ({', '.join(found.names)})" if found.names else ""
    shares = [share for share in found.coverages if share is not None]
    cover = f", {_span(shares)} of the example's statements" if shares else ""
    return [
        f"  flows         {found.flows:,}{names}: {found.transactions:,} transactions,"
        f" {found.statements:,} statements{cover}",
        f"  left out      {_counts(found.left_out)}",
        f"  flow rate     {_rate(found.rate, 'flows')}",
    ]


def _span(shares: Sequence[float]) -> str:
    least, most = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return least if least == most else f"{least} to {most}"


def _rate(rate: Rate | None, what: str) -> str:
    if rate is None:
        return "not known: the log has no second between its ends"
    if rate.peak_minute_per_s is None:
        return f"{rate.normal_per_s:.3g} {what}/s over {rate.seconds:,.0f} s"
    return (
        f"normal {rate.normal_per_s:.3g} {what}/s (median of {rate.minutes:,} minutes),"
        f" busiest minute {rate.peak_minute_per_s:.3g}/s"
    )


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name or '(unknown)'} {count:,}" for name, count in counts.items()) or "none"

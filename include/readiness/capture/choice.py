"""From one log to the runs of a flow in it: selected, told apart, counted; each is a capture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from readiness.capture.events import EventSource
from readiness.capture.example import Example
from readiness.capture.flows import Flow, pick
from readiness.capture.parts import Part, Parts
from readiness.capture.rates import Clock, Rate
from readiness.capture.selection import Picker, Selection
from readiness.capture.sessions import Transactions, nobody
from readiness.errors import CaptureError
from readiness.model.transactions import Raw, RawCapture, RawTransaction

Numbered: TypeAlias = tuple[int, RawTransaction]
"""A transaction with the place where it began in its log."""


class NoFlow(CaptureError):
    """A log holds nothing of what was asked for; the message counts what it holds instead."""


@dataclass(frozen=True, slots=True, repr=False)
class Chosen(Raw):
    """The flows that a log holds, in the order in which they began. `left_out` counts transactions
    by reason; `rate` is how often the flow began, None where the log's clock does not tell."""

    flows: tuple[Flow, ...]
    left_out: dict[str, int] = field(default_factory=dict)
    rate: Rate | None = None

    def captures(self, source: EventSource, *, most: int) -> list[RawCapture]:
        """At most `most` flows as captures of their own: those most like the example, in log
        order."""
        ranked = sorted((-(flow.coverage or 0.0), at) for at, flow in enumerate(self.flows))
        kept = sorted(at for _, at in ranked[:most])
        return [_as_capture(self.flows[at], at + 1, source) for at in kept]


def choose(
    transactions: Iterable[Numbered],
    selection: Selection,
    example: Example | None = None,
) -> Chosen:
    """The flows among the transactions of one log, each with the place where it began, in any
    order.

    With an example each run like it is a flow; without, what was selected is one flow, or one for
    each marker. Raises CaptureError where the log holds none."""
    picker, clock = Picker(selection), Clock()
    reader = Parts(example, picker.left_out)
    parts = [
        part
        for place, transaction in transactions
        if (kept := picker.keep(place, clock.note(transaction)))
        and (part := reader.of(place, kept))
    ]
    reader.finish()
    parts.sort(key=lambda part: part.place)
    named = [(name, part) for part in parts if (name := picker.group_of(part.place)) is not None]
    if example is None:
        flows = _as_selected(named)
    else:
        flows = pick([part for _, part in named], example, picker.left_out)
    if not flows:
        raise _none(picker.left_out, has_example=example is not None)
    begins = [flow.began_ns for flow in flows if flow.began_ns is not None]
    rate = clock.rate_of(begins, from_ns=selection.from_ns, to_ns=selection.to_ns)
    return Chosen(tuple(flows), dict((+picker.left_out).most_common()), rate)


def choose_in(
    reader: Transactions,
    selection: Selection,
    example: Example | None = None,
    *,
    watch: Callable[[Iterable[Numbered]], Iterable[Numbered]] = iter,
) -> Chosen:
    """The flows in a log while it is read; only they are held. `watch` sees every transaction.

    Raises CaptureError as `choose` does, and where the log has nothing of the reader's users."""
    try:
        return choose(
            watch(pair for batch in reader.batches() for pair in batch), selection, example
        )
    except NoFlow:
        if reader.wanted and not reader.wanted & set(reader.users):
            raise nobody(reader.source.name, reader.wanted, reader.users) from None
        raise


def _as_selected(named: Iterable[tuple[str, Part]]) -> list[Flow]:
    """One flow for each name, in log order."""
    found: dict[str, list[RawTransaction]] = {}
    for name, part in named:
        found.setdefault(name, []).append(part.transaction)
    return [Flow(tuple(members), name=name) for name, members in found.items()]


def _none(left_out: Counter[str], *, has_example: bool) -> NoFlow:
    counts = ", ".join(f"{count:,} {reason}" for reason, count in (+left_out).most_common())
    hint = "Check the example: the same code, the same flow, alone in its log."
    return NoFlow(
        f"the log holds no such flow; transactions left out: {counts or 'none'}",
        hint=hint if has_example else "Give other criteria; without any, the whole log is taken.",
    )


def _as_capture(flow: Flow, number: int, source: EventSource) -> RawCapture:
    return RawCapture(
        f"{Path(source.name).name} (flow {flow.name or number})",
        source.dialect,
        flow.transactions,
        lines=source.lines,
        events=sum(len(t.statements) for t in flow.transactions),
        sessions=len({t.thread_id for t in flow.transactions}),
    )

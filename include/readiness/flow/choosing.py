"""Captures as asked for: whole logs, what a selection keeps of them, or the flows in mixed logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from readiness.capture.choice import Chosen, choose_in
from readiness.capture.events import EventSource
from readiness.capture.example import Example, Keys, learn
from readiness.capture.history import History, HistoryShape
from readiness.capture.logs import open_logs
from readiness.capture.meetings import Column
from readiness.capture.selection import Selection
from readiness.capture.sessions import Transactions, read_capture
from readiness.capture.summary import CaptureSummary, summarize_source
from readiness.errors import CaptureError
from readiness.model.boundary import values_end_here
from readiness.model.transactions import RawCapture
from readiness.workload.schema import Schema

_MOST_FLOWS = 6  # of one log: more captures teach nothing and cost alignment


@dataclass(frozen=True, slots=True)
class Choosing:
    """Which part of each log is a capture. `like` are clean captures of the flow: with them, each
    run of it in a log is a capture of its own. `format` is one of `logs.FORMATS`."""

    selection: Selection = field(default_factory=Selection)
    like: tuple[Path, ...] = ()
    format: str = "auto"

    @property
    def takes_all(self) -> bool:
        """A log is one capture as it stands."""
        return self.selection.is_all and not self.like


@values_end_here
def read_captures(
    logs: Sequence[Path],
    choosing: Choosing,
    *,
    users: Sequence[str] = (),
    schema: Schema | None = None,
) -> list[RawCapture]:
    """The captures in these logs; of `users` only, if any are given. Raises CaptureError, also when
    two are copies of one run.

    Where flows are picked, rotated files are one log, and its warnings stay with its first flow."""
    if choosing.takes_all:
        whole = [read_capture(log, users=users, format=choosing.format) for log in logs]
        _refuse_copies(whole)
        return whole
    example = read_example(choosing, schema)
    captures: list[RawCapture] = []
    for source in open_logs(logs, format=choosing.format):
        reader = Transactions(source, users=users)
        chosen = choose_in(reader, choosing.selection, example)
        first, *rest = chosen.captures(source, most=_MOST_FLOWS)
        warnings = (*source.warnings, *reader.warnings, _told(chosen))
        captures += [replace(first, warnings=warnings), *rest]
    _refuse_copies(captures)
    return captures


def _refuse_copies(captures: Sequence[RawCapture]) -> None:
    """Two runs differ at least in their ids. Of one run that was given twice all values would be
    constants, and constants are written as they are."""
    seen: dict[tuple[bytes, ...], str] = {}
    for capture in captures:
        sent = tuple(s.sql for t in capture.transactions for s in t.statements)
        if sent and sent in seen:
            raise CaptureError(
                f"{capture.source} is a copy of {seen[sent]}: all their statements are equal, so they"
                " cannot tell what belongs to the person and what to the code",
                hint="Pass each log once, and capture the flow again with another persona.",
            )
        seen[sent] = capture.source


@values_end_here
def summarize_sources(
    sources: Sequence[EventSource], choosing: Choosing, *, users: Sequence[str] = ()
) -> list[CaptureSummary | HistoryShape]:
    """What is in each log, and the flows in it where some are asked for. Raises CaptureError.

    Logs are counted as they stream; only flows are held. Of statement history there is a shape."""
    example = read_example(choosing)
    selection = None if choosing.selection.is_all else choosing.selection
    return [
        source.shape()
        if isinstance(source, History) and choosing.takes_all
        else summarize_source(source, users=users, selection=selection, example=example)
        for source in sources
    ]


@values_end_here
def read_example(choosing: Choosing, schema: Schema | None = None) -> Example | None:
    """What the clean captures teach, None where none are given."""
    if not choosing.like:
        return None
    clean = [read_capture(log, format=choosing.format) for log in choosing.like]
    return learn(clean, keys_of(schema) if schema else None)


def _told(chosen: Chosen) -> str:
    """One line on what was left out; no value, no SQL."""
    counts = [f"{count:,} {reason}" for reason, count in chosen.left_out.items()]
    found = f"{len(chosen.flows):,} flow{'s' * (len(chosen.flows) != 1)} in this log"
    return f"{found}; transactions left out: {', '.join(counts) or 'none'}"


def keys_of(schema: Schema) -> Keys:
    """What a schema says of keys, in the form that selection reads."""
    columns = [(table, name) for table, known in schema.tables.items() for name in known.columns]
    roots = {column: schema.root(*column) for column in columns}
    return Keys(
        keyed=frozenset(_low(c) for c in columns if schema.is_indexed(*c)),
        roots={_low(c): _low(root) for c, root in roots.items() if root != c},
        numbered=frozenset(_low(c) for c in columns if schema.is_auto_increment(*c)),
        columns={
            table.lower(): frozenset(name.lower() for name in known.columns)
            for table, known in schema.tables.items()
        },
    )


def _low(column: Column) -> Column:
    return column[0].lower(), column[1].lower()

"""Tells records from lines of a statement that look like records: nobody's values become SQL.

Whoever can write a value can write a line break and a record into it. A statement that is cut off
within quotes or a comment, and a later record whose text closes them, are one statement.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from readiness.capture.events import LogEvent
from readiness.capture.session import Session
from readiness.errors import SqlError
from readiness.model.transactions import Raw

_MOST_HELD = 200  # further away, the statement was broken and what follows are records
_MOST_HELD_BYTES = 16 << 20


@dataclass(slots=True, repr=False)
class Cut(Raw):
    """A statement that never ends, and the records behind it, which may be lines of it."""

    event: LogEvent
    session: Session
    error: SqlError
    is_kept: bool
    held: list[LogEvent] = field(default_factory=list)
    _opener: bytes = b""
    _held_bytes: int = 0

    def __post_init__(self) -> None:
        opened = self.event.argument[self.error.at :][:2]
        self._opener = opened if opened == b"/*" else opened[:1]

    @property
    def is_over(self) -> bool:
        """Whether what is held was held for long enough: they are records."""
        return len(self.held) >= _MOST_HELD or self._held_bytes >= _MOST_HELD_BYTES

    def hold(self, event: LogEvent) -> None:
        """Keeps a record until it is known whether it is one."""
        self.held.append(event)
        self._held_bytes += len(event.argument)

    def closes(self, event: LogEvent) -> bool:
        """Whether the record's text ends what the statement left open."""
        return self.session.closes(self._opener + event.argument)

    def broken(self) -> list[str]:
        """The warning when the statement was broken by itself; none for other users' sessions."""
        text = f"line {self.event.line}: statement left out: {self.error.message}"
        return [text] if self.is_kept else []

    def forged(self, last: LogEvent) -> str:
        """The warning when the records up to `last` are lines of the statement."""
        return (
            f"line {self.event.line}: statement left out: it holds lines that look like records,"
            f" up to line {last.line}, and these were left out too"
        )

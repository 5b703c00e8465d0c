"""What every log gives: one event per record, and the one shape that all sources of events have.

Each format has its reader; sessions and transactions are made from events alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from readiness.model.transactions import Raw


@dataclass(slots=True, repr=False)  # freezing makes each five times as slow; a log has millions
class LogEvent(Raw):
    """One record of a server's log.

    `line` is the record's first line in its file, from 1. `command` is the server's word: Connect,
    Init DB, Query, Prepare, Execute, Quit. `argument` holds the bytes as sent, without the record's
    closing newline. `at_ns` is when it began, from the epoch as the server's clock showed it; None
    where the log has no time yet.

    `user` and `schema` stand where the format says them on each record (slow and audit logs, the
    log tables); else "" and None. `latency_ns` and `rows` (sent, affected) are None where unknown
    or overflowed; MySQL's slow logs lack the rows affected alone. `errno` marks a statement that failed."""

    line: int
    thread_id: int
    command: str
    argument: bytes
    at_ns: int | None
    user: str = ""
    schema: str | None = None
    latency_ns: int | None = None
    rows: tuple[int, int | None] | None = None
    errno: int = 0


class EventSource(Protocol):
    """One log, read once by iterating; the attributes are final at the end."""

    @property
    def name(self) -> str:
        """Where it came from: path or server, never a login."""
        ...

    @property
    def dialect(self) -> str:
        """Which format it has, one of `logs.DIALECTS`."""
        ...

    @property
    def lines(self) -> int:
        """Lines, or rows, read so far."""
        ...

    @property
    def warnings(self) -> list[str]:
        """What the reader noticed; no SQL, no values."""
        ...

    @property
    def has_exact_times(self) -> bool:
        """Each record has its microsecond, so gaps between records are times in the application."""
        ...

    def __iter__(self) -> Iterator[LogEvent]:
        """The events in file order. Raises CaptureError where the log cannot be read."""
        ...

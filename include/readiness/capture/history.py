"""Reads a dump of performance_schema.events_statements_history_long: the shape of a workload only.

The table holds the latest 10,000 statements of all sessions, the first 1024 bytes of each, and no
value of a prepared statement. Kinds, digests and errors can be counted from it; it is never replayed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from readiness.capture.batch_dump import BatchDump
from readiness.capture.events import LogEvent
from readiness.capture.files import LogFile, Meter
from readiness.errors import CaptureError, LogFormatError

HISTORY = "history"
COLUMNS = ("thread_id", "event_name", "digest", "mysql_errno", "nesting_event_type", "timer_start")
REFUSAL = (
    "is statement history of performance_schema, which has no values of prepared statements and only"
    " the latest 10,000 statements, so nothing can be replayed from it"
)
WAY_OUT = (
    "Capture a general log:  readiness capture --from mysql://user@host/ --on   (see readiness"
    " capture --help), or a slow log with long_query_time=0."
)
_TABLE = "performance_schema.events_statements_history_long"
_PREFIXES = ("statement/sql/", "statement/")
_PS_PER_S = 1e12
_RING_ROWS = 10_000
_NESTED = b"STATEMENT"  # ran within a stored program, not sent by a client


@dataclass(frozen=True, slots=True)
class HistoryShape:
    """What a dump holds in numbers. `kinds` are the server's own names (select, com/Execute),
    `digests` count per digest, largest first. `nested` statements ran within stored programs and
    are in no other number. `span_s` is from the first statement's begin to the last one's."""

    source: str
    dialect: str
    lines: int
    statements: int
    nested: int
    sessions: int
    kinds: dict[str, int]
    digests: dict[str, int]
    errors: dict[str, int]
    span_s: float
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "warnings": list(self.warnings)}


class History:
    """One dump. As a source of events it refuses, with the reason and what to capture instead."""

    dialect = HISTORY
    has_exact_times = False

    def __init__(self, path: Path, *, meter: Meter | None = None) -> None:
        self.name = str(path)
        self.warnings: list[str] = []
        self._file = LogFile(path, meter=meter)

    @property
    def lines(self) -> int:
        """Lines read so far."""
        return self._file.lines

    def __iter__(self) -> Iterator[LogEvent]:
        raise CaptureError(f"{self.name} {REFUSAL}.", hint=WAY_OUT)

    def shape(self) -> HistoryShape:
        """Counts the dump. Raises CaptureError, LogFormatError."""
        tally = _Tally()
        dump = BatchDump(self._file.path, _TABLE, (), COLUMNS, warnings=self.warnings)
        for line, row in dump.rows(self._file.text_lines()):
            try:
                tally.take(row)
            except ValueError as e:
                raise LogFormatError(
                    self._file.path,
                    line,
                    f"expected a row of {_TABLE}",
                    hint="Dump the whole table again with  mysql --batch",
                ) from e
        if not tally.rows:
            raise LogFormatError(
                self._file.path,
                max(self.lines, 1),
                "the statement history holds no row",
                hint="Its consumers are off as installed: UPDATE performance_schema.setup_consumers"
                " SET ENABLED='YES' WHERE NAME LIKE 'events_statements_%'.",
            )
        return tally.shape(self)


class _Tally:
    def __init__(self) -> None:
        self.rows = 0
        self._nested = 0
        self._sessions: set[bytes] = set()
        self._kinds: Counter[str] = Counter()
        self._digests: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._starts_ps: list[int] = []

    def take(self, row: list[bytes]) -> None:
        """Counts one row, columns as in COLUMNS. Raises ValueError."""
        thread_id, event_name, digest, errno, nesting, timer_start = row
        self.rows += 1
        if nesting == _NESTED:
            self._nested += 1
            return
        self._sessions.add(thread_id)
        self._kinds[_kind(event_name.decode("ascii"))] += 1
        if digest != b"NULL":
            self._digests[digest.decode("ascii")] += 1
        if int(errno):
            self._errors[str(int(errno))] += 1
        start_ps = int(timer_start)
        first, last = self._starts_ps or (start_ps, start_ps)
        self._starts_ps = [min(first, start_ps), max(last, start_ps)]

    def shape(self, history: History) -> HistoryShape:
        first, last = self._starts_ps or (0, 0)
        warnings = list(history.warnings)
        if self.rows >= _RING_ROWS:
            warnings.append(f"the table was full at {self.rows:,} rows: older statements are gone")
        return HistoryShape(
            source=Path(history.name).name,
            dialect=HISTORY,
            lines=history.lines,
            statements=self.rows - self._nested,
            nested=self._nested,
            sessions=len(self._sessions),
            kinds=_largest_first(self._kinds),
            digests=_largest_first(self._digests),
            errors=_largest_first(self._errors),
            span_s=(last - first) / _PS_PER_S,
            warnings=tuple(warnings),
        )


def _kind(event_name: str) -> str:
    """`statement/sql/select` is select, `statement/com/Execute` stays com/Execute."""
    for prefix in _PREFIXES:
        if event_name.startswith(prefix):
            return event_name.removeprefix(prefix)
    return event_name


def _largest_first(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

"""Reads the audit log of MariaDB's server_audit plugin and of Aurora's advanced auditing.

  20261130 11:14:12,host,app,localhost,431,78043,QUERY,checkout,'SELECT 1',0     MariaDB, RDS
  1793186052711202,host,app,10.0.0.9,431,78043,QUERY,checkout,'SELECT 1',0       Aurora
A record holds a statement with its values, the schema and the server's answer, and is written when
the statement is over. Quotes are escaped, so that no value can look like a record. The plugin cuts
statements at server_audit_query_log_limit, 1024 bytes as installed: those are left out and said.
Aurora writes several files at once, none in order: records are put in order by time, those of one
moment by query id, and `line` then counts records in that order.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from readiness.capture.audit_records import AuditFile, AuditRecord, is_aurora
from readiness.capture.events import LogEvent
from readiness.capture.files import LogFile, Meter
from readiness.errors import LogFormatError

AUDIT = "audit"
_HELD = 20_000  # records of one file that are in memory to be put in order
_USUAL_LIMIT = 1024
_HEAD_BYTES = 4096
_LOGINS = {"CONNECT": "Connect", "PROXY_CONNECT": "Connect", "CHANGEUSER": "Change user"}
_Keyed = tuple[int, int, int, AuditRecord]


class AuditLog:
    """The records of one audit log, a file or several; read once by iterating.

    A login reads as in a general log, so that sessions are made alike; what is neither login nor
    QUERY (READ and WRITE name a statement's tables) keeps its name. Raises CaptureError for a file
    that cannot be read, LogFormatError for what is no audit record."""

    dialect = AUDIT

    def __init__(self, paths: Sequence[Path], *, meter: Meter | None = None) -> None:
        self.name = ", ".join(str(path) for path in paths)
        self.warnings: list[str] = []
        self.has_exact_times = False
        self._paths = paths
        self._files = [LogFile(path, meter=meter) for path in paths]
        self._events = _Events()

    @property
    def lines(self) -> int:
        """Lines read so far."""
        return sum(file.lines for file in self._files)

    def __iter__(self) -> Iterator[LogEvent]:
        self.has_exact_times = all(is_aurora(file.head(_HEAD_BYTES)) for file in self._files)
        records = self._by_time() if self.has_exact_times else self._as_written()
        is_empty = True
        for record in records:
            is_empty = False
            event = self._events.event(record)
            if event is not None:
                yield event
        if is_empty:
            said = "the audit log has no whole record" if self.lines else "the audit log is empty"
            raise LogFormatError(self._paths[0], 1, said, hint="Was server_audit_logging on?")
        self.warnings += self._events.warnings()

    def _as_written(self) -> Iterator[AuditRecord]:
        """One file after another, lines counted on."""
        before = 0
        for file in self._files:
            for record in self._file(file):
                yield replace(record, line=record.line + before) if before else record
            before += file.lines

    def _file(self, file: LogFile) -> Iterator[AuditRecord]:
        part = AuditFile(file)
        yield from part
        if part.cut_line:
            self.warnings.append(
                f"{file.path.name}, line {part.cut_line}: the last record has no end and was left"
                " out"
            )

    def _by_time(self) -> Iterator[AuditRecord]:
        parts = [_nearly_sorted(self._file(file), place) for place, file in enumerate(self._files)]
        newest: dict[int, int] = {}
        late = 0
        for line, (at_us, _, _, record) in enumerate(heapq.merge(*parts, key=_place), start=1):
            late += at_us < newest.get(record.thread_id, 0)
            newest[record.thread_id] = at_us
            if record.operation == "DISCONNECT":
                del newest[record.thread_id]
            yield replace(record, line=line)
        if late:
            self.warnings.append(
                f"{late} record{'s' * (late != 1)} stand too far from their place to be put in"
                " order: cut the files to the time of the capture"
            )


def _nearly_sorted(records: Iterable[AuditRecord], place: int) -> Iterator[_Keyed]:
    """Records in order, as long as each stands within _HELD of its place."""
    heap: list[_Keyed] = []
    for number, record in enumerate(records):
        # a login has query id 0 and comes before statements of its moment; its end behind them
        query_id = 1 << 63 if record.operation == "DISCONNECT" else record.query_id
        item = (record.at_us, query_id, place << 48 | number, record)
        if len(heap) < _HELD:
            heapq.heappush(heap, item)
        else:
            yield heapq.heappushpop(heap, item)
    while heap:
        yield heapq.heappop(heap)


def _place(item: _Keyed) -> tuple[int, int, int]:
    return item[:3]


class _Events:
    """Makes events of records, and keeps what is to be said of them."""

    def __init__(self) -> None:
        self._changed_to: dict[int, str] = {}
        self._first_change = 0
        self._queries = 0
        self._longest_bytes = 0
        self._cut: list[int] = []

    def event(self, record: AuditRecord) -> LogEvent | None:
        """The event of one record; None for a statement that the plugin cut."""
        operation = record.operation
        if operation == "QUERY" and self._is_cut(record):
            return None
        command, argument = operation.capitalize(), record.text
        if operation in _LOGINS:
            command = _LOGINS[operation]
            argument = b"%s@%s on %s" % (record.user, record.host, record.schema)
        elif operation == "FAILED_CONNECT":
            command, argument = "Connect", b"Access denied"
        elif operation == "DISCONNECT":
            command = "Quit"
        return LogEvent(
            record.line,
            record.thread_id,
            command,
            argument,
            record.at_us * 1000,
            user=self._user(record),
            schema=record.schema.decode("utf-8", "replace"),
            errno=record.errno,
        )

    def _is_cut(self, record: AuditRecord) -> bool:
        """As long as the plugin's limit, while none is longer."""
        self._queries += 1
        self._longest_bytes = max(self._longest_bytes, record.written_bytes)
        is_at_limit = _USUAL_LIMIT - 1 <= record.written_bytes <= _USUAL_LIMIT
        if not is_at_limit or self._longest_bytes > _USUAL_LIMIT:
            return False
        self._cut.append(record.line)
        return True

    def _user(self, record: AuditRecord) -> str:
        """Behind a change of user the plugin goes on with the user of before for some records."""
        user = record.user.decode("utf-8", "replace")
        if record.operation == "CHANGEUSER":
            self._changed_to[record.thread_id] = user
            self._first_change = self._first_change or record.line
        elif record.operation in ("CONNECT", "DISCONNECT"):
            self._changed_to.pop(record.thread_id, None)
        return self._changed_to.get(record.thread_id, user)

    def warnings(self) -> list[str]:
        """What to say at the end."""
        said = []
        if self._cut:
            count = len(self._cut)
            lines = ", ".join(str(line) for line in self._cut[:5]) + ", …" * (count > 5)
            said.append(
                f"line {self._cut[0]}: {count} statement{'s' * (count != 1)} as long as the audit's"
                f" limit of {_USUAL_LIMIT} bytes, so probably cut, left out (lines {lines}): capture"
                " with a higher server_audit_query_log_limit, or with the general log"
            )
        if not self._queries:
            said.append("no record is a statement: server_audit_events must have QUERY")
        if self._first_change:
            said.append(
                f"line {self._first_change}: behind a change of user the audit log may name another"
                " schema than the session has"
            )
        return said

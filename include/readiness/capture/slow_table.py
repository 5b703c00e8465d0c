"""Reads `mysql.slow_log` of MySQL or MariaDB as `mysql --batch` dumps it.

Rows frame their statement, so that nothing in a value can look like a record. `start_time` is when
the statement began on MariaDB, and when it ended on MySQL, whatever its name says (both measured).
A command that is no statement stands by its bare name: Ping, Quit, Init DB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from readiness.capture.batch_dump import BatchDump, has_header
from readiness.capture.events import LogEvent
from readiness.capture.files import LogFile, Meter
from readiness.capture.general_table import TableClock, user_of
from readiness.capture.slow_header import SLOW_MARIADB, SLOW_MYSQL
from readiness.errors import LogFormatError

COLUMNS = (
    "start_time",
    "user_host",
    "query_time",
    "lock_time",
    "rows_sent",
    "rows_examined",
    "db",
    "last_insert_id",
    "insert_id",
    "server_id",
    "sql_text",
    "thread_id",
)
_WANTED = ("start_time", "user_host", "query_time", "rows_sent", "db", "sql_text", "thread_id")
_AFFECTED = "rows_affected"  # MariaDB alone has it
_COMMANDS = {
    name.encode(): name
    for name in (
        "Sleep", "Quit", "Init DB", "Field List", "Create DB", "Drop DB", "Refresh", "Shutdown",
        "Statistics", "Processlist", "Connect", "Kill", "Debug", "Ping", "Time", "Change user",
        "Binlog Dump", "Prepare", "Execute", "Long Data", "Close stmt", "Reset stmt", "Set option",
        "Fetch", "Daemon", "Reset Connection", "Reset connection",
    )
}  # fmt: skip
_LATENCY = re.compile(rb"(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?")
_MOST_HOURS = 838  # the column's greatest value stands for what overflowed
_STAND_IN = re.compile(rb"\\x[89A-F][0-9A-F]")
_MOST_DIGITS = 20
_HEAD_BYTES = 1 << 16


class SlowTable:
    """The statements of one dump, read once by iterating; the attributes are final at the end.

    Raises CaptureError for a file that cannot be read, LogFormatError for a line that is no row."""

    def __init__(self, path: Path, *, meter: Meter | None = None) -> None:
        self.name = str(path)
        self.dialect = SLOW_MYSQL
        self.warnings: list[str] = []
        self.has_exact_times = True
        self._file = LogFile(path, meter=meter)
        self._clock = TableClock()
        self._overflowed = 0
        self._in_doubt = 0

    @property
    def lines(self) -> int:
        """Lines read so far."""
        return self._file.lines

    def __iter__(self) -> Iterator[LogEvent]:
        usual = self._columns()
        is_mariadb = _AFFECTED in usual
        self.dialect = SLOW_MARIADB if is_mariadb else SLOW_MYSQL
        dump = BatchDump(
            self._file.path,
            "mysql.slow_log",
            usual,
            (*_WANTED, _AFFECTED) if is_mariadb else _WANTED,
            blob="sql_text",
            warnings=self.warnings,
        )
        is_empty = True
        for line, row in dump.rows(self._file.text_lines()):
            is_empty = False
            yield self._event(line, row)
        if is_empty:
            raise LogFormatError(
                self._file.path,
                max(self.lines, 1),
                "the slow log table's dump holds no row",
                hint="Was slow_query_log on, with log_output=TABLE and long_query_time=0?",
            )
        self._say()

    def _columns(self) -> tuple[str, ...]:
        """The table's columns: as the header or the first row's width has it."""
        head = self._file.head(_HEAD_BYTES)
        has_affected = has_header(head, (_AFFECTED,))
        width = head.partition(b"\n")[0].count(b"\t") + 1
        is_mariadb = has_affected or (
            not has_header(head, ("sql_text",)) and width == len(COLUMNS) + 1
        )
        return (*COLUMNS, _AFFECTED) if is_mariadb else COLUMNS

    def _event(self, line: int, row: list[bytes]) -> LogEvent:
        started, user_host, took, sent, schema, sql, thread_id, *affected = row
        try:
            at_ns, latency_ns = self._clock.ns(started), self._latency_ns(took)
            rows = (_number(sent), _number(affected[0]) if affected else None)
            thread = _number(thread_id)
        except ValueError as e:
            raise LogFormatError(
                self._file.path,
                line,
                "expected a row of mysql.slow_log",
                hint="Dump it again, whole:  mysql --batch -e 'SELECT * FROM mysql.slow_log' > FILE",
            ) from e
        self.has_exact_times = self._clock.has_fractions
        is_mysql = self.dialect == SLOW_MYSQL
        if at_ns is not None and is_mysql:
            at_ns -= latency_ns or 0
        if not is_mysql and b"\\x" in sql and _STAND_IN.search(sql):
            self._in_doubt += 1
        command = _COMMANDS.get(sql, "Query")
        return LogEvent(
            line,
            thread,
            command,
            sql if command == "Query" else b"",
            at_ns,
            user_of(user_host),
            schema.decode("utf-8", "replace"),
            latency_ns,
            rows,
        )

    def _latency_ns(self, text: bytes) -> int | None:
        """Raises ValueError for what is no duration."""
        found = _LATENCY.fullmatch(text)
        if found is None:
            raise ValueError("no duration of a log table")
        hours, minutes, seconds = int(found[1]), int(found[2]), int(found[3])
        if hours >= _MOST_HOURS:
            self._overflowed += 1
            return None
        fraction_ns = int(found[4].ljust(9, b"0")) if found[4] else 0
        return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + fraction_ns

    def _say(self) -> None:
        if self._overflowed:
            plural = "s have" if self._overflowed != 1 else " has"
            self.warnings.append(
                f"{self._overflowed} row{plural} no possible query time: no latency"
            )
        if self._in_doubt:
            plural = "s hold" if self._in_doubt != 1 else " holds"
            self.warnings.append(
                f"{self._in_doubt} row{plural} text such as \\xF0, which MariaDB's log table writes"
                " for bytes it cannot keep (emoji, binary values); nothing was restored"
            )
        if self.dialect == SLOW_MARIADB:
            self.warnings.append(
                "a slow log of MariaDB does not show logins, resets and disconnects, nor whether"
                " log_slow_rate_limit or log_slow_filter left statements out"
            )


def _number(text: bytes) -> int:
    """Raises ValueError for what is no number, without the text: it may be anything."""
    if not text.isdigit() or len(text) > _MOST_DIGITS:
        raise ValueError("no number of a log table")
    return int(text)

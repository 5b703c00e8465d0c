"""Reads `mysql.general_log`: dumped by `mysql --batch`, as the CSV engine's file, or live over SQL.

Rows frame their statement, so that nothing in a value can look like a record, and they have
microseconds on both servers. MySQL keeps every byte. MariaDB's column is utf8mb3 text: each byte it
cannot hold, as of an emoji, is stored as the four characters of `\\xF0`, which a statement may also
have had by itself. Nothing is restored; the reader says how many rows are in doubt.
"""

from __future__ import annotations

import datetime as dt
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from readiness.capture.batch_dump import BatchDump, has_header
from readiness.capture.events import LogEvent
from readiness.capture.files import LogFile, Meter
from readiness.errors import LogFormatError

GENERAL_TABLE = "general-table"
GENERAL_CSV = "general-csv"
COLUMNS = ("event_time", "user_host", "thread_id", "server_id", "command_type", "argument")
WANTED = ("event_time", "user_host", "thread_id", "command_type", "argument")

_TIME = re.compile(rb"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.(\d{1,6}))?")
_ROW_START = re.compile(
    rb'"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)",'  # event_time
    rb'"((?:[^"\\]|\\.)*+)",(\d+),\d+,"([^"\\]*+)","',  # user_host, ids, command_type
    re.DOTALL,
)
_ARGUMENT = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_ESCAPE = re.compile(rb'\\([nr"\\])')
_MEANS = {b"n": b"\n", b"r": b"\r", b'"': b'"', b"\\": b"\\"}
_STAND_IN = re.compile(rb"\\x[89A-F][0-9A-F]")
_ONLY_MYSQL = re.compile(rb"[\xf0-\xff]")
_ZERO = b"0000-00-00 00:00:00"


class TableClock:
    """Nanoseconds from the epoch of `2026-11-30 11:12:51.338913`, as the server's clock showed it.

    `has_fractions` turns false with a time that has none: MySQL 5.6 keeps whole seconds."""

    def __init__(self) -> None:
        self.has_fractions = True
        self._second = b""
        self._second_ns = 0

    def ns(self, text: bytes) -> int | None:
        """None for the zero date. Raises ValueError for what is no time."""
        found = _TIME.fullmatch(text)
        if found is None:
            raise ValueError("no time of a log table")
        second, fraction = found.groups()
        self.has_fractions = self.has_fractions and fraction is not None
        if second == _ZERO:
            return None
        if second != self._second:
            moment = dt.datetime.fromisoformat(f"{second.decode()}+00:00")
            self._second, self._second_ns = second, int(moment.timestamp()) * 1_000_000_000
        return self._second_ns + int((fraction or b"0").ljust(6, b"0")) * 1000


class TableEvents:
    """Makes events of rows, and notes which of them may not hold what was sent."""

    def __init__(self) -> None:
        self.clock = TableClock()
        self._in_doubt = 0
        self._first_in_doubt = 0
        self._is_mysql = False

    def event(self, line: int, row: Sequence[bytes]) -> LogEvent:
        """The event of one row, columns as in WANTED. Raises ValueError for what is no row."""
        event_time, user_host, thread_id, command, argument = row
        at_ns = self.clock.ns(event_time)
        if not thread_id.isdigit():
            raise ValueError("no thread id")
        if not argument.isascii() and not self._is_mysql:
            self._is_mysql = _has_more_than_utf8mb3(argument)
        if b"\\x" in argument and _STAND_IN.search(argument):
            self._in_doubt += 1
            self._first_in_doubt = self._first_in_doubt or line
        return LogEvent(
            line, int(thread_id), command.decode("ascii"), argument, at_ns, user=user_of(user_host)
        )

    def warnings(self) -> list[str]:
        """What to say at the end."""
        if not self._in_doubt or self._is_mysql:
            return []
        said = f"{self._in_doubt} rows hold" if self._in_doubt != 1 else "1 row holds"
        return [
            f"line {self._first_in_doubt}: {said} text such as \\xF0, which MariaDB's log table writes"
            " for bytes it cannot keep (emoji, binary values); nothing was restored: capture with"
            " log_output=FILE to have what was sent"
        ]


class _TableFile(ABC):
    """A file with the table's rows; read once by iterating."""

    dialect = ""

    def __init__(self, path: Path, *, meter: Meter | None = None) -> None:
        self.name = str(path)
        self.warnings: list[str] = []
        self.has_exact_times = True
        self._file = LogFile(path, meter=meter)

    @property
    def lines(self) -> int:
        """Lines read so far."""
        return self._file.lines

    def __iter__(self) -> Iterator[LogEvent]:
        path, events = self._file.path, TableEvents()
        is_empty = True
        for line, row in self._rows():
            event = _event(events, line, row, path)
            self.has_exact_times = events.clock.has_fractions
            is_empty = False
            yield event
        if is_empty:
            raise _empty(path, self.lines)
        self.warnings += events.warnings()

    @abstractmethod
    def _rows(self) -> Iterator[tuple[int, list[bytes]]]:
        """Each row's first line, and its fields in the order of `WANTED`."""


class GeneralTable(_TableFile):
    """A dump of the table by `mysql --batch`; read once by iterating.

    Raises CaptureError for a file that cannot be read, LogFormatError for a line that is no row."""

    dialect = GENERAL_TABLE

    def _rows(self) -> Iterator[tuple[int, list[bytes]]]:
        dump = BatchDump(
            self._file.path,
            "mysql.general_log",
            COLUMNS,
            WANTED,
            blob="argument",
            warnings=self.warnings,
        )
        yield from dump.rows(self._file.text_lines())


class GeneralCsv(_TableFile):
    """The file of the CSV engine, general_log.CSV, as copied from the data folder.

    Raises as `GeneralTable` does."""

    dialect = GENERAL_CSV

    def _rows(self) -> Iterator[tuple[int, list[bytes]]]:
        numbered = enumerate(self._file.text_lines(), start=1)
        for number, text in numbered:
            start = _ROW_START.match(text)
            if start is None and text.endswith(b"\n"):
                raise self._no_row(number, 'a row of general_log.CSV ("time","user",id,id,"…")')
            argument = start and self._argument(text, start.end(), number, numbered)
            if start is None or argument is None:
                self.warnings.append(f"line {number}: the last row has no end and was left out")
                return
            event_time, user_host, thread_id, command = start.groups()
            yield number, [event_time, _plain(user_host), thread_id, command, _plain(argument)]

    def _argument(
        self, text: bytes, at: int, number: int, more: Iterator[tuple[int, bytes]]
    ) -> bytes | None:
        """The last field up to its closing quote; the engine writes no newline inside, others may.
        None where the file ends first. Raises LogFormatError."""
        parts: list[bytes] = []
        while True:
            found = _ARGUMENT.match(text, at)
            end = found.end() if found else at
            parts.append(text[at:end])
            if end < len(text):
                break
            _, text = next(more, (0, b""))
            at = 0
            if not text:
                return None
            if _ROW_START.match(text):
                raise self._no_row(number, "a closing quote before the next row begins")
        if text[end:] in (b'"\n', b'"\r\n'):
            return b"".join(parts)
        if not text.endswith(b"\n"):
            return None
        raise self._no_row(number, "the row's end behind its last quote")

    def _no_row(self, number: int, expected: str) -> LogFormatError:
        return LogFormatError(
            self._file.path, number, f"expected {expected}", hint="Copy the table's file again."
        )


class LiveTable:
    """Rows read over SQL as they come; each is (event_time, user_host, thread_id, command_type,
    argument), all bytes. `name` is the server's, `lines` counts rows."""

    dialect = GENERAL_TABLE

    def __init__(self, rows: Iterable[Sequence[bytes]], *, name: str) -> None:
        self.name = name
        self.lines = 0
        self.warnings: list[str] = []
        self.has_exact_times = True
        self._rows = rows

    def __iter__(self) -> Iterator[LogEvent]:
        events = TableEvents()
        for row in self._rows:
            self.lines += 1
            event = _event(events, self.lines, row, Path(self.name))
            self.has_exact_times = events.clock.has_fractions
            yield event
        self.warnings += events.warnings()


def is_table_dump(head: bytes) -> bool:
    """Whether a file that begins so is a --batch dump of mysql.general_log."""
    first = head.partition(b"\n")[0].split(b"\t")
    is_row = len(first) == len(COLUMNS) and _TIME.fullmatch(first[0]) is not None
    return has_header(head, ("event_time", "argument")) or (
        is_row and first[2].isdigit() and first[3].isdigit()
    )


def is_csv_file(head: bytes) -> bool:
    """Whether a file that begins so is the CSV engine's file of mysql.general_log."""
    return _ROW_START.match(head) is not None


def user_of(user_host: bytes) -> str:
    """The user that logged in: `app[app] @ localhost [127.0.0.1]`, `[app] @ …` before it has."""
    account = user_host.rpartition(b" @ ")[0].removesuffix(b"]")
    half = account[: len(account) // 2]
    if half and account == b"%s[%s" % (half, half):  # a name may hold the bracket itself
        return half.decode("utf-8", "replace")
    return account.partition(b"[")[2].decode("utf-8", "replace")


def _event(events: TableEvents, line: int, row: Sequence[bytes], path: Path) -> LogEvent:
    try:
        return events.event(line, row)
    except ValueError as e:
        raise LogFormatError(
            path,
            line,
            "expected a row of mysql.general_log (time, user, id, command, text)",
            hint="Dump it again, whole:  mysql --batch -e 'SELECT * FROM mysql.general_log' > FILE",
        ) from e


def _empty(path: Path, lines: int) -> LogFormatError:
    return LogFormatError(
        path,
        max(lines, 1),
        "the log table's dump holds no row",
        hint="Was general_log on, with log_output=TABLE, while the application ran?",
    )


def _plain(field: bytes) -> bytes:
    """A quoted field as the engine reads it: other escapes stand for themselves."""
    return _ESCAPE.sub(lambda found: _MEANS[found[1]], field) if b"\\" in field else field


def _has_more_than_utf8mb3(text: bytes) -> bool:
    """Whether MariaDB could not have stored this."""
    if _ONLY_MYSQL.search(text):
        return True
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False

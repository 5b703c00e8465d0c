"""Reads a general query log file record by record, byte for byte; plain or gzip.

Formats, told apart by the first record:
  mysql    5.7, 8, 9: `2026-11-30T11:12:51.411102Z<TAB>  219 Query<TAB>text`
  mariadb  and MySQL 5.6: `261130 11:12:53<TAB>   418 Query<TAB>text`, and while the second stays
           the same `<TAB><TAB>   419 Query<TAB>text`
A record goes on until the next one begins: SQL spans lines. The server marks no end, so a log is
input that nobody vouches for.
"""

from __future__ import annotations

import datetime as dt
import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from readiness.errors import CaptureError, LogFormatError
from readiness.model.transactions import Raw

MYSQL = "mysql"
MARIADB = "mariadb"

_RECORDS = {
    MYSQL: re.compile(
        rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d))\t"
        rb" *(\d+) ([A-Z][A-Za-z_ ]*)\t(.*)",
        re.DOTALL,
    ),
    MARIADB: re.compile(
        rb"(?:(\d{6} [ \d]\d:\d\d:\d\d)\t|\t\t) *(\d+) ([A-Z][A-Za-z_ ]*)\t(.*)", re.DOTALL
    ),
}
# MariaDB's elided form is weak evidence of a record, so its command must be one that servers write.
_COMMANDS = frozenset(
    [
        "Sleep",
        "Quit",
        "Init DB",
        "Query",
        "Field List",
        "Create DB",
        "Drop DB",
        "Refresh",
        "Shutdown",
        "Statistics",
        "Processlist",
        "Connect",
        "Kill",
        "Debug",
        "Ping",
        "Time",
        "Delayed insert",
        "Change user",
        "Binlog Dump",
        "Table Dump",
        "Connect Out",
        "Register Slave",
        "Prepare",
        "Execute",
        "Long Data",
        "Close stmt",
        "Reset stmt",
        "Set option",
        "Fetch",
        "Daemon",
        "Binlog Dump GTID",
        "Reset Connection",
        "Reset connection",
        "Bulk_execute",
        "Error",
    ]
)
_BANNER = (
    re.compile(rb".*, Version: .* started with:\s*\Z"),
    re.compile(rb"Tcp port: .*\s*\Z"),
    re.compile(rb"Time\s+Id Command\s+Argument\s*\Z"),
)
_GZIP_MAGIC = b"\x1f\x8b"
_LINES_BEFORE_FIRST_RECORD = 1000
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True, repr=False)
class LogEvent(Raw):
    """One record; `line` counts from 1, `argument` is without the record's closing newline.

    `at_ns` counts from the epoch as the server's clock showed it; None before the first time."""

    line: int
    thread_id: int
    command: str
    argument: bytes
    at_ns: int | None


class GeneralLog:
    """The records of one file, read once by iterating; the attributes are final at the end.

    Raises CaptureError for a file that cannot be read, LogFormatError for one that is no general
    log or holds no record."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.dialect = ""
        self.lines = 0
        self.warnings: list[str] = []
        self._at_ns: int | None = None

    def __iter__(self) -> Iterator[LogEvent]:
        try:
            with _open(self.path) as stream:
                yield from self._events(stream)
        except (EOFError, zlib.error, gzip.BadGzipFile) as e:
            raise LogFormatError(
                self.path,
                self.lines + 1,
                "the gzip file is broken or cut off",
                hint="Copy it again.",
            ) from e
        except OSError as e:
            raise CaptureError(
                f"cannot read {self.path}: {e.strerror or 'input/output error'}"
            ) from e

    def _events(self, stream: IO[bytes]) -> Iterator[LogEvent]:
        current: LogEvent | None = None
        tail: list[bytes] = []
        for text in stream:
            self.lines += 1
            event = self._record(text)
            if event is None:
                tail.append(text)
                if current is None:
                    self._check_lead(tail)
                continue
            if current is None:
                self._warn_lead(tail)
            else:
                yield _whole(current, tail)
            current, tail = event, []
        yield from self._last(current, tail)

    def _record(self, text: bytes) -> LogEvent | None:
        """The record that begins on this line, if one does."""
        for dialect in (self.dialect,) if self.dialect else (MYSQL, MARIADB):
            found = _RECORDS[dialect].match(text)
            if found and (found[1] or found[3].decode() in _COMMANDS):
                self.dialect = dialect
                if found[1]:
                    self._at_ns = self._time(found[1].decode())
                return LogEvent(self.lines, int(found[2]), found[3].decode(), found[4], self._at_ns)
        return None

    def _time(self, text: str) -> int:
        try:
            if self.dialect == MYSQL:
                at = dt.datetime.fromisoformat(text)
            else:
                at = dt.datetime.strptime(f"{text} +0000", "%y%m%d %H:%M:%S %z")
        except ValueError as e:
            raise LogFormatError(self.path, self.lines, "the record's time does not exist") from e
        return (at - _EPOCH) // dt.timedelta(microseconds=1) * 1000

    def _check_lead(self, lead: list[bytes]) -> None:
        if len(lead) > _LINES_BEFORE_FIRST_RECORD:
            raise self._no_general_log(lead)

    def _warn_lead(self, lead: list[bytes]) -> None:
        """Lines before the first record: the server's banner, or the end of a cut record."""
        foreign = len(_foreign(lead))
        if foreign:
            self.warnings.append(
                f"line 1: {foreign} line{'s' * (foreign != 1)} before the first record left out"
            )

    def _last(self, current: LogEvent | None, tail: list[bytes]) -> Iterator[LogEvent]:
        if current is None:
            raise self._no_general_log(tail)
        if (tail[-1] if tail else current.argument).endswith(b"\n"):
            yield _whole(current, tail)
        else:
            self.warnings.append(
                f"line {current.line}: the last record has no end and was left out"
            )

    def _no_general_log(self, lead: list[bytes]) -> LogFormatError:
        if not self.lines:
            return LogFormatError(self.path, 1, "the log is empty", hint="Was general_log on?")
        rest = _foreign(lead)
        if not rest:
            return LogFormatError(
                self.path,
                self.lines,
                "the log holds a banner and no record",
                hint="Was general_log on, with log_output=FILE, while the application ran?",
            )
        hint = "Capture with SET GLOBAL log_output='FILE', general_log=1."
        if rest[0].startswith((b"# Time:", b"# User@Host:")):
            hint = "This is a slow log. " + hint
        line = len(lead) - len(rest) + 1
        expected = "a general log record (time, connection id, command, text, tabs between)"
        return LogFormatError(self.path, line, f"expected {expected}", hint=hint)


def _open(path: Path) -> IO[bytes]:
    """The file's bytes, unpacked if they are gzip, whatever the file is called."""
    with path.open("rb") as file:
        is_packed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    return cast(IO[bytes], gzip.open(path, "rb")) if is_packed else path.open("rb")


def _whole(event: LogEvent, tail: list[bytes]) -> LogEvent:
    """The record with its further lines, without a banner behind it and the closing newline."""
    argument = b"".join([event.argument, *_without_banner(tail)]).removesuffix(b"\n")
    return LogEvent(event.line, event.thread_id, event.command, argument, event.at_ns)


def _without_banner(lines: list[bytes]) -> list[bytes]:
    """The lines without the banners at their end: a server writes one at start and at FLUSH."""
    while _is_banner(lines[-len(_BANNER) :]):
        lines = lines[: -len(_BANNER)]
    return lines


def _foreign(lead: list[bytes]) -> list[bytes]:
    """The lines before the first record that are no banner."""
    while _is_banner(lead[: len(_BANNER)]):
        lead = lead[len(_BANNER) :]
    return _without_banner(lead)


def _is_banner(lines: list[bytes]) -> bool:
    return len(lines) == len(_BANNER) and all(
        pattern.match(text) for pattern, text in zip(_BANNER, lines, strict=True)
    )

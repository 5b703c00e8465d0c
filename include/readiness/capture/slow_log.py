"""Reads slow logs written at long_query_time=0: of MySQL, Percona Server and MariaDB, as files.

A record is `#` lines (slow_header.py), `use schema;` and `SET timestamp=…;` from the server, then
the statement with `;` and a line end. A header counts only where the statement before has its end
and the lines are whole: what else looks like one is part of a statement, and is said. Logins, and
on MariaDB all that is no statement, are not in a slow log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from readiness.capture import banners
from readiness.capture.events import LogEvent
from readiness.capture.files import LogFile, Meter
from readiness.capture.slow_header import (
    SLOW_MARIADB,
    SLOW_PERCONA,
    Header,
    HeaderReader,
)
from readiness.capture.slow_notes import SlowNotes
from readiness.errors import LogFormatError
from readiness.model.transactions import Raw

_HEADS = (b"# Time: ", b"# User@Host: ", b"# Thread_id: ", b"# Schema: ", b"# Query_time: ")
_LOOKS_LIKE_ONE = (b"# Time: ", b"# User@Host: ")
_ADMINISTRATOR = b"# administrator command: "
_COMMAND = re.compile(_ADMINISTRATOR + rb"([A-Z][A-Za-z_ ]{0,30})")
_USE = re.compile(rb"use (.*);\n", re.DOTALL)
_SET = re.compile(rb"SET (?:(?:last_)?insert_id=\d+,)*timestamp=\d+(?:\.\d+)?;\n")
_BANNER_END = re.compile(rb"Time[ \t]+Id Command[ \t]+Argument[ \r]*\n")
_END = b";\n"
_BORDER = b""  # between files: what the one before ended with has no end
_LINES_BEFORE_FIRST_RECORD = 1000
_USE_GENERAL = "Capture a general log: SET GLOBAL log_output='FILE', general_log=1."


@dataclass(slots=True, repr=False)
class _Record(Raw):
    """A record that is being read: its header's first line, and its lines so far."""

    header: Header
    line: int
    lines: list[bytes] = field(default_factory=list)
    use: bytes = b""  # the server's own `use schema;`
    is_before_text: bool = True

    @property
    def has_end(self) -> bool:
        """Whether the statement may be over: the server ends each with `;` and a line end."""
        if not self.lines:
            return bool(self.use)
        return self.lines[-1].endswith(_END) or _BANNER_END.fullmatch(self.lines[-1]) is not None

    def add(self, text: bytes) -> None:
        """The next line, which the server may have put before the statement."""
        if self.is_before_text:
            if not self.use and _USE.fullmatch(text):
                self.use = text
                return
            self.is_before_text = False
            if _SET.fullmatch(text):
                return
        self.lines.append(text)


class SlowLog:
    """The statements of one slow log, read once by iterating; the attributes are final at the end.

    Several paths are one log that was rotated, oldest first; lines count on from file to file. A
    statement has latency, user and schema; `at_ns` is when it began. Raises CaptureError for a file
    that cannot be read, LogFormatError for what is no slow log, for one whose records lack the
    connection's id, and for records of two servers."""

    def __init__(self, *paths: Path, meter: Meter | None = None) -> None:
        self.name = ", ".join(map(str, paths))
        self.dialect = ""
        self.lines = 0
        self.warnings: list[str] = []
        self.has_exact_times = False
        self._files = [LogFile(path, meter=meter) for path in paths]
        self._file = self._files[0]
        self._before = 0  # lines of the files before this one
        self._rest = b""  # a line that a file cut off
        self._is_converted = False
        self._headers = HeaderReader()
        self._record: _Record | None = None
        self._lead: list[bytes] = []  # lines before the first record
        self._schema: str | None = None  # MySQL says it where the record before had another
        self._notes = SlowNotes()

    def __iter__(self) -> Iterator[LogEvent]:
        head: list[bytes] = []  # lines that may become a header
        for text in self._text_lines():
            if self._may_be_head(text, head):
                if head and head[-1].endswith(_END):  # no line of a header ends so
                    self._give_back(head)
                head.append(text)
                continue
            if text is _BORDER:
                yield from self._end_of_text(head)
            else:
                if head:
                    yield from self._turn(head)
                self._add(text)
            head = []
        yield from self._end_of_text(head)
        if not self.dialect:
            raise self._no_slow_log()
        self.warnings += self._notes.warnings(self.dialect, self._headers.overflowed)

    def _text_lines(self) -> Iterator[bytes]:
        """The lines of all files. One that a file cut off goes on in the next, or has no end: then
        a border comes behind it."""
        for file in self._files:
            self._file, self._before = file, self.lines
            for line in file.text_lines():
                text = line
                if self._rest and (line.startswith(_HEADS) or b", Version: " in line):
                    yield _BORDER
                elif self._rest:
                    self.lines -= 1
                    text = self._rest + line
                self.lines += 1
                self._rest = b"" if text.endswith(b"\n") else text
                if self._rest:
                    continue
                is_crlf = text.endswith(b"\r\n")
                if is_crlf and (self._is_converted or self._find_converted(text)):
                    text = text[:-2] + b"\n"
                yield text
        if self._rest:
            yield _BORDER

    def _find_converted(self, text: bytes) -> bool:
        """No server ends its own lines with CR LF: a tool has converted the file."""
        if not self.dialect and text.startswith(_HEADS):
            self._is_converted = True
            self._notes.is_converted = True
        return self._is_converted

    def _may_be_head(self, text: bytes, head: list[bytes]) -> bool:
        """Whether the line may belong to a header, which stands only behind a statement's end."""
        if text[:1] != b"#" or text.startswith(_ADMINISTRATOR):
            return False
        if head:
            return True
        return text.startswith(_HEADS) and (self._record is None or self._record.has_end)

    def _turn(self, head: list[bytes]) -> Iterator[LogEvent]:
        """The record before, if the lines are a header, with which the next record begins."""
        line = self.lines - len(head)
        header = self._header(head, line)
        if header is None:
            self._give_back(head)
            return
        yield from self._ended()
        self._check(header, line)
        self._lead.clear()
        self._record = _Record(header, line)

    def _give_back(self, head: list[bytes]) -> None:
        """Lines that are no header are the statement's."""
        for text in head:
            self._add(text)
        head.clear()

    def _header(self, head: list[bytes], line: int) -> Header | None:
        try:
            return self._headers.read(b"".join(head))
        except ValueError as e:
            if self.dialect:  # whoever writes a value could write such a time
                return None
            raise self._error(line, "the record's time does not exist") from e

    def _check(self, header: Header, line: int) -> None:
        """Raises LogFormatError for a record that cannot be followed, or of another server."""
        if header.thread_id is None:
            expected = "the connection's id in each record, which this server does not write"
            raise self._error(line, f"expected {expected}", hint=_USE_GENERAL)
        if not self.dialect:
            self.dialect, self.has_exact_times = header.dialect, header.is_exact
            self._notes.foreign = len(banners.other_lines([t.rstrip(b"\n") for t in self._lead]))
            # without a banner the log began before the file, with a schema that was said there
            self._schema = "" if self._lead and not self._notes.foreign else None
        if (header.dialect == SLOW_MARIADB) != (self.dialect == SLOW_MARIADB):
            raise self._error(
                line,
                f"expected a record as of {self.dialect}, found one as of {header.dialect}",
                hint="Two logs in one file: split it there, and read the parts one by one.",
            )
        if header.dialect == SLOW_PERCONA:
            self.dialect = SLOW_PERCONA
        self._notes.see(header)

    def _add(self, text: bytes) -> None:
        """A line that belongs to no header."""
        if self._record is None:
            self._lead.append(text)
            if not self.dialect and len(self._lead) > _LINES_BEFORE_FIRST_RECORD:
                raise self._no_slow_log()
            return
        if text.startswith(_LOOKS_LIKE_ONE):
            self._notes.see_lookalike(self._record.line)
        self._record.add(text)

    def _ended(self) -> Iterator[LogEvent]:
        """The record that is over, if it counts."""
        record, self._record = self._record, None
        if record is None:
            return
        use = _USE.fullmatch(record.use)
        if use:
            self._schema = use[1].decode("utf-8", "replace")
        header = record.header
        schema = self._schema if header.schema is None else header.schema
        whole = b"".join(record.lines or [record.use]).removesuffix(b"\n")
        text = banners.without_banners(whole)
        if len(text) < len(whole):
            self._schema = ""  # a log that was opened anew says the next one
        if not header.is_inner:
            yield _event(record, text.removesuffix(b";"), schema)

    def _end_of_text(self, head: list[bytes]) -> Iterator[LogEvent]:
        """The last record, if it has its end; one without is left out and said."""
        if head and head[-1].endswith(_END):
            self._give_back(head)
        record, rest = self._record, self._rest
        self._rest = b""
        goes_on = bool(rest) and not head and not rest.startswith(b"#")
        is_cut = record is not None and (goes_on or not record.has_end)
        if not is_cut:
            yield from self._ended()
        self._record = None
        if is_cut or head or rest:
            first = self.lines - len(head) + (not rest)
            line = record.line if record is not None and is_cut else first
            self.warnings.append(f"line {line}: the last record has no end and was left out")

    def _error(self, line: int, message: str, *, hint: str = "") -> LogFormatError:
        """The error at a line counted over all files."""
        return LogFormatError(self._file.path, max(line - self._before, 1), message, hint=hint)

    def _no_slow_log(self) -> LogFormatError:
        if not self.lines:
            return self._error(1, "the log is empty", hint="Was slow_query_log on?")
        rest = banners.other_lines([text.rstrip(b"\n") for text in self._lead])
        if not rest:
            return self._error(
                self.lines,
                "the log holds a banner and no whole record",
                hint="Was slow_query_log on, with log_output=FILE and long_query_time=0, while the"
                " application ran?",
            )
        expected = "a slow log record (# Time, # User@Host, # Query_time, the statement)"
        return self._error(len(self._lead) - len(rest) + 1, f"expected {expected}")


def _event(record: _Record, argument: bytes, schema: str | None) -> LogEvent:
    """A statement, or a command that is none: its record names it."""
    command = _COMMAND.fullmatch(argument)
    header = record.header
    return LogEvent(
        record.line,
        header.thread_id or 0,
        command[1].decode() if command else "Query",
        b"" if command else argument,
        header.at_ns,
        header.user,
        schema,
        header.latency_ns,
        header.rows,
        header.errno,
    )

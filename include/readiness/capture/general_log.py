"""Reads general query log files record by record, byte for byte, at the speed of a regex.

Formats, told apart by the first record:
  mysql    5.7, 8, 9: `2026-11-30T11:12:51.411102Z<TAB>  219 Query<TAB>text`
  mariadb  and MySQL 5.6: `261130 11:12:53<TAB>   418 Query<TAB>text`, and while the second stays
           the same `<TAB><TAB>   419 Query<TAB>text`
A record goes on until the next one begins: SQL spans lines. The server marks no end, so a log is
input that nobody vouches for. Files that a server rotated are one log: a record goes on over the
border, and lines count on.
"""

from __future__ import annotations

import bisect
import codecs
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from readiness.capture import banners
from readiness.capture.events import LogEvent
from readiness.capture.files import LogFile, Meter
from readiness.capture.general_records import (
    MARIADB,
    MYSQL,
    NAMES,
    RECORDS,
    TIMED,
    NoSuchTimeError,
    Records,
)
from readiness.errors import LogFormatError, SqlError
from readiness.sql.lexer import lex

_SLOW = re.compile(rb"\n# User@Host: [^\n\[]*+\[[^\n\]]*+\] @ ")
_OTHERS = {
    MYSQL: ((NAMES[MARIADB], TIMED[MARIADB]), ("a slow log", _SLOW)),
    MARIADB: ((NAMES[MYSQL], TIMED[MYSQL]), ("a slow log", _SLOW)),
}
_REPLACED = b"\xef\xbf\xbd"
_CUT_BY_RDS = b"[Your log message was truncated]"
_DAMAGE = {
    _REPLACED: (
        "replacement characters (U+FFFD): a tool that took the log for text has replaced bytes"
    ),
    _CUT_BY_RDS: (
        "lines that the RDS download has cut: fetch the file whole (downloadCompleteLogFile)"
    ),
}
_RDS = b"/rdsdbbin/"  # in the banner of each file that RDS and Aurora write
_LINES_BEFORE_FIRST_RECORD = 1000
_BYTES_BEFORE_FIRST_RECORD = 64 << 20


class GeneralLog:
    """The records of one log, read once by iterating; the attributes are final at the end.

    Several paths are one log that was rotated, oldest first; lines count on from file to file.
    Raises CaptureError for a file that cannot be read, LogFormatError for one that is no general
    log, holds no record, or holds records of another server too."""

    def __init__(self, *paths: Path, meter: Meter | None = None) -> None:
        self.name = ", ".join(map(str, paths))
        self.dialect = ""
        self.lines = 0
        self.warnings: list[str] = []
        self._files = [LogFile(path, meter=meter) for path in paths]
        self._starts: list[int] = []  # lines before each file begun so far
        self._line = 1  # of the next byte, over all files
        self._carry: list[bytes] = []  # a line without its end so far
        self._lead: list[bytes] = []  # lines before the first record
        self._first_line = 0  # where the first record begins
        self._event: LogEvent | None = None  # the last record: it may go on
        self._more: list[bytes] = []  # how it goes on, each piece from a line end
        self._records: Records | None = None  # of the dialect, once it is known
        self._is_converted = False
        self._unseen_damage = {_REPLACED: _DAMAGE[_REPLACED]}

    @property
    def has_exact_times(self) -> bool:
        """Whether each record has its microsecond; final with the dialect."""
        return self.dialect == MYSQL

    def __iter__(self) -> Iterator[LogEvent]:
        return chain.from_iterable(self._batches())

    def _batches(self) -> Iterator[list[LogEvent]]:
        """The events by blocks of the files: handing on a list costs less than each by itself."""
        for file in self._files:
            self._starts.append(self._line - 1)
            blocks = file.blocks()
            first = self._without_mark(next(blocks, b""))
            if _RDS in first and len(self._starts) == 1:
                self._unseen_damage[_CUT_BY_RDS] = _DAMAGE[_CUT_BY_RDS]
            yield self._border(first)
            for block in chain((first,), blocks):
                yield self._block(block)
                file.lines = self._line - 1 - self._starts[-1]
        yield self._last()
        self.lines = self._line - 1
        if len(self._files) > 1:
            self.warnings.insert(0, self._places())

    def _block(self, block: bytes) -> list[LogEvent]:
        """The records that end in the block."""
        cut = block.rfind(b"\n")
        rest = block[cut + 1 :]
        if cut < 0:
            self._carry += [rest] if rest else []
            self._check_lead()
            return []
        text = b"".join((b"\n", *self._carry, memoryview(block)[:cut]))
        self._carry = [rest] if rest else []
        events = self._text(text)
        self._check_lead()
        return events

    def _without_mark(self, block: bytes) -> bytes:
        if not block.startswith(codecs.BOM_UTF8):
            return block
        self.warnings.append(
            f"line {self._line}: the file begins with a byte order mark: an editor has saved it,"
            f" bytes may have changed"
        )
        return block.removeprefix(codecs.BOM_UTF8)

    def _border(self, block: bytes) -> list[LogEvent]:
        """A file begins: the line that the one before cut off goes on in it, or its end is lost."""
        self._is_converted = self._is_converted or banners.is_converted(block)
        starts = [pattern for dialect, pattern in RECORDS.items() if dialect == self.dialect]
        is_new = banners.begins(block) or any(p.match(b"\n" + block[:200]) for p in starts)
        return self._cut_off() if self._carry and is_new else []

    def _text(self, text: bytes) -> list[LogEvent]:
        """The records that end in whole lines: with the line end before them, without their own."""
        records = self._records
        if records is None:
            text = self._begin(text)
            if not text:
                return []
            records = self._records = Records(self.dialect)
        self._look_for_damage(text)
        parts = records.split(text)
        try:
            events, long, line = records.events(parts, self._line)
        except NoSuchTimeError:
            parts = self._without_forged(records, text)
            events, long, line = records.events(parts, self._line)
        self._line = line
        if parts[0]:
            self._more.append(parts[0])
        if not events:
            return []
        whole = [] if self._event is None else [self._whole(self._event)]
        for number in range(len(events) - 1) if self._is_converted else long:
            if number < len(events) - 1:
                self._tidy(events[number])
        self._event = events.pop()
        return whole + events

    def _without_forged(self, records: Records, text: bytes) -> list[bytes]:
        """The text split where a record's time exists. One whose time does not is a line of the
        statement that it stands in, or the log is broken there: LogFormatError."""
        parts: list[bytes] = []
        at = 0  # where the text of the last record begins
        event = self._event
        held = b"" if event is None else b"".join([event.argument, *self._more])
        for found in records.pattern.finditer(text):
            if records.has_real_time(found):
                parts += [text[at : found.start()], *found.groups()]
                at = found.end()
                continue
            line = self._line + text.count(b"\n", 0, found.end()) - 1
            if _is_complete((b"" if parts else held) + text[at : found.start()]):
                raise self._error(
                    line,
                    "the record's time does not exist",
                    hint="The log is damaged there: copy it again, or cut it before that line.",
                )
            self.warnings.append(
                f"line {line}: a line of a statement looks like a record, but its time does not"
                " exist: taken as part of the statement"
            )
        return [*parts, text[at:]]

    def _begin(self, text: bytes) -> bytes:
        """The text from the first record on; empty if there is none."""
        found = [(m.start(), d) for d, pattern in RECORDS.items() if (m := pattern.search(text))]
        at = min(found)[0] if found else len(text)
        lead = text[1:at].split(b"\n") if at else []
        self._lead += lead
        self._line += len(lead)
        if not found:
            return b""
        self.dialect = min(found)[1]
        self._first_line = self._line
        foreign = len(banners.other_lines(self._lead))
        if foreign:
            self.warnings.append(
                f"line 1: {foreign} line{'s' * (foreign != 1)} before the first record left out"
            )
        self._lead.clear()
        return text[at:]

    def _check_lead(self) -> None:
        waiting = sum(map(len, self._carry)) if not self.dialect else 0
        if len(self._lead) > _LINES_BEFORE_FIRST_RECORD or waiting > _BYTES_BEFORE_FIRST_RECORD:
            raise self._no_general_log()

    def _whole(self, event: LogEvent) -> LogEvent:
        """The record that was held back, with all its bytes."""
        event.argument = b"".join([event.argument, *self._more])
        self._more.clear()
        self._tidy(event)
        return event

    def _tidy(self, event: LogEvent) -> None:
        event.argument = banners.without_banners(event.argument)
        if self._is_converted:
            event.argument = event.argument.removesuffix(b"\r")
        self._refuse_mixture(event)

    def _refuse_mixture(self, event: LogEvent) -> None:
        """Two logs in one file: another format's record begins where a statement is complete."""
        for name, pattern in _OTHERS[self.dialect]:
            found = pattern.search(event.argument)
            if found and _is_complete(event.argument[: found.start()]):
                line = event.line + event.argument.count(b"\n", 0, found.start()) + 1
                raise self._error(
                    line,
                    f"expected a record of {NAMES[self.dialect]}, found one of {name}",
                    hint="Two logs in one file: split it there, and read the parts one by one.",
                )

    def _look_for_damage(self, text: bytes) -> None:
        for mark, what in list(self._unseen_damage.items()):
            at = text.find(mark)
            if at >= 0:
                line = self._line + text.count(b"\n", 0, at) - 1
                self.warnings.append(f"line {line}: holds {what}")
                del self._unseen_damage[mark]

    def _last(self) -> list[LogEvent]:
        events = self._cut_off() if self._carry else []
        if not self.dialect:
            raise self._no_general_log()
        if self._event is not None:
            events.append(self._whole(self._event))
        if self._is_converted:
            self.warnings.append(
                "the file has CR LF line ends, which no server writes: line ends within statements"
                " may have changed too"
            )
        return events

    def _cut_off(self) -> list[LogEvent]:
        """What a file ends with has no line end: the record it belongs to is left out."""
        text = b"".join((b"\n", *self._carry))
        self._carry = []
        events = self._text(text)
        if self._event is None:
            return events
        line = self._event.line
        if line == self._first_line:
            raise self._error(
                line, "the only record has no end", hint="Copy the log again, to its end."
            )
        self.warnings.append(f"line {line}: the last record has no end and was left out")
        self._event = None
        self._more.clear()
        return events

    def _places(self) -> str:
        places = [
            f"{file.path.name} from {start + 1}"
            for file, start in zip(self._files, self._starts, strict=True)
        ]
        return f"lines are counted from file to file: {', '.join(places)}"

    def _error(self, line: int, message: str, *, hint: str = "") -> LogFormatError:
        """The error at a line counted over all files."""
        number = bisect.bisect_left(self._starts, line) - 1
        return LogFormatError(
            self._files[number].path, line - self._starts[number], message, hint=hint
        )

    def _no_general_log(self) -> LogFormatError:
        lead = self._lead or [b"".join(self._carry)]
        if lead == [b""]:
            return self._error(1, "the log is empty", hint="Was general_log on?")
        rest = banners.other_lines(lead)
        if not rest:
            return self._error(
                len(lead),
                "the log holds a banner and no record",
                hint="Was general_log on, with log_output=FILE, while the application ran?",
            )
        hint = "Capture with SET GLOBAL log_output='FILE', general_log=1."
        if rest[0].startswith((b"# Time:", b"# User@Host:")):
            hint = "This is a slow log. " + hint
        expected = "a general log record (time, connection id, command, text, tabs between)"
        return self._error(len(lead) - len(rest) + 1, f"expected {expected}", hint=hint)


def _is_complete(sql: bytes) -> bool:
    """Whether no quote or comment is open at the end."""
    try:
        lex(sql)
    except SqlError:
        return False
    return True

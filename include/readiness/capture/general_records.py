"""What a record of a general log looks like, and whole blocks of them as events.

The loops over records run in C (split, map): a log has millions, and a line of Python costs each
of them a tenth of what reading it may cost.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from itertools import compress, repeat
from operator import contains

from readiness.capture.events import LogEvent

MYSQL = "mysql"
MARIADB = "mariadb"
NAMES = {MYSQL: "MySQL", MARIADB: "MariaDB"}

# MariaDB's elided form is weak evidence of a record, so its command must be one that servers write.
_COMMANDS = (
    rb"Query|Execute|Prepare|Connect|Quit|Close stmt|Reset stmt|Init DB|Field List|Sleep|Create DB"
    rb"|Drop DB|Refresh|Shutdown|Statistics|Processlist|Kill|Debug|Ping|Time|Delayed insert"
    rb"|Change user|Binlog Dump|Table Dump|Connect Out|Register Slave|Long Data|Set option|Fetch"
    rb"|Daemon|Binlog Dump GTID|Reset Connection|Reset connection|Bulk_execute|Error"
)
_ANY_COMMAND = rb"[A-Z][A-Za-z_ ]{0,30}+"
_OLD_TIME = rb"\d{6} {1,2}\d{1,2}:\d\d:\d\d"
# Each begins with a line end; the last two groups are connection and command, behind is the text.
# Every repetition is possessive: no bytes make the search slower than linear.
RECORDS = {
    MYSQL: re.compile(
        rb"\n(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})(?:Z|([+-]\d\d:\d\d))[\t ]++(\d{1,20}+) ("
        + _ANY_COMMAND
        + rb")\t"
    ),
    MARIADB: re.compile(
        rb"\n(?:(" + _OLD_TIME + rb")[\t ]*+|\t\t *+)(\d{1,20}+) "
        rb"((?(1)" + _ANY_COMMAND + rb"|(?:" + _COMMANDS + rb")(?=\t)))\t"
    ),
}
TIMED = {
    MYSQL: RECORDS[MYSQL],
    MARIADB: re.compile(rb"\n" + _OLD_TIME + rb"[\t ]++\d{1,20}+ (?:" + _COMMANDS + rb")\t"),
}
_LINE_END = ord("\n")  # as a number: bytes are first tried as one, which costs an exception
_SECONDS_REMEMBERED = 4096
_NUMBERS_REMEMBERED = 65_536
_ISO_LENGTH = len("2026-11-30T11:14:12")
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_SECOND = dt.timedelta(seconds=1)


class NoSuchTimeError(ValueError):
    """A record's time does not exist."""


class _Seconds(dict[bytes, int]):
    """The ns from the epoch of each second that records have, worked out once."""

    def __missing__(self, text: bytes) -> int:
        try:
            if text[4:5] == b"-":
                zone = "" if len(text) > _ISO_LENGTH else "+00:00"
                at = dt.datetime.fromisoformat(text.decode() + zone)
            else:
                at = dt.datetime.strptime(f"{text.decode()} +0000", "%y%m%d %H:%M:%S %z")
        except ValueError as e:
            raise NoSuchTimeError("no such time") from e
        if len(self) > _SECONDS_REMEMBERED:
            self.clear()
        at_ns = self[text] = (at - _EPOCH) // _SECOND * 1_000_000_000
        return at_ns


class _Numbers(dict[bytes, int]):
    """The connections as numbers, each made once while not too many are met."""

    def __missing__(self, text: bytes) -> int:
        if len(self) > _NUMBERS_REMEMBERED:
            self.clear()
        number = self[text] = int(text)
        return number


class _Commands(dict[bytes, str]):
    """The commands as text, each made once."""

    def __missing__(self, command: bytes) -> str:
        name = self[command] = command.decode()
        return name


class Records:
    """Makes events of one dialect's records."""

    def __init__(self, dialect: str) -> None:
        self.pattern = RECORDS[dialect]
        self._is_mysql = dialect == MYSQL
        self._width = self.pattern.groups + 1
        self._seconds = _Seconds()
        self._commands = _Commands()
        self._numbers = _Numbers()
        self._at_ns: int | None = None  # of the last record: MariaDB leaves out what is the same

    def split(self, text: bytes) -> list[bytes]:
        """What stands before the first record, then each record's groups and text; for `events`."""
        return self.pattern.split(text)

    def has_real_time(self, record: re.Match[bytes]) -> bool:
        """Whether the time that the record begins with exists; so does one that it leaves out."""
        second, zone = record[1], record[3] if self._is_mysql else None
        try:
            return second is None or self._seconds[second + (zone or b"")] is not None
        except NoSuchTimeError:
            return False

    def events(self, parts: list[bytes], line: int) -> tuple[list[LogEvent], list[int], int]:
        """The events of a text that was split and begins on this line; which of them have more than
        one line; and the line behind them. Raises NoSuchTimeError, and then nothing was taken."""
        line += parts[0].count(b"\n")
        if len(parts) == 1:
            return [], [], line
        width = self._width
        arguments = parts[width::width]
        are_long = map(contains, arguments, repeat(_LINE_END))
        long = list(compress(range(len(arguments)), are_long))
        lines = _lines(arguments, long, line)
        times = self._mysql_times(parts) if self._is_mysql else self._mariadb_times(parts)
        threads = map(self._numbers.__getitem__, parts[width - 2 :: width])
        commands = map(self._commands.__getitem__, parts[width - 1 :: width])
        events = list(map(LogEvent, lines, threads, commands, arguments, times))
        return events, long, lines[-1] + 1 + arguments[-1].count(b"\n")

    def _mysql_times(self, parts: list[bytes]) -> Iterable[int | None]:
        seconds = self._seconds
        return [
            (seconds[second] if zone is None else seconds[second + zone]) + int(micro) * 1000
            for second, micro, zone in zip(parts[1::6], parts[2::6], parts[3::6], strict=True)
        ]

    def _mariadb_times(self, parts: list[bytes]) -> Iterable[int | None]:
        seconds, at_ns = parts[1::4], self._at_ns
        times: list[int | None] = []
        for timed in compress(range(len(seconds)), seconds):  # few: those whose second is new
            times += [at_ns] * (timed - len(times))
            at_ns = self._seconds[seconds[timed]]
        self._at_ns = at_ns
        return times + [at_ns] * (len(seconds) - len(times))


def _lines(arguments: list[bytes], long: list[int], line: int) -> Sequence[int]:
    """Where each record begins, the first on `line`; only the `long` have more than one line."""
    if not long:
        return range(line, line + len(arguments))
    lines: list[int] = []
    for number in long:
        lines += range(line, line + number + 1 - len(lines))
        line = lines[-1] + 1 + arguments[number].count(b"\n")
    lines += range(line, line + len(arguments) - len(lines))
    return lines

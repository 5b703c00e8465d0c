"""What the `#` lines before a slow log's statement say, in the dialects of three servers.

  mysql    # Time: 2026-11-30T11:12:51.411102Z         each record, when the statement ended
           # User@Host: app[app] @ localhost [127.0.0.1]  Id:   219
           # Query_time: 0.000143  Lock_time: 0.000001 Rows_sent: 0  Rows_examined: 0
  percona  adds Schema, Last_errno, Rows_affected, and how the log was sampled
  mariadb  # Time: 261130 11:14:12                     when the second changes; when it began
           # Thread_id: 431  Schema: checkout  QC_hit: No
Lines come in any order. log_slow_extra=ON adds Errno, Killed, Start and End to MySQL's.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

SLOW_MYSQL = "slow-mysql"
SLOW_PERCONA = "slow-percona"
SLOW_MARIADB = "slow-mariadb"

_USER = re.compile(
    rb"^# User@Host: ([^\n]*?)\[([^\]\n]*)\] @ [^\n]*?(?:Id: *(\d{1,20}))?[ \t]*$", re.MULTILINE
)
_QUERY_TIME = re.compile(rb"^# Query_time: (\d+(?:\.\d+)?)", re.MULTILINE)
_TIME = re.compile(rb"^# Time: +([^\n]*\S)", re.MULTILINE)
_FIELD = re.compile(
    rb"(Thread_id|Schema|Rows_sent|Rows_affected|Errno|Last_errno|Killed|Start|Log_slow_rate_type"
    rb"|Log_slow_rate_limit|Stored[ _]routine): +([^\s]*)"
)
_ISO = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?")
_OLD = re.compile(rb"(\d{6}) +(\d{1,2}:\d\d:\d\d)(?:\.(\d{1,6}))?")
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_LONGEST_S = 10 * 365 * 86400  # servers have written 18446744073709.55 for a clock put back
_MOST_DIGITS = 20
_MOST_SECONDS_KEPT = 1024


class Header(NamedTuple):
    """One record's header.

    `at_ns` is when the statement began, None before the first time; `latency_ns` is None where it
    overflowed. `rows` are those sent and affected, the latter None where the server does not log it. `rows` are sent and affected; only MariaDB and Percona log the latter. `is_exact`: the time has microseconds. `is_inner`: a statement of a stored routine,
    which its CALL stands for. `sampling` is what the log says of being sampled."""

    thread_id: int | None
    user: str
    schema: str | None
    at_ns: int | None
    latency_ns: int | None
    rows: tuple[int, int | None]
    errno: int
    dialect: str
    is_exact: bool
    is_inner: bool
    sampling: str


class HeaderReader:
    """Reads headers of one log in order: a time holds until the next one is said."""

    def __init__(self) -> None:
        self.overflowed = 0  # latencies that no clock can have measured
        self._time_ns: int | None = None
        self._is_exact = False
        self._seconds: dict[bytes, int] = {}

    def read(self, text: bytes) -> Header | None:
        """The header in these lines; None if they are none: no user or no query time.

        Raises ValueError for a time that does not exist."""
        user, took = _USER.search(text), _QUERY_TIME.search(text)
        if user is None or took is None:
            return None
        fields = dict(_FIELD.findall(text))
        time = _TIME.search(text)
        if time is not None:
            self._time_ns, self._is_exact = self._ns(time[1])
        dialect = _dialect(fields, has_id=user[3] is not None)
        latency_ns = self._latency_ns(took[1])
        thread_id = _number({b"Id": user[3]}, b"Id") if user[3] else _number(fields, b"Thread_id")
        schema = fields.get(b"Schema")
        affected = _number(fields, b"Rows_affected") if b"Rows_affected" in fields else None
        return Header(
            thread_id or None,
            (user[2] or user[1]).decode("utf-8", "replace"),
            None if schema is None else schema.decode("utf-8", "replace"),
            self._began_ns(fields, dialect, latency_ns),
            latency_ns,
            (_number(fields, b"Rows_sent"), affected),
            _number(fields, b"Errno")
            or _number(fields, b"Last_errno")
            or _number(fields, b"Killed"),
            dialect,
            self._is_exact,
            b"Stored_routine" in fields or b"Stored routine" in fields,
            _sampling(fields),
        )

    def _began_ns(
        self, fields: dict[bytes, bytes], dialect: str, latency_ns: int | None
    ) -> int | None:
        """MySQL's time is when the statement ended, MariaDB's when it began."""
        start = fields.get(b"Start")
        if start:
            return self._ns(start)[0]
        if self._time_ns is None or dialect == SLOW_MARIADB or not self._is_exact:
            return self._time_ns
        return self._time_ns - (latency_ns or 0)

    def _latency_ns(self, text: bytes) -> int | None:
        seconds = float(text)
        if seconds > _LONGEST_S:
            self.overflowed += 1
            return None
        return round(seconds * 1e6) * 1000

    def _ns(self, text: bytes) -> tuple[int, bool]:
        """Nanoseconds from the epoch as the server's clock showed it, and whether they are exact.

        Raises ValueError."""
        found = _ISO.fullmatch(text)
        if found:
            second, fraction, zone = found.groups()
            key = second + (zone or b"Z")
        else:
            found = _OLD.fullmatch(text)
            if not found:
                raise ValueError("no time of a slow log")
            day, second, fraction = found.groups()
            key = b"20%b-%b-%bT%bZ" % (day[:2], day[2:4], day[4:], second.rjust(8, b"0"))
        at_ns = self._seconds.get(key)
        if at_ns is None:
            at = dt.datetime.fromisoformat(key.decode())
            at_ns = (at - _EPOCH) // dt.timedelta(seconds=1) * 1_000_000_000
            if len(self._seconds) >= _MOST_SECONDS_KEPT:
                self._seconds.clear()
            self._seconds[key] = at_ns
        return at_ns + (int(fraction.ljust(9, b"0")) if fraction else 0), fraction is not None


def _number(fields: dict[bytes, bytes], name: bytes) -> int:
    text = fields.get(name, b"")
    return int(text) if text.isdigit() and len(text) <= _MOST_DIGITS else 0


def _dialect(fields: dict[bytes, bytes], *, has_id: bool) -> str:
    if b"Last_errno" in fields or b"Log_slow_rate_limit" in fields:
        return SLOW_PERCONA
    return SLOW_MYSQL if has_id else SLOW_MARIADB


def _sampling(fields: dict[bytes, bytes]) -> str:
    limit = _number(fields, b"Log_slow_rate_limit")
    if limit <= 1:
        return ""
    kind = "session" if fields.get(b"Log_slow_rate_type") == b"session" else "query"
    unit = "sessions" if kind == "session" else "statements"
    return f"one of {limit} {unit} (Log_slow_rate_type {kind})"

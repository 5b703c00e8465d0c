"""Writes what sessions sent as each server's log would have it: bytes as they are, no parser used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

QUIT = "Quit"
_SECOND = 1_796_037_171  # 2026-11-30 11:12:51 UTC


class Sent(NamedTuple):
    """A statement of a connection; `command` Quit ends the connection."""

    thread: int
    sql: bytes
    command: str = "Query"


def general_mysql(history: Sequence[Sent]) -> bytes:
    """A general log of MySQL, with the logins."""
    records = [*_logins(history), *((s.thread, s.command, s.sql) for s in history)]
    return b"".join(
        b"2026-11-30T11:12:51.%06dZ\t%5d %s\t%s\n" % (at, thread, command.encode(), text)
        for at, (thread, command, text) in enumerate(records)
    )


def general_mariadb(history: Sequence[Sent]) -> bytes:
    """A general log of MariaDB: the time stands where the second changes, here every third."""
    records = [*_logins(history), *((s.thread, s.command, s.sql) for s in history)]
    return b"".join(
        b"%s%6d %s\t%s\n"
        % (b"261130 11:12:%02d\t" % (at // 3 % 60) if at % 3 == 0 else b"\t\t", thread, command.encode(), text)
        for at, (thread, command, text) in enumerate(records)
    )  # fmt: skip


def general_table(history: Sequence[Sent]) -> bytes:
    """`mysql --batch` of mysql.general_log."""
    records = [*_logins(history), *((s.thread, s.command, s.sql) for s in history)]
    rows = [
        (b"2026-11-30 11:12:51.%06d" % at, b"app[app] @ localhost []", b"%d" % thread, b"1",
         command.encode(), text)
        for at, (thread, command, text) in enumerate(records)
    ]  # fmt: skip
    return _batch(b"event_time user_host thread_id server_id command_type argument".split(), rows)


def general_csv(history: Sequence[Sent]) -> bytes:
    """The file of the CSV engine."""
    records = [*_logins(history), *((s.thread, s.command, s.sql) for s in history)]
    return b"".join(
        b'"2026-11-30 11:12:51.%06d","app[app] @ localhost []",%d,1,"%s","%s"\n'
        % (at, thread, command.encode(), _escaped(text, {b'"': b'\\"', b"\r": b"\\r"}))
        for at, (thread, command, text) in enumerate(records)
    )


def audit(history: Sequence[Sent]) -> bytes:
    """The audit log of server_audit, whole seconds."""
    return b"".join(b"20261130 11:12:51,%s" % rest for rest in _audited(history))


def audit_aurora(history: Sequence[Sent]) -> bytes:
    """The audit log of Aurora, with microseconds; in order, which Aurora's own are not."""
    return b"".join(
        b"%d,%s" % (_SECOND * 1_000_000 + at, rest) for at, rest in enumerate(_audited(history))
    )


def slow_mysql(history: Sequence[Sent]) -> bytes:
    """A slow log of MySQL, no logins."""
    return b"".join(
        b"# Time: 2026-11-30T11:12:51.%06dZ\n# User@Host: app[app] @ localhost []  Id: %5d\n"
        b"# Query_time: 0.000001  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0\n%s"
        b"SET timestamp=%d;\n%s;\n"
        % (at, s.thread, b"use shop;\n" if not at else b"", _SECOND, _administrator(s))
        for at, s in enumerate(history)
    )


def slow_mariadb(history: Sequence[Sent]) -> bytes:
    """A slow log of MariaDB: statements alone."""
    return b"".join(
        b"%s# User@Host: app[app] @ localhost []\n# Thread_id: %d  Schema: shop  QC_hit: No\n"
        b"# Query_time: 0.000001  Lock_time: 0.000000  Rows_sent: 0  Rows_examined: 0\n"
        b"# Rows_affected: 0  Bytes_sent: 11\nSET timestamp=%d;\n%s;\n"
        % (b"# Time: 261130 11:12:51\n" if at % 3 == 0 else b"", s.thread, _SECOND, s.sql)
        for at, s in enumerate(s for s in history if s.command == "Query")
    )


def slow_table(history: Sequence[Sent]) -> bytes:
    """`mysql --batch` of MySQL's mysql.slow_log."""
    columns = (
        b"start_time user_host query_time lock_time rows_sent rows_examined db last_insert_id"
        b" insert_id server_id sql_text thread_id"
    )
    none = b"00:00:00.000001"
    rows = [
        (b"2026-11-30 11:12:51.%06d" % at, b"app[app] @ localhost []", none, none, b"0", b"0",
         b"shop", b"0", b"0", b"1", s.sql if s.command == "Query" else s.command.encode(),
         b"%d" % s.thread)
        for at, s in enumerate(history)
    ]  # fmt: skip
    return _batch(columns.split(), rows)


WRITERS: dict[str, Callable[[Sequence[Sent]], bytes]] = {
    "mysql": general_mysql,
    "mariadb": general_mariadb,
    "general-table": general_table,
    "general-csv": general_csv,
    "audit": audit,
    "audit-aurora": audit_aurora,
    "slow-mysql": slow_mysql,
    "slow-mariadb": slow_mariadb,
    "slow-table": slow_table,
}


def _logins(history: Sequence[Sent]) -> list[tuple[int, str, bytes]]:
    threads = dict.fromkeys(s.thread for s in history)
    return [(thread, "Connect", b"app@localhost on shop using TCP/IP") for thread in threads]


def _audited(history: Sequence[Sent]) -> list[bytes]:
    more = {b"'": b"\\'", b"\r": b"\\r", b"\t": b"\\t", b"\b": b"\\b", b"\f": b"\\f"}
    logins = [b"db,app,h,%d,0,CONNECT,shop,,0\n" % thread for thread, _, _ in _logins(history)]
    return logins + [
        b"db,app,h,%d,%d,QUERY,shop,'%s',0\n" % (s.thread, at, _escaped(s.sql, more))
        if s.command == "Query"
        else b"db,app,h,%d,0,DISCONNECT,shop,,0\n" % s.thread
        for at, s in enumerate(history, start=1)
    ]


def _escaped(text: bytes, more: dict[bytes, bytes]) -> bytes:
    for raw, written in {b"\\": b"\\\\", b"\n": b"\\n", **more}.items():
        text = text.replace(raw, written)
    return text


def _administrator(sent: Sent) -> bytes:
    if sent.command == "Query":
        return sent.sql
    return b"# administrator command: " + sent.command.encode()


def _batch(columns: Sequence[bytes], rows: Sequence[Sequence[bytes]]) -> bytes:
    def escaped(field: bytes) -> bytes:
        for raw, written in ((b"\\", b"\\\\"), (b"\n", b"\\n"), (b"\t", b"\\t"), (b"\0", b"\\0")):
            field = field.replace(raw, written)
        return field

    return b"".join(b"\t".join(map(escaped, row)) + b"\n" for row in (columns, *rows))

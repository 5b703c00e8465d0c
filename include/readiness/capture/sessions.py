"""Turns the records of a log into transactions per session.

A statement of the binary protocol counts once: its Execute, which holds the values. One prepared
in SQL counts as what was sent: PREPARE and EXECUTE; their twins in the log are left out.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path

from readiness.capture.general_log import MYSQL, GeneralLog, LogEvent
from readiness.capture.logins import parse_login
from readiness.capture.lookalikes import Cut
from readiness.capture.session import Session
from readiness.errors import CaptureError, SqlError
from readiness.model.transactions import Outcome, RawCapture, RawTransaction
from readiness.model.workload import Form
from readiness.sql.lexer import encode

_EXECUTES = frozenset({"Execute", "Bulk_execute"})
_ELIDED = b" FROM ..."
_VERB = re.compile(rb"(?>\s+|/\*.*?\*/|(?:#|--\s)[^\n]*)*+(\w+)", re.DOTALL)


def read_capture(path: Path, *, users: Collection[str] = ()) -> RawCapture:
    """The transactions of one general log, of the sessions of `users` (none given: of all).

    Raises CaptureError where the log cannot be read, is none (LogFormatError), or has no session
    of the users. What began before the log or is broken is left out or marked, with a warning; so
    are lines within a statement that look like records."""
    log = GeneralLog(path)
    reader = _Reader(log, frozenset(users))
    for event in log:
        reader.take(event)
    transactions = reader.finish()
    if users and not transactions:
        raise _nobody(path, users, reader.statements_by_user)
    return RawCapture(
        source=path.name,
        dialect=log.dialect,
        transactions=transactions,
        lines=log.lines,
        events=reader.commands.total(),
        sessions=len({id(s) for s in reader.sessions if s.finished}),
        warnings=(*log.warnings, *reader.warnings),
        commands=tuple(sorted(reader.commands.items())),
        users=tuple(sorted(reader.statements_by_user.items())),
        began_at=_iso(reader.first_ns),
        ended_at=_iso(reader.last_ns),
    )


def _nobody(path: Path, users: Iterable[str], present: Iterable[str]) -> CaptureError:
    names = ", ".join(sorted(u or "(unknown)" for u in present)) or "nobody"
    return CaptureError(
        f"{path} has no statement of {', '.join(sorted(users))}: it has those of {names}",
        hint="Give a user that the log has, or none to take all sessions.",
    )


def _iso(at_ns: int | None) -> str:
    """The server's clock, to the microsecond at most."""
    if at_ns is None:
        return ""
    moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=at_ns // 1000)
    return moment.replace(tzinfo=None).isoformat()


class _Reader:
    """Follows all sessions of one log; those of other users only by name."""

    def __init__(self, log: GeneralLog, users: frozenset[str]) -> None:
        self.sessions: list[Session] = []
        self.warnings: list[str] = []
        self.commands: Counter[str] = Counter()
        self.statements_by_user: Counter[str] = Counter()
        self.first_ns: int | None = None
        self.last_ns: int | None = None
        self._log = log
        self._users = users
        self._live: dict[int, Session] = {}
        self._awaits_twin: set[int] = set()  # connections that sent a SQL EXECUTE just now
        self._elided: dict[int, LogEvent] = {}  # MySQL's `PREPARE s FROM ...`, waiting for its text
        self._cut: Cut | None = None
        self._older: list[LogEvent] = []  # the first record of each session older than the log

    def take(self, event: LogEvent) -> None:
        """The next record of the log, unless it may be a line of a statement that was cut off."""
        cut = self._cut
        if cut is None:
            self._record(event)
        elif cut.closes(event):
            self.warnings.append(cut.forged(event))
            self._cut = None
        else:
            cut.held.append(event)
            if cut.is_over:
                self._release(cut)

    def _release(self, cut: Cut) -> None:
        """The statement was broken by itself: what was held are records."""
        self.warnings += cut.broken()
        self._cut = None
        for event in cut.held:
            self.take(event)

    def _record(self, event: LogEvent) -> None:
        self.commands[event.command] += 1
        if event.at_ns is not None:
            self.first_ns = event.at_ns if self.first_ns is None else self.first_ns
            self.last_ns = event.at_ns
        at_ns = event.at_ns if self._log.dialect == MYSQL else None
        match event.command:
            case "Connect" | "Change user":
                self._connect(event)
            case "Quit" | "Reset Connection" | "Reset connection":
                self._disconnect(event)
            case "Init DB":
                self._session(event).schema = event.argument.decode("utf-8", "replace")
            case "Query" | "Prepare" | "Execute" | "Bulk_execute":
                self._statement(event, at_ns)

    def finish(self) -> tuple[RawTransaction, ...]:
        """All transactions, in the order in which they began; what is still open is marked."""
        while self._cut:
            self._release(self._cut)
        for session in self._live.values():
            session.end(Outcome.OPEN)
        if self._older:
            count, line = len(self._older), self._older[0].line
            self.warnings.append(
                f"line {line}: {count} session{'s' * (count != 1)} began before the log: user and"
                f" schema are unknown, the first transaction may lack its begin"
            )
        transactions = [t for session in self.sessions for t in session.finished]
        still_open = sum(t.outcome is Outcome.OPEN for t in transactions)
        if still_open:
            plural = "s" * (still_open != 1)
            self.warnings.append(f"{still_open} transaction{plural} open at the end of the log")
        return tuple(sorted(transactions, key=lambda t: t.statements[0].line))

    def _session(self, event: LogEvent) -> Session:
        """The live session of the record's connection; a new one if the log began later."""
        session = self._live.get(event.thread_id)
        if session is None:
            self._older.append(event)
            session = self._start(Session(event.thread_id))
        return session

    def _start(self, session: Session) -> Session:
        self._live[session.thread_id] = session
        self.sessions.append(session)
        return session

    def _connect(self, event: LogEvent) -> None:
        self._disconnect(event)
        login = parse_login(event.argument)
        if login is not None:
            self._start(Session(event.thread_id, login.user, login.schema))

    def _disconnect(self, event: LogEvent) -> None:
        """Quit ends a session; a reset leaves one of the same user, as if newly connected."""
        session = self._live.pop(event.thread_id, None)
        if session is None:
            return
        session.disconnect()
        if event.command.startswith("Reset"):
            self._start(Session(event.thread_id, session.user, session.schema))

    def _statement(self, event: LogEvent, at_ns: int | None) -> None:
        session = self._session(event)
        sql = self._sent(event, session)
        self.statements_by_user[session.user] += sql is not None
        is_kept = not self._users or session.user in self._users
        try:
            if sql is not None and is_kept:
                session.add(sql, line=event.line, at_ns=at_ns)
            else:
                session.lex(event.argument)  # a record may be forged in any session's statement
        except SqlError as e:
            self._cut = Cut(event, session, e, is_kept)

    def _sent(self, event: LogEvent, session: Session) -> bytes | None:
        """What the client sent with this record; None where another record stands for it."""
        if event.command == "Prepare":  # stands between EXECUTE IMMEDIATE and its twin too
            elided = self._elided.pop(event.thread_id, None)
            return None if elided is None else _restored(elided, event, session)
        awaits_twin = event.thread_id in self._awaits_twin
        self._awaits_twin.discard(event.thread_id)
        if event.command in _EXECUTES:
            return None if awaits_twin else event.argument
        verb = _verb(event.argument)
        if verb == b"EXECUTE":
            self._awaits_twin.add(event.thread_id)
        if verb == b"PREPARE" and event.argument.endswith(_ELIDED):
            self._elided[event.thread_id] = event
            return None
        return event.argument


def _verb(sql: bytes) -> bytes:
    """The first word behind blanks and comments, in upper case."""
    found = _VERB.match(sql)
    return found[1].upper() if found else b""


def _restored(elided: LogEvent, prepare: LogEvent, session: Session) -> bytes:
    """`PREPARE s FROM ...` with the text that the Prepare record holds."""
    text = encode(
        Form.TEXT,
        prepare.argument,
        no_backslash_escapes="NO_BACKSLASH_ESCAPES" in session.sql_mode.split(","),
    )
    return elided.argument.removesuffix(b"...") + text

"""Turns the events of a log into transactions per session, each given when it ends.

A statement of the binary protocol counts once: its Execute, which holds the values. One prepared
in SQL counts as what was sent: PREPARE and EXECUTE; their twins in the log are left out.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from operator import itemgetter
from pathlib import Path

from readiness.capture.events import EventSource, LogEvent
from readiness.capture.logins import parse_login
from readiness.capture.logs import open_log
from readiness.capture.lookalikes import Cut
from readiness.capture.session import Ledger, Session
from readiness.capture.twins import Twins
from readiness.errors import CaptureError, SqlError
from readiness.model.transactions import Outcome, RawCapture, RawTransaction

_EXECUTES = frozenset({"Execute", "Bulk_execute"})
_MOST_WARNINGS = 100
# in these nothing that a statement holds can look like a record
_FRAMED = frozenset({"general-table", "general-csv", "audit"})
_NEVER = 1 << 63


def read_capture(path: Path, *, users: Collection[str] = (), format: str = "auto") -> RawCapture:
    """The transactions of one log, of the sessions of `users` (none given: of all).

    Raises CaptureError where the log cannot be read, is none (LogFormatError), or has no session
    of the users. What began before the log or is broken is left out or marked, with a warning; so
    are lines within a statement that look like records."""
    return replace(read_source(open_log(path, format=format), users=users), source=path.name)


def read_source(source: EventSource, *, users: Collection[str] = ()) -> RawCapture:
    """All transactions of a log, in the order in which they began. Raises as read_capture."""
    reader = Transactions(source, users=users)
    numbered = [pair for batch in reader.batches() for pair in batch]
    numbered.sort(key=lambda pair: pair[0])
    if users and not numbered:
        raise nobody(source.name, users, reader.users)
    return RawCapture(
        source=source.name,
        dialect=source.dialect,
        transactions=tuple(transaction for _, transaction in numbered),
        lines=source.lines,
        events=reader.events,
        sessions=reader.sessions,
        warnings=(*source.warnings, *reader.warnings),
        commands=tuple(sorted(reader.commands.items())),
        users=tuple(sorted(reader.users.items())),
        began_at=iso_time(reader.first_ns),
        ended_at=iso_time(reader.last_ns),
    )


def nobody(name: str, users: Iterable[str], present: Iterable[str]) -> CaptureError:
    """The error where a log has no statement of the users asked for."""
    names = ", ".join(sorted(u or "(unknown)" for u in present)) or "nobody"
    return CaptureError(
        f"{name} has no statement of {', '.join(sorted(users))}: it has those of {names}",
        hint="Give a user that the log has, or none to take all sessions.",
    )


def iso_time(at_ns: int | None) -> str:
    """The server's clock, to the microsecond at most; "" for no time."""
    if at_ns is None:
        return ""
    moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=at_ns // 1000)
    return moment.replace(tzinfo=None).isoformat()


class Transactions:
    """The transactions of one log, read once by iterating, and what was counted on the way.

    `commands` and `users` count the whole log, kept or not: events by the server's word, statements
    by user. `first_ns` and `last_ns` are its earliest and latest time. All are final at the end.
    What is open at the log's end comes last; no more than what is open is held.
    With users given, the transactions of other sessions are left out."""

    def __init__(self, source: EventSource, *, users: Collection[str] = ()) -> None:
        self.source = source
        self.warnings: list[str] = []
        self.commands: Counter[str] = Counter()
        self.events = 0
        self.first_ns: int | None = None
        self.last_ns: int | None = None
        self.wanted = frozenset(users)
        self._ledger = Ledger()
        self._live: dict[int, Session] = {}
        self._sent: Counter[str] = Counter()  # by user, of sessions that are over
        self._cut: Cut | None = None
        self._is_framed = source.dialect in _FRAMED
        self._is_slow = False  # a slow log: statements alone, without connects
        self._older = 0  # sessions that began before the log
        self._first_older = 0  # line of the first
        self._is_unknown = False  # user and schema of one of them
        self._unsaid = 0  # warnings beyond the most that are kept
        self._twins = Twins(is_slow=False)

    @property
    def sessions(self) -> int:
        """Sessions that gave a transaction."""
        return self._ledger.sessions

    @property
    def users(self) -> dict[str, int]:
        """Statements by user; "" where the log began later than the session."""
        counts = Counter(self._sent)
        for session in self._live.values():
            if session.sent:
                counts[session.user] += session.sent
        return dict(counts)

    def __iter__(self) -> Iterator[RawTransaction]:
        """Each transaction when it ends. Raises CaptureError where the log cannot be read."""
        return map(itemgetter(1), chain.from_iterable(self.batches()))

    def batches(self) -> Iterator[list[tuple[int, RawTransaction]]]:
        """Transactions as they end, each with the number of the event that it began with."""
        ledger, live = self._ledger, self._live
        number = usual = 0
        first, last, now = _NEVER, -_NEVER, None
        for event in self.source:
            number += 1
            if number == 1:
                self._begin()
            session = live.get(event.thread_id)
            if session is not None and self._cut is None and session.takes(event, number):
                usual += 1
                at_ns = event.at_ns
                if at_ns is not None and at_ns != now:
                    now = at_ns
                    if at_ns > last:
                        last = at_ns
                    if at_ns < first:
                        first = at_ns
            else:
                self.events = number
                self._next(event)
                number = self.events
            if ledger.finished:
                self.events = number
                yield ledger.finished
                ledger.finished = []
        self.events = number
        self.commands.update({"Query": usual} if usual else {})
        if first < _NEVER:
            self._see(first)
            self._see(last)
        self._finish()
        yield ledger.finished

    def _begin(self) -> None:
        """The first event is there: only now it is known what the log is."""
        self._is_slow = self.source.dialect.startswith("slow")
        self._twins = Twins(is_slow=self._is_slow)
        self._ledger.is_exact = self.source.has_exact_times

    def _see(self, at_ns: int) -> None:
        """Widens the time that the log covers."""
        if self.first_ns is None or self.last_ns is None:
            self.first_ns = self.last_ns = at_ns
        elif at_ns > self.last_ns:
            self.last_ns = at_ns
        elif at_ns < self.first_ns:
            self.first_ns = at_ns

    def _perhaps_forged(self, cut: Cut, event: LogEvent) -> None:
        """The next event may be a line of a statement that was cut off."""
        if cut.closes(event):
            self._say(cut.forged(event))
            self._cut = None
            self.events -= len(cut.held) + 1
            return
        cut.hold(event)
        if cut.is_over:
            self._release(cut)

    def _release(self, cut: Cut) -> None:
        """The statement was broken by itself: what was held are records."""
        for text in cut.broken():
            self._say(text)
        self._cut = None
        self.events -= len(cut.held)
        for event in cut.held:
            self.events += 1
            self._next(event)

    def _next(self, event: LogEvent) -> None:
        if self._cut is None:
            self._record(event)
        else:
            self._perhaps_forged(self._cut, event)

    def _record(self, event: LogEvent) -> None:
        command = event.command
        self.commands[command] += 1
        if event.at_ns is not None:
            self._see(event.at_ns)
        if command == "Query" or command in _EXECUTES or command == "Prepare":
            self._statement(event)
        elif command in ("Connect", "Change user"):
            self._connect(event)
        elif command in ("Quit", "Reset Connection", "Reset connection"):
            self._disconnect(event)
        elif command == "Init DB" and event.argument:
            self._session(event).schema = event.argument.decode("utf-8", "replace")

    def _finish(self) -> None:
        """What is still open is marked; what was noticed is said."""
        while self._cut:
            self._release(self._cut)
        for session in self._live.values():
            self._twins.drop_elided(session)
            session.end(Outcome.OPEN)
        self._ledger.give_prepared()
        self._say_older()
        still_open = sum(t.outcome is Outcome.OPEN for _, t in self._ledger.finished)
        if still_open:
            self._say(f"{_count(still_open, 'transaction')} open at the end of the log")
        if self._ledger.blank:
            self._say(f"{_count(self._ledger.blank, 'statement')} without any text left out")
        if self._twins.textless:
            self._say(
                f"{_count(self._twins.textless, 'PREPARE')} left out: the log has not their text"
            )
        if self._unsaid:
            self.warnings.append(f"{_count(self._unsaid, 'more warning')} not shown")

    def _say(self, warning: str) -> None:
        if len(self.warnings) < _MOST_WARNINGS:
            self.warnings.append(warning)
        else:
            self._unsaid += 1

    def _say_older(self) -> None:
        if not self._older:
            return
        unknown = "user and schema are unknown, " if self._is_unknown else ""
        self._say(
            f"line {self._first_older}: {_count(self._older, 'session')} began before the log:"
            f" {unknown}"
            "the first transaction may lack its begin"
        )

    def _session(self, event: LogEvent) -> Session:
        """The live session of the event's connection; a new one if the log began later, or if the
        connection has another user by now."""
        session = self._live.get(event.thread_id)
        if session is None:
            if not self._is_slow:
                self._first_older = self._first_older or event.line
                self._older += 1
                self._is_unknown = self._is_unknown or not event.user
            session = self._start(event.thread_id, event.user, event.schema or "")
        elif event.user and session.user != event.user:
            self._end(session)
            session = self._start(event.thread_id, event.user, session.schema)
        return session

    def _start(self, thread_id: int, user: str, schema: str) -> Session:
        session = Session(thread_id, self._ledger, user=user, schema=schema)
        session.is_kept = not self.wanted or user in self.wanted
        session.is_waiting = not session.is_kept
        self._live[thread_id] = session
        return session

    def _end(self, session: Session) -> None:
        self._twins.drop_elided(session)
        session.end(Outcome.DISCONNECT)
        del self._live[session.thread_id]
        if session.sent:
            self._sent[session.user] += session.sent

    def _connect(self, event: LogEvent) -> None:
        session = self._live.get(event.thread_id)
        if session is not None:
            self._end(session)
        login = parse_login(event.argument)
        if login is not None:
            self._start(event.thread_id, login.user, login.schema)
        elif event.user and not event.errno and b" " not in event.argument:
            self._start(event.thread_id, event.user, event.schema or "")

    def _disconnect(self, event: LogEvent) -> None:
        """Quit ends a session; a reset leaves one of the same user, as if newly connected."""
        session = self._live.get(event.thread_id)
        if session is None:
            return
        self._end(session)
        if event.command.startswith("Reset"):
            self._start(event.thread_id, session.user, session.schema)

    def _statement(self, event: LogEvent) -> None:
        session = self._live.get(event.thread_id)
        if session is None or (event.user and event.user != session.user):
            session = self._session(event)
        if event.schema is not None:
            session.schema = event.schema
        sql = self._twins.sent(event, session)
        try:
            if sql is None:
                self._check_closed(event, session)
                return
            session.sent += 1
            if session.is_kept:
                session.add(sql, event, self.events)
            else:
                self._check_closed(event, session)
        except SqlError as e:
            cut = Cut(event, session, e, session.is_kept)
            if self._is_framed:  # what follows is another record, whatever it holds
                for text in cut.broken():
                    self._say(text)
            else:
                self._cut = cut
        finally:
            session.is_waiting = (
                not session.is_kept or session.awaits_twin or session.elided is not None
            )

    @staticmethod
    def _check_closed(event: LogEvent, session: Session) -> None:
        """A record may be forged in any session's statement."""
        if not session.closes(event.argument):
            session.lex(event.argument)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"

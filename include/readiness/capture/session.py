"""One session of a log: its statements become transactions as the server would see them."""

from __future__ import annotations

from dataclasses import replace

from readiness.capture.effects import (
    ASIDE,
    BEGINS,
    BY_START,
    BY_VERB,
    COMMITS,
    MAY_BE_PREPARED,
    PLAIN,
    ROLLS_BACK,
    START_BYTES,
    Effect,
    effect_of,
    simplest,
    split_packet,
)
from readiness.capture.events import LogEvent
from readiness.capture.sql_mode import ANSI_QUOTES, NO_BACKSLASH_ESCAPES, next_sql_mode
from readiness.model.transactions import Outcome, RawStatement, RawTransaction
from readiness.sql.kind import Control
from readiness.sql.lexer import Token, lex
from readiness.sql.single import (
    ALL_CLOSED,
    BACKSLASH,
    LONGEST_SHAPED,
    ORDINARY,
    SINGLE_STATEMENT,
    has_closed_shape,
    is_closed_shape,
)

_LONGEST_KNOWN = 160  # bytes of a statement whose effects are kept for its next time
_MOST_KNOWN = 4096
_NOT_PARSED = frozenset({1064, 1149})
_ROLLS_BACK = frozenset({1213, 1613, 1614})  # deadlocks: the whole transaction is gone
_NO_XA_STATE = frozenset({1397, 1398, 1399, 1400})  # refused, nothing changed
_CHAIN = frozenset({b"1", b"CHAIN"})
_RELEASE = frozenset({b"2", b"RELEASE"})
_DONE_WHEN_FAILED = {
    Control.COMMIT: Control.ROLLBACK,
    Control.ROLLBACK: Control.ROLLBACK,
    Control.IMPLICIT_COMMIT: Control.IMPLICIT_COMMIT,
}

Parts = list[tuple[bytes, Effect]]
# with the effect where it is one statement as it was sent, and does one of the simplest things
Known = tuple[Parts, Effect | None]
_NO_PARTS: Parts = []


class Ledger:
    """What the sessions of one log share.

    `finished` holds transactions with the number of the event they began with; `prepared` the XA
    transactions that any session may end."""

    def __init__(self) -> None:
        self.finished: list[tuple[int, RawTransaction]] = []
        self.prepared: dict[tuple[bytes, ...], tuple[int, RawTransaction]] = {}
        self.sessions = 0  # that gave a transaction
        self.blank = 0  # statements without any text
        self.is_exact = False  # the log has the microsecond of each event
        self._known: dict[tuple[bool, bool], dict[bytes, Known]] = {}

    def known(self, modes: tuple[bool, bool]) -> dict[bytes, Known]:
        """The effects of short statements that were met before, as this mode reads them."""
        return self._known.setdefault(modes, {})

    def prepare(self, xid: tuple[bytes, ...], began: int, transaction: RawTransaction) -> None:
        """Keeps a prepared transaction until it is decided; one of the same name never was."""
        undecided = self.prepared.pop(xid, None)
        if undecided is not None:
            self.finished.append(undecided)
        self.prepared[xid] = (began, transaction)

    def decide(self, xid: tuple[bytes, ...], outcome: Outcome, *statements: RawStatement) -> bool:
        """Ends a prepared transaction, with the statement behind it; False where there is none."""
        waiting = self.prepared.pop(xid, None)
        if waiting is None:
            return False
        began, transaction = waiting
        transaction.statements += statements
        transaction.outcome = outcome
        self.finished.append((began, transaction))
        return True

    def give_prepared(self) -> None:
        """What was prepared and never decided stays open."""
        self.finished += self.prepared.values()
        self.prepared.clear()


class Session:
    """State of one connection; its ledger gathers its transactions.

    User and schema are "" while the log has not said them. `sent` counts statements. `proof` finds
    the verb of a single closed statement as the session's sql_mode reads it, `known` has the effects
    of short ones that were met before."""

    __slots__ = (
        "_began",
        "_began_ns",
        "_completion",
        "_end_ns",
        "_has_given",
        "_has_locks",
        "_is_autocommit",
        "_just_prepared",
        "_ledger",
        "_left_modes",
        "_modes",
        "_now_ns",
        "_number",
        "_open",
        "_xid",
        "awaits_twin",
        "elided",
        "is_kept",
        "is_waiting",
        "known",
        "proof",
        "schema",
        "sent",
        "sql_mode",
        "textless",
        "thread_id",
        "user",
    )

    def __init__(self, thread_id: int, ledger: Ledger, *, user: str = "", schema: str = "") -> None:
        self.thread_id = thread_id
        self.user = user
        self.schema = schema
        self.is_kept = True
        self.sent = 0
        self.is_waiting = False  # for one of the next two
        self.awaits_twin = False  # it sent a SQL EXECUTE just now
        self.elided: LogEvent | None = None  # MySQL's `PREPARE s FROM ...`, waiting for its text
        self.textless: set[bytes] = set()  # prepared statements whose text the log has not
        self._ledger = ledger
        self._has_given = False
        self._open: list[RawStatement] | None = None
        self._began = 0  # number of the event that the open transaction began with
        self._began_ns: int | None = None
        self._number = 0  # of the event at hand
        self._now_ns: int | None = None  # when it began
        self._end_ns: int | None = None  # when the last statement ended, where that is exact
        self._left_modes = ""  # modes that the open transaction had and left
        self._xid: tuple[bytes, ...] = ()
        self._just_prepared: tuple[bytes, ...] | None = None
        self._reset()

    def _reset(self) -> None:
        self._is_autocommit = True
        self._has_locks = False
        self._completion = b""
        self._end_ns = None
        self._set_mode("")

    def _set_mode(self, sql_mode: str) -> None:
        self.sql_mode = sql_mode
        modes = sql_mode.split(",") if sql_mode else ()
        self._modes = (ANSI_QUOTES in modes, NO_BACKSLASH_ESCAPES in modes)
        self.proof = SINGLE_STATEMENT[self._modes].match
        self.known = self._ledger.known(self._modes)

    @property
    def has_plain_backslashes(self) -> bool:
        """Whether a backslash in a text is one."""
        return self._modes[1]

    def lex(self, sql: bytes) -> list[Token]:
        """Tokens as the session's sql_mode reads them; raises SqlError for what never ends."""
        ansi, plain = self._modes
        return lex(sql, ansi_quotes=ansi, no_backslash_escapes=plain)

    def closes(self, sql: bytes) -> bool:
        """Whether every quote and comment of the text is closed, as the session reads it."""
        return ALL_CLOSED[self._modes].match(sql) is not None

    def add(self, sql: bytes, event: LogEvent, number: int) -> None:
        """Takes one packet: a statement, or several with `;` between. Raises SqlError.

        `number` counts the log's events."""
        found = self.proof(sql)
        effect = BY_VERB.get(found[1]) if found else None
        parts = None if effect and not event.errno else self._parts(sql)
        if parts is not None:
            self.take(parts, event, number)
        elif effect is not None:
            self.run(sql, effect, event, number)

    def takes(self, event: LogEvent, number: int) -> bool:
        """Takes the usual event by the shortest way: a statement that is proven to be a single
        closed one, or was met before. False where it needs a closer look, and was not taken.

        It does by itself what `_proven` and `_statement` do, since over millions of events a call costs as much
        as the work."""
        if self.is_waiting or event.command != "Query" or event.errno:
            return False
        if event.user and event.user != self.user:
            return False
        sql = event.argument
        parts, effect = _NO_PARTS, BY_START.get(sql[:START_BYTES])
        if effect is None or not (
            len(sql) <= LONGEST_SHAPED
            and BACKSLASH not in sql
            and is_closed_shape(sql.translate(None, ORDINARY))
        ):
            known = self.known.get(sql) or self._proven(sql)
            if known is None:
                return False
            parts, effect = known
        self.sent += 1
        if event.schema is not None:
            self.schema = event.schema
        if effect is None:
            self.take(parts, event, number)
            return True
        gap, at = None, event.at_ns
        if self._ledger.is_exact and at is not None:
            end = self._end_ns
            if end is not None:
                gap = at - end if at > end else 0
            self._end_ns = at + event.latency_ns if event.latency_ns else at
        statement = RawStatement(sql, event.line, gap, self.schema, event.latency_ns)
        if self._open and (effect is PLAIN or effect is ASIDE):
            self._open.append(statement)
        else:
            self._step(statement, effect, number, at)
        return True

    def _proven(self, sql: bytes) -> Known | None:
        """What a single closed statement does that changes nothing of its session."""
        effect = BY_START.get(sql[:START_BYTES])
        if effect is None or not has_closed_shape(sql, no_backslash_escapes=self._modes[1]):
            found = self.proof(sql)
            effect = BY_VERB.get(found[1]) if found else None
        return (_NO_PARTS, effect) if effect else None

    def _step(
        self, statement: RawStatement, effect: Effect, number: int, at_ns: int | None
    ) -> None:
        """A statement that begins, ends or is a transaction; `effect` is one of the simplest."""
        self._number, self._now_ns = number, at_ns
        if effect is PLAIN or effect is ASIDE:
            if self._open is None and (self._is_autocommit or effect is ASIDE):
                self._began, self._began_ns = number, at_ns
                self._give((statement,), Outcome.AUTOCOMMIT)
            else:
                self._inside_or_alone(statement, effect)
        elif self._open and (effect is COMMITS or effect is ROLLS_BACK) and not self._completion:
            self._open.append(statement)
            self.end(Outcome.COMMIT if effect is COMMITS else Outcome.ROLLBACK)
        elif effect is BEGINS and not self._open:
            self._begin(statement)
            self._has_locks, self._xid = False, ()
        else:
            self._take(statement, effect)

    def run(self, sql: bytes, effect: Effect, event: LogEvent, number: int) -> None:
        """Takes a single statement that changes nothing of its session: most are."""
        statement = self._statement(sql, event)
        opened = self._open
        if opened:
            opened.append(statement)
        elif opened is None and (self._is_autocommit or not effect.opens):
            self._began, self._began_ns = number, event.at_ns
            self._give((statement,), Outcome.AUTOCOMMIT)
        else:
            self._number, self._now_ns = number, event.at_ns
            self._begin(statement)

    def take(self, parts: Parts, event: LogEvent, number: int) -> None:
        """Takes the statements of one packet with their effects."""
        self._number, self._now_ns = number, event.at_ns
        for text, effect in parts:
            self._take(self._statement(text, event), effect)

    def _statement(self, sql: bytes, event: LogEvent) -> RawStatement:
        gap, at = None, event.at_ns
        if self._ledger.is_exact and at is not None:
            end = self._end_ns
            if end is not None:
                gap = at - end if at > end else 0
            self._end_ns = at + (event.latency_ns or 0)
        return RawStatement(sql, event.line, gap, self.schema, event.latency_ns, event.errno)

    def _parts(self, sql: bytes) -> Parts:
        if sql in self.known:
            return self.known[sql][0]
        tokens = self.lex(sql)
        texts = split_packet(sql, tokens)
        self._ledger.blank += not texts
        parts = [(t, effect_of(t, tokens if t is sql else self.lex(t))) for t in texts]
        is_short = len(sql) <= _LONGEST_KNOWN and len(self.known) < _MOST_KNOWN
        if is_short and sql[:1] not in MAY_BE_PREPARED:
            self.known[sql] = parts, simplest(parts[0][1]) if texts == [sql] else None
        return parts

    def _take(self, statement: RawStatement, effect: Effect) -> None:
        if statement.errno:
            effect = _failed(effect, statement.errno)
        control = effect.control
        if effect.xa and self._xa(statement, effect):
            return
        if control in (Control.COMMIT, Control.ROLLBACK):
            self._close(statement, effect)
            return
        if self._commits(effect):
            self.end(Outcome.COMMIT)
        if control is Control.BEGIN:
            self._begin(statement)
            self._has_locks, self._xid = False, effect.xid
            return
        self._inside_or_alone(statement, effect)
        if statement.errno in _ROLLS_BACK:
            self.end(Outcome.ROLLBACK)
        self._settle(statement.sql, effect)

    def _commits(self, effect: Effect) -> bool:
        """Whether the statement commits what is open before it runs."""
        if effect.control is Control.AUTOCOMMIT_ON:
            return not self._is_autocommit  # where it is on already, nothing happens
        if effect.unlocks:
            return self._has_locks
        return effect.control in (Control.BEGIN, Control.IMPLICIT_COMMIT)

    def _begin(self, statement: RawStatement) -> None:
        self._open = [statement]
        self._began, self._began_ns = self._number, self._now_ns
        self._just_prepared = None

    def _inside_or_alone(self, statement: RawStatement, effect: Effect) -> None:
        opened = self._open
        if opened:
            opened.append(statement)
        elif opened is None and (self._is_autocommit or not effect.opens):
            self._alone(statement, Outcome.AUTOCOMMIT)
        else:
            self._begin(statement)

    def _alone(self, statement: RawStatement, outcome: Outcome) -> None:
        self._began, self._began_ns = self._number, self._now_ns
        self._give((statement,), outcome)

    def _close(self, statement: RawStatement, effect: Effect) -> None:
        """COMMIT or ROLLBACK, also where nothing was open: it is sent all the same."""
        if self._open:
            self._open.append(statement)
        else:
            self._begin(statement)
        self.end(Outcome(effect.control.value))
        chains, releases = effect.chains, effect.releases
        if chains is None and not releases:
            chains = self._completion in _CHAIN
        if releases is None and not chains:
            releases = self._completion in _RELEASE
        self._open = [] if chains else None
        if releases:
            self.disconnect()

    def _xa(self, statement: RawStatement, effect: Effect) -> bool:
        """The steps that touch prepared transactions; False where the statement is like others."""
        is_mine = bool(self._open) and self._xid == effect.xid
        if effect.xa == b"PREPARE" and self._open and is_mine:
            transaction = self._transaction((*self._open, statement), Outcome.OPEN)
            self._open = None
            self._ledger.prepare(effect.xid, self._began, transaction)
            self._just_prepared = effect.xid
            return True
        if effect.xa not in (b"COMMIT", b"ROLLBACK") or is_mine:
            return False
        is_next = self._just_prepared == effect.xid
        outcome = Outcome(effect.control.value)
        is_known = self._ledger.decide(effect.xid, outcome, *([statement] if is_next else []))
        if is_known and is_next:
            self._just_prepared = None
        elif self._open:
            self._open.append(statement)
        else:
            self._alone(statement, outcome)
        return True

    def _settle(self, sql: bytes, effect: Effect) -> None:
        """What a statement changes for those behind it."""
        if effect.control in (Control.AUTOCOMMIT_ON, Control.AUTOCOMMIT_OFF):
            self._is_autocommit = effect.control is Control.AUTOCOMMIT_ON
        if effect.schema is not None:
            self.schema = effect.schema
        if effect.locks or effect.unlocks:
            self._has_locks = effect.locks
        if effect.completion is not None:
            self._completion = effect.completion
        if effect.modes:
            mode = next_sql_mode(sql, effect.modes, self.sql_mode)
            if self._open is not None:
                self._left_modes += f",{self.sql_mode}"
            if mode != self.sql_mode:
                self._set_mode(mode)

    def end(self, outcome: Outcome) -> None:
        """The open transaction, if there is one, is over."""
        opened, self._open = self._open, None
        if opened:
            self._give(tuple(opened), outcome)

    def disconnect(self) -> None:
        """The session is over: what is open rolls back, settings are lost."""
        self.end(Outcome.DISCONNECT)
        self._reset()

    def _transaction(
        self, statements: tuple[RawStatement, ...], outcome: Outcome
    ) -> RawTransaction:
        modes = self.sql_mode
        if self._left_modes:
            modes = ",".join(dict.fromkeys(filter(None, f"{modes}{self._left_modes}".split(","))))
            self._left_modes = ""
        return RawTransaction(
            self.thread_id, self.user, self.schema, statements, outcome, modes, self._began_ns
        )

    def _give(self, statements: tuple[RawStatement, ...], outcome: Outcome) -> None:
        self._just_prepared = None
        ledger = self._ledger
        if not self._has_given:
            self._has_given = True
            ledger.sessions += 1
        ledger.finished.append((self._began, self._transaction(statements, outcome)))


def _failed(effect: Effect, errno: int) -> Effect:
    """What a failed statement does all the same: DDL commits before it fails, and what cannot be
    committed is rolled back."""
    if errno in _NOT_PARSED:
        return Effect(opens=False)
    if errno in _NO_XA_STATE or effect.control not in _DONE_WHEN_FAILED:
        return Effect(opens=effect.opens)
    control = _DONE_WHEN_FAILED[effect.control]
    return replace(effect, control=control, completion=None, modes=(), locks=False)

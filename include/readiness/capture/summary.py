"""What a capture holds, in numbers and names that are safe to show: no SQL, no values."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from readiness.capture.choice import Chosen, Numbered, choose_in
from readiness.capture.events import EventSource
from readiness.capture.example import Example
from readiness.capture.rates import Clock, Rate
from readiness.capture.selection import Selection
from readiness.capture.sessions import Transactions, iso_time, nobody
from readiness.capture.sql_mode import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
from readiness.errors import SqlError
from readiness.model.transactions import Raw, RawStatement, RawTransaction
from readiness.model.workload import StatementKind
from readiness.sql.kind import statement_kind
from readiness.sql.lexer import lex

_VERB = re.compile(rb"\s*+([A-Za-z]++)(?![\w$.])")
_LONGEST_KNOWN = 100  # bytes
_MOST_KNOWN = 10_000
_SURE = {  # verbs that alone say what a statement is
    b"SELECT": StatementKind.SELECT,
    b"INSERT": StatementKind.INSERT,
    b"REPLACE": StatementKind.INSERT,
    b"UPDATE": StatementKind.UPDATE,
    b"DELETE": StatementKind.DELETE,
    b"COMMIT": StatementKind.COMMIT,
}


@dataclass(frozen=True, slots=True)
class FlowSummary:
    """The flows found in a log. `coverages` are shares of the example's statements, one a flow in
    log order, None without an example; `left_out` counts transactions by reason; `rate` is how
    often the flow begins."""

    flows: int
    names: tuple[str, ...]
    transactions: int
    statements: int
    coverages: tuple[float | None, ...]
    left_out: dict[str, int]
    rate: Rate | None

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        values = {name: _plain(getattr(self, name)) for name in self.__slots__}
        return {**values, "rate": self.rate.to_json() if self.rate else None}


@dataclass(frozen=True, slots=True)
class CaptureSummary:
    """`lines`, `events`, `commands` and `users` count the whole log: records by command,
    statements by user. The rest counts what was kept. Times are the server's clock, ISO; `rate` is
    that of the transactions."""

    source: str
    dialect: str
    lines: int
    events: int
    commands: dict[str, int]
    users: dict[str, int]
    sessions: int
    transactions: int
    outcomes: dict[str, int]
    statements: int
    kinds: dict[str, int]
    began_at: str
    ended_at: str
    warnings: tuple[str, ...]
    rate: Rate | None = None
    flows: FlowSummary | None = None

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        values = {name: _plain(getattr(self, name)) for name in self.__slots__}
        rate = self.rate.to_json() if self.rate else None
        return {**values, "rate": rate, "flows": self.flows.to_json() if self.flows else None}


@dataclass(slots=True, repr=False)
class _Tally(Raw):
    """Counts transactions one by one, so that none need be kept."""

    transactions: int = 0
    statements: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    clock: Clock = field(default_factory=Clock)
    _known: dict[tuple[bytes, str], str] = field(default_factory=dict)

    def watch(self, pairs: Iterable[Numbered]) -> Iterator[Numbered]:
        """The same transactions, counted."""
        for place, transaction in pairs:
            self.transactions += 1
            self.statements += len(transaction.statements)
            self.outcomes[transaction.outcome.value] += 1
            for statement in transaction.statements:
                self.kinds[self._kind(transaction, statement)] += 1
            self.clock.note(transaction)
            yield place, transaction

    def _kind(self, transaction: RawTransaction, statement: RawStatement) -> str:
        """The statement's kind; tokens are made only where the verb does not say it, and once for
        what comes again and again, such as BEGIN."""
        sql, modes = statement.sql, transaction.sql_mode
        found = _VERB.match(sql)
        sure = _SURE.get(found[1].upper()) if found else None
        if sure is not None:
            return sure.value
        if len(sql) > _LONGEST_KNOWN:
            return _lexed_kind(sql, modes)
        kind = self._known.get((sql, modes))
        if kind is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            kind = self._known[sql, modes] = _lexed_kind(sql, modes)
        return kind


def summarize_source(
    source: EventSource,
    *,
    users: Collection[str] = (),
    selection: Selection | None = None,
    example: Example | None = None,
) -> CaptureSummary:
    """Counts a log while it is read; with a selection or an example, the flows in it too.

    Holds what is open, and the transactions of flows. Raises as `sessions.read_source` does, and
    CaptureError where no flow was found."""
    reader, tally = Transactions(source, users=users), _Tally()
    if selection is None and example is None:
        chosen = None
        deque(tally.watch(pair for batch in reader.batches() for pair in batch), maxlen=0)
    else:
        chosen = choose_in(reader, selection or Selection(), example, watch=tally.watch)
    if users and not tally.transactions:
        raise nobody(source.name, users, reader.users)
    return CaptureSummary(
        source=source.name,
        dialect=source.dialect,
        lines=source.lines,
        events=reader.events,
        commands=_largest_first(reader.commands),
        users=_largest_first(reader.users),
        sessions=reader.sessions,
        transactions=tally.transactions,
        outcomes=_largest_first(tally.outcomes),
        statements=tally.statements,
        kinds=_largest_first(tally.kinds),
        began_at=iso_time(reader.first_ns),
        ended_at=iso_time(reader.last_ns),
        warnings=(*source.warnings, *reader.warnings),
        rate=tally.clock.rate(),
        flows=None if chosen is None else _flows(chosen),
    )


def _flows(chosen: Chosen) -> FlowSummary:
    transactions = [t for flow in chosen.flows for t in flow.transactions]
    return FlowSummary(
        flows=len(chosen.flows),
        names=tuple(flow.name for flow in chosen.flows if flow.name),
        transactions=len(transactions),
        statements=sum(len(t.statements) for t in transactions),
        coverages=tuple(flow.coverage for flow in chosen.flows),
        left_out=chosen.left_out,
        rate=chosen.rate,
    )


def _lexed_kind(sql: bytes, sql_mode: str) -> str:
    modes = sql_mode.split(",")
    try:
        tokens = lex(
            sql,
            ansi_quotes=ANSI_QUOTES in modes,
            no_backslash_escapes=NO_BACKSLASH_ESCAPES in modes,
        )
    except SqlError:  # the mode changed within the transaction
        return StatementKind.OTHER.value
    return statement_kind(sql, tokens).value


def _largest_first(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value

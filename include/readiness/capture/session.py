"""One session of a log: its statements become transactions as the server would see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from readiness.capture.sql_mode import ANSI_QUOTES, NO_BACKSLASH_ESCAPES, next_sql_mode
from readiness.model.transactions import Outcome, RawStatement, RawTransaction
from readiness.model.workload import StatementKind
from readiness.sql.kind import (
    Control,
    chains,
    leading_words,
    releases,
    statement_kind,
    transaction_control,
)
from readiness.sql.lexer import Token, lex, statement_spans

_NO_TRANSACTION = frozenset({StatementKind.SET, StatementKind.PREPARE})
_NO_TRANSACTION_WORDS = frozenset({b"SHOW", b"USE", b"DEALLOCATE", b"DROP", b"KILL", b"DO"})
_BODIES = frozenset({b"PROCEDURE", b"FUNCTION", b"TRIGGER", b"EVENT"})


@dataclass(slots=True)
class Session:
    """State of one connection; `finished` gathers its transactions.

    User and schema are "" while the log has not said them."""

    thread_id: int
    user: str = ""
    schema: str = ""
    sql_mode: str = ""
    finished: list[RawTransaction] = field(default_factory=list)
    _open: list[RawStatement] | None = None
    _is_autocommit: bool = True
    _last_ns: int | None = None
    _left_modes: str = ""  # modes that the open transaction had and left

    def lex(self, sql: bytes) -> list[Token]:
        """Tokens as the session's sql_mode reads them; raises SqlError for what never ends."""
        modes = self.sql_mode.split(",")
        return lex(
            sql,
            ansi_quotes=ANSI_QUOTES in modes,
            no_backslash_escapes=NO_BACKSLASH_ESCAPES in modes,
        )

    def add(self, sql: bytes, *, line: int, at_ns: int | None) -> None:
        """Takes one packet: a statement, or several with `;` between. Raises SqlError."""
        tokens = self.lex(sql)
        for text in _split(sql, tokens):
            gap = None if at_ns is None or self._last_ns is None else at_ns - self._last_ns
            self._last_ns = at_ns
            statement = RawStatement(text, line, None if gap is None else max(gap, 0))
            self._statement(statement, tokens if text is sql else self.lex(text))

    def end(self, outcome: Outcome) -> None:
        """The open transaction, if there is one, is over."""
        if self._open:
            self._finish(self._open, outcome)
        self._open = None

    def disconnect(self) -> None:
        """The session is over: what is open rolls back, settings are lost."""
        self.end(Outcome.DISCONNECT)
        self.sql_mode, self._is_autocommit, self._last_ns = "", True, None

    def _finish(self, statements: Sequence[RawStatement], outcome: Outcome) -> None:
        modes = dict.fromkeys(filter(None, f"{self.sql_mode},{self._left_modes}".split(",")))
        self._left_modes = ""
        self.finished.append(
            RawTransaction(
                self.thread_id, self.user, self.schema, tuple(statements), outcome, ",".join(modes)
            )
        )

    def _statement(self, statement: RawStatement, tokens: list[Token]) -> None:
        sql = statement.sql
        control = _control(sql, tokens)
        if control in (Control.COMMIT, Control.ROLLBACK):
            self._close(statement, Outcome(control.value), tokens)
            return
        if control is Control.BEGIN:
            self.end(Outcome.COMMIT)
            self._open = [statement]
            return
        if control in (Control.AUTOCOMMIT_ON, Control.IMPLICIT_COMMIT):
            self.end(Outcome.COMMIT)
        self._inside_or_alone(statement, tokens)
        self._settle(sql, tokens, control)

    def _inside_or_alone(self, statement: RawStatement, tokens: list[Token]) -> None:
        if self._open is None and not self._is_autocommit and _opens(statement.sql, tokens):
            self._open = []
        if self._open is None:
            self._finish([statement], Outcome.AUTOCOMMIT)
        else:
            self._open.append(statement)

    def _close(self, statement: RawStatement, outcome: Outcome, tokens: list[Token]) -> None:
        """COMMIT or ROLLBACK, also where nothing was open: it is sent all the same."""
        self._finish([*(self._open or ()), statement], outcome)
        self._open = [] if chains(statement.sql, tokens) else None
        if releases(statement.sql, tokens):
            self.disconnect()

    def _settle(self, sql: bytes, tokens: list[Token], control: Control) -> None:
        """What a statement changes for those behind it."""
        if control in (Control.AUTOCOMMIT_ON, Control.AUTOCOMMIT_OFF):
            self._is_autocommit = control is Control.AUTOCOMMIT_ON
        words = leading_words(sql, tokens, limit=1)
        if words == [b"SET"]:
            if self._open is not None:
                self._left_modes += f",{self.sql_mode}"
            self.sql_mode = next_sql_mode(sql, tokens, self.sql_mode)
        elif words == [b"USE"]:
            name = sql[tokens[-1].start : tokens[-1].end].strip(b"`")
            self.schema = name.decode("utf-8", "replace")


def _control(sql: bytes, tokens: list[Token]) -> Control:
    """XA transactions begin and end like others."""
    match leading_words(sql, tokens, limit=2):
        case [b"XA", b"START" | b"BEGIN"]:
            return Control.BEGIN
        case [b"XA", b"COMMIT"]:
            return Control.COMMIT
        case [b"XA", b"ROLLBACK"]:
            return Control.ROLLBACK
    return transaction_control(sql, tokens)


def _opens(sql: bytes, tokens: list[Token]) -> bool:
    """With autocommit off: does the statement open a transaction?"""
    if transaction_control(sql, tokens) is Control.IMPLICIT_COMMIT:
        return False
    words = leading_words(sql, tokens, limit=1)
    return statement_kind(sql, tokens) not in _NO_TRANSACTION and not (
        _NO_TRANSACTION_WORDS & set(words)
    )


def _split(sql: bytes, tokens: list[Token]) -> list[bytes]:
    """The statements of one packet; a single one stays byte for byte what it was."""
    words = leading_words(sql, tokens, limit=8)
    is_body = words[:2] == [b"BEGIN", b"NOT"] or (
        words[:1] == [b"CREATE"] and bool(_BODIES & set(words))
    )
    spans = statement_spans(sql, tokens)
    return [sql] if is_body or len(spans) <= 1 else [sql[start:end] for start, end in spans]

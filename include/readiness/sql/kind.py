"""What a statement is to the engine, and what it does to the transaction of its session."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from readiness.model.workload import StatementKind
from readiness.sql.assignments import session_assignments
from readiness.sql.lexer import Token, TokenKind, lex


class Control(StrEnum):
    """What a statement does to the transaction of its session."""

    NONE = "none"
    BEGIN = "begin"  # opens a transaction, after committing the open one
    COMMIT = "commit"
    ROLLBACK = "rollback"
    SAVEPOINT = "savepoint"  # SAVEPOINT, RELEASE SAVEPOINT, ROLLBACK TO: the transaction goes on
    AUTOCOMMIT_ON = "autocommit_on"  # commits the open transaction
    AUTOCOMMIT_OFF = "autocommit_off"  # the next statement opens a transaction
    IMPLICIT_COMMIT = "implicit_commit"  # DDL and the like: commits the open transaction


_SKIPPED = frozenset(
    {
        TokenKind.COMMENT,
        TokenKind.HINT,
        TokenKind.EXECUTABLE_OPEN,
        TokenKind.EXECUTABLE_CLOSE,
    }
)
_KINDS = {
    b"SELECT": StatementKind.SELECT,
    b"VALUES": StatementKind.SELECT,
    b"TABLE": StatementKind.SELECT,
    b"INSERT": StatementKind.INSERT,
    b"REPLACE": StatementKind.INSERT,
    b"UPDATE": StatementKind.UPDATE,
    b"DELETE": StatementKind.DELETE,
    b"COMMIT": StatementKind.COMMIT,
    b"SAVEPOINT": StatementKind.SAVEPOINT,
    b"RELEASE": StatementKind.SAVEPOINT,
    b"SET": StatementKind.SET,
    b"CALL": StatementKind.CALL,
    b"PREPARE": StatementKind.PREPARE,
    b"EXECUTE": StatementKind.EXECUTE,
}
_WRITES = frozenset({b"SELECT", b"INSERT", b"REPLACE", b"UPDATE", b"DELETE"})
# what commits whatever follows the verb, and what commits only before one of these words
_COMMITTING = frozenset(
    b"ALTER RENAME TRUNCATE GRANT REVOKE OPTIMIZE REPAIR FLUSH INSTALL UNINSTALL IMPORT".split()
)
_TABLES = frozenset({b"TABLE", b"TABLES"})
_REPLICAS = frozenset({b"SLAVE", b"REPLICA", b"ALL"})
_COMMITTING_BEFORE = {
    b"ANALYZE": _TABLES | {b"LOCAL", b"NO_WRITE_TO_BINLOG"},  # MariaDB's ANALYZE SELECT runs it
    b"CHECK": _TABLES,
    b"LOCK": _TABLES,
    b"UNLOCK": _TABLES,
    b"CACHE": frozenset({b"INDEX"}),
    b"LOAD": frozenset({b"INDEX"}),
    b"SET": frozenset({b"PASSWORD"}),
    b"START": _REPLICAS,
    b"STOP": _REPLICAS,
    b"CHANGE": frozenset({b"MASTER", b"REPLICATION"}),
    b"BACKUP": frozenset({b"STAGE"}),
}


def leading_words(sql: bytes, tokens: Sequence[Token] | None = None, limit: int = 6) -> list[bytes]:
    """The first `limit` tokens in upper case, comments and opening parentheses left out."""
    words: list[bytes] = []
    for kind, start, end in tokens if tokens is not None else lex(sql):
        if kind in _SKIPPED or (not words and sql[start:end] == b"("):
            continue
        words.append(sql[start:end].upper())
        if len(words) == limit:
            break
    return words


def acting_tokens(sql: bytes, tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens of the statement that acts: all, or those behind `SET STATEMENT … FOR`."""
    if leading_words(sql, tokens, limit=2) != [b"SET", b"STATEMENT"]:
        return tokens
    depth = 0
    for at, (_, start, end) in enumerate(tokens):
        text = sql[start:end]
        depth += (text == b"(") - (text == b")")
        if depth == 0 and text.upper() == b"FOR":
            return tokens[at + 1 :]
    return tokens


def statement_kind(sql: bytes, tokens: Sequence[Token] | None = None) -> StatementKind:
    """What the statement is to the engine. SHOW, DDL, LOCK and all else are OTHER."""
    tokens = acting_tokens(sql, tokens if tokens is not None else lex(sql))
    words = leading_words(sql, tokens)
    first = words[0] if words else b""
    if first in (b"BEGIN", b"START"):
        return StatementKind.BEGIN if _opens(words) else StatementKind.OTHER
    if first == b"ROLLBACK":
        return StatementKind.SAVEPOINT if b"TO" in words else StatementKind.ROLLBACK
    if first == b"WITH":
        return _KINDS[_main_verb(sql, tokens)]
    return _KINDS.get(first, StatementKind.OTHER)


def _main_verb(sql: bytes, tokens: Sequence[Token]) -> bytes:
    """The verb of a statement behind WITH: the first one outside all parentheses."""
    depth = 0
    for kind, start, end in tokens:
        text = sql[start:end].upper()
        if kind is TokenKind.OPERATOR:
            depth += (text == b"(") - (text == b")")
        elif kind is TokenKind.WORD and not depth and text in _WRITES:
            return text
    return b"SELECT"


def _opens(words: Sequence[bytes]) -> bool:
    """BEGIN, BEGIN WORK, START TRANSACTION …; not BEGIN NOT ATOMIC, not START SLAVE."""
    return words[:2] == [b"START", b"TRANSACTION"] or (
        words[:1] == [b"BEGIN"] and words[1:2] in ([], [b"WORK"], [b";"])
    )


def transaction_control(sql: bytes, tokens: Sequence[Token] | None = None) -> Control:
    """What the statement does to the transaction of its session."""
    tokens = acting_tokens(sql, tokens if tokens is not None else lex(sql))
    words = leading_words(sql, tokens)
    first = words[0] if words else b""
    if first in (b"BEGIN", b"START") and _opens(words):
        return Control.BEGIN
    if first == b"COMMIT":
        return Control.COMMIT
    if first == b"ROLLBACK":
        return Control.SAVEPOINT if b"TO" in words else Control.ROLLBACK
    if first == b"SAVEPOINT" or words[:2] == [b"RELEASE", b"SAVEPOINT"]:
        return Control.SAVEPOINT
    if _commits_implicitly(words):
        return Control.IMPLICIT_COMMIT
    return _autocommit(sql, tokens) if first == b"SET" else Control.NONE


def _commits_implicitly(words: Sequence[bytes]) -> bool:
    """DDL (not on temporary tables), account and table maintenance, LOCK TABLES, replication."""
    first, second = [*words, b"", b""][:2]
    if first == b"CREATE":
        rest = words[3:5] if words[1:3] == [b"OR", b"REPLACE"] else words[1:3]
        return list(rest) != [b"TEMPORARY", b"TABLE"]
    if first == b"DROP":
        return second != b"PREPARE" and list(words[1:3]) != [b"TEMPORARY", b"TABLE"]
    if first == b"RESET":
        return second != b"PERSIST"
    return first in _COMMITTING or second in _COMMITTING_BEFORE.get(first, ())


_ON = frozenset({b"1", b"ON", b"TRUE", b"DEFAULT", b"'ON'", b"'1'"})


def _autocommit(sql: bytes, tokens: Sequence[Token]) -> Control:
    """The last assignment to the session's autocommit within one SET.

    A variable is taken for on: scripts put the former value back so."""
    answer = Control.NONE
    for name, value in session_assignments(sql, tokens):
        if name == b"AUTOCOMMIT" and value:
            text = sql[value[0].start : value[0].end].upper()
            is_on = text in _ON or text.startswith(b"@")
            answer = Control.AUTOCOMMIT_ON if is_on else Control.AUTOCOMMIT_OFF
    return answer


def chains(sql: bytes, tokens: Sequence[Token] | None = None) -> bool:
    """COMMIT or ROLLBACK … AND CHAIN: a new transaction begins at once."""
    words = leading_words(sql, tokens, limit=8)
    return words[:1] in ([b"COMMIT"], [b"ROLLBACK"]) and _says(words, b"CHAIN")


def releases(sql: bytes, tokens: Sequence[Token] | None = None) -> bool:
    """COMMIT or ROLLBACK … RELEASE: the session ends."""
    words = leading_words(sql, tokens, limit=8)
    return words[:1] in ([b"COMMIT"], [b"ROLLBACK"]) and _says(words, b"RELEASE")


def _says(words: Sequence[bytes], word: bytes) -> bool:
    return word in words and words[words.index(word) - 1] != b"NO"

"""What a statement is to the engine, and what it does to the transaction of its session."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from readiness.model.workload import StatementKind
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
_COMMITTING = frozenset(
    b"ALTER RENAME TRUNCATE GRANT REVOKE ANALYZE OPTIMIZE REPAIR FLUSH RESET LOCK UNLOCK".split()
)


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


def statement_kind(sql: bytes, tokens: Sequence[Token] | None = None) -> StatementKind:
    """What the statement is to the engine. SHOW, DDL, LOCK and all else are OTHER."""
    tokens = tokens if tokens is not None else lex(sql)
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
    tokens = tokens if tokens is not None else lex(sql)
    words = leading_words(sql, tokens)
    first = words[0] if words else b""
    if first in (b"BEGIN", b"START"):
        return Control.BEGIN if _opens(words) else Control.NONE
    if first == b"COMMIT":
        return Control.COMMIT
    if first == b"ROLLBACK":
        return Control.SAVEPOINT if b"TO" in words else Control.ROLLBACK
    if first == b"SAVEPOINT" or words[:2] == [b"RELEASE", b"SAVEPOINT"]:
        return Control.SAVEPOINT
    if first == b"SET":
        return _autocommit(sql, tokens)
    return Control.IMPLICIT_COMMIT if _commits_implicitly(words) else Control.NONE


def _commits_implicitly(words: Sequence[bytes]) -> bool:
    """DDL (not on temporary tables), account and table maintenance, LOCK TABLES."""
    first, second = [*words, b"", b""][:2]
    if first in (b"CREATE", b"DROP"):
        return b"TEMPORARY" not in words[1:4]
    if first in (b"CACHE", b"LOAD"):
        return second == b"INDEX"
    return first in _COMMITTING


_ON = frozenset({b"1", b"ON", b"TRUE", b"DEFAULT", b"'ON'", b"'1'"})


def _autocommit(sql: bytes, tokens: Sequence[Token]) -> Control:
    """The last assignment to the session's autocommit within one SET."""
    texts = [sql[t.start : t.end].upper() for t in tokens if t.kind not in _SKIPPED]
    answer = Control.NONE
    for i, text in enumerate(texts):
        name = text.replace(b"`", b"").split(b".")[-1].removeprefix(b"@@")
        is_global = b"GLOBAL" in text or (i > 0 and texts[i - 1] in (b"GLOBAL", b"PERSIST"))
        if name != b"AUTOCOMMIT" or is_global:
            continue
        rest = [t for t in texts[i + 1 : i + 4] if t not in (b":", b"=")]
        if rest:
            answer = Control.AUTOCOMMIT_ON if rest[0] in _ON else Control.AUTOCOMMIT_OFF
    return answer


def chains(sql: bytes, tokens: Sequence[Token] | None = None) -> bool:
    """COMMIT or ROLLBACK … AND CHAIN: a new transaction begins at once."""
    words = leading_words(sql, tokens)
    return words[:1] in ([b"COMMIT"], [b"ROLLBACK"]) and _says(words, b"CHAIN")


def releases(sql: bytes, tokens: Sequence[Token] | None = None) -> bool:
    """COMMIT or ROLLBACK … RELEASE: the session ends."""
    words = leading_words(sql, tokens)
    return words[:1] in ([b"COMMIT"], [b"ROLLBACK"]) and _says(words, b"RELEASE")


def _says(words: Sequence[bytes], word: bytes) -> bool:
    return word in words and words[words.index(word) - 1] != b"NO"

"""What a statement does to its session: begins, ends, and settings; read from its text alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readiness.model.transactions import Raw
from readiness.model.workload import StatementKind
from readiness.sql.assignments import Assignment, session_assignments
from readiness.sql.kind import (
    Control,
    acting_tokens,
    leading_words,
    statement_kind,
    transaction_control,
)
from readiness.sql.lexer import LITERALS, Token, TokenKind, decode, statement_spans

_NO_TRANSACTION = frozenset({StatementKind.SET, StatementKind.PREPARE})
_NO_TRANSACTION_WORDS = frozenset({b"SHOW", b"USE", b"DEALLOCATE", b"DROP", b"KILL", b"DO"})
_BODIES = frozenset({b"PROCEDURE", b"FUNCTION", b"TRIGGER", b"EVENT", b"PACKAGE"})
# what a Query may begin with to be PREPARE, EXECUTE or DEALLOCATE, behind blanks and comments
MAY_BE_PREPARED = frozenset(bytes([byte]) for byte in b"PpEeDd/#- \t\r\n")
_XA_OPTIONS = frozenset({b"ONE", b"JOIN", b"RESUME", b"SUSPEND"})


@dataclass(frozen=True, slots=True, repr=False)
class Effect(Raw):
    """What one statement does.

    `opens`: with autocommit off it opens a transaction. `chains` and `releases` are None where the
    statement leaves them to completion_type. `schema` is what USE chose. `xa` is the verb behind XA
    (START, END, PREPARE, COMMIT, ROLLBACK) and `xid` whom it means. `completion` is what a SET makes
    the completion_type, `modes` its assignments to sql_mode."""

    control: Control = Control.NONE
    opens: bool = True
    chains: bool | None = None
    releases: bool | None = None
    schema: str | None = None
    xa: bytes = b""
    xid: tuple[bytes, ...] = ()
    locks: bool = False
    unlocks: bool = False
    completion: bytes | None = None
    modes: tuple[Assignment, ...] = ()


PLAIN = Effect()
ASIDE = Effect(opens=False)
BEGINS = Effect(Control.BEGIN)
COMMITS = Effect(Control.COMMIT)
ROLLS_BACK = Effect(Control.ROLLBACK)
# by verb: what a single statement that begins so does, whatever stands behind
BY_VERB = {
    **dict.fromkeys(
        b"SELECT INSERT REPLACE UPDATE DELETE WITH VALUES CALL EXPLAIN DESC DESCRIBE".split(),
        PLAIN,
    ),
    **dict.fromkeys(b"SHOW DO KILL".split(), ASIDE),
}
BY_VERB |= {verb.lower(): effect for verb, effect in BY_VERB.items()}
START_BYTES = 7
# the same by the first bytes, for verbs of six letters
BY_START = {
    verb + blank: effect
    for verb, effect in BY_VERB.items()
    for blank in (b" ", b"\n", b"\t")
    if len(verb) == START_BYTES - 1
}


def simplest(effect: Effect) -> Effect | None:
    """The constant above that is the same to a session; None where none is."""
    if effect.control is Control.BEGIN:
        effect = replace(effect, opens=True)
    return next((e for e in (PLAIN, ASIDE, BEGINS, COMMITS, ROLLS_BACK) if e == effect), None)


def effect_of(sql: bytes, tokens: Sequence[Token]) -> Effect:
    """The effect of one statement, read as its tokens say."""
    words = leading_words(sql, tokens, limit=8)
    first, second = [*words, b"", b""][:2]
    if first == b"XA":
        return _xa(sql, tokens, second)
    if first == b"USE":
        name = sql[tokens[-1].start : tokens[-1].end].strip(b"`")
        return Effect(opens=False, schema=name.decode("utf-8", "replace"))
    control = transaction_control(sql, tokens)
    if control in (Control.COMMIT, Control.ROLLBACK):
        return Effect(control, chains=_says(words, b"CHAIN"), releases=_says(words, b"RELEASE"))
    is_lock = control is Control.IMPLICIT_COMMIT and first == b"LOCK"
    is_unlock = control is Control.IMPLICIT_COMMIT and first == b"UNLOCK"
    is_set = first == b"SET" and second != b"STATEMENT"  # SET STATEMENT holds for one statement
    settings = session_assignments(sql, tokens) if is_set else []
    return Effect(
        control,
        _opens(sql, tokens, control),
        locks=is_lock,
        unlocks=is_unlock,
        completion=_completion(sql, settings),
        modes=tuple(setting for setting in settings if setting.name == b"SQL_MODE"),
    )


def _completion(sql: bytes, settings: Sequence[Assignment]) -> bytes | None:
    found = None
    for name, value in settings:
        if name == b"COMPLETION_TYPE" and value:
            found = sql[value[0].start : value[0].end].strip(b"'\"").upper()
    return found


def _opens(sql: bytes, tokens: Sequence[Token], control: Control) -> bool:
    if control is Control.IMPLICIT_COMMIT or statement_kind(sql, tokens) in _NO_TRANSACTION:
        return False
    words = leading_words(sql, acting_tokens(sql, tokens), limit=1)
    return not _NO_TRANSACTION_WORDS & set(words)


def _says(words: Sequence[bytes], word: bytes) -> bool | None:
    return words[words.index(word) - 1] != b"NO" if word in words else None


def _xa(sql: bytes, tokens: Sequence[Token], verb: bytes) -> Effect:
    """XA transactions begin and end like others; RECOVER is a question."""
    control = {
        b"START": Control.BEGIN,
        b"BEGIN": Control.BEGIN,
        b"COMMIT": Control.COMMIT,
        b"ROLLBACK": Control.ROLLBACK,
    }.get(verb, Control.NONE)
    xid = []
    for kind, start, end in tokens[2:]:
        if kind is TokenKind.WORD and sql[start:end].upper() in _XA_OPTIONS:
            break
        if kind in LITERALS:
            xid.append(decode(kind, sql[start:end]))
    xa = b"START" if verb == b"BEGIN" else verb
    return Effect(
        control, opens=False, chains=False, releases=False, xa=xa, xid=_without_defaults(xid)
    )


def _without_defaults(xid: Sequence[bytes]) -> tuple[bytes, ...]:
    """`'x'`, `'x',''` and `'x','',1` name one transaction."""
    parts = list(xid)
    if parts[2:] == [b"1"]:
        del parts[2]
    return tuple(parts[:1] if parts[1:] == [b""] else parts)


def split_packet(sql: bytes, tokens: Sequence[Token]) -> list[bytes]:
    """The statements of one packet, none if it has no text but `;`; a single one stays byte for
    byte what it was."""
    words = leading_words(sql, tokens, limit=8)
    is_body = words[:2] == [b"BEGIN", b"NOT"] or (
        words[:1] == [b"CREATE"] and bool(_BODIES & set(words))
    )
    spans = statement_spans(sql, tokens)
    if not spans and all(sql[t.start : t.end] == b";" for t in tokens):
        return []
    return [sql] if is_body or len(spans) <= 1 else [sql[start:end] for start, end in spans]

"""What a statement hands to later ones of its session by a name of the application's own:
savepoints, prepared statements, user variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readiness.model.workload import Step, Turn
from readiness.sql.kind import leading_words
from readiness.sql.lexer import Token, TokenKind, lex
from readiness.workload.text.layout import Layout, layout

NOISE = (TokenKind.COMMENT, TokenKind.HINT, TokenKind.EXECUTABLE_OPEN, TokenKind.EXECUTABLE_CLOSE)
# The words before the name, whether they set it, and what it is.
_NAMED = {
    (b"SAVEPOINT",): (True, "savepoint"),
    (b"RELEASE", b"SAVEPOINT"): (False, "savepoint"),
    (b"ROLLBACK", b"TO"): (False, "savepoint"),
    (b"ROLLBACK", b"TO", b"SAVEPOINT"): (False, "savepoint"),
    (b"ROLLBACK", b"WORK", b"TO"): (False, "savepoint"),
    (b"ROLLBACK", b"WORK", b"TO", b"SAVEPOINT"): (False, "savepoint"),
    (b"PREPARE",): (True, "prepared statement"),
    (b"EXECUTE",): (False, "prepared statement"),
    (b"DEALLOCATE", b"PREPARE"): (False, "prepared statement"),
    (b"DROP", b"PREPARE"): (False, "prepared statement"),
}


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that a statement sets for later ones, or takes from earlier ones; `turn` is that of
    the row in which it stands."""

    name: str
    is_set: bool
    turn: Turn | None = None


def mentions(step: Step) -> list[Mention]:
    """All names of a step that other steps may set or take."""
    laid = layout(step)
    tokens = [t for t in lex(laid.text) if t.kind not in NOISE]
    return [*_leading(laid.text, tokens), *_variables(laid, tokens)]


def _leading(sql: bytes, tokens: list[Token]) -> Iterator[Mention]:
    words = leading_words(sql, tokens)
    for before in range(len(words) - 1, 0, -1):
        named = _NAMED.get(tuple(words[:before]))
        if named:
            yield Mention(
                f"{named[1]} {words[before].decode('utf-8', 'replace').lower()}", named[0]
            )
            return


def is_assigned(words: Sequence[bytes], index: int) -> bool:
    """Whether a statement sets the variable that is its word `index`: `SET @x =`, `@x :=`, `INTO @x`.
    The words are upper case, without comments."""
    after = words[index + 1] if index + 1 < len(words) else b""
    if after in (b":", b":=") or (after == b"=" and words[0] == b"SET"):
        return True
    at = index - 1
    while at > 0 and words[at] == b"," and words[at - 1].startswith(b"@"):
        at -= 2
    return at > 0 and words[at] == b"INTO"


def _variables(laid: Layout, tokens: list[Token]) -> Iterator[Mention]:
    """The application's own variables, set or taken; a procedure may set what it is given."""
    words = [laid.text[t.start : t.end].upper() for t in tokens]
    for index, token in enumerate(tokens):
        if token.kind is not TokenKind.USER_VARIABLE or token.start in laid.slots:
            continue
        is_set = is_assigned(words, index) or words[0] == b"CALL"
        name = laid.text[token.start : token.end].decode("utf-8", "replace")
        yield Mention(name, is_set, laid.turn_at(token.start))

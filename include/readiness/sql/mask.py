"""A length-preserving rewrite that lets a parser read what it otherwise cannot.

Offsets into the masked text are offsets into the statement, so what a parser learns about a
literal belongs to the literal's span. The masked text is never executed."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.sql.lexer import LITERALS, Token, TokenKind, lex

_BLANK_KINDS = frozenset(
    {
        TokenKind.COMMENT,
        TokenKind.HINT,
        TokenKind.EXECUTABLE_OPEN,
        TokenKind.EXECUTABLE_CLOSE,
        TokenKind.INTRODUCER,
    }
)
_MODIFIERS = frozenset(
    b"LOW_PRIORITY HIGH_PRIORITY DELAYED QUICK SQL_BIG_RESULT SQL_SMALL_RESULT SQL_BUFFER_RESULT "
    b"SQL_NO_CACHE SQL_CACHE SQL_CALC_FOUND_ROWS".split()
)
_LEADING = 6  # modifiers stand among the first words


def mask(sql: bytes, tokens: Sequence[Token] | None = None) -> bytes:
    """The statement in ASCII, as long as before: every span of `tokens` keeps its place.

    Bytes above 0x7f become `x`, text literals lose their content (quotes and length stay)."""
    tokens = tokens if tokens is not None else lex(sql)
    masked = bytearray(sql)
    words = [sql[t.start : t.end].upper() for t in tokens]
    for i, token in enumerate(tokens):
        if token.kind in _BLANK_KINDS:
            _blank(masked, token.start, token.end)
        elif token.kind in LITERALS:
            _hollow(masked, token)
        elif token.kind is TokenKind.QUOTED_IDENTIFIER:
            masked[token.start] = masked[token.end - 1] = 0x60  # ANSI_QUOTES: "name" to `name`
        elif token.kind is TokenKind.WORD:
            _mask_word(masked, tokens, words, i)
    return bytes(b if b < 0x80 else 0x78 for b in masked)


def _blank(masked: bytearray, start: int, end: int) -> None:
    masked[start:end] = b" " * (end - start)


def _hollow(masked: bytearray, token: Token) -> None:
    """A text literal becomes quotes around `x`; of N'…' the N becomes the quote, so that it begins
    where the literal does."""
    if token.kind is TokenKind.TEXT:
        size = token.end - token.start
        masked[token.start : token.end] = b"'" + b"x" * (size - 2) + b"'"


def _mask_word(masked: bytearray, tokens: Sequence[Token], words: Sequence[bytes], i: int) -> None:
    """Blanks modifiers, turns REPLACE into INSERT and STRAIGHT_JOIN into JOIN, opens `{d '…'}`."""
    word, (_, start, end) = words[i], tokens[i]
    previous = words[i - 1] if i else b""
    if word in _MODIFIERS and i < _LEADING:
        _blank(masked, start, end)
    elif word == b"REPLACE" and i == 0:
        masked[start:end] = b"INSERT "
    elif word == b"IGNORE" and i < _LEADING and words[0] in (b"UPDATE", b"DELETE"):
        _blank(masked, start, end)
    elif word == b"STRAIGHT_JOIN":
        masked[start:end] = (b"JOIN" if i > 1 else b"").ljust(end - start)
    elif word in (b"D", b"T", b"TS") and previous == b"{":
        _blank(masked, tokens[i - 1].start, end)
        for closing in (t for t, w in zip(tokens[i:], words[i:], strict=True) if w == b"}"):
            _blank(masked, closing.start, closing.end)
            break
    elif word == b"EXAMINED" and previous == b"ROWS" and i + 1 < len(tokens):
        _blank(masked, tokens[i - 1].start, tokens[i + 1].end)

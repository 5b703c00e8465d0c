"""Finds the byte spans of MySQL and MariaDB tokens; never rewrites a statement.

Text is the connection's bytes: any encoding whose lead and trail bytes are above 0x7f (UTF-8,
latin1). The tokens of a statement, with the whitespace between them, are the statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from readiness.errors import SqlError
from readiness.model.workload import Form


class TokenKind(StrEnum):
    """What a span is. The first four are literals."""

    TEXT = "text"
    NUMBER = "number"
    HEX = "hex"
    BIT = "bit"
    WORD = "word"
    QUOTED_IDENTIFIER = "quoted_identifier"
    USER_VARIABLE = "user_variable"
    SYSTEM_VARIABLE = "system_variable"
    COMMENT = "comment"
    HINT = "hint"
    EXECUTABLE_OPEN = "executable_open"
    EXECUTABLE_CLOSE = "executable_close"
    OPERATOR = "operator"
    INTRODUCER = "introducer"


class Token(NamedTuple):
    """One token: `sql[start:end]`."""

    kind: TokenKind
    start: int
    end: int


LITERALS = frozenset({TokenKind.TEXT, TokenKind.NUMBER, TokenKind.HEX, TokenKind.BIT})

_WORD = rb"A-Za-z0-9_$\x80-\xff"
_ESCAPED = {
    b"'": rb"'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'",
    b'"': rb'"[^"\\]*(?:(?:\\.|"")[^"\\]*)*"',
}
_PLAIN = {b"'": rb"'[^']*(?:''[^']*)*'", b'"': rb'"[^"]*(?:""[^"]*)*"'}


def _pattern(*, ansi_quotes: bool, no_backslash_escapes: bool) -> re.Pattern[bytes]:
    """One alternative per kind; the group's name is the kind."""
    quotes = _PLAIN if no_backslash_escapes else _ESCAPED
    single, double = quotes[b"'"], _PLAIN[b'"'] if ansi_quotes else quotes[b'"']
    identifier = rb"`[^`]*(?:``[^`]*)*`" + (b"|" + double if ansi_quotes else b"")
    text = rb"[nN]?" + single + (b"" if ansi_quotes else b"|" + double)
    ends = rb"(?![" + _WORD + rb"])"
    parts = {
        "space": rb"[ \t\r\n\f\v]+",
        "hint": rb"/\*\+.*?\*/",
        "executable_open": rb"/\*M?!(?:\d{5,6})?",
        "comment": rb"/\*(?![!+]|M!).*?\*/|\#[^\n]*|--(?=[\x00-\x20]|\Z)[^\n]*",
        "executable_close": rb"\*/",
        "hex": rb"[xX]'[0-9a-fA-F]*'|0x[0-9a-fA-F]+" + ends,
        "bit": rb"[bB]'[01]*'|0b[01]+" + ends,
        "text": text,
        "quoted_identifier": identifier,
        "system_variable": rb"@@[A-Za-z0-9_.`]+",
        "user_variable": rb"@(?:[A-Za-z0-9_.$\x80-\xff]+|'[^']*'|\"[^\"]*\"|`[^`]*`)",
        "number": rb"(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?" + ends,
        "introducer": rb"_[A-Za-z0-9]+(?=\s*(?:['\"]|[xX]'|[bB]'|0x|0b))",
        "word": rb"[" + _WORD + rb"]+",
        "unfinished": rb"['\"`]|/\*",
        "operator": rb".",
    }
    body = b"|".join(b"(?P<%s>%s)" % (k.encode(), v) for k, v in parts.items())
    return re.compile(body, re.DOTALL)


_PATTERNS = {
    (ansi, plain): _pattern(ansi_quotes=ansi, no_backslash_escapes=plain)
    for ansi in (False, True)
    for plain in (False, True)
}
_HINTED = frozenset({b"SELECT", b"INSERT", b"REPLACE", b"UPDATE", b"DELETE"})
_KINDS = {str(kind): kind for kind in TokenKind}
_AFTER_DOT = re.compile(rb"[" + _WORD + rb"]+")


def lex(
    sql: bytes, *, ansi_quotes: bool = False, no_backslash_escapes: bool = False
) -> list[Token]:
    """The tokens of one statement or script, in order, whitespace left out.

    The two flags are the sql_mode of the session. Raises SqlError for a string, identifier or
    comment that does not end."""
    scan = _PATTERNS[ansi_quotes, no_backslash_escapes].match
    tokens: list[Token] = []
    at, size, executable = 0, len(sql), 0
    while at < size:
        found = scan(sql, at)
        name = found.lastgroup if found else None
        if found is None or name is None or name == "unfinished":
            raise _unfinished(sql, at)
        end = found.end()
        if name == "executable_close" and not executable:
            name, end = "operator", at + 1
        executable += (name == "executable_open") - (name == "executable_close")
        if name == "hint" and not _takes_hint(sql, tokens):
            name = "comment"
        if name != "space":
            name, end = _after_name(sql, tokens, name, at, end)
            tokens.append(Token(_KINDS[name], at, end))
        at = end
    return tokens


def _takes_hint(sql: bytes, tokens: list[Token]) -> bool:
    """A hint stands right behind a verb; anywhere else a server skips it like any comment."""
    return bool(tokens) and sql[tokens[-1].start : tokens[-1].end].upper() in _HINTED


def _after_name(
    sql: bytes, tokens: list[Token], name: str, start: int, end: int
) -> tuple[str, int]:
    """`t.1e5` and `db.t`: what follows a name and a dot at once is a name, and the dot no number."""
    if not tokens or tokens[-1].end != start or name not in ("number", "hex", "bit"):
        return name, end
    last = tokens[-1]
    if sql[start : start + 1] == b"." and last.kind in (
        TokenKind.WORD,
        TokenKind.QUOTED_IDENTIFIER,
    ):
        return "operator", start + 1
    if last.kind is TokenKind.OPERATOR and sql[last.start : last.end] == b".":
        word = _AFTER_DOT.match(sql, start)
        return ("word", word.end()) if word else (name, end)
    return name, end


def _unfinished(sql: bytes, at: int) -> SqlError:
    what = "comment" if sql[at : at + 1] == b"/" else "quoted string or name"
    return SqlError(
        f"a {what} that opens at byte {at} of a statement of {len(sql)} bytes never ends",
        at=at,
        hint="The log is cut off, or the session used another sql_mode (ANSI_QUOTES, "
        "NO_BACKSLASH_ESCAPES) than the capture says.",
    )


_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_UNESCAPED = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}


def _unescape(found: re.Match[bytes]) -> bytes:
    char = found[1]
    return b"\\" + char if char in b"%_" else _UNESCAPED.get(char, char)


def decode(kind: str, text: bytes, *, no_backslash_escapes: bool = False) -> bytes:
    """The value of a literal: text without quotes and escapes, digits as they stand, binary bytes.

    `kind` is one of LITERALS; `text` the literal's exact bytes. Raises SqlError for others."""
    if kind == TokenKind.NUMBER:
        return text
    if kind == TokenKind.HEX:
        digits = text[2:-1] if text[1:2] == b"'" else text[2:]
        return bytes.fromhex((b"0" * (len(digits) % 2) + digits).decode())
    if kind == TokenKind.BIT:
        bits = text[2:-1] if text[1:2] == b"'" else text[2:]
        return int(bits or b"0", 2).to_bytes((len(bits) + 7) // 8, "big")
    if kind != TokenKind.TEXT:
        raise SqlError(f"a {kind} is not a literal: text, number, hex and bit are")
    text = text[1:] if text[:1] in b"nN" else text
    body, quote = text[1:-1], text[:1]
    if no_backslash_escapes or b"\\" not in body:
        return body.replace(quote * 2, quote)
    return re.sub(
        rb"\\(.)|" + quote * 2, lambda m: _unescape(m) if m[1] else quote, body, flags=re.DOTALL
    )


_SPECIAL = re.compile(rb"[\\'\0\n\r\x1a]")
_ESCAPES = {
    b"\\": b"\\\\",
    b"'": b"\\'",
    b"\0": b"\\0",
    b"\n": b"\\n",
    b"\r": b"\\r",
    b"\x1a": b"\\Z",
}
_NUMERIC = re.compile(rb"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def encode(form: Form, value: bytes, *, no_backslash_escapes: bool = False) -> bytes:
    """The SQL literal of a value: 'text', bare digits or x'hex'.

    `decode` of it gives the value back. Raises SqlError when NUMBER is asked for no number."""
    if form is Form.HEX:
        return b"x'" + value.hex().encode() + b"'"
    if form is Form.NUMBER:
        if not _NUMERIC.fullmatch(value):
            raise SqlError(
                f"a value of {len(value)} bytes is no number, so it cannot be written bare",
                hint="Give the variable the form text.",
            )
        return value
    if no_backslash_escapes:
        return b"'" + value.replace(b"'", b"''") + b"'"
    return b"'" + _SPECIAL.sub(lambda m: _ESCAPES[m[0]], value) + b"'"


def form_of(kind: str) -> Form:
    """The form in which a literal of this kind is written again."""
    if kind == TokenKind.NUMBER:
        return Form.NUMBER
    return Form.TEXT if kind == TokenKind.TEXT else Form.HEX


def statement_spans(sql: bytes, tokens: Sequence[Token] | None = None) -> list[tuple[int, int]]:
    """Where each statement of a script lies, first to last token, without its `;`.

    Comments before a statement belong to no span; a span of comments alone is left out."""
    spans: list[tuple[int, int]] = []
    start, end = -1, -1
    for kind, begin, stop in tokens if tokens is not None else lex(sql):
        if kind is TokenKind.OPERATOR and sql[begin:stop] == b";":
            if start >= 0:
                spans.append((start, end))
            start = -1
        elif start >= 0 or kind is not TokenKind.COMMENT:
            start, end = (
                (begin if start < 0 else start),
                (end if kind is TokenKind.COMMENT else stop),
            )
    if start >= 0:
        spans.append((start, end))
    return spans


def split_statements(sql: bytes) -> list[bytes]:
    """The statements of a script, in order, without `;` and without surrounding comments."""
    return [sql[start:end] for start, end in statement_spans(sql)]

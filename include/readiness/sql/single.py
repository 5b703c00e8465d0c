"""Proves at the speed of C that bytes are one whole statement: the lexer's answer, no tokens.

A proof may fail where the lexer would succeed (several statements, executable comments): then the
lexer decides. It never succeeds where the lexer finds an open quote or two statements.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = rb"A-Za-z0-9_$\x80-\xff"
# a doubled quote closes a text and opens the next at once: closed all the same
_SINGLE, _SINGLE_PLAIN = rb"'[^'\\]*+(?:\\.[^'\\]*+)*+'", rb"'[^']*+'"
_DOUBLE, _DOUBLE_PLAIN = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', rb'"[^"]*+"'
_NAME = rb"`[^`]*+`"
_TO_LINE_END = rb"--(?=[\x00-\x20]|\Z)[^\n]*+|\#[^\n]*+"
_NESTED = 2  # executable comments within each other that are followed
_COMMENT = rb"/\*(?!M?!)(?>.*?\*/)"


def _quoted(*, ansi_quotes: bool, no_backslash_escapes: bool) -> list[bytes]:
    single = _SINGLE_PLAIN if no_backslash_escapes else _SINGLE
    double = _DOUBLE_PLAIN if no_backslash_escapes or ansi_quotes else _DOUBLE
    return [_NAME, single, double, _TO_LINE_END, rb"-", _COMMENT]


def _single(quoted: list[bytes]) -> re.Pattern[bytes]:
    plain = rb"[^'\"`/\-\#@;]*+"
    pieces = [*quoted, rb"@@?+[A-Za-z0-9_.$\x80-\xff]*+(?!['\"`])", rb"/(?!\*)"]
    lead = rb"(?:[\s(]++|" + _COMMENT + rb"|" + _TO_LINE_END + rb")*+"
    verb = rb"([A-Za-z]++)(?![" + _WORD + rb"])"
    body = _repeated(plain, pieces)
    return re.compile(lead + verb + body + rb";?+\s*+\Z", re.DOTALL)


def _closed(quoted: list[bytes]) -> re.Pattern[bytes]:
    pieces = [
        *quoted,
        rb"@@[A-Za-z0-9_.`]++",
        rb"@(?:[A-Za-z0-9_.$\x80-\xff]++|'[^']*+'|\"[^\"]*+\"|`[^`]*+`)?+",
        rb"/(?!\*)",
    ]
    executable: list[bytes] = []
    for _ in range(_NESTED):  # within one, `*/` is its end
        inner = _repeated(rb"[^'\"`/\-\#@*]*+", [*pieces, rb"\*(?!/)", *executable])
        executable = [rb"/\*M?!" + inner + rb"(?:\*/|\Z)"]
    body = _repeated(rb"[^'\"`/\-\#@]*+", [*pieces, *executable])
    return re.compile(body + rb"\Z", re.DOTALL)


def _repeated(plain: bytes, pieces: list[bytes]) -> bytes:
    return plain + rb"(?:(?:" + b"|".join(pieces) + rb")" + plain + rb")*+"


_PIECES = {
    (ansi, plain): _quoted(ansi_quotes=ansi, no_backslash_escapes=plain)
    for ansi in (False, True)
    for plain in (False, True)
}
# by (ansi_quotes, no_backslash_escapes); a match's first group is the verb as it stands
SINGLE_STATEMENT = {modes: _single(pieces) for modes, pieces in _PIECES.items()}
# proves that the lexer reads to the end: every quote and comment closed, however many statements;
# it fails only where the lexer does, or for executable comments nested deeper than any server's
ALL_CLOSED = {modes: _closed(pieces) for modes, pieces in _PIECES.items()}

# What is left of a statement without these bytes is its shape: quotes, and what may begin a comment,
# end a statement or hide a quote. Statements of one form share it, whatever their values are.
ORDINARY = bytes(byte for byte in range(256) if byte not in b"'\"`\\/*-#@;")
_CLOSED_SHAPE = re.compile(
    rb"(?:'[^']*+'|`[^`\\]*+`|-(?!-)|/(?!\*)|\*|@(?!['\"`]))*+",
)
BACKSLASH = ord("\\")
LONGEST_SHAPED = 4096


def has_closed_shape(sql: bytes, *, no_backslash_escapes: bool) -> bool:
    """Whether a statement is a single closed one, with ANSI_QUOTES or without, as its shape proves:
    an answer for most, many times cheaper than SINGLE_STATEMENT. False proves nothing.

    Bytes that stood side by side still do in the shape, so that one without `--` or `/*` outside
    quotes had no comment but the one that the statement may end with."""
    if len(sql) > LONGEST_SHAPED:
        return False
    if sql[-2:] == b"*/":
        at = sql.rfind(b"/*")
        if at < 0 or sql[at + 2 : at + 3] in (b"!", b"M"):
            return False
        if sql.find(b"*/", at + 2) != len(sql) - 2:
            return False
        sql = sql[:at]  # behind it a comment, if what stands before is closed
    if BACKSLASH in sql:
        if no_backslash_escapes:
            return False
        # pairs hide nothing; an escaped quote is no quote; what is left counts within quotes alone
        sql = sql.replace(b"\\\\", b"").replace(b"\\'", b"\\")
    return is_closed_shape(sql.translate(None, ORDINARY))


@lru_cache(maxsize=4096)
def is_closed_shape(shape: bytes) -> bool:
    """Whether a statement of this shape is a single closed one, if it had no backslash."""
    return _CLOSED_SHAPE.fullmatch(shape) is not None

"""A digest-like fingerprint: statements of equal shape are one statement with other values.

Not the server's digest, and never compared with it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from readiness.sql.lexer import LITERALS, Token, TokenKind, lex
from readiness.sql.signs import is_sign

_DROPPED = frozenset({TokenKind.COMMENT, TokenKind.INTRODUCER})
_TYPE_WORDS = frozenset({b"TIMESTAMP", b"DATE", b"TIME"})
_ODBC = re.compile(rb"\{ (?:D|T|TS) \? \}")
_LIST = re.compile(rb"\( \?(?: , \?)* \)")
_ROW = re.compile(rb"(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))(?: , \1)+")


def shape(sql: bytes, tokens: Sequence[Token] | None = None) -> bytes:
    """Literals become `?` with their sign, lists of them and equal rows one, words upper case,
    comments vanish."""
    tokens = tokens if tokens is not None else lex(sql)
    parts: list[bytes] = []
    for kind, start, end in tokens:
        if kind in _DROPPED:
            continue
        text = sql[start:end]
        if kind in LITERALS:
            if parts and _is_within(kind, parts):
                parts.pop()
            text = b"?"
        elif kind is TokenKind.WORD:
            text = text.upper()
        parts.append(text)
    joined = _ODBC.sub(b"?", b" ".join(parts).removesuffix(b" ;"))
    return _ROW.sub(rb"\1", _LIST.sub(b"(?+)", joined))


def _is_within(kind: TokenKind, parts: Sequence[bytes]) -> bool:
    """Whether what stands before a literal is a part of it: another string, a type, a sign."""
    if kind is TokenKind.TEXT:
        return parts[-1] == b"?" or parts[-1] in _TYPE_WORDS
    return kind is TokenKind.NUMBER and is_sign(parts, len(parts) - 1)


def fingerprint(shape_text: bytes) -> str:
    """Eight hexadecimal digits that stand for a shape in a file."""
    return hashlib.blake2b(shape_text, digest_size=4).hexdigest()

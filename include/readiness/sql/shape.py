"""A digest-like fingerprint: statements of equal shape are one statement with other values.

Not the server's digest, and never compared with it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from readiness.sql.lexer import LITERALS, Token, TokenKind, lex

_DROPPED = frozenset({TokenKind.COMMENT, TokenKind.INTRODUCER})
_TYPE_WORDS = frozenset({b"TIMESTAMP", b"DATE", b"TIME"})
_SIGNED = re.compile(rb"(?<=[(,=<>] )[-+] \?")
_LIST = re.compile(rb"\( \?(?: , \?)* \)")
_ROW = re.compile(rb"(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))(?: , \1)+")


def shape(sql: bytes, tokens: Sequence[Token] | None = None) -> bytes:
    """Literals become `?`, lists of them and equal rows one, words upper case, comments vanish."""
    tokens = tokens if tokens is not None else lex(sql)
    parts: list[bytes] = []
    for kind, start, end in tokens:
        if kind in _DROPPED:
            continue
        text = sql[start:end]
        if kind in LITERALS:
            if parts and kind is TokenKind.TEXT and parts[-1] in (b"?", *_TYPE_WORDS):
                parts.pop()
            text = b"?"
        elif kind is TokenKind.WORD:
            text = text.upper()
        parts.append(text)
    joined = _SIGNED.sub(b"?", b" ".join(parts)).removesuffix(b" ;")
    return _ROW.sub(rb"\1", _LIST.sub(b"(?+)", joined))


def fingerprint(shape_text: bytes) -> str:
    """Eight hexadecimal digits that stand for a shape in a file."""
    return hashlib.blake2b(shape_text, digest_size=4).hexdigest()

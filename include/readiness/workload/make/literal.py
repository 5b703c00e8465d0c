"""Writes raw values as SQL literals, as functions and as source."""

from __future__ import annotations

import re
from binascii import hexlify
from collections.abc import Callable

from readiness.errors import SqlError, WorkloadError
from readiness.model.workload import Form
from readiness.sql.lexer import encode
from readiness.workload.make.code import Code

_SPECIAL = re.compile(rb"[\\'\0\n\r\x1a]").search


def literal_of(form: Form) -> Callable[[bytes], bytes]:
    """What writes a raw value as a literal of a form."""
    return {Form.HEX: _hex, Form.TEXT: _text, Form.NUMBER: _number}[form]


def literal_source(code: Code, form: Form, raw: str, *, is_plain: bool) -> str:
    """Source for the literal of a raw value; what is plain is written without a look at it."""
    if form is Form.HEX:
        return f"b\"x'%s'\" % {code.object(hexlify)}({raw})"
    if not is_plain:
        return f"{code.object(literal_of(form))}({raw})"
    return f"b\"'%s'\" % {raw}" if form is Form.TEXT else raw


def _hex(raw: bytes) -> bytes:
    return b"x'%s'" % hexlify(raw)


def _text(raw: bytes) -> bytes:
    return encode(Form.TEXT, raw) if _SPECIAL(raw) else b"'%s'" % raw


def _number(raw: bytes) -> bytes:
    try:
        return encode(Form.NUMBER, raw)
    except SqlError:
        raise WorkloadError(
            "a variable in the form number got a value that is no number",
            hint="Give it the form text in the workload file.",
        ) from None

"""The captured values of raw logs, told apart without a schema and without aligning anything.

Of two or more captures, what stands in some and not in all of them is a person's. Of one capture
nothing can be compared: every text that is no constant word and every long number counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from readiness.anonymize.net import numbered_spans
from readiness.anonymize.originals import Originals
from readiness.anonymize.parts import with_pieces
from readiness.errors import SqlError
from readiness.model.transactions import RawCapture, RawStatement
from readiness.sql.lexer import LITERALS, Token, TokenKind, decode, lex

_SHORTEST = 4
_LONG_NUMBER = re.compile(rb"[-+]?\d*\.?\d{6,}|[-+]?\d{6,}\.?\d*")
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?")
_CONSTANT_WORD = re.compile(rb"(?:[a-z]+|[A-Z]+)(?:[ _.:/-](?:[a-z]+|[A-Z]+))*")
_CHARSET = re.compile(rb"(?:utf8(?:mb[34])?|latin1|ucs2|utf16|ascii|binary)(?:_\w+_(?:ci|cs|bin))?")
_WORDS = re.compile(rb"[a-z0-9]+")

Found = dict[bytes, str]


def captured_values(captures: Sequence[RawCapture]) -> Originals:
    """What no output may hold. `line12.3/2` is the id of the third literal of the statement that
    begins at line 12 of log 2; a value of JSON inside has `#` and its number behind that."""
    found: list[Found] = []
    rests: list[set[bytes]] = []
    for number, capture in enumerate(captures, 1):
        values, rest = _of_capture(capture, number)
        found.append(values)
        rests.append(rest)
    if len(found) == 1:
        kept = {v: i for v, i in found[0].items() if not _is_constant(v)}
        return with_pieces(_originals(kept), b"")
    in_all = set(found[0]).intersection(*found[1:])
    shared = b"\n".join([*in_all, *rests[0].intersection(*rests[1:])]).lower()
    words = set(_WORDS.findall(shared))
    differing = {v: i for values in reversed(found) for v, i in values.items() if v not in in_all}
    kept = {v: i for v, i in differing.items() if not _stands_in(shared, words, v.lower())}
    return with_pieces(_originals(kept), shared)


def _originals(found: Found) -> Originals:
    return Originals({value_id: value for value, value_id in found.items()})


def _of_capture(capture: RawCapture, number: int) -> tuple[Found, set[bytes]]:
    """Values with their ids, and the statements without them."""
    values: Found = {}
    rest: set[bytes] = set()
    for transaction in capture.transactions:
        modes = transaction.sql_mode.split(",")
        for statement in transaction.statements:
            for name, value in _of_statement(statement, rest, modes):
                values.setdefault(value, f"line{statement.line}.{name}/{number}")
    return {v: i for v, i in values.items() if len(v) >= _SHORTEST}, rest


def _of_statement(
    statement: RawStatement, rest: set[bytes], modes: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    """(name, value) of its literals, of the JSON in them, and of what is personal in comments."""
    plain = "NO_BACKSLASH_ESCAPES" in modes
    sql, kept, at = statement.sql, [], 0
    try:
        tokens = lex(sql, ansi_quotes="ANSI_QUOTES" in modes, no_backslash_escapes=plain)
    except SqlError:  # cut by the server: it is searched as the text that it is
        yield "0", sql
        return
    for count, run in enumerate(_runs(tokens), 1):
        kept.append(sql[at : run[0].start])
        at = run[-1].end
        yield from _values(str(count), _value(sql, run, plain=plain))
    rest.add(b"?".join([*kept, sql[at:]]))


def _runs(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Literals and comments, adjacent texts together: they are one value."""
    run: list[Token] = []
    for token in tokens:
        is_text = token.kind is TokenKind.TEXT
        if run and not (is_text and run[-1].kind is TokenKind.TEXT):
            yield run
            run = []
        if token.kind in LITERALS or token.kind is TokenKind.COMMENT:
            run.append(token)
    if run:
        yield run


def _value(sql: bytes, run: Sequence[Token], *, plain: bool) -> bytes | str:
    """The decoded value; a comment as the text that it is."""
    if run[0].kind is TokenKind.COMMENT:
        return sql[run[0].start : run[0].end].decode("utf-8", "replace")
    parts = (decode(t.kind, sql[t.start : t.end], no_backslash_escapes=plain) for t in run)
    return b"".join(parts)


def _values(name: str, value: bytes | str) -> Iterator[tuple[str, bytes]]:
    if isinstance(value, str):
        for count, (start, end) in enumerate(numbered_spans(value), 1):
            yield f"{name}#{count}", value[start:end].encode()
        return
    yield name, value
    for count, inner in enumerate(_json_values(value), 1):
        yield f"{name}#{count}", inner


def _json_values(value: bytes) -> Iterator[bytes]:
    """The texts and numbers of a JSON document, as they are written."""
    if value[:1] not in (b"{", b"["):
        return
    try:
        content = json.loads(value, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return
    yield from _leaves(content)


def _leaves(content: object) -> Iterator[bytes]:
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        for item in content:
            yield from _leaves(item)
    elif isinstance(content, str):
        yield content.encode("utf-8", "surrogatepass")


def _is_constant(value: bytes) -> bool:
    """Of one capture: a short number, or a word in one case, such as 'checkout.confirmed'."""
    if _NUMBER.fullmatch(value):
        return not _LONG_NUMBER.fullmatch(value)
    return bool(_CONSTANT_WORD.fullmatch(value) or _CHARSET.fullmatch(value))


def _stands_in(shared: bytes, words: set[bytes], value: bytes) -> bool:
    """Whether the shared text holds a value as a whole word."""
    if not words.issuperset(_WORDS.findall(value)):
        return False
    return re.search(rb"(?<![a-z0-9])" + re.escape(value) + rb"(?![a-z0-9])", shared) is not None

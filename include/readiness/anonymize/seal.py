"""Seals a raw draft: what leaves is a Workload without a captured value.

Deny by default: what differs between captures is replaced by a generator or by a keyed pseudonym;
what is equal in all passes the second net; structure (LIMIT, JSON paths) stays as it is.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

from readiness.anonymize.learn import specification_of
from readiness.anonymize.originals import literal_tokens, literal_value, originals, varying
from readiness.anonymize.pseudonym import Pseudonyms
from readiness.anonymize.scan import Searcher
from readiness.anonymize.sensitive import is_personal_column, personal_spans
from readiness.errors import WorkloadError
from readiness.model.draft import (
    RawDraft,
    RawLiteral,
    RawPiece,
    RawRow,
    RawStep,
    RawVariable,
)
from readiness.model.generator import Pattern, parse_specification
from readiness.model.workload import (
    Form,
    Piece,
    Row,
    Sample,
    Slot,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.sql.lexer import TokenKind, decode, encode, form_of, lex

_INTRODUCER_END = re.compile(rb"[A-Za-z0-9_$\x80-\xff]\Z")
_HEX_START = re.compile(rb"[xX]'")
_WORD_BYTE = re.compile(rb"[A-Za-z0-9_.$@'\"`\x80-\xff]")


def seal(draft: RawDraft, *, key: bytes, now_ms: int | None = None) -> Workload:
    """The workload of a draft. `now_ms` (default: the clock) tells how old time-ordered ids are.

    Raises WorkloadError when a fresh variable has no value, or an existing one no sample."""
    sealer = _Sealer(draft, key, now_ms if now_ms is not None else time.time_ns() // 1_000_000)
    return Workload(
        name=draft.name,
        captures=draft.captures,
        variables=tuple(sealer.variable(v) for v in draft.variables),
        samples=draft.samples,
        steps=tuple(sealer.step(s) for s in draft.steps),
        counts=dict(draft.counts),
        set_names=draft.set_names.rstrip("; \n"),
        repeats=draft.repeats,
        tables=dict(draft.tables),
    )


class _Sealer:
    """What sealing one draft needs at every step."""

    def __init__(self, draft: RawDraft, key: bytes, now_ms: int) -> None:
        captured = frozenset(v for _, v in varying(draft) if v)
        searcher = Searcher(originals(draft))
        self._pseudonyms = Pseudonyms(key, lambda made: made in captured or searcher.finds(made))
        self._captured = captured
        self._sampled = _columns_of(draft.samples)
        self._now_ms = now_ms

    def variable(self, raw: RawVariable) -> Variable:
        """Generator and example of a fresh one, expression of a derived one, else its column."""
        column = f"{raw.table}.{raw.column}" if raw.table and raw.column else raw.column
        if raw.kind is VariableKind.FRESH:
            learnt = "" if raw.is_given else specification_of(raw, self._now_ms, self._captured)
            text = learnt or raw.generator
            example = self._example(raw, text).decode("utf-8", "surrogateescape")
            return Variable(raw.name, raw.kind, text, column, raw.form, example=example)
        if raw.kind is VariableKind.EXISTING:
            column = self._sampled.get(raw.name, "")
            if not column:
                raise WorkloadError(
                    f"@{raw.name} is an existing row's value, and no sample gives it"
                )
            return Variable(raw.name, raw.kind, "sample", column, raw.form)
        expression = self._expression(raw.expression)
        return Variable(raw.name, raw.kind, "", column, raw.form, expression=expression)

    def step(self, raw: RawStep) -> Step:
        """The statement with its literals replaced, ready to stand before a semicolon."""
        return Step(
            raw.statement_id,
            raw.connection,
            raw.transaction,
            raw.kind,
            round(raw.pause_ms, 3),
            _stripped(_joined(self._piece(p) for p in raw.pieces)),
            raw.binds,
            raw.turn,
            raw.shape,
        )

    def _example(self, raw: RawVariable, text: str) -> bytes:
        """One literal for a plain client: a keyed value of the generator's shape."""
        value = next(v for v in raw.values if v is not None)
        specification = parse_specification(text)
        if specification.name in ("pattern", "phone"):
            pattern = Pattern.parse(specification.argument)
            return encode(raw.form, self._pseudonyms.filled(pattern, raw.name, value))
        return encode(raw.form, self._pseudonyms.of(value, raw.form))

    def _piece(self, piece: RawPiece) -> Piece:
        if isinstance(piece, RawRow):
            inside = _joined(self._plain(p) for p in piece.pieces)
            return Row(piece.turn, tuple(p for p in inside if not isinstance(p, Row)))
        return self._plain(piece)

    def _plain(self, piece: bytes | RawLiteral | Slot) -> bytes | Slot:
        return self._literal(piece) if isinstance(piece, RawLiteral) else piece

    def _literal(self, raw: RawLiteral) -> bytes:
        """A literal's new text; what precedes its quote or digits (an introducer) stays. Adjacent
        texts ('a' 'b') are one value. Of structure, texts other than JSON paths are replaced too:
        the words of a full-text search are the person's."""
        tokens = literal_tokens(raw)
        value = literal_value(raw)
        form = form_of(tokens[0].kind) if tokens else Form.NUMBER
        is_path = raw.is_structural and value.startswith(b"$")
        if not tokens or is_path or (raw.is_structural and form is not Form.TEXT):
            return raw.text
        if raw.varies or is_personal_column(raw.column, value):
            made = self._pseudonyms.of(value, form)
        else:
            made = self._net(value) if form is Form.TEXT else value
        before, after = raw.text[: tokens[0].start], raw.text[tokens[-1].end :]
        if form is Form.TEXT and not _is_printable(made):
            form = Form.HEX  # `_binary'…'` with any bytes: a file that editors can open
        elif made == value:
            return raw.text
        return _apart(before, encode(form, made)) + after

    def _net(self, value: bytes) -> bytes:
        """A text with its personal-looking parts replaced."""
        text = value.decode("utf-8", "surrogateescape")
        made, at = "", 0
        for start, end in personal_spans(text):
            part = text[start:end].encode("utf-8", "surrogateescape")
            made += text[at:start] + self._pseudonyms.of(part, Form.TEXT).decode()
            at = end
        return (made + text[at:]).encode("utf-8", "surrogateescape")

    def _netted(self, sql: bytes) -> bytes:
        """SQL whose text literals went through the net."""
        made, at = b"", 0
        for token in lex(sql):
            if token.kind is TokenKind.TEXT:
                text = sql[token.start : token.end]
                value = decode(token.kind, text)
                netted = self._net(value)
                made += sql[at : token.start]
                made += text if netted == value else encode(Form.TEXT, netted)
                at = token.end
        return made + sql[at:]

    def _expression(self, text: str) -> str:
        raw = text.encode("utf-8", "surrogateescape")
        return self._netted(raw).decode("utf-8", "surrogateescape")


def _is_printable(value: bytes) -> bool:
    """Whether a value is text without control characters that no text holds."""
    try:
        return "\0" not in value.decode()
    except UnicodeDecodeError:
        return False


def _columns_of(samples: Iterable[Sample]) -> dict[str, str]:
    return {
        name: f"{s.table}.{column}"
        for s in samples
        for name, column in zip(s.variables, s.columns, strict=True)
    }


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Neighbouring text merged, and a space wherever a slot would touch a word (`LIKE'x'`, `'x'AS`),
    so that `@name` stays one word for a plain client."""
    made: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, bytes):
            if made and isinstance(made[-1], bytes):
                made[-1] = _apart(made[-1], piece)
            elif piece:
                made.append(piece)
        else:
            made.append(piece)
    return [_parted(piece, i, len(made)) for i, piece in enumerate(made)]


def _apart(before: bytes, after: bytes) -> bytes:
    """An introducer and the hexadecimal literal that took the place of its text (`_binary'…'`)."""
    is_word = _INTRODUCER_END.search(before) and _HEX_START.match(after)
    return before + (b" " if is_word else b"") + after


def _parted(piece: Piece, at: int, count: int) -> Piece:
    if not isinstance(piece, bytes):
        return piece
    before = b" " if at > 0 and _WORD_BYTE.match(piece) else b""
    after = b" " if at + 1 < count and _WORD_BYTE.match(piece[-1:]) else b""
    return before + piece + after


def _stripped(made: list[Piece]) -> tuple[Piece, ...]:
    if made and isinstance(made[0], bytes):
        made[0] = made[0].lstrip()
    if made and isinstance(made[-1], bytes):
        made[-1] = made[-1].rstrip().rstrip(b";").rstrip()
    return tuple(p for p in made if p != b"")

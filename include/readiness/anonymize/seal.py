"""Seals a raw draft: what leaves is a Workload without a captured value.

Deny by default: what differs between captures is replaced by a generator or by a keyed pseudonym;
what is equal in all passes the second net; structure (LIMIT, JSON paths) stays as it is. A policy may
say otherwise of a column. Statements about accounts are refused.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

from readiness.anonymize.credentials import refuse_account_statements, secrets_of
from readiness.anonymize.digests import Digests
from readiness.anonymize.learn import specification_of
from readiness.anonymize.originals import NOTHING, Originals, varying
from readiness.anonymize.personal import all_originals, personal_constants
from readiness.anonymize.policy import NO_POLICY, Policy
from readiness.anonymize.pseudonym import Pseudonyms
from readiness.anonymize.replacing import Replacing, apart
from readiness.anonymize.scan import Searcher
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
    Piece,
    Row,
    Sample,
    Slot,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.sql.lexer import encode

_WORD_BYTE = re.compile(rb"[A-Za-z0-9_.$@'\"`\x80-\xff]")


def seal(
    draft: RawDraft,
    *,
    key: bytes,
    now_ms: int | None = None,
    policy: Policy = NO_POLICY,
    elsewhere: Originals = NOTHING,
) -> Workload:
    """The workload of a draft. `now_ms` (default: the clock) tells how old time-ordered ids are,
    `policy` what columns are treated otherwise than by the rules, `elsewhere` what the logs hold
    beside the draft: no made value is one of those either.

    Raises WorkloadError when a fresh variable has no value, or an existing one no sample;
    PrivacyError for statements about accounts."""
    refuse_account_statements(draft.steps)
    now = now_ms if now_ms is not None else time.time_ns() // 1_000_000
    sealer = _Sealer(draft, key, now, policy, elsewhere)
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
        policy=policy.title,
    )


class _Sealer:
    """What sealing one draft needs at every step."""

    def __init__(
        self, draft: RawDraft, key: bytes, now_ms: int, policy: Policy, elsewhere: Originals
    ) -> None:
        personal = frozenset(personal_constants(draft, policy).values())
        captured = personal.union(v for _, v in varying(draft) if v)
        searcher = Searcher(all_originals(draft, policy).and_those(elsewhere))
        self._pseudonyms = Pseudonyms(
            key, lambda made: made in captured or searcher.finds(made), Digests.of(captured)
        )
        self._replacing = Replacing(self._pseudonyms, policy, personal)
        self._captured = captured.union(elsewhere.values.values())
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
        secrets = frozenset(id(s) for s in secrets_of(raw.pieces))
        return Step(
            raw.statement_id,
            raw.connection,
            raw.transaction,
            raw.kind,
            round(raw.pause_ms, 3),
            _stripped(_joined(self._piece(p, secrets) for p in raw.pieces)),
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

    def _piece(self, piece: RawPiece, secrets: frozenset[int]) -> Piece:
        if isinstance(piece, RawRow):
            inside = _joined(self._plain(p, secrets) for p in piece.pieces)
            return Row(piece.turn, tuple(p for p in inside if not isinstance(p, Row)))
        return self._plain(piece, secrets)

    def _plain(self, piece: bytes | RawLiteral | Slot, secrets: frozenset[int]) -> bytes | Slot:
        """`secrets` are the passwords among the literals, by identity."""
        if isinstance(piece, RawLiteral):
            return self._replacing.literal(piece, is_secret=id(piece) in secrets)
        return self._replacing.static(piece) if isinstance(piece, bytes) else piece

    def _expression(self, text: str) -> str:
        raw = text.encode("utf-8", "surrogateescape")
        return self._replacing.sql(raw).decode("utf-8", "surrogateescape")


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
                made[-1] = apart(made[-1], piece)
            elif piece:
                made.append(piece)
        else:
            made.append(piece)
    return [_parted(piece, i, len(made)) for i, piece in enumerate(made)]


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

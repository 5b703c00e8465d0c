"""Which constants of a draft are personal: replaced wherever they stand, and searched for as well.

A tester's address that all captures share is found where its column or its shape tells it; the same
address in a place that tells nothing is the same address."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from readiness.anonymize.credentials import secrets_of
from readiness.anonymize.net import holds_first_name, personal_spans
from readiness.anonymize.originals import Originals, flat, literal_value, originals
from readiness.anonymize.parts import with_parts
from readiness.anonymize.policy import Policy, generalized
from readiness.anonymize.sensitive import is_personal_column, may_name_a_person
from readiness.config.policy import Treatment
from readiness.model.draft import RawDraft, RawLiteral
from readiness.model.workload import Form

_SHORTEST = 4
_NAME_AT_MOST = 80  # bytes
_CODE = re.compile(rb"[a-z_]+|[A-Z_]+|[Nn]/[Aa]|Unknown|None|Null|Test|Other")


def personal_constants(draft: RawDraft, policy: Policy) -> dict[str, bytes]:
    """Values by id (`s017/net/2`: the second of that statement) that are personal although all
    captures agree on them. Codes such as `none` are replaced in their column and not elsewhere."""
    fixed = b"\n".join(_fixed(draft)).lower()
    settled = _kept(draft, policy)
    found: dict[str, bytes] = {}
    numbers: Counter[str] = Counter()
    for statement, _, value in _all(draft, policy):
        if is_telling(value) and value not in settled and not _holds(fixed, value):
            settled.add(value)
            numbers[statement] += 1
            found[f"{statement}/net/{numbers[statement]}"] = value
    return found


def places_of_personal(draft: RawDraft, policy: Policy) -> list[str]:
    """Where constants look personal by the rules alone: `users.email (s003)`, or the statement."""
    named = {
        f"{p.table}.{p.column} ({statement})" if p.column else statement
        for statement, p, _ in _all(draft, policy)
        if policy.of(p.table, p.column) is None
    }
    return sorted(named)


def _all(draft: RawDraft, policy: Policy) -> Iterator[tuple[str, RawLiteral, bytes]]:
    """Statement, literal and value of all that is personal though constant."""
    for step in draft.steps:
        secrets = {id(s) for s in secrets_of(step.pieces)}
        for piece in flat(step.pieces):
            if isinstance(piece, RawLiteral):
                for value in _personal(piece, policy, is_secret=id(piece) in secrets):
                    yield step.statement_id, piece, value


def _kept(draft: RawDraft, policy: Policy) -> set[bytes]:
    """The values that the policy lets stand: nothing is said against them elsewhere."""
    return {
        literal_value(p)
        for s in draft.steps
        for p in flat(s.pieces)
        if isinstance(p, RawLiteral) and policy.of(p.table, p.column) is Treatment.KEEP
    }


def all_originals(draft: RawDraft, policy: Policy) -> Originals:
    """What no output may hold: what differs between captures, telling pieces of it, and personal
    constants. A file is made by what it is searched by afterwards, or it would be refused by chance."""
    return with_personal(with_parts(originals(draft), draft), draft, policy)


def with_personal(differing: Originals, draft: RawDraft, policy: Policy) -> Originals:
    """Captured values, and the personal constants of their draft; not what is left of a generalized
    value, which a captured one may happen to be."""
    values = {**differing.values, **personal_constants(draft, policy)}
    coarse = set(_coarse(draft, policy))
    return replace(differing, values={i: v for i, v in values.items() if v not in coarse})


def _coarse(draft: RawDraft, policy: Policy) -> Iterator[bytes]:
    for step in draft.steps:
        for p in flat(step.pieces):
            if isinstance(p, RawLiteral) and (policy.of(p.table, p.column) is Treatment.GENERALIZE):
                yield generalized(literal_value(p), p.form)


def is_telling(value: bytes) -> bool:
    """Whether a value is more than a code: it may be looked for in other places."""
    return len(value) >= _SHORTEST and not _CODE.fullmatch(value)


def is_personal(literal: RawLiteral, value: bytes, policy: Policy) -> bool:
    """Whether a constant is personal as a whole, by its column."""
    treat = policy.of(literal.table, literal.column)
    if treat is not None:
        return treat is not Treatment.KEEP
    if is_personal_column(literal.column, value, literal.table):
        return True
    is_short_text = literal.form is Form.TEXT and len(value) <= _NAME_AT_MOST
    return is_short_text and may_name_a_person(literal.column) and holds_first_name(_text(value))


def _personal(literal: RawLiteral, policy: Policy, *, is_secret: bool) -> Iterator[bytes]:
    if literal.varies or literal.is_structural:
        return
    value = literal_value(literal)
    if is_secret or is_personal(literal, value, policy):
        yield value
    elif literal.form is Form.TEXT and policy.of(literal.table, literal.column) is None:
        text = _text(value)
        for start, end in personal_spans(text):
            yield text[start:end].encode("utf-8", "surrogateescape")


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _fixed(draft: RawDraft) -> Iterator[bytes]:
    """The statements' own words: what they hold cannot be replaced."""
    return (p for s in draft.steps for p in flat(s.pieces) if isinstance(p, bytes))


def _holds(folded: bytes, value: bytes) -> bool:
    pattern = rb"(?<![a-z0-9_])" + re.escape(value.lower()) + rb"(?![a-z0-9_])"
    return re.search(pattern, folded) is not None

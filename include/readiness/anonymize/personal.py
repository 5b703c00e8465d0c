"""Which constants of a draft are personal: replaced wherever they stand, and searched for as well.

A tester's address that all captures share is found where its column or its shape tells it; the same
address in a place that tells nothing is the same address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from readiness.anonymize.credentials import secrets_of
from readiness.anonymize.net import personal_spans
from readiness.anonymize.originals import Originals, flat, literal_value, originals
from readiness.anonymize.policy import Policy
from readiness.anonymize.sensitive import is_personal_column
from readiness.config.policy import Treatment
from readiness.model.draft import RawDraft, RawLiteral
from readiness.model.workload import Form

_SHORTEST = 4
_CODE = re.compile(rb"[a-z_]+|[A-Z_]+|[Nn]/[Aa]|Unknown|None|Null|Test|Other")


def personal_constants(draft: RawDraft, policy: Policy) -> dict[str, bytes]:
    """Values by id (`s017/net/2`: the second of that statement) that are personal although all
    captures agree on them. Codes such as `none` are replaced in their column and not elsewhere."""
    fixed = b"\n".join(_fixed(draft)).lower()
    found: dict[str, bytes] = {}
    for step in draft.steps:
        secrets = {id(s) for s in secrets_of(step.pieces)}
        literals = [p for p in flat(step.pieces) if isinstance(p, RawLiteral)]
        values = [v for p in literals for v in _personal(p, policy, is_secret=id(p) in secrets)]
        for number, value in enumerate(dict.fromkeys(values), 1):
            if is_telling(value) and value not in found.values() and not _holds(fixed, value):
                found[f"{step.statement_id}/net/{number}"] = value
    return found


def all_originals(draft: RawDraft, policy: Policy) -> Originals:
    """What no output may hold: what differs between captures, and personal constants."""
    return with_personal(originals(draft), draft, policy)


def with_personal(differing: Originals, draft: RawDraft, policy: Policy) -> Originals:
    """Captured values, and the personal constants of their draft."""
    return replace(differing, values={**differing.values, **personal_constants(draft, policy)})


def is_telling(value: bytes) -> bool:
    """Whether a value is more than a code: it may be looked for in other places."""
    return len(value) >= _SHORTEST and not _CODE.fullmatch(value)


def is_personal(literal: RawLiteral, value: bytes, policy: Policy) -> bool:
    """Whether a constant is personal as a whole, by its column."""
    treat = policy.of(literal.table, literal.column)
    if treat is None:
        return is_personal_column(literal.column, value)
    return treat is not Treatment.KEEP


def _personal(literal: RawLiteral, policy: Policy, *, is_secret: bool) -> Iterator[bytes]:
    if literal.varies or literal.is_structural:
        return
    value = literal_value(literal)
    if is_secret or is_personal(literal, value, policy):
        yield value
    elif literal.form is Form.TEXT and policy.of(literal.table, literal.column) is None:
        text = value.decode("utf-8", "surrogateescape")
        for start, end in personal_spans(text):
            yield text[start:end].encode("utf-8", "surrogateescape")


def _fixed(draft: RawDraft) -> Iterator[bytes]:
    """The statements' own words: what they hold cannot be replaced."""
    return (p for s in draft.steps for p in flat(s.pieces) if isinstance(p, bytes))


def _holds(folded: bytes, value: bytes) -> bool:
    pattern = rb"(?<![a-z0-9_])" + re.escape(value.lower()) + rb"(?![a-z0-9_])"
    return re.search(pattern, folded) is not None

"""Texts that embed other values: `user:<id>`, JSON, base64 of JSON, `LN-<last ten digits>`.

The text of each capture is split at the same values in the same order. What is equal between
them is constant text; what differs and nothing explains becomes a variable of its own."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import contains

from readiness.model.transactions import Raw
from readiness.model.workload import VariableKind
from readiness.workload.find.derive import may_feed, settle, sql_text
from readiness.workload.find.forms import Forms, forms_of
from readiness.workload.find.groups import Group, part_of
from readiness.workload.find.payloads import is_json, segments
from readiness.workload.find.plausible import is_accident, likeliest, may_make_key

_BASE64 = re.compile(rb"[A-Za-z0-9+/]{16,}={0,2}")
_TOKEN = re.compile(rb"[A-Za-z0-9_\x80-\xff]+|[^A-Za-z0-9_\x80-\xff]+")
_STRUCTURE = re.compile(rb"[\"{}\[\]\\]")
_BRIDGE = re.compile(rb"[^\"'{}\[\]:=<>]{1,7}")
_NUMBER = re.compile(rb"(?:0|[1-9]\d*)(?:\.\d+)?")
_WORD = re.compile(rb"[A-Za-z0-9_\x80-\xff]")


@dataclass(frozen=True, slots=True, repr=False)
class Part(Raw):
    """A piece of the text in every capture: an expression of a group, or what is left (None)."""

    values: tuple[bytes, ...]
    source: Group | None = None
    expression: str = ""
    is_bare: bool = False  # a JSON number, true, false or null


def embed(groups: Sequence[Group]) -> list[Group]:
    """Turns texts that embed other groups into DERIVED; gives the new groups for the stretches
    that differ and nothing explains."""
    made: list[Group] = []
    forms = {g.number: forms_of(g) for g in groups}
    for group in sorted(groups, key=_length, reverse=True):  # a text before what it embeds
        if group.kind not in (None, VariableKind.FRESH) or group.is_binary or None in group.values:
            continue
        if group.is_settled:
            continue
        texts = tuple(v for v in group.values if v is not None)
        plain = _decoded(texts)
        parts = _split(group, plain or texts, groups, forms)
        if not any(p.source for p in parts) or is_accident(group, [p.source for p in parts]):
            continue
        parts = [q for p in parts for q in _by_words(p)]
        if any(_is_structured(p) for p in parts) or (
            group.is_indexed and not _explains_key(group, parts)
        ):
            continue
        made += _settle(group, parts, len(groups) + len(made), is_base64=plain is not None)
    return made


def keep_json(groups: Sequence[Group]) -> None:
    """A JSON text that nothing explains, and no index finds, stays in its statements: a similar text
    would be no JSON any more."""
    feeding = {need.number for group in groups for need in group.needs}
    for group in groups:
        is_open = group.kind is VariableKind.FRESH and not group.is_indexed and not group.is_part
        if (
            is_open
            and not group.is_settled
            and group.number not in feeding
            and all(is_json(v) for v in group.values if v is not None)
        ):
            group.kind = None


def _length(group: Group) -> int:
    return max(len(v) for v in group.values if v is not None)


def _decoded(texts: Sequence[bytes]) -> tuple[bytes, ...] | None:
    """The texts without base64, None when one is none or holds no text."""
    if not all(_BASE64.fullmatch(t) and len(t) % 4 == 0 for t in texts):
        return None
    try:
        plain = tuple(base64.b64decode(t, validate=True) for t in texts)
        for text in plain:
            text.decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return plain


def _is_structured(part: Part) -> bool:
    """Unexplained text with JSON in it: a similar text would be no JSON any more."""
    if part.source is not None or len(set(part.values)) == 1:
        return False
    if part.is_bare:
        return not all(_NUMBER.fullmatch(v) for v in part.values)
    return any(_STRUCTURE.search(v) for v in part.values)


def _explains_key(group: Group, parts: Sequence[Part]) -> bool:
    """What differs in a key is all explained: otherwise it carries entropy of its own, and only
    shares a stretch."""
    is_whole = all(p.source or len(set(p.values)) == 1 for p in parts)
    return is_whole and may_make_key(group, [(p.source, p.values) for p in parts if p.source])


def _split(
    group: Group, texts: tuple[bytes, ...], groups: Sequence[Group], forms: Mapping[int, Forms]
) -> list[Part]:
    """The texts as parts, longest embedded values first. JSON is cut at its scalars before: one value
    may stand in several of them."""
    found = segments(texts)
    parts = [Part(s.values, is_bare=s.is_bare) for s in found] if found else [Part(texts)]
    for source, expression, values in _candidates(group, texts, groups, forms):
        if not any(p.source is None and values[0] in p.values[0] for p in parts):
            continue
        parts = [q for p in parts for q in _cut(p, source, expression, values)]
    return parts


def _candidates(
    target: Group,
    texts: tuple[bytes, ...],
    groups: Sequence[Group],
    forms: Mapping[int, Forms],
) -> Iterator[tuple[Group, str, tuple[bytes, ...]]]:
    """What may stand inside the text of `target`: values, their case, their ends; long ones first."""
    found: list[tuple[int, int, Group, str, tuple[bytes, ...]]] = []
    for group in groups:
        held = [f for f in forms[group.number] if all(map(contains, texts, f[2]))]
        if not held or not may_feed(group, target):
            continue
        if group.kind is VariableKind.DERIVED and group.expression.startswith("CONCAT("):
            continue  # a text of its own; its parts are candidates themselves
        found += [
            (min(map(len, values)), -weight, group, expression, values)
            for weight, expression, values in held
        ]
    found.sort(key=lambda f: (-f[0], -f[1], *likeliest(f[2], target), f[2].rank, f[2].order))
    for _, _, group, expression, values in found:
        yield group, expression, values


def _cut(part: Part, source: Group, expression: str, values: tuple[bytes, ...]) -> list[Part]:
    """The part split at every place of `values`, where all captures hold it equally often."""
    if part.source is not None:
        return [part]
    cuts = [_places(t, v) for t, v in zip(part.values, values, strict=True)]
    if not cuts[0] or len({len(c) for c in cuts}) > 1:
        return [part]
    pieces: list[Part] = []
    at = [0] * len(values)
    for places in zip(*cuts, strict=True):
        between = tuple(t[a:p] for t, a, p in zip(part.values, at, places, strict=True))
        pieces.append(Part(between))
        pieces.append(Part(values, source, expression))
        at = [p + len(v) for p, v in zip(places, values, strict=True)]
    pieces.append(Part(tuple(t[a:] for t, a in zip(part.values, at, strict=True))))
    return [replace(p, is_bare=part.is_bare) for p in pieces if any(p.values)]


def _places(text: bytes, value: bytes) -> list[int]:
    """Where the value stands in the text as a word of its own."""
    places, at = [], text.find(value)
    while at >= 0:
        end = at + len(value)
        before = text[at - 1 : at] if _WORD.match(value) else b""
        after = text[end : end + 1] if _WORD.match(value[-1:]) else b""
        if not (_WORD.match(before) or _WORD.match(after)):
            places.append(at)
            at = text.find(value, end)
        else:
            at = text.find(value, at + 1)
    return places


def _settle(
    group: Group, parts: Sequence[Part], next_number: int, *, is_base64: bool
) -> list[Group]:
    made: list[Group] = []
    needs: dict[int, Group] = {}
    terms: list[str] = []
    for part in _joined(parts):
        source, expression = part.source, part.expression
        if source is None and len(set(part.values)) > 1:
            source = part_of(group, part.values, next_number + len(made), is_bare=part.is_bare)
            expression = source.reference
            made.append(source)
        if source is None:
            terms.append(sql_text(part.values[0]))
        else:
            terms.append(expression)
            needs[source.number] = source
    text = f"CONCAT({', '.join(terms)})" if len(terms) > 1 else terms[0]
    whole = f"REPLACE(TO_BASE64({text}), '\\n', '')" if is_base64 else text
    settle(group, whole, list(needs.values()), _told(whole, list(needs.values())))
    return made


def _told(expression: str, needs: Sequence[Group]) -> str:
    is_equal = expression == needs[0].reference
    return "equal to another value in every capture" if is_equal else "text around other values"


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Neighbours that are equal in every capture as one."""
    made: list[Part] = []
    for part in parts:
        both = [p for p in (*made[-1:], part) if p.source is None and len(set(p.values)) == 1]
        if len(both) == 2:
            made[-1] = Part(tuple(a + b for a, b in zip(made[-1].values, part.values, strict=True)))
        else:
            made.append(part)
    return made


def _by_words(part: Part) -> list[Part]:
    """A leftover stretch as equal words and words that differ, where captures have as many."""
    if part.source is not None or len(set(part.values)) == 1 or part.is_bare:
        return [part]
    rows = [_TOKEN.findall(v) for v in part.values]
    if len({len(r) for r in rows}) > 1:
        return _trimmed(rows)
    merged: list[list[bytes]] = []
    was_equal: bool | None = None
    for column in zip(*rows, strict=True):
        is_equal = len(set(column)) == 1
        if is_equal is was_equal:
            merged[-1] = [a + b for a, b in zip(merged[-1], column, strict=True)]
        else:
            merged.append(list(column))
        was_equal = is_equal
    return [Part(v) for v in _without_bridges([tuple(m) for m in merged])]


def _trimmed(rows: Sequence[list[bytes]]) -> list[Part]:
    """Rows of words of different length: the words that all begin and end with, and the middle."""
    shortest = min(map(len, rows))
    head = 0
    while head < shortest and len({r[head] for r in rows}) == 1:
        head += 1
    tail = 0
    while tail < shortest - head and len({r[-1 - tail] for r in rows}) == 1:
        tail += 1
    stretches = [
        tuple(b"".join(r[:head]) for r in rows),
        tuple(b"".join(r[head : len(r) - tail]) for r in rows),
        tuple(b"".join(r[len(r) - tail :]) for r in rows),
    ]
    return [Part(s) for s in stretches if any(s)]


def _without_bridges(runs: Sequence[tuple[bytes, ...]]) -> list[tuple[bytes, ...]]:
    """`Foster, Morales and Arroyo` is one stretch: short plain text between two that differ joins
    them."""
    joined: list[tuple[bytes, ...]] = []
    for run in runs:
        if (
            len(joined) > 1
            and len(set(run)) > 1
            and len(set(joined[-2])) > 1
            and _BRIDGE.fullmatch(joined[-1][0])
        ):
            bridge, before = joined.pop(), joined.pop()
            joined.append(tuple(a + b + c for a, b, c in zip(before, bridge, run, strict=True)))
        else:
            joined.append(run)
    return joined

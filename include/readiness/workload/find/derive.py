"""Finds groups whose values follow from other groups in every capture.

One-to-one functions first (hashes, case, fragments, arithmetic), then texts that embed others.
A relation that fails in one capture is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readiness.model.workload import Form, VariableKind
from readiness.sql.lexer import encode
from readiness.workload.find.context import LIKE
from readiness.workload.find.distinct import is_distinct
from readiness.workload.find.groups import Group, Values
from readiness.workload.find.relations import FUNCTIONS

_CASES = ("LOWER({})", "UPPER({})")
_PARTS_OF_AMOUNT = (2, 3, 4, 6, 12, 24, 36)
_TELLING_DIGITS = 6
_LONGEST_SOURCE = 4096  # bytes; what is longer is a document, and nothing is a function of it


def sql_text(value: bytes) -> str:
    """A text literal for an expression; bytes that are no UTF-8 become hex."""
    try:
        return encode(Form.TEXT, value).decode()
    except UnicodeDecodeError:
        return encode(Form.HEX, value).decode()


def derive(groups: Sequence[Group]) -> None:
    """Turns every group that follows from others into DERIVED; what feeds one becomes a variable."""
    results = _Results(groups)
    amounts = [g for g in groups if _are_amounts(g.values)]
    for group in groups:
        if group.kind not in (None, VariableKind.FRESH) or group.is_settled:
            continue
        _by_function(group, results) or _by_prefix(group, groups) or _by_arithmetic(group, amounts)


def settle(group: Group, expression: str, needs: Sequence[Group], because: str) -> bool:
    """Makes the group DERIVED; inline groups that feed it become FRESH. Always True."""
    group.kind, group.expression = VariableKind.DERIVED, expression
    group.needs, group.because = list(needs), because
    for need in needs:
        need.needed_by(group.deadline)
        if need.kind is None:
            need.kind, need.because = VariableKind.FRESH, "feeds a derived value"
    return True


def is_document(group: Group) -> bool:
    """Too long to be a source of other values."""
    return any(v is not None and len(v) > _LONGEST_SOURCE for v in group.values)


def may_feed(source: Group, target: Group) -> bool:
    """`target` may be computed from `source`: no circle, and a server's id is known by then."""
    if source is target or source.stays_inline or source.depends_on(target):
        return False
    return all(g.bound_by < target.deadline[0] for g in _servers(source))


def _servers(group: Group) -> Iterator[Group]:
    if group.kind is VariableKind.SERVER:
        yield group
    for need in group.needs:
        yield from _servers(need)


class _Results:
    """Every function of every group, found again by the values over the captures."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._found: dict[Values, list[tuple[Group, str]]] = {}
        for group in groups:
            if group.kind is VariableKind.TIME or is_document(group):
                continue
            for sql, function in FUNCTIONS:
                results = tuple(None if v is None else function(v) for v in group.values)
                if self._says_something(results, group.values):
                    self._found.setdefault(results, []).append((group, sql))

    @staticmethod
    def _says_something(results: Values, values: Values) -> bool:
        """Seen twice at least, different between captures, and not the argument itself."""
        seen = [r for r in results if r]
        is_defined = all((r is None) == (v is None) for r, v in zip(results, values, strict=True))
        return is_defined and len(set(seen)) > 1 and results != values

    def of(self, values: Values) -> list[tuple[Group, str]]:
        return self._found.get(values, [])


def _by_function(group: Group, results: _Results) -> bool:
    """The shortest function of another group; among those, of the one that says most."""
    found = [(s, sql) for s, sql in results.of(group.values) if may_feed(s, group)]
    if not found:
        return False
    source, sql = min(found, key=lambda f: (len(f[1]), f[0].rank, f[0].order))
    if _is_shorter_text(sql) and group.rank < source.rank and group.is_indexed:
        return False
    if group.rank == 0 and not (sql in _CASES or is_distinct(source)):
        return False
    if source.rank > group.rank and sql in _CASES:
        source.root, source.is_indexed = group.root, True  # it is what the key is made from
    return settle(group, sql.replace("{0}", "{}").replace("{}", source.reference), [source], sql)


def _is_shorter_text(sql: str) -> bool:
    """A fragment: too weak to explain a key."""
    return sql.startswith(("RIGHT", "SUBSTRING_INDEX"))


def _by_prefix(group: Group, groups: Sequence[Group]) -> bool:
    """`LIKE 'abc%'` of a value that the flow knows."""
    if group.home.meeting.role != LIKE or group.is_binary:
        return False
    for source in groups:
        if source.is_binary or source.kind is VariableKind.TIME or not may_feed(source, group):
            continue
        pairs = [
            (v, w)
            for v, w in zip(group.values, source.values, strict=True)
            if v is not None and w is not None
        ]
        lengths = {len(v) - 1 if v == w[: len(v) - 1] + b"%" else 0 for v, w in pairs}
        if len(set(pairs)) > 1 and len(lengths) == 1 and (size := lengths.pop()):
            expression = f"CONCAT(LEFT({source.reference}, {size}), '%')"
            return settle(group, expression, [source], "prefix of another value")
    return False


def _by_arithmetic(group: Group, amounts: Sequence[Group]) -> bool:
    """`a DIV n`, `a * n DIV 100`, `a - a * n DIV 100` of another amount of the flow."""
    values, is_negative = _without_sign(group.values)
    if group.is_indexed or not _are_amounts(values):
        return False
    for source in amounts:
        if source.kind in (VariableKind.SERVER, VariableKind.TIME):
            continue
        pairs = [
            (int(w), int(v))
            for v, w in zip(values, source.values, strict=True)
            if v is not None and w is not None
        ]
        if not _are_evidence(pairs) or pairs[0][1] > pairs[0][0]:
            continue
        expression = _amount_expression(source.reference, pairs)
        if expression and may_feed(source, group):
            expression = f"-({expression})" if is_negative else expression
            return settle(group, expression, [source], "share of another amount")
    return False


def _without_sign(values: Values) -> tuple[Values, bool]:
    """The values without the minus that all of them have."""
    if not all(v.startswith(b"-") for v in values if v is not None):
        return values, False
    return tuple(v and v[1:] for v in values), True


def _are_amounts(values: Values) -> bool:
    seen = [v for v in values if v is not None]
    return all(v.isdigit() and 3 <= len(v) <= 9 and v[:1] != b"0" for v in seen)


def _are_evidence(pairs: Sequence[tuple[int, int]]) -> bool:
    """Amounts that differ between captures, with enough digits that a hundred formulas over all
    amounts of a flow do not fit by accident. Trailing zeros say nothing."""
    digits = sum(len(str(b).rstrip("0")) for b in {b for _, b in pairs})
    return len({a for a, _ in pairs}) > 1 and digits >= _TELLING_DIGITS


def _amount_expression(name: str, pairs: Sequence[tuple[int, int]]) -> str:
    for n in _PARTS_OF_AMOUNT:
        if all(a // n == b for a, b in pairs):
            return f"{name} DIV {n}"
    for n in _percentages(*pairs[0]):
        if all(a * n // 100 == b for a, b in pairs):
            return f"{name} * {n} DIV 100"
        if all(a - a * n // 100 == b for a, b in pairs):
            return f"{name} - {name} * {n} DIV 100"
    return ""


def _percentages(a: int, b: int) -> list[int]:
    """The whole percentages of which `b` may be the share of `a`, or what is left of it."""
    starts = (b * 100 // max(a, 1), (a - b) * 100 // max(a, 1))
    return sorted({n for start in starts for n in (start, start + 1) if 1 <= n <= 50})

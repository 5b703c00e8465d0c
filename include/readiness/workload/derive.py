"""Finds groups whose values follow from other groups in every capture.

One-to-one functions first (hashes, case, fragments, arithmetic), then texts that embed others.
A relation that fails in one capture is none."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence

from readiness.model.workload import Form, VariableKind
from readiness.sql.lexer import encode
from readiness.workload.context import LIKE
from readiness.workload.groups import Group, Values

Function = tuple[str, Callable[[bytes], bytes | None]]
"""SQL with `{}` in place of the argument, and what it computes (None: not defined)."""

_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FRAGMENTS = (12, 10, 8, 6)
_PARTS_OF_AMOUNT = (2, 3, 4, 6, 12, 24, 36)


def sql_text(value: bytes) -> str:
    """A text literal for an expression; bytes that are no UTF-8 become hex."""
    try:
        return encode(Form.TEXT, value).decode()
    except UnicodeDecodeError:
        return encode(Form.HEX, value).decode()


def _no_dash(value: bytes) -> bytes | None:
    return value.replace(b"-", b"") if _UUID.fullmatch(value) else None


def _domain(value: bytes) -> bytes | None:
    return value.rsplit(b"@", 1)[1] if b"@" in value else None


def _unhex_uuid(value: bytes) -> bytes | None:
    return bytes.fromhex(value.replace(b"-", b"").decode()) if _UUID.fullmatch(value) else None


def lower(value: bytes) -> bytes:
    """As the server's LOWER: letters one by one; bytes that are no UTF-8 stay."""
    return _by_letter(value, str.lower)


def upper(value: bytes) -> bytes:
    """As the server's UPPER: letters one by one (`ß` stays); bytes that are no UTF-8 stay."""
    return _by_letter(value, str.upper)


def _by_letter(value: bytes, change: Callable[[str], str]) -> bytes:
    text = value.decode(errors="surrogateescape")
    changed = (c if len(change(c)) != 1 else change(c) for c in text)
    return "".join(changed).encode(errors="surrogateescape")


def _cents(value: bytes) -> bytes | None:
    is_amount = value.isdigit() and 3 <= len(value) <= 9
    return value[:-2] + b"." + value[-2:] if is_amount else None


def _hash(
    name: str, case: Callable[[bytes], bytes], *, upper: bool = False
) -> Callable[[bytes], bytes]:
    def digits(value: bytes) -> bytes:
        found = hashlib.new(name, case(value), usedforsecurity=False).hexdigest()
        return (found.upper() if upper else found).encode()

    return digits


def _digest(name: str, case: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda value: hashlib.new(name, case(value), usedforsecurity=False).digest()


_CASES: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("{}", lambda v: v),
    ("LOWER({})", lower),
    ("UPPER({})", upper),
)
_HASHES = (
    ("MD5({})", "md5"),
    ("SHA1({})", "sha1"),
    ("SHA2({}, 256)", "sha256"),
    ("SHA2({}, 512)", "sha512"),
)
_OTHERS: tuple[Function, ...] = (
    ("SUBSTRING_INDEX({}, '@', -1)", _domain),
    ("REPLACE({}, '-', '')", _no_dash),
    ("UPPER(REPLACE({}, '-', ''))", lambda v: (_no_dash(v) or b"").upper() or None),
    ("UNHEX(REPLACE({}, '-', ''))", _unhex_uuid),
    ("HEX({})", lambda v: v.hex().upper().encode()),
    ("LOWER(HEX({}))", lambda v: v.hex().encode()),
    ("REPLACE(TO_BASE64({}), '\\n', '')", base64.b64encode),
    ("CONCAT({0} DIV 100, '.', RIGHT({0}, 2))", _cents),
    ("RIGHT({}, 4)", lambda v: v[-4:] if len(v) > 7 else None),
    ("CONCAT(UPPER(LEFT({0}, 1)), SUBSTRING({0}, 2))", lambda v: upper(v[:1]) + v[1:]),
)


def _functions() -> Iterator[Function]:
    yield from _CASES[1:]
    for case_sql, case in _CASES:
        for sql, name in _HASHES:
            whole = sql.replace("{}", case_sql)
            yield whole, _hash(name, case)
            yield f"UPPER({whole})", _hash(name, case, upper=True)
            yield f"UNHEX({whole})", _digest(name, case)
    yield from _OTHERS


_FUNCTIONS = tuple(_functions())


def derive(groups: Sequence[Group]) -> None:
    """Turns every group that follows from others into DERIVED; what feeds one becomes a variable."""
    results = _Results(groups)
    amounts = [g for g in groups if _is_amount(g)]
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
            if group.kind is VariableKind.TIME:
                continue
            for sql, function in _FUNCTIONS:
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
    if source.rank > group.rank and sql in ("LOWER({})", "UPPER({})"):
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
        lengths = {
            len(v) - 1 if v.endswith(b"%") and w.startswith(v[:-1]) else 0
            for v, w in zip(group.values, source.values, strict=True)
            if v is not None and w is not None
        }
        if len(lengths) == 1 and (size := lengths.pop()):
            expression = f"CONCAT(LEFT({source.reference}, {size}), '%')"
            return settle(group, expression, [source], "prefix of another value")
    return False


def _by_arithmetic(group: Group, amounts: Sequence[Group]) -> bool:
    """`a DIV n`, `a * n DIV 100`, `a - a * n DIV 100` of another amount of the flow."""
    if group.is_indexed or not _is_amount(group):
        return False
    for source in amounts:
        if source.kind in (VariableKind.SERVER, VariableKind.TIME):
            continue
        pairs = [
            (int(w), int(v))
            for v, w in zip(group.values, source.values, strict=True)
            if v is not None and w is not None
        ]
        if len(pairs) < 2 or pairs[0][1] > pairs[0][0]:
            continue
        expression = _amount_expression(source.reference, pairs)
        if expression and may_feed(source, group):
            return settle(group, expression, [source], "share of another amount")
    return False


def _is_amount(group: Group) -> bool:
    seen = [v for v in group.values if v is not None]
    return all(v.isdigit() and 3 <= len(v) <= 9 and v[:1] != b"0" for v in seen)


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

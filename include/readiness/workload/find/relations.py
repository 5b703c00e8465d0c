"""The functions of one value that applications store beside it: hashes, case, fragments, forms."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

Function = tuple[str, Callable[[bytes], bytes | None]]
"""SQL with `{}` in place of the argument, and what it computes (None: not defined)."""

_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(rb"[0-9a-fA-F]+")


def bytes_of(value: bytes) -> bytes | None:
    """What hexadecimal digits or a UUID spell, None for another text."""
    digits = value.replace(b"-", b"") if _UUID.fullmatch(value) else value
    is_hex = len(digits) % 2 == 0 and _HEX.fullmatch(digits)
    return bytes.fromhex(digits.decode()) if is_hex else None


def _no_dash(value: bytes) -> bytes | None:
    return value.replace(b"-", b"") if _UUID.fullmatch(value) else None


def _domain(value: bytes) -> bytes | None:
    return value.rsplit(b"@", 1)[1] if b"@" in value else None


def _unhex_uuid(value: bytes) -> bytes | None:
    return bytes.fromhex(value.replace(b"-", b"").decode()) if _UUID.fullmatch(value) else None


def _swapped_uuid(value: bytes) -> bytes | None:
    """As UUID_TO_BIN(value, 1): the time's high bits first, so that keys rise."""
    raw = _unhex_uuid(value)
    return raw and raw[6:8] + raw[4:6] + raw[:4] + raw[8:]


def lower(value: bytes) -> bytes:
    """As the server's LOWER: letters one by one; bytes that are no UTF-8 stay."""
    return _by_letter(value, str.lower)


def upper(value: bytes) -> bytes:
    """As the server's UPPER: letters one by one (`ß` stays); bytes that are no UTF-8 stay."""
    return _by_letter(value, str.upper)


def _by_letter(value: bytes, change: Callable[[str], str]) -> bytes:
    if value.isascii():
        return change(value.decode()).encode()
    text = value.decode(errors="surrogateescape")
    changed = (c if len(change(c)) != 1 else change(c) for c in text)
    return "".join(changed).encode(errors="surrogateescape")


def _cents(value: bytes) -> bytes | None:
    is_amount = value.isdigit() and 3 <= len(value) <= 9
    return value[:-2] + b"." + value[-2:] if is_amount else None


def _negated(value: bytes) -> bytes | None:
    is_amount = value.isdigit() and 3 <= len(value) <= 15 and value[:1] != b"0"
    return b"-" + value if is_amount else None


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
_SWAPPED = (
    "UNHEX(CONCAT(SUBSTRING({0}, 15, 4), SUBSTRING({0}, 10, 4), LEFT({0}, 8), "
    "SUBSTRING({0}, 20, 4), RIGHT({0}, 12)))"
)
_OTHERS: tuple[Function, ...] = (
    ("-{}", _negated),
    ("SUBSTRING_INDEX({}, '@', -1)", _domain),
    ("REPLACE({}, '-', '')", _no_dash),
    ("UPPER(REPLACE({}, '-', ''))", lambda v: (_no_dash(v) or b"").upper() or None),
    ("UNHEX(REPLACE({}, '-', ''))", _unhex_uuid),
    (_SWAPPED, _swapped_uuid),
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


FUNCTIONS = tuple(_functions())
"""All that is tried, in SQL and as a function."""


def are_forms_of_one(values: Sequence[bytes | None], others: Sequence[bytes | None]) -> bool:
    """A function of the ones gives the others in every capture, or the other way round; None where a
    capture has no value."""
    pairs = [(v, w) for v, w in zip(values, others, strict=True) if v is not None and w is not None]
    return bool(pairs) and any(
        all(f(v) == w for v, w in pairs) or all(f(w) == v for v, w in pairs) for _, f in FUNCTIONS
    )


_SHORTEST_BINARY = 8
_UUID_BYTES = 16
_UUID_GROUPS = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))  # of its digits, from 1


def hex_forms(name: str, values: tuple[bytes, ...]) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    """A binary key as applications write it into texts: hexadecimal digits, a UUID with dashes."""
    if any(len(v) < _SHORTEST_BINARY for v in values):
        return
    yield f"LOWER(HEX({name}))", tuple(v.hex().encode() for v in values)
    yield f"HEX({name})", tuple(v.hex().upper().encode() for v in values)
    if all(len(v) == _UUID_BYTES for v in values):
        groups = [f"SUBSTRING(HEX({name}), {at}, {n})" for at, n in _UUID_GROUPS]
        joined = ", '-', ".join(groups)
        dashed = tuple(str(UUID(bytes=v)).encode() for v in values)
        yield f"LOWER(CONCAT({joined}))", dashed
        yield f"CONCAT({joined})", tuple(v.upper() for v in dashed)

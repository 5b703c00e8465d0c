"""Names the generator that makes values like the ones seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from readiness.model.workload import Form

_UUID = re.compile(
    rb"[0-9a-f]{8}-[0-9a-f]{4}-([147])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE
)
_ANY_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ULID = re.compile(rb"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_PHONE = re.compile(rb"\+\d{8,15}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}")
_EMAIL = re.compile(rb"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_IPV4 = re.compile(rb"(?:\d{1,3}\.){3}\d{1,3}")
_DATE = re.compile(rb"\d{4}-\d\d-\d\d")
_DATETIME = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?Z?")
_INTEGER = re.compile(rb"-?\d+")
_DECIMAL = re.compile(rb"-?\d+\.\d+")
_TEXT_LENGTH = 40
_GREGORIAN_100NS = 0x01B21DD213814000
_RECENT_MS = (1_262_304_000_000, 2_524_608_000_000)  # 2010 to 2050


def generator_for(
    values: Sequence[bytes], column: str, form: Form, *, is_whole: bool = False
) -> str:
    """The generator's name; `values` are those seen, `column` a column name or ""; `is_whole` says
    that the column holds whole numbers, which many applications write in quotes."""
    if form is Form.HEX:
        return _binary(values)
    is_code = form is Form.TEXT and not is_whole and len({len(v) for v in values}) == 1
    for name, holds in _RULES:
        if name == "integer" and is_code:
            continue  # '75116' is a code of five digits, not a number
        if all(holds(v, column.lower()) for v in values):
            return name
    return _by_characters(values)


def _binary(values: Sequence[bytes]) -> str:
    """Bytes, but for the swapped form of UUID_TO_BIN(x, 1): it is ordered by time. The version of
    another binary UUID is learned with the rest of its shape."""
    is_uuid = all(len(v) == 16 and v[8] >> 6 == 2 for v in values)
    if is_uuid and all(_is_recent_uuid1(v[4:8] + v[2:4] + v[:2]) for v in values):
        return "uuid1_swapped"
    return f"binary{len(values[0])}"


def _by_characters(values: Sequence[bytes]) -> str:
    """Hex of one length, words, or a pattern. Digits alone are a code of digits, no hex."""
    size = len(values[0])
    if all(len(v) == size for v in values) and size >= 8 and not all(v.isdigit() for v in values):
        for digits, name in ((rb"[0-9a-f]+", "hex"), (rb"[0-9A-F]+", "HEX")):
            if all(re.fullmatch(digits, v) for v in values):
                version = _version([v.lower() for v in values]) if size == 32 else ""
                return f"uuid{version}_hex" if version else f"{name}{size}"
    is_long = max(map(len, values)) > _TEXT_LENGTH or any(b" " in v for v in values)
    return "text" if is_long else "pattern"


def _version(digits: Sequence[bytes]) -> str:
    """The UUID version that 32 hexadecimal digits tell, "" for none: those that hold the time must
    hold one of our days."""
    if any(d[16:17] not in (b"8", b"9", b"a", b"b") for d in digits):
        return ""
    if all(d[12:13] == b"4" for d in digits):
        return "4"
    if all(d[12:13] == b"7" and _is_recent_ms(int(d[:12], 16)) for d in digits):
        return "7"
    return "1" if all(_is_recent_uuid1(bytes.fromhex(d[:16].decode())) for d in digits) else ""


def _is_recent_uuid1(head: bytes) -> bool:
    """time_low, time_mid, version and time_high of a version 1 UUID."""
    if head[6] >> 4 != 1:
        return False
    ticks = int.from_bytes(bytes([head[6] & 15, head[7]]) + head[4:6] + head[:4], "big")
    return _is_recent_ms((ticks - _GREGORIAN_100NS) // 10_000)


def _is_recent_ms(at: int) -> bool:
    return _RECENT_MS[0] <= at < _RECENT_MS[1]


def _uuid(version: bytes) -> Callable[[bytes, str], bool]:
    def holds(value: bytes, _: str) -> bool:
        found = _UUID.fullmatch(value)
        return found is not None and found[1] == version

    return holds


def _is_pan(value: bytes, _: str) -> bool:
    """A card number: 13 to 19 digits with a valid check digit."""
    if not re.fullmatch(rb"[2-6]\d{12,18}", value):
        return False
    digits = [int(c) for c in value.decode()][::-1]
    return sum(digits[::2] + [sum(divmod(2 * d, 10)) for d in digits[1::2]]) % 10 == 0


def _is_snowflake(value: bytes, _: str) -> bool:
    return value.isdigit() and 17 <= len(value) <= 19


def _named(*parts: str) -> Callable[[bytes, str], bool]:
    return lambda value, column: any(p in column for p in parts) and not value.isdigit()


def _matches(pattern: re.Pattern[bytes]) -> Callable[[bytes, str], bool]:
    return lambda value, _: pattern.fullmatch(value) is not None


_RULES: tuple[tuple[str, Callable[[bytes, str], bool]], ...] = (
    ("uuid1", _uuid(b"1")),
    ("uuid4", _uuid(b"4")),
    ("uuid7", _uuid(b"7")),
    ("uuid4", _matches(_ANY_UUID)),
    ("ulid", _matches(_ULID)),
    ("email", _matches(_EMAIL)),
    ("phone", _matches(_PHONE)),
    ("ipv4", _matches(_IPV4)),
    ("datetime", _matches(_DATETIME)),
    ("date", _matches(_DATE)),
    ("first_name", _named("first_name", "firstname", "fname", "given_name")),
    ("last_name", _named("last_name", "lastname", "surname", "family_name")),
    ("pan", lambda v, c: _is_pan(v, c) and ("pan" in c or "card" in c)),
    ("snowflake", _is_snowflake),
    ("integer", lambda v, _: _INTEGER.fullmatch(v) is not None and (v == b"0" or v[:1] != b"0")),
    ("decimal", _matches(_DECIMAL)),
)

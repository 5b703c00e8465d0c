"""The SQL functions of the expression language, evaluated as MariaDB does.

Characters count in text, bytes in binary; a function of text and binary gives binary.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from readiness.errors import WorkloadError
from readiness.workload.make.scalars import (
    Characters,
    Value,
    characters,
    integer,
    octets,
    plain_text,
)


def _alike(first: Value, *others: Value) -> tuple[Characters, ...]:
    """All as text, or all as binary where one is."""
    made = [characters(v) for v in (first, *others)]
    if any(isinstance(v, bytes) for v in made):
        return tuple(octets(v) for v in made)
    return tuple(made)


def _cased(change: Callable[[str], str], alone: Mapping[str, str]) -> Callable[[Value], Value]:
    """Letter by letter as the server's tables do; `alone` is where they differ from Python's."""

    def one(char: str) -> str:
        changed = alone.get(char) or change(char)
        return changed if len(changed) == 1 else char

    def apply(value: Value) -> Value:
        text = characters(value)
        if isinstance(text, bytes):
            return text  # binary has no case
        return change(text) if text.isascii() else "".join(map(one, text))

    return apply


def _concat(*values: Value) -> Value:
    parts = [v if isinstance(v, str) else characters(v) for v in values]
    try:
        return "".join(parts)  # type: ignore[arg-type]  # the usual case; binary falls through
    except TypeError:
        return b"".join(map(octets, parts))


def _left(value: Value, count: Value) -> Value:
    return characters(value)[: max(0, integer(count))]


def _right(value: Value, count: Value) -> Value:
    text, n = characters(value), integer(count)
    return text[max(0, len(text) - n) :] if n > 0 else text[:0]


def _substring(value: Value, start: Value, count: Value | None = None) -> Value:
    text, first = characters(value), integer(start)
    begin = first - 1 if first > 0 else len(text) + first
    if not first or begin < 0:
        return text[:0]
    return text[begin:] if count is None else text[begin : begin + max(0, integer(count))]


def _substring_index(value: Value, delimiter: Value, count: Value) -> Value:
    text, mark, n = plain_text(value), plain_text(delimiter), integer(count)
    if not mark or not n:
        return ""
    parts = text.split(mark) if n > 0 else text.rsplit(mark, -n)
    return mark.join(parts[:n] if n > 0 else parts[-min(-n, len(parts)) :])


def _replace(value: Value, old: Value, new: Value) -> Value:
    text, a, b = _alike(value, old, new)
    if not a:
        return text
    if isinstance(text, bytes):
        return text.replace(octets(a), octets(b))
    return text.replace(plain_text(a), plain_text(b))


_LONGEST_PAD = 1_000_000


def _lpad(value: Value, count: Value, fill: Value = " ") -> Value:
    text, pad, n = plain_text(value), plain_text(fill), max(0, integer(count))
    if n > _LONGEST_PAD:
        raise WorkloadError(f"LPAD is asked for more than {_LONGEST_PAD:,} characters")
    if len(text) >= n or not pad:
        return text[:n] if len(text) >= n else ""
    missing = n - len(text)
    return (pad * (missing // len(pad) + 1))[:missing] + text


def _md5(value: Value) -> Value:
    return hashlib.md5(octets(value), usedforsecurity=False).hexdigest()


def _sha1(value: Value) -> Value:
    return hashlib.sha1(octets(value), usedforsecurity=False).hexdigest()


_SHA2 = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}


def _sha2(value: Value, bits: Value) -> Value:
    name = _SHA2.get(integer(bits))
    if not name:
        raise WorkloadError("SHA2 is asked for a length other than 224, 256, 384 or 512 bits")
    return hashlib.new(name, octets(value)).hexdigest()


def _to_base64(value: Value) -> Value:
    text = base64.b64encode(octets(value)).decode()
    return "\n".join(text[at : at + 76] for at in range(0, len(text), 76))


def _from_base64(value: Value) -> Value:
    try:
        return base64.b64decode("".join(plain_text(value).split()), validate=True)
    except ValueError:
        raise WorkloadError("FROM_BASE64 is given a text that is no base64") from None


def _hex(value: Value) -> Value:
    if isinstance(value, int):
        return f"{value % 2**64:X}"
    return octets(value).hex().upper()


def _unhex(value: Value) -> Value:
    digits = plain_text(value)
    try:
        return bytes.fromhex("0" * (len(digits) % 2) + digits)
    except ValueError:
        raise WorkloadError("UNHEX is given a text that is no hexadecimal number") from None


@dataclass(frozen=True, slots=True)
class Function:
    """One function with the number of arguments it takes."""

    least: int
    most: int
    call: Callable[..., Value]


FUNCTIONS = {
    "CONCAT": Function(1, 1000, _concat),
    "LOWER": Function(1, 1, _cased(str.lower, {"İ": "i", "ẞ": "ẞ"})),
    "UPPER": Function(1, 1, _cased(str.upper, {})),
    "LEFT": Function(2, 2, _left),
    "RIGHT": Function(2, 2, _right),
    "SUBSTRING": Function(2, 3, _substring),
    "SUBSTRING_INDEX": Function(3, 3, _substring_index),
    "REPLACE": Function(3, 3, _replace),
    "LPAD": Function(2, 3, _lpad),
    "MD5": Function(1, 1, _md5),
    "SHA1": Function(1, 1, _sha1),
    "SHA2": Function(2, 2, _sha2),
    "TO_BASE64": Function(1, 1, _to_base64),
    "FROM_BASE64": Function(1, 1, _from_base64),
    "HEX": Function(1, 1, _hex),
    "UNHEX": Function(1, 1, _unhex),
}

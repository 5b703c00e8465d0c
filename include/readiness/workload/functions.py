"""The SQL functions of the expression language, evaluated as MariaDB does.

Text is `str`, binary is `bytes`, numbers are `int` or `Decimal`, times are `Moment`. Characters
count in text, bytes in binary; a function of text and binary gives binary.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from readiness.errors import WorkloadError


class Moment(NamedTuple):
    """A point in time and how it is written: fraction digits, or as a date alone."""

    at: datetime
    fraction: int = 0
    is_date: bool = False

    def __str__(self) -> str:
        """The text that the server gives."""
        if self.is_date:
            return self.at.date().isoformat()
        if not self.fraction:
            return self.at.isoformat(" ", "seconds")
        return self.at.isoformat(" ", "microseconds")[: 20 + self.fraction]


Value = str | bytes | int | Decimal | Moment
Characters = str | bytes

_EXACT_TEXT = re.compile(r"\s*-?\d{1,15}")
_MOMENT = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?")
_DOUBLE_LIMIT = 10**15


def characters(value: Value) -> Characters:
    """A value as text or binary."""
    if isinstance(value, str | bytes):
        return value
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def octets(value: Value) -> bytes:
    """A value as bytes, text in UTF-8."""
    text = characters(value)
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def _text(value: Value) -> str:
    text = characters(value)
    return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")


def _alike(first: Value, *others: Value) -> tuple[Characters, ...]:
    """All as text, or all as binary where one is."""
    made = [characters(v) for v in (first, *others)]
    if any(isinstance(v, bytes) for v in made):
        return tuple(octets(v) for v in made)
    return tuple(made)


def integer(value: Value) -> int:
    """A value as a whole number; raises WorkloadError where the server would round or guess."""
    if isinstance(value, int):
        return value
    if isinstance(value, str | bytes) and re.fullmatch(r"\s*-?\d{1,19}", _text(value)):
        return int(_text(value))
    raise WorkloadError("an expression needs a whole number where it has another value")


def _number(value: Value) -> int | Decimal:
    if isinstance(value, int | Decimal):
        return value
    if isinstance(value, str | bytes) and _EXACT_TEXT.fullmatch(_text(value)):
        return int(_text(value))
    raise WorkloadError(
        "an expression calculates with a text that is no whole number of up to 15 digits",
        hint="The server would calculate with a rounded one; store the variable as a number.",
    )


def _limited(result: int | Decimal, *operands: Value) -> int | Decimal:
    """Refuses what the server would answer with an error or with a rounded number."""
    rounded = any(isinstance(v, str | bytes) for v in operands)
    limit = _DOUBLE_LIMIT if rounded else 2**63
    if not -limit < result < limit:
        raise WorkloadError("an expression's result is beyond what the server calculates exactly")
    return result


def add(a: Value, b: Value) -> Value:
    """a + b"""
    return _limited(_number(a) + _number(b), a, b)


def subtract(a: Value, b: Value) -> Value:
    """a - b"""
    return _limited(_number(a) - _number(b), a, b)


def multiply(a: Value, b: Value) -> Value:
    """a * b"""
    return _limited(_number(a) * _number(b), a, b)


def divide(a: Value, b: Value) -> Value:
    """a DIV b, cut towards zero."""
    x = _number(a) if isinstance(a, Decimal) else integer(a)
    y = _number(b) if isinstance(b, Decimal) else integer(b)
    if not y:
        raise WorkloadError("an expression divides by zero")
    if isinstance(x, int) and isinstance(y, int):
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return int(Decimal(x) // Decimal(y))


def limited(result: int) -> int:
    """A whole result that may be beyond what the server calculates; raises WorkloadError then."""
    return int(_limited(result))


def negate(a: Value) -> Value:
    """-a"""
    return -_number(a)


UNITS = {
    "MICROSECOND": timedelta(microseconds=1),
    "SECOND": timedelta(seconds=1),
    "MINUTE": timedelta(minutes=1),
    "HOUR": timedelta(hours=1),
    "DAY": timedelta(days=1),
    "WEEK": timedelta(weeks=1),
}


def interval(amount: int | Decimal, unit: str) -> tuple[timedelta, int]:
    """INTERVAL amount unit, and the fraction digits that it gives a moment."""
    if unit == "SECOND" and isinstance(amount, Decimal):
        digits = min(-int(amount.as_tuple().exponent), 6)
        return timedelta(microseconds=int(amount * 1_000_000)), digits
    return UNITS[unit] * integer(amount), 6 if unit == "MICROSECOND" else 0


def shift(value: Value, amount: Value, unit: str, sign: int) -> Value:
    """value ± INTERVAL amount unit; text goes in and comes out as text."""
    start = value if isinstance(value, Moment) else _moment(_text(value))
    exact = amount if isinstance(amount, Decimal) else integer(amount)
    by, digits = interval(exact, unit)
    is_date = start.is_date and unit in ("DAY", "WEEK")
    made = Moment(start.at + by * sign, max(start.fraction, digits), is_date)
    if isinstance(value, Moment):
        return made
    return str(made if made.at.microsecond or digits else made._replace(fraction=0))


def _moment(text: str) -> Moment:
    found = _MOMENT.fullmatch(text)
    if not found:
        raise WorkloadError("an expression adds an INTERVAL to a text that is no date or time")
    year, month, day, hour, minute, second = (int(g or 0) for g in found.groups()[:6])
    micro = int((found[7] or "").ljust(6, "0"))
    try:
        at = datetime(year, month, day, hour, minute, second, micro, UTC).replace(tzinfo=None)
    except ValueError:
        raise WorkloadError(
            "an expression adds an INTERVAL to a date that does not exist"
        ) from None
    return Moment(at, 6 if found[7] else 0, found[4] is None)


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
    text, mark, n = _text(value), _text(delimiter), integer(count)
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
    return text.replace(_text(a), _text(b))


def _lpad(value: Value, count: Value, fill: Value = " ") -> Value:
    text, pad, n = _text(value), _text(fill), max(0, integer(count))
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
        return base64.b64decode("".join(_text(value).split()), validate=True)
    except ValueError:
        raise WorkloadError("FROM_BASE64 is given a text that is no base64") from None


def _hex(value: Value) -> Value:
    if isinstance(value, int):
        return f"{value % 2**64:X}"
    return octets(value).hex().upper()


def _unhex(value: Value) -> Value:
    digits = _text(value)
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

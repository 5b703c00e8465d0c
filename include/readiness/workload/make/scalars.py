"""The values of the expression language, and how MariaDB calculates with them.

Text is `str`, binary is `bytes`, numbers are `int` or `Decimal`, times are `Moment`. What the server
would round, guess or refuse raises WorkloadError.
"""

from __future__ import annotations

import re
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
_LONGEST_S = 1000 * 366 * 86_400


def characters(value: Value) -> Characters:
    """A value as text or binary."""
    if isinstance(value, str | bytes):
        return value
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def octets(value: Value) -> bytes:
    """A value as bytes, text in UTF-8."""
    text = characters(value)
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def plain_text(value: Value) -> str:
    """A value as text, binary read as UTF-8."""
    text = characters(value)
    return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")


def integer(value: Value) -> int:
    """A value as a whole number; raises WorkloadError where the server would round or guess."""
    if isinstance(value, int):
        return value
    if isinstance(value, str | bytes) and re.fullmatch(r"\s*-?\d{1,19}", plain_text(value)):
        return int(plain_text(value))
    raise WorkloadError("an expression needs a whole number where it has another value")


def _number(value: Value) -> int | Decimal:
    if isinstance(value, int | Decimal):
        return value
    if isinstance(value, str | bytes) and _EXACT_TEXT.fullmatch(plain_text(value)):
        return int(plain_text(value))
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
    exact = amount if unit == "SECOND" else integer(amount)
    if abs(Decimal(exact)) * Decimal(UNITS[unit].total_seconds()) > _LONGEST_S:
        raise WorkloadError("an INTERVAL of an expression is longer than 1,000 years")
    if isinstance(exact, Decimal):
        digits = min(-int(exact.as_tuple().exponent), 6)
        return timedelta(microseconds=int(exact * 1_000_000)), digits
    return UNITS[unit] * exact, 6 if unit == "MICROSECOND" else 0


def shift(value: Value, amount: Value, unit: str, sign: int) -> Value:
    """value ± INTERVAL amount unit; text goes in and comes out as text."""
    start = value if isinstance(value, Moment) else _moment(plain_text(value))
    exact = amount if isinstance(amount, Decimal) else integer(amount)
    by, digits = interval(exact, unit)
    is_date = start.is_date and unit in ("DAY", "WEEK")
    try:
        at = start.at + by * sign
    except OverflowError:
        raise WorkloadError("an expression's time is not between the years 1 and 9999") from None
    made = Moment(at, max(start.fraction, digits), is_date)
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

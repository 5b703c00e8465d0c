"""Learns a generator's text from captured values: shapes and coarse ranges, no value.

A range is widened to whole powers of ten, years or column limits, and no captured value is its
end. Fixed parts of a pattern are those that all captures share.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from readiness.errors import WorkloadError
from readiness.model.draft import RawVariable
from readiness.model.generator import (
    SIZED,
    Pattern,
    Specification,
    escaped,
    parse_specification,
)
from readiness.model.transactions import Raw
from readiness.model.workload import Form

_COLUMN_LIMITS = (127, 255, 32_767, 65_535, 8_388_607, 16_777_215, 2**31 - 1, 2**32 - 1)
_LARGEST = 2**63 - 1
_EPOCHS_MS = (0, 1_288_834_974_657, 1_420_070_400_000, 1_577_836_800_000, 1_609_459_200_000)
_HALF_A_YEAR_MS = 183 * 86_400_000
_HOUR_MS = 3_600_000
_ROOMY = 10**10
_FEWEST_DIGITS = 4
_DIGITS = 20  # beyond any integer column


@dataclass(frozen=True, slots=True, repr=False)
class _Seen(Raw):
    """A fresh variable's values as text (binary as it is), and the time of the build."""

    values: tuple[bytes, ...]
    texts: tuple[str, ...]
    form: Form
    now_ms: int
    captured: Collection[bytes]

    def numbers(self) -> set[int]:
        """Whole numbers that were captured, for whatever column: no range may end in one."""
        return {int(v) for v in (*self.captured, *self.values) if v.isdigit() and len(v) < _DIGITS}


def specification_of(variable: RawVariable, now_ms: int, captured: Collection[bytes] = ()) -> str:
    """The generator's text for a fresh variable; `now_ms` is the time of the build, and no end of a
    range is one of the `captured` values, whosever it is.

    Raises WorkloadError when no capture holds a value."""
    values = tuple(v for v in variable.values if v is not None)
    if not values:
        raise WorkloadError(f"@{variable.name} has no value in any capture")
    texts = tuple(v.decode("utf-8", "replace") for v in values)
    if variable.form is Form.NUMBER:
        texts = tuple(f"{Decimal(t):f}" for t in texts)  # .5 and 1e3 as 0.5 and 1000
    seen = _Seen(values, texts, variable.form, now_ms, captured)
    name = _known(variable.generator, seen)
    learn = _LEARNERS.get(name)
    try:
        return str(learn(seen)) if learn else name
    except ValueError:
        return str(_fallback(seen))


def _known(name: str, seen: _Seen) -> str:
    """A generator that exists and fits the form; anything else is learned from the shape."""
    if seen.form is Form.HEX:
        return name if name == "uuid1_swapped" else _binary_name(seen)
    if name in SIZED:
        return f"{name}{len(seen.texts[0])}"
    try:
        parse_specification(name)
    except ValueError:
        return _numeric_name(seen) if seen.form is Form.NUMBER else "pattern"
    if name.startswith("binary"):
        return "pattern"
    if seen.form is Form.NUMBER and name not in ("integer", "decimal", "snowflake"):
        return _numeric_name(seen)
    return name


def _numeric_name(seen: _Seen) -> str:
    return "decimal" if any("." in t for t in seen.texts) else "integer"


def _binary_name(seen: _Seen) -> str:
    """Binary UUIDs keep their version: versions 1 and 7 are ordered by time."""
    versions = {v[6] >> 4 if len(v) == 16 and v[8] >> 6 == 2 else 0 for v in seen.values}
    only = versions.pop() if len(versions) == 1 else 0
    return f"uuid{only}" if only in (1, 4, 7) else f"binary{max(len(seen.values[0]), 1)}"


def _fallback(seen: _Seen) -> Specification:
    return _decimal(seen) if seen.form is Form.NUMBER else _pattern(seen)


def _uuid(name: str, seen: _Seen) -> Specification:
    is_upper = seen.form is Form.TEXT and all(t == t.upper() for t in seen.texts)
    return Specification(name, argument="upper" if is_upper else "")


def _email(seen: _Seen) -> Specification:
    longest = max(len(t) for t in seen.texts)
    return Specification("email", argument=str(-(-longest // 4) * 4))


def _text(seen: _Seen) -> Specification:
    return Specification("text", argument=str(max(len(t) for t in seen.texts)))


def _pan(seen: _Seen) -> Specification:
    return Specification("pan", argument=str(len(seen.texts[0])))


def _phone(seen: _Seen) -> Specification:
    """Separators and the first digit stay; the second becomes a 0, which no number has there."""
    made, digits = [], 0
    for char in seen.texts[0]:
        digits += char.isdigit()
        if not char.isdigit():
            made.append(escaped(char))
        else:
            made.append(escaped(char) if digits == 1 else "0" if digits == 2 else "9")
    text = "".join(made)
    Pattern.parse(text)
    return Specification("phone", argument=text)


def _coarse(low: int, high: int, taken: set[int]) -> tuple[int, int]:
    """Powers of ten around a range, cut at the limit of a column type, off the captured values."""
    first = 10 ** (len(str(low)) - 1) if low > 0 else 0
    last = 10 ** len(str(high)) - 1
    last = min([limit for limit in (*_COLUMN_LIMITS, _LARGEST) if high <= limit < last] or [last])
    while first in taken and first > 1:
        first -= 1
    while last in taken and last > 9 and last < _LARGEST:
        last += 1
    return first, last


def _integer(seen: _Seen) -> Specification:
    numbers = {int(t) for t in seen.texts}
    if min(numbers) < 0:
        size = 10 ** len(str(max(map(abs, numbers)))) - 1
        return Specification("integer", argument=f"{-size}..{size}")
    low, high = _coarse(min(numbers), max(numbers), seen.numbers())
    return Specification("integer", argument=f"{low}..{high}")


def _decimal(seen: _Seen) -> Specification:
    scale = max(len(t.partition(".")[2]) for t in seen.texts)
    if not scale:
        return _integer(seen)
    scaled = {int(_scaled(t, scale)) for t in seen.texts}
    if min(scaled) < 0:
        size = f"{10 ** max(len(str(max(map(abs, scaled)))) - scale, 0) - 1}.{'9' * scale}"
        return Specification("decimal", argument=f"-{size}..{size}")
    wholes = [n // 10**scale for n in scaled]
    first = 10 ** (len(str(min(wholes))) - 1) * 10**scale if min(wholes) > 0 else 1
    last = 10 ** ((len(str(max(wholes))) if max(wholes) else 0) + scale) - 1
    first -= first in scaled and first > 1
    last -= last in scaled
    first = _off(first, seen, step=-(10**scale), least=10**scale, unit=10**scale)
    last = _off(last, seen, step=10**scale, least=0, unit=10**scale)
    low, high = (f"{n // 10**scale}.{n % 10**scale:0{scale}d}" for n in (first, last))
    return Specification("decimal", argument=f"{low}..{high}")


def _off(number: int, seen: _Seen, *, step: int, least: int, unit: int) -> int:
    """The number, moved by steps until its whole part is no captured number."""
    taken = seen.numbers()
    while number // unit in taken and number > least:
        number += step
    return number


def _scaled(text: str, scale: int) -> str:
    whole, _, fraction = text.partition(".")
    return whole + fraction.ljust(scale, "0")


def _years(seen: _Seen) -> tuple[str, str]:
    """Five-year steps around the dates; ends that were captured, as a day or as a number of any
    column, move by a year."""
    years = [int(t[:4]) for t in seen.texts]
    days, numbers = {t[:10] for t in seen.texts}, seen.numbers()
    low, high = min(years) // 5 * 5, max(years) // 5 * 5 + 4
    while low > 1 and (f"{low:04d}-01-01" in days or low in numbers):
        low -= 1
    while high < 9999 and (f"{high:04d}-12-31" in days or high in numbers):
        high += 1
    return f"{max(low, 1):04d}-01-01", f"{high:04d}-12-31"


def _date(seen: _Seen) -> Specification:
    return Specification("date", argument="..".join(_years(seen)))


def _datetime(seen: _Seen) -> Specification:
    digits = max(len(t.partition(".")[2]) for t in seen.texts)
    argument = "..".join(_years(seen)) + (f",{digits}" if digits else "")
    return Specification("datetime", argument=argument)


def _snowflake(seen: _Seen) -> Specification:
    """The epoch that makes the captured ids recent; else one that makes them of this hour."""
    newest_ms = max(int(t) for t in seen.texts) >> 22
    ages = {epoch: seen.now_ms - (newest_ms + epoch) for epoch in _EPOCHS_MS}
    fitting = [epoch for epoch, age in ages.items() if -_HOUR_MS < age < _HALF_A_YEAR_MS]
    epoch = min(fitting, key=ages.__getitem__, default=None)
    if epoch is None:
        epoch = (seen.now_ms - newest_ms) // _HOUR_MS * _HOUR_MS
    return Specification("snowflake", argument=str(epoch))


_CLASSES = (
    ("9", string.digits),
    ("a", string.ascii_lowercase),
    ("A", string.ascii_uppercase),
    ("h", string.digits + "abcdef"),
    ("H", string.digits + "ABCDEF"),
    ("x", string.digits + string.ascii_lowercase),
    ("X", string.digits + string.ascii_uppercase),
)


def _pattern(seen: _Seen) -> Specification:
    """Runs of letters and digits that differ between captures vary, all else is fixed.

    Where a text has digits for fewer than 10**10 values, they become letters and digits with a
    letter first: no two checkouts meet, and none meets a row that exists."""
    parts = [re.split(r"([A-Za-z0-9]+)", t) for t in seen.texts]
    if len({len(p) for p in parts}) > 1:
        parts = parts[:1]
    runs = [_run([p[i] for p in parts], len(parts) == 1) for i in range(len(parts[0]))]
    text = "".join(runs)
    if "9" in text and any(c.isalpha() for c in seen.texts[0]):
        text = text if Pattern.parse(text).space >= _ROOMY else _roomier(text)
    if Pattern.parse(text).space == 1:
        raise WorkloadError("a generated variable has one fixed value")
    return Specification("pattern", argument=text)


def _run(column: Sequence[str], is_only: bool) -> str:
    """One run over all captures: fixed when all agree, else its class for each character."""
    first = column[0]
    if not re.search(r"[A-Za-z0-9]", first) or (len(set(column)) == 1 and not is_only):
        return "".join(escaped(c) if c.isascii() and c.isprintable() else "x" for c in first)
    if len({len(c) for c in column}) > 1:
        return _class_of("".join(column)) * len(first)
    pieces = [m.span() for m in re.finditer(r"\d+|[a-z]+|[A-Z]+", first)]
    if not all(_alike([c[a:b] for c in column]) for a, b in pieces):
        return _class_of("".join(column)) * len(first)
    made = []
    for a, b in pieces:
        values = [c[a:b] for c in column]
        is_fixed = len(set(values)) == 1 and not is_only
        made.append(escaped(values[0]) if is_fixed else _class_of("".join(values)) * (b - a))
    return "".join(made)


def _alike(values: Sequence[str]) -> bool:
    """Whether all are of one simple class: digits, lower or upper case."""
    return _class_of("".join(values)) in ("9", "a", "A")


def _class_of(chars: str) -> str:
    for name, alphabet in _CLASSES:
        if all(c in alphabet for c in chars):
            return name
    return "w"


def _roomier(text: str) -> str:
    """Varying digits as upper-case letters and digits, the first of each run a letter."""
    return re.sub(r"(\\.)|9+", lambda m: m[1] or "A" + "X" * (len(m[0]) - 1), text)


_LEARNERS: dict[str, Callable[[_Seen], Specification]] = {
    **{
        name: partial(_uuid, name)
        for name in ("uuid1", "uuid4", "uuid7", "uuid1_hex", "uuid4_hex", "uuid7_hex")
    },
    "email": _email,
    "phone": _phone,
    "text": _text,
    "pan": _pan,
    "integer": _integer,
    "decimal": _decimal,
    "date": _date,
    "datetime": _datetime,
    "snowflake": _snowflake,
    "pattern": _pattern,
}

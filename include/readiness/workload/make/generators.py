"""Makes "similar" values: the shape of the captured ones, none of their content.

Each value is woven from the checkout's number and from entropy that is a function of it, so that
no two checkouts of a run make the same value. Where a shape has few values (six digits) they are
numbered through a permutation: as many checkouts as there are values pass without a repetition,
provided that the numbers are dense. Time-ordered kinds start with the time.

A generator is source (see `workload.make.code`) over four names: `n` the checkout's number, `e` its
entropy in bytes, `h` the same in hexadecimal digits, `ms` milliseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from readiness.errors import WorkloadError
from readiness.model.generator import Specification, parse_specification
from readiness.model.workload import Form
from readiness.workload.make.code import Code, Entropy, Term, Type, octets_of
from readiness.workload.make.free import Lane
from readiness.workload.make.shapes import Cards, Numbers, Octets, Texts, shape_of
from readiness.workload.make.spelling import card, chosen, drawn, letters_of, word_source
from readiness.workload.make.uuids import CROCKFORD, UUIDS, ulid_head, uuid_term

__all__ = ["Asked", "Generator", "Lane", "generated", "generator"]

Make = Callable[[int, bytes, int], bytes]
"""(number of the checkout, entropy, milliseconds since the epoch) -> raw value."""


@dataclass(frozen=True, slots=True)
class Generator:
    """A compiled generator that takes `entropy` bytes for each value."""

    entropy: int
    make: Make


class Asked:
    """What is asked of a generator: its specification, the form of the values, its lane. It takes
    bytes of entropy as it needs them."""

    def __init__(self, text: str, form: Form, lane: Lane, code: Code, entropy: Entropy) -> None:
        self.specification = parse_specification(text)
        self.form = form
        self.lane = lane
        self.code = code
        self.take = entropy.take

    def number(self, space: int) -> str:
        """Source for a number below `space` that no other checkout of the run has."""
        return self.lane.position(self.code, "n", space)


def generated(asked: Asked) -> Term:
    """A generator's value as a term. Raises WorkloadError when it has no values."""
    try:
        return _BUILDERS[asked.specification.name](asked)
    except (ArithmeticError, ValueError) as error:
        raise unusable(error) from None


def unusable(error: Exception) -> WorkloadError:
    """What is raised for a text that is no generator."""
    return WorkloadError(f"the generator cannot be used: {error}")


def generator(text: str, form: Form, lane: Lane) -> Generator:
    """Compiles a generator such as `uuid4` or `pattern(ORD-999999)` for values of one form.

    Raises WorkloadError when the text is no generator, or has no values."""
    code, entropy = Code(), Entropy()
    try:
        asked = Asked(text, form, lane, code, entropy)
    except ValueError as error:
        raise unusable(error) from None
    octets = octets_of(code, generated(asked))
    inner = code.function("n, e, h, ms", octets)
    return Generator(entropy.size, lambda n, e, ms: bytes(inner(n, e, e.hex(), ms)))


def _uuid(asked: Asked) -> Term:
    return uuid_term(asked.specification, asked.form, asked.code, asked.take(16))


def _ulid(asked: Asked) -> Term:
    at = asked.take(16)
    letters = asked.code.object(letters_of(CROCKFORD))
    source = f"{ulid_head(asked.code)} + e[{at}:{at + 16}].translate({letters}).decode()"
    return Term(Type.TEXT, source, is_plain=True)


def _snowflake(asked: Asked) -> Term:
    """`free` moves the time up where the target holds larger ids."""
    epoch_ms = int(asked.specification.argument or 1_288_834_974_657)
    free = asked.lane.free
    ms = f"ms - {epoch_ms - (free.start if free else 0)}"
    low = Lane(asked.lane.salt, asked.lane.index, asked.lane.stride)
    return Term(Type.WHOLE, f"({ms} << 22 | {low.position(asked.code, 'n', 1 << 22)})")


def _numbered(asked: Asked) -> Term:
    """A generator with few values, else one whose characters are drawn."""
    shape = shape_of(asked.specification)
    if isinstance(shape, Numbers):
        return _number(asked, shape)
    if isinstance(shape, Octets):
        number = asked.number(shape.space)
        return Term(Type.BINARY, f"({number}).to_bytes({shape.size}, 'big')")
    if isinstance(shape, Cards):
        return card(asked.code, asked.number(shape.space), shape.digits)
    if isinstance(shape, Texts):
        return word_source(asked.code, asked.number(shape.space), shape.pattern)
    return _drawn(asked)


def _number(asked: Asked, shape: Numbers) -> Term:
    number = asked.number(shape.space)
    if not shape.scale:
        return Term(Type.WHOLE, f"({shape.low} + {number})")
    at = asked.code.let(f"{shape.low} + {number}")
    size = asked.code.let(f"abs({at})")
    parts = f"({size} // {10**shape.scale}, {size} % {10**shape.scale})"
    sign = f"('-' if {at} < 0 else '') + " if shape.low < 0 else ""
    return Term(Type.TEXT, f"({sign}'%d.%0{shape.scale}d' % {parts})", is_plain=True)


def _drawn(asked: Asked) -> Term:
    name, size = asked.specification.name, asked.specification.size
    if name == "binary":
        at = asked.take(size)
        return Term(Type.BINARY, f"e[{at}:{at + size}]")
    if name in ("hex", "HEX"):
        at = 2 * asked.take(-(-size // 2))
        upper = ".upper()" if name == "HEX" else ""
        return Term(Type.TEXT, f"h[{at}:{at + size}]{upper}", is_plain=True)
    return drawn(asked.code, asked.specification, asked.take)


def _email(asked: Asked) -> Term:
    domain = "@mail.example"
    size = min(max(int(asked.specification.argument or 29) - len(domain), 14), 64)
    at = 2 * asked.take(-(-size // 2))
    return Term(Type.TEXT, f"h[{at}:{at + size}] + '{domain}'", is_plain=True)


def _name(asked: Asked) -> Term:
    return chosen(asked.code, asked.specification.name, asked.take(3))


def _date(asked: Asked) -> Term:
    text = asked.specification.argument or "1950-01-01..2004-12-31"
    low, high = (date.fromisoformat(b) for b in Specification("date", argument=text).bounds())
    days = _span(low.toordinal(), high.toordinal())
    of, number = asked.code.object(date.fromordinal), asked.number(days)
    return Term(Type.TEXT, f"{of}({low.toordinal()} + {number}).isoformat()", is_plain=True)


def _datetime(asked: Asked) -> Term:
    range_text, _, digits = asked.specification.argument.partition(",")
    bounds = Specification("datetime", argument=range_text or "2020-01-01..2024-12-31").bounds()
    start, end = (datetime.fromisoformat(bound) for bound in bounds)
    span = _span(0, (end - start) // timedelta(microseconds=1) + 86_399_999_999)
    at, code = asked.take(8), asked.code
    from_start = f"{code.object(timedelta)}(0, 0, int.from_bytes(e[{at}:{at + 8}], 'big') % {span})"
    made = code.let(f"{code.object(start)} + {from_start}")
    fraction = int(digits) if digits.strip() else 0
    return Term(Type.CLOCK, made, fraction=fraction)


def _ipv4(asked: Asked) -> Term:
    """198.18.0.0/15, the range for benchmarks: nobody's address."""
    at = asked.code.let(asked.number(1 << 17))
    parts = f"(18 + ({at} >> 16), {at} >> 8 & 255, {at} & 255)"
    return Term(Type.TEXT, f"'198.%d.%d.%d' % {parts}", is_plain=True)


def _span(low: int, high: int) -> int:
    if high < low:
        raise ValueError("a range ends before it begins")
    return high - low + 1


_BUILDERS: dict[str, Callable[[Asked], Term]] = {
    **dict.fromkeys(UUIDS, _uuid),
    **dict.fromkeys(
        ("binary", "hex", "HEX", "phone", "pattern", "text", "integer", "decimal", "pan"), _numbered
    ),
    "ulid": _ulid,
    "snowflake": _snowflake,
    "email": _email,
    "first_name": _name,
    "last_name": _name,
    "date": _date,
    "datetime": _datetime,
    "ipv4": _ipv4,
}

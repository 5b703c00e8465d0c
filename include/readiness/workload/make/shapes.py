"""The texts and numbers that a generator can make, numbered from 0 in the order of an index.

Generators with few values number them; the same numbering tells which of them a target holds:
`floor` finds where a value that stands in a column lies between them. `spell` gives the value of a
number, 0 <= number < space, as a parameter of a query; `floor` the number of the largest value that
is not above another one, -1 where all are above.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from readiness.model.generator import Pattern, Specification, luhn_digit

FEW = 1 << 48  # below this many values they are numbered, above drawn
TEST_BIN = "400000"
PHONE = "+10999999999"


class Texts:
    """The texts of a pattern; case is ignored, as most collations do."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.space = rest = pattern.space
        self._worth: list[dict[str, int]] = []
        for place in pattern.places:
            rest //= len(place)
            self._worth.append({char.lower(): at * rest for at, char in enumerate(place)})

    def spell(self, number: int) -> object:
        """The text of a number."""
        return self.pattern.fill(number)

    def floor(self, value: object) -> int:
        """Case is ignored."""
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        number = 0
        for at, worth in enumerate(self._worth):
            here = text[at : at + 1].lower()
            if here not in worth:
                below = sum(char < here for char in worth)
                return number + below * self._step(at) - 1
            number += worth[here]
        return number

    def _step(self, at: int) -> int:
        """How many texts share all characters up to this place."""
        rest = self.space
        for place in self.pattern.places[: at + 1]:
            rest //= len(place)
        return rest


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers from `low` on, `scale` digits after the point."""

    low: int
    space: int
    scale: int = 0

    def spell(self, number: int) -> object:
        """The number itself."""
        made = Decimal(self.low + number).scaleb(-self.scale)
        return made if self.scale else int(made)

    def floor(self, value: object) -> int:
        """A text that is no number is above all."""
        try:
            scaled = Decimal(str(value)).scaleb(self.scale)
        except InvalidOperation:
            return self.space - 1
        return min(max(int(scaled // 1) - self.low, -1), self.space - 1)


@dataclass(frozen=True, slots=True)
class Octets:
    """All strings of `size` bytes."""

    size: int
    space: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "space", 256**self.size)

    def spell(self, number: int) -> object:
        """The bytes, most significant first."""
        return number.to_bytes(self.size, "big")

    def floor(self, value: object) -> int:
        """Shorter ones are filled up with zeros."""
        raw = value if isinstance(value, bytes) else str(value).encode()
        return int.from_bytes(raw[: self.size].ljust(self.size, b"\0"), "big")


@dataclass(frozen=True, slots=True)
class Cards:
    """Card numbers of one test range: its digits, and the check digit that follows from them."""

    digits: int
    space: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "space", 10**self.digits)

    def spell(self, number: int) -> object:
        """All digits."""
        body = f"{TEST_BIN}{number:0{self.digits}d}"
        return body + luhn_digit(body)

    def floor(self, value: object) -> int:
        """By the digits before the check digit."""
        body = Texts(Pattern.parse(TEST_BIN + "9" * self.digits))
        return body.floor(value)


Shape = Texts | Numbers | Octets | Cards


def shape_of(specification: Specification) -> Shape | None:
    """The numbered values of a generator; None where they are drawn, or made of the time.

    Raises ValueError when it has no values."""
    name, size = specification.name, specification.size
    if name in ("pattern", "phone", "text"):
        return _few(Texts(_pattern_of(specification)))
    if name in ("hex", "HEX"):
        return _few(Texts(Pattern.parse(("h" if name == "hex" else "H") * size)))
    if name in ("integer", "decimal"):
        return _numbers(specification)
    if name == "binary":
        return _few(Octets(size))
    return Cards(card_digits(specification)) if name == "pan" else None


def card_digits(specification: Specification) -> int:
    """How many digits of a card number are free."""
    digits = int(specification.argument or 16) - len(TEST_BIN) - 1
    if digits < 1:
        raise ValueError("a card number has at least 8 digits")
    return digits


def _pattern_of(specification: Specification) -> Pattern:
    if specification.name == "text":
        return Pattern.parse("a" * int(specification.argument or 24))
    return Pattern.parse(specification.argument or (PHONE if specification.name == "phone" else ""))


def _few(shape: Shape) -> Shape | None:
    return shape if shape.space < FEW else None


def _numbers(specification: Specification) -> Shape:
    low, high = (Decimal(bound) for bound in specification.bounds())
    scale = max(-int(low.as_tuple().exponent), -int(high.as_tuple().exponent), 0)
    if specification.name == "integer" and scale:
        raise ValueError("an integer range has no digits after a point")
    start = int(low.scaleb(scale))
    space = int(high.scaleb(scale)) - start + 1
    if space < 1:
        raise ValueError("a range ends before it begins")
    return Numbers(start, space, scale)

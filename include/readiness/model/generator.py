"""The text form of a generator, such as `uuid4`, `integer(100..999)` or `pattern(ORD-999999)`.

A specification holds no captured value: shapes and coarse ranges only. In a pattern `9` is a
digit, `a` and `A` a letter, `h` and `H` a hexadecimal digit, `x` and `X` a letter or digit
(lower and upper case), `w` one of both (each letter in one case); every other character, and one after a backslash, stands
for itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_DIGITS = "0123456789"
_LOWER = "abcdefghijklmnopqrstuvwxyz"
ALPHABETS = {
    "9": _DIGITS,
    "a": _LOWER,
    "A": _LOWER.upper(),
    "h": _DIGITS + "abcdef",
    "H": _DIGITS + "ABCDEF",
    "x": _DIGITS + _LOWER,
    "X": _DIGITS + _LOWER.upper(),
    # Each letter in one case: no two texts differ by case alone, and any collation has one order.
    "w": _DIGITS + "ABCDEFGHIJKLM" + "nopqrstuvwxyz",
}

GENERATORS = (
    "uuid1",
    "uuid4",
    "uuid7",
    "uuid1_hex",
    "uuid4_hex",
    "uuid7_hex",
    "uuid1_swapped",
    "ulid",
    "snowflake",
    "email",
    "phone",
    "first_name",
    "last_name",
    "date",
    "datetime",
    "integer",
    "decimal",
    "pan",
    "ipv4",
    "pattern",
    "text",
)
SIZED = ("binary", "hex", "HEX")  # binary16, hex64: bytes or digits follow the name

_NUMBER, _DAY = r"-?\d{1,38}(?:\.\d{1,38})?", r"\d{4}-\d\d-\d\d"
# What stands in a generator's parentheses, if anything, and an example of it.
_ARGUMENTS = {
    **dict.fromkeys([name for name in GENERATORS if name.startswith("uuid")], ("upper", "upper")),
    "snowflake": (r"\d{1,15}", "1577836800000"),
    "email": (r"[1-9]\d{0,2}", "28"),
    "phone": (r".+", "+10999999999"),
    "date": (rf"{_DAY}\.\.{_DAY}", "1950-01-01..1994-12-31"),
    "datetime": (rf"(?:{_DAY}\.\.{_DAY})?(?:,\s*[0-6])?", "2024-01-01..2024-12-31,6"),
    "integer": (rf"{_NUMBER}\.\.{_NUMBER}", "100..999"),
    "decimal": (rf"{_NUMBER}\.\.{_NUMBER}", "0.01..9.99"),
    "pan": (r"\d{1,2}", "16"),
    "pattern": (r".+", "ORD-999999"),
    "text": (r"[1-9]\d{0,4}", "24"),
}

SPECIFICATION = r"[A-Za-z]+\d*(?:_[a-z]+)?(?:\((?:\\.|[^()\\])*\))?"
_WHOLE = re.compile(r"(?P<name>[A-Za-z]+\d*(?:_[a-z]+)?)(?:\((?P<argument>(?:\\.|[^()\\])*)\))?")
_SIZED = re.compile(rf"(?P<name>{'|'.join(SIZED)})(?P<size>[1-9]\d{{0,3}})")


@dataclass(frozen=True, slots=True)
class Specification:
    """A parsed generator: `binary16` is ("binary", 16, ""); `date(a..b)` is ("date", 0, "a..b")."""

    name: str
    size: int = 0
    argument: str = ""

    def __str__(self) -> str:
        """The text that `parse_specification` reads back."""
        size = str(self.size) if self.size else ""
        return f"{self.name}{size}" + (f"({self.argument})" if self.argument else "")

    def bounds(self) -> tuple[str, str]:
        """The two ends of a range argument `low..high`; raises ValueError for another form."""
        low, dots, high = self.argument.partition("..")
        if not (dots and low and high):
            raise ValueError(f"{self.name} needs a range such as {self.name}(10..99)")
        return low, high


def parse_specification(text: str) -> Specification:
    """Reads `text`; raises ValueError that says which names exist."""
    found = _WHOLE.fullmatch(text)
    if not found:
        raise ValueError(
            "a generator is a name, with an argument in parentheses where it takes one"
        )
    name, argument = found["name"], found["argument"] or ""
    _require_argument(name, argument)
    if name in GENERATORS:
        return Specification(name, argument=argument)
    sized = _SIZED.fullmatch(name)
    if not sized:
        known = ", ".join([*GENERATORS, *(f"{s}N" for s in SIZED)])
        raise ValueError(f"there is no generator {name}; there are {known}")
    return Specification(sized["name"], int(sized["size"]), argument)


def example_of(name: str) -> str:
    """`integer(100..999)`: a generator with an argument that it takes; the bare name without one."""
    return f"{name}({_ARGUMENTS[name][1]})" if name in _ARGUMENTS else name


def _require_argument(name: str, argument: str) -> None:
    form, _ = _ARGUMENTS.get(name, ("", ""))
    if not argument or re.fullmatch(form, argument):
        return
    if not form:
        raise ValueError(f"{name} takes nothing in parentheses")
    raise ValueError(f"{name} takes in parentheses only what looks like {example_of(name)}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text of fixed length: each place is a string of the characters it may hold."""

    places: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """Reads a pattern; raises ValueError where it is empty or ends in a lone backslash."""
        if not text or not text.isprintable():
            raise ValueError("a pattern needs at least one character, all of them printable")
        places: list[str] = []
        escaped = False
        for char in text:
            if char == "\\" and not escaped:
                escaped = True
                continue
            places.append(char if escaped else ALPHABETS.get(char, char))
            escaped = False
        if escaped:
            raise ValueError("a pattern ends in a lone backslash")
        return cls(tuple(places))

    @property
    def space(self) -> int:
        """How many different texts there are."""
        total = 1
        for place in self.places:
            total *= len(place)
        return total

    def fill(self, number: int) -> str:
        """The text of `number`, 0 <= number < space; different numbers give different texts."""
        chars = []
        for place in reversed(self.places):
            size = len(place)
            if size == 1:
                chars.append(place)
            else:
                number, rest = divmod(number, size)
                chars.append(place[rest])
        return "".join(reversed(chars))


def escaped(text: str) -> str:
    """`text` as the part of a pattern that stands for itself."""
    return "".join(f"\\{c}" if c in ALPHABETS or c in "\\()" else c for c in text)


def luhn_digit(digits: str) -> str:
    """The check digit that makes `digits` + it a card number by Luhn's formula."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        doubled = int(char) * (2 - place % 2)
        total += doubled - 9 * (doubled > 9)
    return str(-total % 10)


def is_luhn(digits: str) -> bool:
    """Whether a string of digits ends in its own check digit, and is not one digit repeated."""
    return luhn_digit(digits[:-1]) == digits[-1] and any(a != b for a, b in pairwise(digits))

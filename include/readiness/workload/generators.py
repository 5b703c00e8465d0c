"""Makes "similar" values: the shape of the captured ones, none of their content.

Each value is woven from the checkout's number and from entropy that is a function of it, so that
no two checkouts of a run make the same value. Where a shape has few values (six digits) they are
numbered through a permutation: as many checkouts as there are values pass without a repetition,
provided that the numbers are dense. Time-ordered kinds start with the time.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from readiness.errors import WorkloadError
from readiness.model.generator import (
    Pattern,
    Specification,
    luhn_digit,
    parse_specification,
)
from readiness.model.workload import Form

Make = Callable[[int, str, int], bytes]
"""(number of the checkout, hexadecimal entropy, milliseconds since the epoch) -> raw value."""


@dataclass(frozen=True, slots=True)
class Generator:
    """A compiled generator. `nibbles` hexadecimal digits of entropy go into each value;
    `is_plain` values hold nothing that needs escaping in a quoted literal."""

    nibbles: int
    make: Make
    is_plain: bool = True


@dataclass(frozen=True, slots=True)
class Lane:
    """One of `stride` variables that share a column: number n of lane k is n * stride + k.

    Lanes of one column share `salt` and hence one permutation: they never meet."""

    salt: bytes
    index: int = 0
    stride: int = 1

    def permuted(self, space: int) -> Callable[[int], int]:
        """A bijection of 0..space-1 that does not visibly count."""
        seed = hashlib.blake2b(self.salt, digest_size=32).digest()
        factor = int.from_bytes(seed[:16], "big") % space or 1
        while math.gcd(factor, space) != 1:
            factor += 1
        offset = int.from_bytes(seed[16:], "big") % space + factor * self.index
        step = factor * self.stride
        return lambda number: (step * number + offset) % space


@dataclass(frozen=True, slots=True)
class _Asked:
    specification: Specification
    form: Form
    lane: Lane


def generator(text: str, form: Form, lane: Lane) -> Generator:
    """Compiles a generator such as `uuid4` or `pattern(ORD-999999)` for values of one form.

    Raises WorkloadError when the text is no generator, or has no values."""
    try:
        specification = parse_specification(text)
        return _BUILDERS[specification.name](_Asked(specification, form, lane))
    except ValueError as error:
        raise WorkloadError(f"the generator cannot be used: {error}") from None


_VARIANT = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))
_GREGORIAN_100NS = 0x01B21DD213814000
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CROCKFORD_BYTES = bytes(ord(_CROCKFORD[b & 31]) for b in range(256))
_LETTER_BYTES = bytes(ord("a") + b % 26 for b in range(256))
_FEW = 1 << 48  # below this many values they are numbered, above drawn


def _uuid(asked: _Asked) -> Generator:
    version = asked.specification.name[4:]
    digits: Callable[[str, int], str] = {"1": _uuid1, "4": _uuid4, "7": _uuid7}[version[:1]]
    if asked.form is Form.HEX:
        return Generator(32, lambda _number, h, ms: bytes.fromhex(digits(h, ms)))
    if version.endswith("_hex"):
        return Generator(32, lambda _number, h, ms: digits(h, ms).encode())
    if asked.specification.argument == "upper":
        return Generator(32, lambda _number, h, ms: _dashed(digits(h, ms)).upper().encode())
    return Generator(32, lambda _number, h, ms: _dashed(digits(h, ms)).encode())


def _dashed(x: str) -> str:
    return f"{x[:8]}-{x[8:12]}-{x[12:16]}-{x[16:20]}-{x[20:]}"


def _uuid4(h: str, _ms: int) -> str:
    return f"{h[:12]}4{h[13:16]}{_VARIANT[h[16]]}{h[17:32]}"


def _uuid7(h: str, ms: int) -> str:
    return f"{ms:012x}7{h[13:16]}{_VARIANT[h[16]]}{h[17:32]}"


def _uuid1(h: str, ms: int) -> str:
    t = f"{ms * 10_000 + int(h[:3], 16) + _GREGORIAN_100NS:015x}"
    return f"{t[7:]}{t[3:7]}1{t[:3]}{_VARIANT[h[16]]}{h[17:21]}1{h[22:32]}"


def _ulid(_asked: _Asked) -> Generator:
    def make(_number: int, h: str, ms: int) -> bytes:
        head = "".join(_CROCKFORD[ms >> shift & 31] for shift in range(45, -1, -5))
        return head.encode() + bytes.fromhex(h).translate(_CROCKFORD_BYTES)

    return Generator(32, make)


def _snowflake(asked: _Asked) -> Generator:
    epoch_ms = int(asked.specification.argument or 1_288_834_974_657)
    low = asked.lane.permuted(1 << 22)
    return Generator(0, lambda number, _h, ms: b"%d" % (ms - epoch_ms << 22 | low(number)))


def _binary(asked: _Asked) -> Generator:
    size = asked.specification.size
    if size < 7:
        numbered = asked.lane.permuted(256**size)
        return Generator(0, lambda n, _h, _ms: numbered(n).to_bytes(size, "big"), is_plain=False)
    return Generator(2 * size, lambda _number, h, _ms: bytes.fromhex(h), is_plain=False)


def _hexadecimal(asked: _Asked) -> Generator:
    size, upper = asked.specification.size, asked.specification.name == "HEX"
    if size < 14:
        numbered, shape = (
            asked.lane.permuted(16**size),
            b"%%0%d%s" % (size, b"X" if upper else b"x"),
        )
        return Generator(0, lambda number, _h, _ms: shape % numbered(number))
    if upper:
        return Generator(size, lambda _number, h, _ms: h.upper().encode())
    return Generator(size, lambda _number, h, _ms: h.encode())


def _email(asked: _Asked) -> Generator:
    domain = b"@mail.example"
    local = min(max(int(asked.specification.argument or 29) - len(domain), 14), 64)
    return Generator(local, lambda _number, h, _ms: h.encode() + domain)


def _pattern(asked: _Asked) -> Generator:
    default = "+10999999999" if asked.specification.name == "phone" else ""
    pattern = Pattern.parse(asked.specification.argument or default)
    space, is_plain = pattern.space, not set("".join(pattern.places)) & set("'\\")
    if space < _FEW:
        numbered = asked.lane.permuted(space)
        return Generator(
            0, lambda n, _h, _ms: pattern.fill(numbered(n)).encode(), is_plain=is_plain
        )
    return Generator(
        2 * pattern.varying(),
        lambda _n, h, _ms: pattern.drawn(bytes.fromhex(h)),
        is_plain=is_plain,
    )


def _text(asked: _Asked) -> Generator:
    size = int(asked.specification.argument or 24)
    if size < 12:
        return _pattern(
            _Asked(Specification("pattern", argument="a" * size), asked.form, asked.lane)
        )
    return Generator(2 * size, lambda _number, h, _ms: bytes.fromhex(h).translate(_LETTER_BYTES))


def _words(asked: _Asked) -> Generator:
    words = _FIRST_NAMES if asked.specification.name == "first_name" else _LAST_NAMES
    count = len(words)
    return Generator(6, lambda _number, h, _ms: words[int(h, 16) % count])


def _date(asked: _Asked) -> Generator:
    text = Specification("date", argument=asked.specification.argument or "1950-01-01..2004-12-31")
    low, high = (date.fromisoformat(bound) for bound in text.bounds())
    days = _span(low.toordinal(), high.toordinal())
    start = low.toordinal()
    return Generator(
        8,
        lambda _n, h, _ms: date.fromordinal(start + int(h, 16) % days).isoformat().encode(),
    )


def _datetime(asked: _Asked) -> Generator:
    range_text, _, digits = asked.specification.argument.partition(",")
    bounds = Specification("datetime", argument=range_text or "2020-01-01..2024-12-31").bounds()
    start, end = (datetime.fromisoformat(bound) for bound in bounds)
    microseconds = _span(0, (end - start) // timedelta(microseconds=1) + 86_399_999_999)
    length = 20 + int(digits) if digits.strip() not in ("", "0") else 19
    return Generator(
        16,
        lambda _n, h, _ms: (
            f"{start + timedelta(microseconds=int(h, 16) % microseconds)}"[:length]
            .ljust(length, "0")
            .encode()
        ),
    )


def _integer(asked: _Asked) -> Generator:
    low, high = (int(bound) for bound in asked.specification.bounds())
    numbered = asked.lane.permuted(_span(low, high))
    return Generator(0, lambda number, _h, _ms: b"%d" % (low + numbered(number)))


def _decimal(asked: _Asked) -> Generator:
    low, high = (Decimal(bound) for bound in asked.specification.bounds())
    scale = max(-int(low.as_tuple().exponent), -int(high.as_tuple().exponent), 0)
    start = int(low.scaleb(scale))
    numbered = asked.lane.permuted(_span(start, int(high.scaleb(scale))))
    return Generator(
        0, lambda n, _h, _ms: f"{Decimal(start + numbered(n)).scaleb(-scale):f}".encode()
    )


def _pan(asked: _Asked) -> Generator:
    size = int(asked.specification.argument or 16)
    digits = size - len(_TEST_BIN) - 1
    if digits < 1:
        raise ValueError("a card number has at least 8 digits")
    numbered = asked.lane.permuted(10**digits)

    def make(number: int, _h: str, _ms: int) -> bytes:
        body = f"{_TEST_BIN}{numbered(number):0{digits}d}"
        return (body + luhn_digit(body)).encode()

    return Generator(0, make)


def _ipv4(asked: _Asked) -> Generator:
    """198.18.0.0/15, the range for benchmarks: nobody's address."""
    numbered = asked.lane.permuted(1 << 17)

    def make(number: int, _h: str, _ms: int) -> bytes:
        at = numbered(number)
        return b"198.%d.%d.%d" % (18 + (at >> 16), at >> 8 & 255, at & 255)

    return Generator(0, make)


def _span(low: int, high: int) -> int:
    if high < low:
        raise ValueError("a range ends before it begins")
    return high - low + 1


_TEST_BIN = "400000"
_BUILDERS: dict[str, Callable[[_Asked], Generator]] = {
    "uuid1": _uuid,
    "uuid4": _uuid,
    "uuid7": _uuid,
    "uuid4_hex": _uuid,
    "ulid": _ulid,
    "snowflake": _snowflake,
    "binary": _binary,
    "hex": _hexadecimal,
    "HEX": _hexadecimal,
    "email": _email,
    "phone": _pattern,
    "pattern": _pattern,
    "text": _text,
    "first_name": _words,
    "last_name": _words,
    "date": _date,
    "datetime": _datetime,
    "integer": _integer,
    "decimal": _decimal,
    "pan": _pan,
    "ipv4": _ipv4,
}

_FIRST_NAMES = (
    b"Aldo Anouk Arvid Berit Bruno Carla Cedric Dagny Daphne Elias Elin Emre Faye Filip Freya "
    b"Gaspar Greta Hamid Hedda Idris Ingrid Ismael Jarl Joana Kamil Katja Leon Lilja Malik Marit "
    b"Nadja Noel Oskar Ottilie Pavel Petra Ravi Runa Samir Selma Signe Tomas Trine Ulf Valeria "
    b"Viktor Wanja Ximena Yusuf Zelda"
).split()
_LAST_NAMES = (
    b"Almqvist Bauer Bjork Castellan Czerny Delacroix Dvorak Eklund Fabre Ferrand Gallo Gruber "
    b"Haddad Hallberg Ibarra Jonsson Kaplan Kovac Lambert Lindqvist Marchetti Mendes Nakagawa "
    b"Nordin Okafor Palmer Petrov Quiroga Renard Ricci Santoro Schreiber Tanaka Tremblay Ueda "
    b"Varga Vesely Wagner Winther Yilmaz Zapata Zimmer"
).split()

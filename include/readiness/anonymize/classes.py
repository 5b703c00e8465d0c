"""Classes of texts that a pseudonym keeps: UUID, e-mail, phone, card, IBAN, date, address, number.

Each writer takes the text and the streams of its key. All spellings of one value (`A1B2…`,
`a1b2…`; a card with and without blanks) share a stream, so they stay spellings of one value."""

from __future__ import annotations

import ipaddress
import re
from calendar import monthrange
from collections.abc import Callable

from readiness.anonymize.draw import Draw, Draws
from readiness.model.generator import is_luhn, luhn_digit

_UUID = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_UUID_HEX = re.compile(r"[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15}|"
                       r"[0-9A-F]{12}[1-8][0-9A-F]{3}[89AB][0-9A-F]{15}")  # fmt: skip
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_PHONE = re.compile(r"\+\d[\d ()/.-]{7,18}\d")
_CARD = re.compile(r"\d(?:[ -]?\d){12,18}")
_IBAN = re.compile(r"(?i)[a-z]{2}\d{2}(?: ?[a-z0-9]){11,30}")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:([ T])(\d\d):(\d\d):(\d\d)(\.\d+)?(Z?))?")
_NUMBER = re.compile(r"(-?)(\d{1,80})(?:\.(\d{1,80}))?")
_TELLING_NUMBER = re.compile(r"-?[1-9]\d{0,79}(?:\.\d{1,80})?")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_DIGITS, _LETTERS = "0123456789", "abcdefghijklmnopqrstuvwxyz"
_ISSUED = re.compile(  # what each network's numbers begin with, and how long they are
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}"
    r"|35\d{14}|6(?:011|5\d\d|4[4-9]\d|2\d\d)\d{12,15}"
)
_IBAN_MODULUS = 97
_RECENT_YEAR = 2010
_LONG = 1000
_TRIES = 16

Writer = Callable[[str, Draws], str]


def writer_for(text: str) -> Writer | None:
    """Who writes a pseudonym of the text's class; None where it has none."""
    return next((write for fits, write in _CLASSES if fits(text)), None)


def is_ip(text: str, version: int) -> bool:
    """Whether a text is an address of IP version 4 or 6."""
    if (":" if version == 6 else ".") not in text:
        return False
    try:
        return ipaddress.ip_address(text).version == version
    except ValueError:
        return False


def is_card(text: str) -> bool:
    """Whether it is a card number that an issuer may give, blanks and dashes allowed."""
    digits = re.sub(r"[ -]", "", text)
    is_one = _CARD.fullmatch(text) and text.isascii() and _ISSUED.fullmatch(digits)
    return bool(is_one) and is_luhn(digits)


def is_iban(text: str) -> bool:
    """Whether it is an account number with right check digits, blanks allowed."""
    plain = text.replace(" ", "")
    return bool(_IBAN.fullmatch(text) and text.isascii()) and _iban_rest(plain) == 1


def _iban_rest(plain: str) -> int:
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % _IBAN_MODULUS


def uuid_bytes(raw: bytes, draws: Draws) -> bytes:
    """Another UUID of the same version and variant."""
    made = bytearray(draws.of("uuid", raw).bytes(16))
    made[6], made[8] = raw[6] & 0xF0 | made[6] & 0x0F, raw[8] & 0xC0 | made[8] & 0x3F
    return bytes(made)


def is_uuid_bytes(raw: bytes) -> bool:
    """Whether 16 bytes look like a UUID of a known version."""
    return len(raw) == 16 and raw[6] >> 4 in range(1, 9) and raw[8] >> 6 == 2


def _uuid(text: str, draws: Draws) -> str:
    digits = uuid_bytes(bytes.fromhex(text.replace("-", "")), draws).hex()
    if "-" in text:
        digits = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    return digits.upper() if text.upper() == text else digits


def _ulid(text: str, draws: Draws) -> str:
    draw = draws.of("ulid", text)
    return text[0] + "".join(draw.pick(_CROCKFORD) for _ in range(25))


def example_domain(domain: str, draws: Draws) -> str | None:
    """A domain under .example or .test, which nobody owns, of the same length; None if too short."""
    draw = draws.of("domain", domain.lower())
    for ending in (".example", ".test"):
        if len(domain) > len(ending):
            label = "".join(draw.pick(_LETTERS) for _ in range(len(domain) - len(ending)))
            made = label + ending
            return made.upper() if domain.isupper() else made
    return None


def _phone(text: str, draws: Draws) -> str:
    """Country code, then a 0, which no number has there."""
    at = [i for i, c in enumerate(text) if c.isdigit()]
    draw = draws.of("phone", "".join(text[i] for i in at))
    kept = {at[0]: text[at[0]], at[1]: "0"}
    return "".join(
        kept.get(i) or (draw.pick(_DIGITS) if c.isdigit() else c) for i, c in enumerate(text)
    )


def _card(text: str, draws: Draws) -> str:
    digits = re.sub(r"[ -]", "", text)
    draw = draws.of("card", digits)
    body = digits[0] + "".join(draw.pick(_DIGITS) for _ in digits[2:])
    return _laid(body + luhn_digit(body), text)


def _iban(text: str, draws: Draws) -> str:
    """The country stays, the check digits are right."""
    plain = text.replace(" ", "")
    draw = draws.of("iban", plain.upper())
    body = "".join(draw.pick(_DIGITS if c.isdigit() else _LETTERS) for c in plain[4:])
    check = _IBAN_MODULUS + 1 - _iban_rest(f"{plain[:2]}00{body}")
    made = f"{plain[:2]}{check:02d}{body}"
    return _laid(made.upper() if plain.isupper() else made, text)


def _laid(made: str, text: str) -> str:
    """The characters where the text has its own, the text's blanks and dashes between them."""
    following = iter(made)
    return "".join(c if c in " -" else next(following) for c in text)


def _date(text: str, draws: Draws) -> str:
    """Another day of the same decade; of the same year when it is recent. Times change too, apart
    from the day: a date and a moment of it stay of one day."""
    match = _DATE.fullmatch(text)
    if not match:
        return text
    return _day(text[:10], draws) + (match[4] + _time(text, match, draws) if match[4] else "")


def _day(text: str, draws: Draws) -> str:
    """Never the day itself, so that the day of a moment is what that day alone becomes."""
    made = text
    for attempt in range(_TRIES):
        draw, year = draws.of("date", text, attempt), int(text[:4])
        year = year if year >= _RECENT_YEAR else year - year % 10 + draw.below(10)
        month = 1 + draw.below(12)
        made = f"{year:04d}-{month:02d}-{1 + draw.below(monthrange(max(year, 1), month)[1]):02d}"
        if made != text:
            break
    return made


def _time(text: str, match: re.Match[str], draws: Draws) -> str:
    draw = draws.of("time", text)
    made = f"{draw.below(24):02d}:{draw.below(60):02d}:{draw.below(60):02d}"
    fraction = "".join(draw.pick(_DIGITS) if c != "." else c for c in match[8] or "")
    return made + fraction + match[9]


def _ipv4(text: str, draws: Draws) -> str:
    """198.18.0.0/15, the range for benchmarks; the length may differ."""
    draw = draws.of("ip", ipaddress.ip_address(text).packed)
    return f"198.{18 + draw.below(2)}.{draw.below(256)}.{draw.below(256)}"


def _ipv6(text: str, draws: Draws) -> str:
    draw = draws.of("ip", ipaddress.ip_address(text).packed)
    return "2001:db8" + "".join(f":{draw.below(65536):04x}" for _ in range(6))


def numeral(text: str, draws: Draws) -> str:
    """A number of as many digits, not larger than the original by much: columns stay in range.

    It lies between the smallest number of that many digits and the original; a longer original
    so close to that end that it would be guessed gets up to half more. A card number stays one. "" for
    no plain number."""
    if is_card(text):
        return _card(text, draws)
    match = _NUMBER.fullmatch(text)
    if not match or not text.isascii():
        return ""
    sign, whole, fraction = match[1], match[2], match[3] or ""
    made = f"{_similar(int(whole + fraction), draws.of('number', text)):0{len(whole + fraction)}d}"
    return sign + (f"{made[: len(whole)]}.{made[len(whole) :]}" if fraction else made)


def _similar(value: int, draw: Draw) -> int:
    low: int = min(10 ** (len(str(value)) - 1), value)
    is_near_the_end = low >= _LONG and value < low + low // 5
    high = low + low // 2 if is_near_the_end else value
    return low + draw.below(high - low + 1)


_CLASSES: tuple[tuple[Callable[[str], object], Writer], ...] = (
    (_UUID.fullmatch, _uuid),
    (_UUID_HEX.fullmatch, _uuid),
    (_ULID.fullmatch, _ulid),
    (_PHONE.fullmatch, _phone),
    (is_card, _card),
    (is_iban, _iban),
    (_DATE.fullmatch, _date),
    (lambda text: is_ip(text, 4), _ipv4),
    (lambda text: is_ip(text, 6), _ipv6),
    (_TELLING_NUMBER.fullmatch, numeral),
)

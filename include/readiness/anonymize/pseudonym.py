"""Keyed pseudonyms: HMAC-SHA256 of a value, written in the value's own shape.

Kept are class (UUID with version, e-mail, card number, date, JSON, number …), length, case and
equality: the same value gives the same pseudonym wherever it stands. Not kept is the value; there
is no way back without the key, nor with it but by trying.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import re
from calendar import monthrange
from collections.abc import Callable, Iterator

from readiness.model.generator import Pattern, is_luhn, luhn_digit
from readiness.model.workload import Form

_UUID = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]+")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:([ T])(\d\d):(\d\d):(\d\d)(\.\d+)?(Z?))?")
_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?")
_EXPONENT = re.compile(r"[eE][+-]?\d+\Z")
_JSON_PART = re.compile(r'"(?:[^"\\]|\\.)*"(?=\s*:)|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|[a-zA-Z]+')
_HEX_RUN = re.compile(r"(?=[0-9]*[a-f])[0-9a-f]{8,}|(?=[0-9]*[A-F])[0-9A-F]{8,}")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LOWER, _UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER_2, _UPPER_2 = "àáâãäåæçèéêëìíîïñòóôõöøùúûü", "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜ"
_PLAIN_WORDS = frozenset({"", "true", "false", "null"})
_RECENT_YEAR = 2010
_LONG = 1000
_TRIES = 64


def _nothing(_made: bytes) -> bool:
    return False


class Pseudonyms:
    """Makes pseudonyms under one key; `is_forbidden` says which texts are never the answer: a made
    value may hold a captured one by chance, as a UUID's group may be a captured price."""

    def __init__(self, key: bytes, is_forbidden: Callable[[bytes], bool] = _nothing) -> None:
        self._key = key
        self._is_forbidden = is_forbidden

    def of(self, value: bytes, form: Form) -> bytes:
        """The pseudonym of a decoded literal; short numbers may stay what they are."""
        make = {Form.HEX: self._binary, Form.NUMBER: self._number}.get(form, self._text)
        made = value
        for attempt in range(_TRIES):
            made = make(value, _Draw(self._key, form, value, attempt))
            if made != value and not self._is_forbidden(made):
                break
        return made

    def filled(self, pattern: Pattern, domain: str, value: bytes) -> bytes:
        """A keyed text of the pattern, no forbidden one where it has others."""
        made = b""
        for attempt in range(_TRIES):
            number = _Draw(self._key, domain, value, attempt).below(pattern.space)
            made = pattern.fill(number).encode()
            if not self._is_forbidden(made):
                break
        return made

    def _binary(self, value: bytes, draw: _Draw) -> bytes:
        made = bytearray(draw.byte() for _ in value)
        if len(value) == 16 and value[6] >> 4 in range(1, 9) and value[8] >> 6 == 2:
            made[6], made[8] = value[6] & 0xF0 | made[6] & 0x0F, 0x80 | made[8] & 0x3F
        return bytes(made)

    def _number(self, value: bytes, draw: _Draw) -> bytes:
        text = value.decode("ascii", "replace")
        exponent = _EXPONENT.search(text)
        at = exponent.start() if exponent else len(text)
        return (_numeral(text[:at], draw) + text[at:]).encode()

    def _text(self, value: bytes, draw: _Draw) -> bytes:
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return self._binary(value, draw)
        return self._shaped(text, draw).encode()

    def _shaped(self, text: str, draw: _Draw) -> str:
        for fits, make in _CLASSES:
            if fits(text):
                return make(text, draw)
        if text[:1] in ("{", "[") and _is_json(text):
            return self._json(text, draw)
        return _letters(text, draw)

    def _json(self, text: str, draw: _Draw) -> str:
        """Keys and structure stay, values are replaced one by one."""

        def replaced(match: re.Match[str]) -> str:
            part, rest = match[0], text[match.end() :].lstrip()
            if part[0] != '"':
                return part if part in _PLAIN_WORDS else _numeral(part, draw)
            inner = json.loads(part)
            if rest.startswith(":") or inner in _PLAIN_WORDS:
                return part
            made = self.of(inner.encode("utf-8", "surrogatepass"), Form.TEXT).decode()
            return json.dumps(made, ensure_ascii=part.isascii())

        return _JSON_PART.sub(replaced, text)


class _Draw:
    """An endless keyed stream of bytes for one value."""

    def __init__(self, key: bytes, domain: str, value: bytes, attempt: int) -> None:
        self._key = key
        self._message = f"{domain}|{attempt}|".encode() + value
        self._stream = self._bytes()

    def _bytes(self) -> Iterator[int]:
        block = 0
        while True:
            message = block.to_bytes(4, "big") + self._message
            yield from hmac.digest(self._key, message, "sha256")
            block += 1

    def byte(self) -> int:
        """The next byte."""
        return next(self._stream)

    def below(self, limit: int) -> int:
        """A number, 0 <= n < `limit`, even to 1 in 2**64."""
        size = (limit.bit_length() + 7) // 8 + 8
        return int.from_bytes(bytes(self.byte() for _ in range(size)), "big") % limit

    def pick(self, alphabet: str) -> str:
        """One of the characters."""
        return alphabet[self.below(len(alphabet))]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _character(char: str, draw: _Draw) -> str:
    """Another character of the same class and of the same length in UTF-8."""
    if char.isascii():
        if char.isdigit():
            return draw.pick("0123456789")
        alphabet = _LOWER if char.islower() else _UPPER
        return draw.pick(alphabet) if char.isalpha() else char
    if not char.isalnum():
        return char
    if len(char.encode()) == 2:
        return draw.pick(_UPPER_2 if char.isupper() else _LOWER_2)
    return chr((0x4E00 if len(char.encode()) == 3 else 0x20000) + draw.below(4096))


def _letters(text: str, draw: _Draw) -> str:
    """Class by class; runs of hexadecimal digits stay hexadecimal; a leading digit stays not 0."""
    made: list[str] = []
    at = 0
    for run in _HEX_RUN.finditer(text):
        made += [_character(c, draw) for c in text[at : run.start()]]
        digits = "0123456789ABCDEF" if any(c in "ABCDEF" for c in run[0]) else "0123456789abcdef"
        made += [draw.pick(digits) for _ in run[0]]
        at = run.end()
    made += [_character(c, draw) for c in text[at:]]
    return "".join(made)


def _numeral(text: str, draw: _Draw) -> str:
    """A number of as many digits, not larger than the original by much: columns stay in range.

    It lies between the smallest number of that many digits and the original; a longer original
    so close to that end that it would be guessed gets up to half more."""
    match = _NUMBER.fullmatch(text)
    if not match:
        return _letters(text, draw)
    sign, whole, fraction = match[1], match[2], match[3] or ""
    width = len(whole + fraction)
    value = int(whole + fraction)
    low = 10 ** (len(str(value)) - 1)
    low = min(low, value)
    near_the_end = low >= _LONG and value < low + low // 5
    high = low + low // 2 if near_the_end else value
    made = f"{low + draw.below(high - low + 1):0{width}d}"
    return sign + (f"{made[: len(whole)]}.{made[len(whole) :]}" if fraction else made)


def _uuid(text: str, draw: _Draw) -> str:
    digits = "0123456789ABCDEF" if text.upper() == text else "0123456789abcdef"
    kept = {8: "-", 13: "-", 14: text[14], 18: "-", 19: draw.pick(digits[8:12]), 23: "-"}
    return "".join(kept.get(i) or draw.pick(digits) for i in range(36))


def _ulid(text: str, draw: _Draw) -> str:
    return text[0] + "".join(draw.pick(_CROCKFORD) for _ in range(25))


def _email(text: str, draw: _Draw) -> str:
    """The domain becomes one under .example or .test, which nobody owns, as far as it fits."""
    local, _, domain = text.rpartition("@")
    for ending in (".example", ".test"):
        if len(domain) > len(ending):
            label = "".join(draw.pick(_LOWER) for _ in range(len(domain) - len(ending)))
            return f"{_letters(local, draw)}@{label}{ending}"
    return f"{_letters(local, draw)}@{_letters(domain, draw)}"


def _phone(text: str, draw: _Draw) -> str:
    """Country code, then a 0, which no number has there."""
    digits = [i for i, c in enumerate(text) if c.isdigit()]
    kept = {digits[0]: text[digits[0]], digits[1]: "0"}
    return "".join(
        kept.get(i) or (draw.pick("0123456789") if c.isdigit() else c) for i, c in enumerate(text)
    )


def _card(text: str, draw: _Draw) -> str:
    body = text[0] + "".join(draw.pick("0123456789") for _ in text[2:])
    return body + luhn_digit(body)


def _date(text: str, draw: _Draw) -> str:
    """Another day of the same decade; of the same year when it is recent. Times change too."""
    match = _DATE.fullmatch(text)
    if not match:
        return _letters(text, draw)
    year = int(match[1])
    year = year if year >= _RECENT_YEAR else year - year % 10 + draw.below(10)
    month = 1 + draw.below(12)
    made = f"{year:04d}-{month:02d}-{1 + draw.below(monthrange(max(year, 1), month)[1]):02d}"
    if not match[4]:
        return made
    made += f"{match[4]}{draw.below(24):02d}:{draw.below(60):02d}:{draw.below(60):02d}"
    fraction = "".join(draw.pick("0123456789") if c != "." else c for c in match[8] or "")
    return made + fraction + match[9]


def _ipv4(_text: str, draw: _Draw) -> str:
    """198.18.0.0/15, the range for benchmarks; the length may differ."""
    return f"198.{18 + draw.below(2)}.{draw.below(256)}.{draw.below(256)}"


def _ipv6(_text: str, draw: _Draw) -> str:
    return "2001:db8" + "".join(f":{draw.below(65536):04x}" for _ in range(6))


def is_ip(text: str, version: int) -> bool:
    """Whether a text is an address of IP version 4 or 6."""
    if (":" if version == 6 else ".") not in text:
        return False
    try:
        return ipaddress.ip_address(text).version == version
    except ValueError:
        return False


def _is_card(text: str) -> bool:
    return text.isascii() and text.isdigit() and 13 <= len(text) <= 19 and is_luhn(text)


_PHONE = re.compile(r"\+\d[\d ()/.-]{7,18}\d")
_CLASSES: tuple[tuple[Callable[[str], object], Callable[[str, _Draw], str]], ...] = (
    (_UUID.fullmatch, _uuid),
    (_ULID.fullmatch, _ulid),
    (_EMAIL.fullmatch, _email),
    (_PHONE.fullmatch, _phone),
    (_is_card, _card),
    (_DATE.fullmatch, _date),
    (lambda text: is_ip(text, 4), _ipv4),
    (lambda text: is_ip(text, 6), _ipv6),
    (re.compile(r"-?[1-9]\d*(?:\.\d+)?").fullmatch, _numeral),
)

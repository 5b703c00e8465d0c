"""Keyed pseudonyms: HMAC-SHA256 of a value, written in the value's own shape.

Kept are class (UUID with version, e-mail, card number, date, JSON, number …), length, case and
equality: the same value gives the same pseudonym wherever it stands, also as a word of a longer text,
in another case, in base64, or hashed. Different texts stay different, also to a collation that knows
neither case nor accents. Not kept is the value; there is no way back without the key, nor with it but
by trying.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import unicodedata
from collections.abc import Callable

from readiness.anonymize.classes import (
    example_domain,
    is_uuid_bytes,
    numeral,
    uuid_bytes,
    writer_for,
)
from readiness.anonymize.digests import Digests
from readiness.anonymize.draw import Draw, Draws
from readiness.anonymize.sensitive import tiny_domain_of
from readiness.anonymize.words import rewritten
from readiness.model.generator import Pattern
from readiness.model.workload import Form

_EMAIL = re.compile(r"([^@\s]+)@([^@\s]+\.[A-Za-z]+)")
_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{4}){3,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_EXPONENT = re.compile(r"[eE][+-]?\d+\Z")
_JSON_PART = re.compile(r'"(?:[^"\\]|\\.)*"(?=\s*:)|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|[a-zA-Z]+')
_PLAIN_WORDS = frozenset({"", "true", "false", "null"})
_DAY = re.compile(rb"\d{4}-\d\d-\d\d(?![^ T])")
_LEAST_DIGITS = 5  # of numbers that stay different
_BEYOND_PLANE_0 = re.compile("[\U00010000-\U0010ffff]")
_TRIES = 64


def _nothing(_made: bytes) -> bool:
    return False


class Pseudonyms:
    """Makes pseudonyms under one key; `is_forbidden` says which texts are never the answer: a made
    value may hold a captured one by chance, as a UUID's group may be a captured price. `digests` are
    those of the values whose hashes may stand in a statement."""

    def __init__(
        self,
        key: bytes,
        is_forbidden: Callable[[bytes], bool] = _nothing,
        digests: Digests | None = None,
    ) -> None:
        self._key = key
        self._is_forbidden = is_forbidden
        self._digests = digests or Digests({})
        self._made: dict[tuple[bytes, Form, str], bytes] = {}
        self._taken: dict[tuple[str, str], str] = {}

    def of(self, value: bytes, form: Form, domain: str = "") -> bytes:
        """The pseudonym of a decoded literal; short numbers may stay what they are. `domain` is that
        of a column with a tiny space of values (`sensitive.tiny_domain_of`)."""
        known = (value, form, domain)
        if known not in self._made:
            self._made[known] = self._new(value, form, domain)
        return self._made[known]

    def knows_digest(self, value: bytes) -> bool:
        """Whether it is a hash of one of the values that may stand hashed in a statement."""
        return self._digests.again(value, bytes) is not None

    def filled(self, pattern: Pattern, domain: str, value: bytes) -> bytes:
        """A keyed text of the pattern, no forbidden one where it has others."""
        made = b""
        for attempt in range(_TRIES):
            number = Draw(self._key, domain, value, attempt).below(pattern.space)
            made = pattern.fill(number).encode()
            if not self._is_forbidden(made):
                break
        return made

    def _new(self, value: bytes, form: Form, domain: str) -> bytes:
        hashed = self._digests.again(value, lambda origin: self.of(origin, Form.TEXT, domain))
        if hashed is not None:
            return hashed
        made = value
        for attempt in range(_TRIES):
            made = self._tried(value, form, Draws(self._key, domain, attempt))
            is_other = made != value and not self._is_forbidden(made)
            if is_other and self._is_free(made, value, domain):
                break
        return made

    def _is_free(self, made: bytes, value: bytes, domain: str) -> bool:
        """Whether no other value has this pseudonym in the eyes of any collation; then it is taken."""
        is_short = value.isdigit() and len(value) < _LEAST_DIGITS
        if (is_short and not domain) or _DAY.match(value):
            return True  # equality with other places counts for more
        owner = _as_collated(value)
        return self._taken.setdefault((domain, _as_collated(made)), owner) == owner

    def _tried(self, value: bytes, form: Form, draws: Draws) -> bytes:
        if form is Form.HEX:
            return self._binary(value, draws)
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return self._binary(value, draws)
        if form is Form.NUMBER:
            exponent = _EXPONENT.search(text)
            at = exponent.start() if exponent else len(text)
            made = numeral(text[:at], draws) or self._words(text[:at], draws)
            return (made + text[at:]).encode()
        return self._base64(value, draws) or self._shaped(text, draws).encode()

    def _binary(self, value: bytes, draws: Draws) -> bytes:
        if is_uuid_bytes(value):
            return uuid_bytes(value, draws)
        return draws.of("binary", value).bytes(len(value))

    def _words(self, text: str, draws: Draws) -> str:
        return rewritten(text, draws, self._is_forbidden)

    def _shaped(self, text: str, draws: Draws) -> str:
        write = writer_for(text)
        if write:
            return write(text, draws)
        if match := _EMAIL.fullmatch(text):
            return self._email(match[1], match[2], draws)
        if text[:1] in ("{", "[") and _is_json(text):
            return self._json(text, draws)
        return self._words(text, draws)

    def _email(self, local: str, domain: str, draws: Draws) -> str:
        """The domain becomes one that nobody owns, as far as that fits."""
        where = example_domain(domain, draws) or self._words(domain, draws)
        return f"{self._words(local, draws)}@{where}"

    def _base64(self, value: bytes, draws: Draws) -> bytes:
        """Text in base64 is replaced inside; b"" for anything else."""
        if not _BASE64.fullmatch(value):
            return b""
        try:
            text = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return b""
        if not text.replace("\n", "").isprintable() or not re.search(r"\W", text):
            return b""
        return base64.b64encode(self._shaped(text, draws).encode())

    def _json(self, text: str, draws: Draws) -> str:
        """Keys and structure stay, values are replaced one by one, each as a column named like its
        key."""
        key = ""

        def replaced(match: re.Match[str]) -> str:
            nonlocal key
            part, rest = match[0], text[match.end() :].lstrip()
            if part[0] != '"':
                if part[0].isalpha():
                    return part
                return numeral(part, draws) or self._words(part, draws)
            inner = json.loads(part)
            if rest.startswith(":"):
                key = inner
                return part
            if inner in _PLAIN_WORDS:
                return part
            raw = inner.encode("utf-8", "surrogatepass")
            made = self.of(raw, Form.TEXT, tiny_domain_of(key) or draws.domain)
            return json.dumps(made.decode("utf-8", "replace"), ensure_ascii=part.isascii())

        return _JSON_PART.sub(replaced, text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _as_collated(value: bytes) -> str:
    """One spelling for all texts that some collation of a server holds equal: without case, accents
    and blanks at the end, characters beyond plane 0 alike (`utf8mb4_general_ci`)."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return value.hex()
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return _BEYOND_PLANE_0.sub("\ufffd", plain.casefold()).rstrip()

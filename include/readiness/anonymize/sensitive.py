"""The second net: constants that look personal although all captures agree on them.

Told by pattern (e-mail, phone, card number, IBAN, social security number, IP address), also inside
longer texts, and by the column they meet (`first_name`, `iban`, `date_of_birth`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from readiness.anonymize.pseudonym import is_ip
from readiness.model.generator import is_luhn

_SHORTEST = 4
_PERSONAL_COLUMN = re.compile(
    r"(?:^|_)(?:e_?mail|phone|mobile|msisdn|fax|iban|bic|ssn|tax_?id|passport|dob|birth(?:_?da(?:y|te))?"
    r"|date_of_birth|(?:first|last|full|given|family|middle|maiden|legal|holder|cardholder)_?name"
    r"|sur_?name|street|address|address_?line\d?|line\d|zip|zip_?code|post_?code|postal_?code"
    r"|card_?number|pan|account_?number|ip|ip_?addr(?:ess)?)$",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"[\w.+%-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
_PHONE = re.compile(r"\+\d[\d ()/.-]{7,18}\d(?!\d)")
_SSN = re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")
_CARD = re.compile(r"(?<!\d)\d{13,19}(?!\d)")
_IBAN = re.compile(r"(?<![A-Z0-9])[A-Z]{2}\d{2}[A-Z0-9]{11,30}(?![A-Z0-9])")
_IPV4 = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_IPV6 = re.compile(r"(?<![\w:])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?![\w:])")
_IBAN_MODULUS = 97


def is_personal_column(column: str, value: bytes) -> bool:
    """Whether a constant of this column is replaced as a whole; short codes are not."""
    return len(value) >= _SHORTEST and bool(_PERSONAL_COLUMN.search(column))


def personal_spans(text: str) -> Iterator[tuple[int, int]]:
    """The spans of a text that look personal, in order, not overlapping."""
    end = 0
    found = [(m.start(), m.end()) for p, holds in _TESTS for m in p.finditer(text) if holds(m[0])]
    for start, stop in sorted(found, key=lambda span: (span[0], -span[1])):
        if start >= end:
            yield start, stop
            end = stop


def _always(_text: str) -> bool:
    return True


def _is_iban(text: str) -> bool:
    digits = "".join(str(int(c, 36)) for c in text[4:] + text[:4])
    return int(digits) % _IBAN_MODULUS == 1


_TESTS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (_EMAIL, _always),
    (_PHONE, _always),
    (_SSN, _always),
    (_CARD, is_luhn),
    (_IBAN, _is_iban),
    (_IPV4, lambda text: is_ip(text, 4)),
    (_IPV6, lambda text: is_ip(text, 6)),
)

"""What the values of a column look like, by the rows that were looked at: shares, never a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from readiness.masking.plan.looks import Looks

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^\W\d_]{2,}")
_PHONE = re.compile(r"(?:\+|00)[\d ()/.-]{7,20}|\(?0\d{2,5}\)?[ /-][\d /-]{4,12}|\(\d{3}\) ?\d{3}-\d{4}"
                    r"|\d{3}-\d{3}-\d{4}")  # fmt: skip
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UUID_HEX = re.compile(r"(?i)[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15}")
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_HEX = re.compile(r"(?i)(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]+")
_CODE = re.compile(
    r"[a-z][a-z0-9]*(?:[_.:/ -][a-z0-9]+){0,4}|[A-Z][A-Z0-9]*(?:[_.-][A-Z0-9]+){0,4}|\d{1,3}"
)
_SIGNED_DIGITS = re.compile(r"[\d ()/.+-]*\d[\d ()/.+-]*")
_PROSE = re.compile(r"\S+(?:\s+\S+){5,}", re.DOTALL)
_RANDOM = re.compile(r"(?=[^a-z]*[a-z])(?=\D*\d)[\w=+/.$-]{16,}", re.IGNORECASE)
_HASH_LENGTHS = frozenset({32, 40, 56, 64, 96, 128})
_BINARY_HASHES = frozenset({20, 28, 32, 48, 64})
_DATE = re.compile(r"(\d{4})-\d\d-\d\d")
_LONG_NUMBER = re.compile(r"[1-9]\d{9,12}")
_CARD_DIGITS = 13
_FEW_WORDS = 24
_MANY_ROWS = 12
_READ = 2_000  # characters of a text in which spans are looked for
_YOUNG_YEAR, _OLD_YEAR = 2005, 1900


@dataclass(frozen=True, slots=True)
class Contents:
    """Shares (0 to 1) of the values that are not empty. `emails`, `phones`, `cards`, `ibans`, `ips`,
    `persons`, `uuids`, `ulids`, `hashes`, `digits`, `signed_digits`, `prose`, `codes`, `random` are of
    whole values; `holding` is of those with an e-mail, a number … inside, `naming` of those with
    anything personal, `births` of days that look like dates of birth,
    `long_numbers` of numbers of 10 to 13 digits. `is_words`: few different codes, as states of a program are."""

    values: int = 0
    distinct: int = 0
    emails: float = 0
    phones: float = 0
    cards: float = 0
    ibans: float = 0
    ips: float = 0
    persons: float = 0
    uuids: float = 0
    ulids: float = 0
    hashes: float = 0
    digits: float = 0
    signed_digits: float = 0
    prose: float = 0
    codes: float = 0
    random: float = 0
    holding: float = 0
    naming: float = 0
    births: float = 0
    long_numbers: float = 0

    @property
    def is_words(self) -> bool:
        """A rare value may be another; so many that agree are needed."""
        return self.codes == 1 and self.values >= _MANY_ROWS and self.distinct <= _FEW_WORDS

    @property
    def are_ids(self) -> bool:
        """Whether they are ids that mean nothing."""
        return max(self.uuids, self.ulids) > 0.9


def contents_of(values: Sequence[bytes | None], looks: Looks) -> Contents:
    """What text values look like; NULL and '' do not count."""
    texts = [v.decode("utf-8", "replace") for v in values if v]
    if not texts:
        return Contents()

    def share(test: Callable[[str], object]) -> float:
        return sum(bool(test(t)) for t in texts) / len(texts)

    return Contents(
        values=len(texts),
        distinct=len(set(texts)),
        emails=share(_EMAIL.fullmatch),
        phones=share(_PHONE.fullmatch),
        cards=share(looks.is_card),
        ibans=share(looks.is_iban),
        ips=share(lambda t: looks.is_ip(t.strip())),
        persons=share(looks.is_person),
        uuids=share(lambda t: _UUID.fullmatch(t) or _UUID_HEX.fullmatch(t)),
        ulids=share(_ULID.fullmatch),
        hashes=share(is_hash),
        digits=share(lambda t: t.isascii() and t.isdigit()),
        signed_digits=share(_SIGNED_DIGITS.fullmatch),
        prose=share(_PROSE.fullmatch),
        codes=share(_CODE.fullmatch),
        random=share(_RANDOM.fullmatch),
        holding=share(lambda t: _holds(t[:_READ], looks)),
        naming=share(lambda t: _names(t[:_READ], looks)),
        births=_births(texts),
        long_numbers=share(_LONG_NUMBER.fullmatch),
    )


def _holds(text: str, looks: Looks) -> list[tuple[int, int]]:
    """Spans of e-mails, phones … in a text; card numbers by chance in long ids are none."""
    return [s for s in looks.numbered(text) if not _is_bare_number(text[s[0] : s[1]])]


def _names(text: str, looks: Looks) -> bool:
    """Whether a text has anything personal; a long number is a card's by chance in one of ten."""
    return any(not _is_bare_number(text[a:b]) or b - a < _CARD_DIGITS for a, b in looks.spans(text))


def _is_bare_number(span: str) -> bool:
    return span.isdigit()


def is_hash(text: str) -> bool:
    """Whether it is as long as a hash in hexadecimal digits, and no UUID."""
    return len(text) in _HASH_LENGTHS and bool(
        _HEX.fullmatch(text) and not _UUID_HEX.fullmatch(text)
    )


def are_binary_hashes(values: Sequence[bytes | None]) -> bool:
    """Whether all are as long as one kind of hash."""
    lengths = {len(v) for v in values if v}
    return len(lengths) == 1 and lengths <= _BINARY_HASHES


def _births(texts: Sequence[str]) -> float:
    """Days of which most are of people who have grown up, over several decades."""
    years = [int(m[1]) for m in map(_DATE.match, texts) if m]
    living = [y for y in years if _OLD_YEAR < y < _YOUNG_YEAR]
    if len(living) < _MANY_ROWS or max(living) - min(living) < _FEW_WORDS:
        return 0
    return len(living) / len(texts)

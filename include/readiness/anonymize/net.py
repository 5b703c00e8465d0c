"""The second net: parts of constants that look personal although all captures agree on them.

Told by pattern and check digits (e-mail, phone, card, IBAN, social security number, IP address, a
login in a URL), by the keys of JSON and of `key=value`, and by names of people where the text looks
like one; all of them also inside longer texts. No pattern looks twice at a long run of characters:
texts of a megabyte are among them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from readiness.anonymize.classes import is_card, is_iban, is_ip
from readiness.anonymize.names import AMBIGUOUS, FIRST_NAMES, LAST_NAMES
from readiness.anonymize.sensitive import is_personal_column

Span = tuple[int, int]
_Test = tuple[re.Pattern[str], Callable[[str], bool]]

_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]*[\w+-](?:@|%40)[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
_PHONE = re.compile(
    r"(?<![\w+])\+\d[\d ()/.-]{7,18}\d(?!\d)"
    r"|(?<![\w.+-])(?:\+?1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}(?![\w-])"
)
_SSN = re.compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
_IBAN = re.compile(
    r"(?<!\w)(?:[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?"
    r"|[A-Za-z]{2}\d{2}[A-Za-z0-9]{11,30})(?!\w)"
)
_IPV4 = re.compile(r"(?<![\w.])(?<!\w/)\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_IPV6 = re.compile(r"(?<![\w:])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?![\w:])")
_LOGIN = re.compile(
    r"(?<=://)[^\s/@'\"]+(?=@[\w.-])|(?<![\w:/.-])[\w.-]+:[^\s@/'\"]+(?=@(?:tcp|unix)\()"
)
_STREET = re.compile(
    r"(?<!\w)\d{1,5}[a-z]? (?:[A-Z]\w+ ){1,3}"
    r"(?:St|Street|Ave|Avenue|Rd|Road|Ln|Lane|Blvd|Boulevard|Drive|Terrace)\b"
    r"|(?<!\w)[A-ZÄÖÜ]\w+(?:straße|strasse|str\.|weg|gasse|platz) \d{1,4}\b"
)
_FULL_NAME = re.compile(
    r"(?<![\w'’-])(?:[A-Z][\w'’-]+(?: [A-Z]\.?)? ){1,2}(?:(?:van|von|de|da|del|di|la|der|den) ){0,2}"
    r"(?:Mac|Mc|O['’])?[A-ZÀ-Þ][\w'’-]+"
)
_ADDRESSED = re.compile(
    r"(?<!\w)(?:Dear|Hi|Hello|Hey|Mr\.?|Mrs\.?|Ms\.?|Dr\.?|Herr|Frau|Hallo|Hola|Bonjour) "
    r"([A-ZÀ-Þ][\w'’-]{2,})"
)
_COMMA_NAME = re.compile(r"(?<![\w'’-])([A-ZÀ-Þ][\w'’-]+), ([A-ZÀ-Þ][\w'’-]+)")
_KEYED = (
    re.compile(r'"(?P<key>[^"\\]{1,60})"\s*:\s*(?:"(?P<text>(?:[^"\\]|\\.)+)"|(?P<bare>-?\d[\d.]*))'),
    re.compile(r"(?<![\w.])(?P<key>[A-Za-z]\w{1,40})=(?P<text>[^\s&;,\"'=]+)(?P<bare>)"),
)  # fmt: skip
_FEW_WORDS = 4
_WORD = re.compile(r"[^\W\d_]+")


def personal_spans(text: str) -> Iterator[Span]:
    """The spans of a text that look personal, in order, not overlapping."""
    return disjoint(_found(text))


def numbered_spans(text: str) -> Iterator[Span]:
    """Those told by their form alone: e-mail, phone, card, account, security number, IP address."""
    return disjoint(_matches(text, _FORMS))


def disjoint(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans in order, of those that overlap the first and longest."""
    end = 0
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:
            yield start, stop
            end = stop


def is_persons_name(text: str) -> bool:
    """Whether a text of some capitalized words holds the name of a person."""
    words = [w.lower() for w in _WORD.findall(text)]
    return len(words) > 1 and _is_name(words)


def holds_first_name(text: str) -> bool:
    """Whether a word of a short text is a first name, and no word of the language as well."""
    words = {word.lower() for word in _WORD.findall(text)}
    return len(words) <= _FEW_WORDS and bool(words & FIRST_NAMES - AMBIGUOUS)


def _is_name(words: list[str]) -> bool:
    first, last = words[0], words[-1]
    if last in LAST_NAMES or "".join(words[-2:]) in LAST_NAMES:
        return first in FIRST_NAMES or first in AMBIGUOUS
    return first in FIRST_NAMES and first not in AMBIGUOUS


def _matches(text: str, tests: Sequence[_Test]) -> Iterator[Span]:
    for pattern, holds in tests:
        yield from (m.span() for m in pattern.finditer(text) if holds(m[0]))


def _found(text: str) -> Iterator[Span]:
    yield from _matches(text, (*_FORMS, *_LOOKS))
    yield from (m.span(1) for m in _ADDRESSED.finditer(text) if _is_known(m[1]))
    for match in _COMMA_NAME.finditer(text):
        if match[1].lower() in LAST_NAMES and match[2].lower() in FIRST_NAMES:
            yield match.span()
    for pattern in _KEYED:
        yield from _values_of_keys(pattern.finditer(text))


def _values_of_keys(matches: Iterable[re.Match[str]]) -> Iterator[Span]:
    for match in matches:
        value = match["text"] or match["bare"]
        if is_personal_column(match["key"], value.encode("utf-8", "surrogateescape")):
            yield match.span("text" if match["text"] else "bare")


def _is_known(word: str) -> bool:
    return word.lower() in FIRST_NAMES | LAST_NAMES | AMBIGUOUS


def _is_somebodys(text: str) -> bool:
    """No address of every machine: 127.0.0.1, 0.0.0.0, ::1, and `::`, which parts names as well."""
    address = ipaddress.ip_address(text)
    return not (address.is_loopback or address.is_unspecified)


def _always(_text: str) -> bool:
    return True


_FORMS: tuple[_Test, ...] = (
    (_EMAIL, _always),
    (_PHONE, _always),
    (_SSN, _always),
    (_CARD, is_card),
    (_IBAN, is_iban),
    (_IPV4, lambda text: is_ip(text, 4) and _is_somebodys(text)),
    (_IPV6, lambda text: is_ip(text, 6) and _is_somebodys(text)),
)
_LOOKS: tuple[_Test, ...] = (
    (_LOGIN, _always),
    (_STREET, _always),
    (_FULL_NAME, is_persons_name),
)

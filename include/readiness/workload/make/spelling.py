"""Writes numbers and entropy as characters: tables that are made once, as source that looks up."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import groupby, product

from readiness.model.generator import Pattern, Specification
from readiness.workload.make.code import Code, Term, Type, is_plain
from readiness.workload.make.shapes import PHONE, TEST_BIN

_LARGEST_TABLE = 4096
_GROUP = 10_000


def word_source(code: Code, number: str, pattern: Pattern) -> Term:
    """The text of a number, as `Pattern.fill` gives it: a look-up for each few characters."""
    at, rest = code.let(number), pattern.space
    parts: list[str] = []
    for chunk in _chunks(pattern):
        table = _table(chunk)
        rest //= len(table)
        digit = f"{at} // {rest}" if rest > 1 else at
        whole = f"{digit} % {len(table)}" if parts else digit
        parts.append(
            f"{{{code.object(table)}[{whole}]}}" if len(table) > 1 else _fixed(code, chunk)
        )
    return Term(Type.TEXT, 'f"' + "".join(parts) + '"', is_plain=_is_plain(pattern))


def _fixed(code: Code, chunk: tuple[str, ...]) -> str:
    return f"{{{code.object(''.join(chunk))}}}"


def _chunks(pattern: Pattern) -> list[tuple[str, ...]]:
    """Neighbouring places whose texts fit one table."""
    chunks: list[list[str]] = [[]]
    size = 1
    for place in pattern.places:
        if size * len(place) > _LARGEST_TABLE:
            chunks.append([])
            size = 1
        chunks[-1].append(place)
        size *= len(place)
    return [tuple(chunk) for chunk in chunks]


@lru_cache(maxsize=64)
def _table(chunk: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map("".join, product(*chunk)))


def _is_plain(pattern: Pattern) -> bool:
    return is_plain("".join(pattern.places))


def drawn(code: Code, specification: Specification, take: Callable[[int], int]) -> Term:
    """A text of which each varying character takes one byte of entropy; nearly even."""
    if specification.name == "text":
        pattern = Pattern.parse("a" * int(specification.argument or 24))
    else:
        pattern = Pattern.parse(specification.argument or PHONE)
    parts = []
    for place, run in groupby(pattern.places):
        size = len(list(run))
        if len(place) == 1:
            parts.append(f"{{{code.object(place * size)}}}")
            continue
        at = take(size)
        letters = code.object(letters_of(place))
        parts.append(f"{{e[{at}:{at + size}].translate({letters}).decode()}}")
    return Term(Type.TEXT, 'f"' + "".join(parts) + '"', is_plain=_is_plain(pattern))


@lru_cache(maxsize=64)
def letters_of(alphabet: str) -> bytes:
    """A table for `bytes.translate`: each byte as one of the characters."""
    return bytes(ord(alphabet[byte % len(alphabet)]) for byte in range(256))


def card(code: Code, number: str, digits: int) -> Term:
    """A card number: the test range, the digits of the number, Luhn's check digit."""
    at = code.let(number)
    sums = code.object(_luhn_sums())
    groups = [f"{sums}[{at} // {_GROUP**k} % {_GROUP}]" for k in range(-(-digits // 4))]
    fixed = luhn_sum(TEST_BIN + "0" * digits)
    check = f"-({fixed} + {' + '.join(groups)}) % 10"
    return Term(Type.TEXT, f"'{TEST_BIN}%0{digits}d%d' % ({at}, {check})", is_plain=True)


@lru_cache(maxsize=1)
def _luhn_sums() -> tuple[int, ...]:
    """What four digits add to Luhn's sum, wherever four digits may stand."""
    return tuple(luhn_sum(f"{n:04d}") for n in range(_GROUP))


def luhn_sum(digits: str) -> int:
    """The sum of Luhn's formula over the digits before the check digit."""
    doubled = [int(char) * (2 - place % 2) for place, char in enumerate(reversed(digits))]
    return sum(value - 9 * (value > 9) for value in doubled)


def chosen(code: Code, name: str, at: int) -> Term:
    """One of the names of a list, by three bytes of entropy."""
    words = FIRST_NAMES if name == "first_name" else LAST_NAMES
    index = f"int.from_bytes(e[{at}:{at + 3}], 'big') % {len(words)}"
    return Term(Type.TEXT, f"{code.object(words)}[{index}]", is_plain=True)


FIRST_NAMES = (
    "Aldo",
    "Anouk",
    "Arvid",
    "Berit",
    "Bruno",
    "Carla",
    "Cedric",
    "Dagny",
    "Daphne",
    "Elias",
    "Elin",
    "Emre",
    "Faye",
    "Filip",
    "Freya",
    "Gaspar",
    "Greta",
    "Hamid",
    "Hedda",
    "Idris",
    "Ingrid",
    "Ismael",
    "Jarl",
    "Joana",
    "Kamil",
    "Katja",
    "Leon",
    "Lilja",
    "Malik",
    "Marit",
    "Nadja",
    "Noel",
    "Oskar",
    "Ottilie",
    "Pavel",
    "Petra",
    "Ravi",
    "Runa",
    "Samir",
    "Selma",
    "Signe",
    "Tomas",
    "Trine",
    "Ulf",
    "Valeria",
    "Viktor",
    "Wanja",
    "Ximena",
    "Yusuf",
    "Zelda",
)
LAST_NAMES = (
    "Almqvist",
    "Bauer",
    "Bjork",
    "Castellan",
    "Czerny",
    "Delacroix",
    "Dvorak",
    "Eklund",
    "Fabre",
    "Ferrand",
    "Gallo",
    "Gruber",
    "Haddad",
    "Hallberg",
    "Ibarra",
    "Jonsson",
    "Kaplan",
    "Kovac",
    "Lambert",
    "Lindqvist",
    "Marchetti",
    "Mendes",
    "Nakagawa",
    "Nordin",
    "Okafor",
    "Palmer",
    "Petrov",
    "Quiroga",
    "Renard",
    "Ricci",
    "Santoro",
    "Schreiber",
    "Tanaka",
    "Tremblay",
    "Ueda",
    "Varga",
    "Vesely",
    "Wagner",
    "Winther",
    "Yilmaz",
    "Zapata",
    "Zimmer",
)

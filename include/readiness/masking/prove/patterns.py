"""Texts that look like an e-mail address, a telephone number or a card number, in any text column.

Also columns that the plan keeps, documents, and binaries, read as Latin-1. A column that the policy
keeps with a reason is left out: order numbers may pass for card numbers. Of a masked column only
those patterns are searched that its look does not make: a masked number still looks like one.

The regular expressions mean the same to PCRE (MariaDB) and ICU (MySQL 8): classes are spelled out, no
backslash stands in them, and case is written both ways, so that no collation matters. An address under
.example or .test belongs to nobody. Card numbers must pass Luhn's check and begin as networks
issue them; the first three candidates of a text are tried. Where whole values are numbers of such a
form, one in ten passes by chance: a column of order numbers or article numbers counts as clean when no
more do. Of a table of more than
`figures.EXACT_ROWS` rows every k-th is looked at (`figures.share_of`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from readiness.masking.data_types import BINARIES, TEXTS
from readiness.masking.names import literal, quoted
from readiness.masking.prove.figures import share_of
from readiness.model.catalogue import Catalogue, ColumnFacts, TableFacts
from readiness.model.masking import Look, MaskedColumn, MaskPlan, Source
from readiness.ports import Session

_NOBODYS = "(?:[A-Za-z0-9-]+[.])*(?:[Ee][Xx][Aa][Mm][Pp][Ll][Ee]|[Tt][Ee][Ss][Tt])"
_NO_MORE = "(?![A-Za-z0-9-]|[.][A-Za-z0-9])"
EMAIL = f"[A-Za-z0-9_%+'-]@(?!{_NOBODYS}{_NO_MORE})[A-Za-z0-9](?:[A-Za-z0-9-]*[.])+[A-Za-z][A-Za-z]"
_ALONE, _ENDS = "(?<![0-9A-Za-z.+-])", "(?![0-9A-Za-z-])"
PHONE = (
    f"{_ALONE}(?:[+][1-9](?:[ ()./-]{{0,2}}[0-9]){{7,14}}"
    f"|[(]?[2-9][0-9][0-9][)]?[ .-][0-9][0-9][0-9][ .-][0-9][0-9][0-9][0-9]){_ENDS}"
)
# Not the first groups of a UUID that happen to be digits.
_NO_GROUP = "-[0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f]-"
CARD = (
    f"{_ALONE}(?:4[0-9]|5[1-5]|2[2-7]|3[04-9]|6[02-5])(?:[ -]?[0-9]){{11,17}}"
    f"(?![0-9A-Za-z]|{_NO_GROUP})"
)
PATTERNS = {"email": EMAIL, "phone": PHONE, "card": CARD}
_MADE = {  # patterns that a look's own values have
    Look.PHONE: {"phone", "card"}, Look.DIGITS: {"phone", "card"}, Look.NUMBER: {"phone", "card"},
    Look.TOKEN: {"card"}, Look.HEX: {"card"}, Look.TEXT: {"phone", "card"}, Look.UUID: {"card"},
    Look.BYTES: {"email", "phone", "card"}, Look.NAME: {"phone", "card"}, Look.IP: {"phone", "card"},
}  # fmt: skip
_CANDIDATES = 3
_BARE = "^[0-9]{13,19}$"
_PASS_BY_CHANCE, _ENOUGH = 0.1, 50  # of numbers, and of how many at least
_LONGEST_CARD = 20


@dataclass(frozen=True, slots=True)
class Searched:
    """One text column that is searched: `text` is SQL for it as a text, `patterns` are names."""

    place: str
    text: str
    patterns: tuple[str, ...]


def count_patterns(
    session: Session, catalogue: Catalogue, plan: MaskPlan, *, but: Collection[str] = ()
) -> Iterator[tuple[str, str, int]]:
    """Pattern, `table.column`, and how many rows look so; 0 for a column that is clean. `but` names
    columns that are not searched."""
    for table in catalogue.tables.values():
        columns = [c for c in searched_in(table, plan) if c.place not in but]
        asked = [(c, p) for c in columns for p in c.patterns]
        if not asked:
            continue
        matches = [f"COALESCE(SUM({c.text} REGEXP {literal(PATTERNS[p])}), 0)" for c, p in asked]
        found = session.query(f"SELECT {', '.join(matches)} FROM {_rows(table, plan)}")[0]
        for (column, pattern), count in zip(asked, found, strict=True):
            rows = int(str(count))
            if pattern == "card" and rows:
                rows = _count_cards(session, column.text, _rows(table, plan))
            yield pattern, column.place, rows


def sample_texts(
    session: Session, catalogue: Catalogue, plan: MaskPlan, *, most: int = 200
) -> dict[str, dict[str, list[str]]]:
    """By pattern and place: texts that must not look so, of the first `most` rows that hold one.

    The only values that leave the server; they are for Great Expectations to look at, and nowhere
    else."""
    texts: dict[str, dict[str, list[str]]] = {pattern: {} for pattern in PATTERNS}
    for table in catalogue.tables.values():
        for column in searched_in(table, plan):
            of = quoted(plan.database, table.name)
            sql = (
                f"SELECT LEFT({column.text}, 4000) FROM {of} WHERE {column.text} <> '' LIMIT {most}"
            )
            found = [str(value) for (value,) in session.query(sql)]
            for pattern in column.patterns:
                texts[pattern][column.place] = found
    return texts


def excluded(plan: MaskPlan) -> dict[str, str]:
    """Columns that no pattern is searched in since the policy keeps them: `table.column`, and why."""
    return {c.id: c.why for c in plan.kept if c.source is Source.POLICY}


def searched_in(table: TableFacts, plan: MaskPlan) -> list[Searched]:
    """The text columns of a table that are searched, and for what."""
    masked = {c.column: c for c in plan.of(table.name)}
    left_out = excluded(plan)
    searched = []
    for column in table.columns.values():
        place = f"{table.name}.{column.name}"
        text = _text(column, masked.get(column.name))
        if text and place not in left_out:
            made = _made_by(masked.get(column.name))
            patterns = tuple(p for p in PATTERNS if p not in made)
            searched += [Searched(place, text, patterns)] if patterns else []
    return searched


def _made_by(column: MaskedColumn | None) -> set[str]:
    if column is None:
        return set()
    if column.derived:
        return {"phone", "card"}
    if column.look is Look.JSON:
        # What stands at a path with a wildcard cannot be taken out before looking.
        made = [_MADE.get(path.look, set()) for path in column.paths if "*" in path.path]
        return set().union(*made)
    return _MADE.get(column.look, set()) if column.look else set()


def _text(column: ColumnFacts, masked: MaskedColumn | None) -> str:
    """SQL for a column as a text; "" where it can hold none. Masked values of a document are out."""
    name = quoted(column.name)
    if masked is not None and masked.look is Look.JSON and not masked.derived:
        paths = [literal(p.path) for p in masked.paths if "*" not in p.path]
        valid = name if column.data_type == "json" else f"IF(JSON_VALID({name}), {name}, NULL)"
        rest = f"JSON_REMOVE({valid}, {', '.join(paths)})" if paths else name
        return f"CONVERT({rest} USING utf8mb4)"
    if column.data_type == "json":
        return f"CONVERT({name} USING utf8mb4)"
    if column.data_type in BINARIES:
        return f"CONVERT(CONVERT({name} USING latin1) USING utf8mb4)"
    return name if column.data_type in TEXTS else ""


def _rows(table: TableFacts, plan: MaskPlan) -> str:
    share = share_of(table, plan)
    return quoted(plan.database, table.name) + (f" WHERE {share}" if share else "")


def _count_cards(session: Session, text: str, rows: str) -> int:
    """Rows with a candidate that passes Luhn's check, among the first few of each text; of values that
    are numbers and nothing else only where more pass than chance explains."""
    bare = f"{text} REGEXP {literal(_BARE)}"
    asked = _candidates(text, bare, rows)
    either = " OR ".join(_passes_luhn(f"m{n}") for n in range(_CANDIDATES))
    counts = f"COALESCE(SUM(bare), 0), COALESCE(SUM(bare AND ({either})), 0)"
    found = session.query(
        f"SELECT {counts}, COALESCE(SUM(NOT bare AND ({either})), 0) FROM ({asked}) AS c"
    )[0]
    numbers, passing, others = (int(str(count)) for count in found)
    return others + (0 if _is_chance(numbers, passing) else passing)


def _is_chance(numbers: int, passing: int) -> bool:
    """Whether so many of these numbers pass the check as pass of any: 10 %, and 4 sigma more."""
    spread = math.sqrt(numbers * _PASS_BY_CHANCE * (1 - _PASS_BY_CHANCE))
    return numbers >= _ENOUGH and passing <= numbers * _PASS_BY_CHANCE + 4 * spread


def _candidates(text: str, bare: str, rows: str) -> str:
    """SQL: of each text that has one its first few candidates m0, m1 …, and whether it is a number."""
    pattern = literal(CARD)
    found = f"SELECT {text} AS rest, {bare} AS bare FROM {rows}"
    columns = ["bare"]
    for number in range(_CANDIDATES):
        match = f"REGEXP_SUBSTR(rest, {pattern})"
        behind = f"SUBSTRING(rest, REGEXP_INSTR(rest, {pattern}) + CHAR_LENGTH({match}))"
        kept = "".join(f"{c}, " for c in columns)
        where = f" WHERE rest REGEXP {pattern}" if not number else ""
        found = f"SELECT {kept}{match} AS m{number}, {behind} AS rest FROM ({found}) AS t{number}{where}"
        columns.append(f"m{number}")
    return found


def _passes_luhn(column: str) -> str:
    digits = f"LPAD(REPLACE(REPLACE({column}, ' ', ''), '-', ''), {_LONGEST_CARD}, '0')"
    terms = []
    for place in range(1, _LONGEST_CARD + 1):
        digit = f"SUBSTRING({digits}, {place}, 1)"
        doubled = f"SUBSTRING('0246813579', {digit} + 1, 1)"
        terms.append(digit if (_LONGEST_CARD - place) % 2 == 0 else doubled)
    return f"({column} <> '' AND ({' + '.join(terms)}) % 10 = 0)"

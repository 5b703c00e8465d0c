"""What is compared of a masked column: its value as SQL, and how many values could stand in its place.

A document (`Look.JSON`) is compared path by path, any other column as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from readiness.masking.data_types import BINARIES, TEXTS, WORDS
from readiness.masking.names import literal, quoted
from readiness.model.catalogue import Catalogue, ColumnFacts, TableFacts
from readiness.model.masking import Look, MaskedColumn, MaskPlan, Source

EMPTIES = {"''", "NULL"}  # what a policy's `empty` makes of a column, but where it keeps NULL
_SIGNS = " -.,/()+_:'#&"
# Powers of ten that one character of the look stands for, rather too low than too high.
_PER_CHARACTER = {
    Look.NAME: 1.2, Look.TEXT: 1.0, Look.TOKEN: 1.4, Look.HEX: 1.2, Look.BYTES: 2.4, Look.PHONE: 1.0,
    Look.DIGITS: 1.0, Look.NUMBER: 1.0, Look.DOMAIN: 1.2, Look.EMAIL: 1.2, Look.JSON: 1.0,
}  # fmt: skip
_FIXED = {Look.UUID: 36.0, Look.IP: 5.0, Look.DATE: 2.5, Look.MOMENT: 7.4}
# No day of a year, or the ends of what a TIMESTAMP holds: they stay.
_STAYS = {
    Look.DATE: ("'0000-%'", "'____-00-%'", "'____-__-00%'"),
    Look.MOMENT: ("'0000-%'", "'____-00-%'", "'____-__-00%'", "'1970-01-01%'", "'2038-01-19%'"),
}
_KEPT = {Look.PHONE: 1, Look.NUMBER: 1, Look.DOMAIN: 8}  # characters that the look itself fixes
_BLANK_CHARACTERS = 12  # a shorter text may by chance be the filler itself
_SURE = 99.0
_PERSONAL = {Look.EMAIL, Look.PHONE}
_SECRET = {Look.TOKEN, Look.HEX, Look.UUID, Look.DIGITS, Look.BYTES}


@dataclass(frozen=True, slots=True)
class Facet:
    """`place` is `table.column`, with the path of a document behind it; `value` is SQL for what
    is compared, NULL where there is nothing; `look` is None for a derived column."""

    column: MaskedColumn
    place: str
    look: Look | None
    value: str
    is_binary: bool = False

    @property
    def table(self) -> str:
        """The table it stands in."""
        return self.column.table

    @property
    def is_telling(self) -> bool:
        """Whether an original tells a person or opens something wherever it stands. Not that of a
        column that is masked for what some of its rows hold: others may hold ids that are kept."""
        is_named = self.column.source in {Source.NAME, Source.POLICY}
        return self.look in _PERSONAL or (self.look in _SECRET and is_named)

    @property
    def is_emptied(self) -> bool:
        """Whether nothing must be left in it."""
        own = quoted(self.column.column)
        return self.column.derived.strip() in {*EMPTIES, f"IF({own} IS NULL, NULL, '')"}

    @property
    def is_coarse(self) -> bool:
        """Whether it is made of its own value, emptied or coarser: what stays of that is meant."""
        return quoted(self.column.column) in self.column.derived

    @property
    def is_reshaped(self) -> bool:
        """Whether other lengths and fewer values are meant."""
        by_policy = bool(self.column.derived) and self.column.source is Source.POLICY
        return by_policy or self.is_coarse

    @property
    def length(self) -> str:
        """SQL: its length in characters, or bytes."""
        return f"{'LENGTH' if self.is_binary else 'CHAR_LENGTH'}({self.value})"

    @property
    def room(self) -> str:
        """SQL: the power of ten of the values that could stand in its place; 0 where it may stay."""
        if self.is_emptied or self.is_coarse:
            return "0"
        if self.look is None:
            return f"{self.length} * {2.4 if self.is_binary else 1.0}"
        if self.look is Look.BLANK:
            return f"IF({self.length} >= {_BLANK_CHARACTERS}, {_SURE}, 0)"
        if self.look in _FIXED:
            stays = f" OR {self.value} LIKE ".join(["", *_STAYS.get(self.look, ())])
            return f"IF({self.length} = 0{stays}, 0, {_FIXED[self.look]})"
        free = f"{self._free_characters()} - {_KEPT.get(self.look, 0)}"
        return f"GREATEST({free}, 0) * {_PER_CHARACTER[self.look]}"

    def _free_characters(self) -> str:
        if self.is_binary:
            return self.length
        if self.look is Look.EMAIL:
            return f"CHAR_LENGTH(SUBSTRING_INDEX({self.value}, '@', 1))"
        plain = self.value
        for sign in _SIGNS:
            plain = f"REPLACE({plain}, {literal(sign)}, '')"
        return f"CHAR_LENGTH({plain})"


def facets_of(catalogue: Catalogue, plan: MaskPlan) -> tuple[Facet, ...]:
    """All that is compared, in the plan's order."""
    found = (_of(c, catalogue.tables[c.table].columns[c.column]) for c in plan.columns)
    return tuple(facet for facets in found for facet in facets)


def _of(column: MaskedColumn, facts: ColumnFacts) -> Iterator[Facet]:
    name = quoted(column.column)
    if column.look is Look.JSON and not column.derived:
        text = f"IF(JSON_VALID({name}), {name}, NULL)" if facts.data_type != "json" else name
        for path in column.paths:
            found = f"JSON_UNQUOTE(JSON_EXTRACT({text}, {literal(path.path)}))"
            place = f"{column.id} {path.path}"
            # Objects and arrays are no values (what leads into them is a path of its own), and a number
            # among texts has less room than the look.
            kind = f"JSON_TYPE(JSON_EXTRACT({text}, {literal(path.path)}))"
            is_value = f"{kind} = 'STRING'"
            if path.look is Look.NUMBER:
                is_value = f"{kind} NOT IN ('OBJECT', 'ARRAY')"
            yield Facet(column, place, path.look, f"IF({is_value}, NULLIF({found}, 'null'), NULL)")
        return
    is_binary = facts.data_type in BINARIES
    is_text = is_binary or facts.data_type in TEXTS | WORDS
    value = name if is_text else f"CAST({name} AS CHAR)"
    look = None if column.derived else column.look
    yield Facet(column, column.id, look, value, is_binary)


def row_of(table: TableFacts, plan: MaskPlan) -> str:
    """SQL for a row's identity, the same before and after: its primary key as hexadecimal digits;
    "" without one, and where it is masked itself."""
    masked = {c.column for c in plan.of(table.name)}
    if not table.primary_key or masked & set(table.primary_key):
        return ""
    return f"CONCAT_WS('.', {', '.join(f'HEX({quoted(c)})' for c in table.primary_key)})"

"""What becomes of a column, and all that is known of it when that is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readiness.masking.data_types import (
    ADDRESSES,
    BINARIES,
    CHARS,
    LONG_TEXTS,
    MOMENTS,
    NUMBERS,
    PLAIN,
    WORDS,
)
from readiness.masking.plan.contents import Contents, are_binary_hashes, contents_of
from readiness.masking.plan.looks import Looks
from readiness.masking.plan.vocabulary import look_of_name
from readiness.model.catalogue import ColumnFacts, TableFacts
from readiness.model.masking import Look, Source

KNOWN = {
    *CHARS,
    *LONG_TEXTS,
    *BINARIES,
    *NUMBERS,
    *MOMENTS,
    *WORDS,
    *ADDRESSES,
    *PLAIN,
    "date",
    "json",
}

NEARLY_ALL = 0.9  # of the values


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a column; `look` None: it is kept."""

    look: Look | None
    source: Source
    why: str
    domain: str = ""

    @property
    def is_masked(self) -> bool:
        """Whether its values are replaced."""
        return self.look is not None


@dataclass(frozen=True, slots=True)
class Place:
    """One column with its table and what its rows look like."""

    table: TableFacts
    column: ColumnFacts
    contents: Contents
    looks: Looks
    is_tied: bool = False  # a foreign key ties it to others
    are_hashes: bool = False  # binary values as long as a hash


def place_of(
    table: TableFacts,
    column: ColumnFacts,
    values: Sequence[bytes | None],
    looks: Looks,
    *,
    is_tied: bool = False,
) -> Place:
    """A column with what its values look like."""
    is_binary = column.data_type in BINARIES
    contents = (
        Contents(values=len([v for v in values if v])) if is_binary else contents_of(values, looks)
    )
    return Place(table, column, contents, looks, is_tied, is_binary and are_binary_hashes(values))


def kept(why: str) -> Decision:
    """A column that nothing speaks against."""
    return Decision(None, Source.NOTHING, why)


def type_look(column: ColumnFacts) -> Look:
    """The look that fits a type, whatever it holds."""
    kind = column.data_type
    if kind == "date":
        return Look.DATE
    if kind in MOMENTS:
        return Look.MOMENT
    if kind in NUMBERS:
        return Look.NUMBER
    if kind in ADDRESSES:
        return Look.IP
    if kind == "uuid":
        return Look.UUID
    return Look.BYTES if kind in BINARIES else Look.TEXT


def fits(look: Look, column: ColumnFacts) -> bool:
    """Whether a look can be written into a column of its type."""
    own = type_look(column)
    if column.is_json:
        return look is Look.JSON
    if own is Look.TEXT:
        return look not in (Look.BYTES, Look.JSON)
    if own is Look.BYTES:
        return look in (Look.BYTES, Look.IP, Look.UUID)
    if own is Look.NUMBER:
        return look in (Look.NUMBER, Look.IP)
    return look in ((Look.DATE, Look.MOMENT) if own in (Look.DATE, Look.MOMENT) else (own,))


def look_by_name(place: Place) -> Look | None:
    """The vocabulary first, then the rules of captures, which know no looks."""
    found = look_of_name(place.table.name, place.column.name)
    if found is None and place.looks.is_personal_name(place.table.name, place.column.name):
        is_name = place.column.name.lower().endswith("name")
        return Look.NAME if is_name else Look.TEXT
    return found


def told_of_name(look: Look) -> str:
    """What a name says, as a clause."""
    told = {
        Look.EMAIL: "an e-mail address",
        Look.DOMAIN: "the domain of an e-mail address",
        Look.PHONE: "a phone number",
        Look.NAME: "somebody's name",
        Look.TOKEN: "something secret",
        Look.HEX: "a hash",
        Look.IP: "an address of a machine",
        Look.DIGITS: "a number that is somebody's",
        Look.BLANK: "free text",
    }
    return f"its name is of {told.get(look, 'something personal')}"

"""What masking does with each column of a clone: the plan, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Look(StrEnum):
    """What a masked value looks like. All keep NULL, '' and the length in characters, and equal values
    stay equal wherever they stand in the database, as unequal ones stay unequal; but see each."""

    EMAIL = "email"  # local part, @, and the domain as DOMAIN
    DOMAIN = "domain"  # under .example or .test, which nobody owns
    PHONE = "phone"  # signs and the first digit stay; one-to-one on the other digits
    DIGITS = "digits"  # one-to-one on texts of as many digits
    NAME = "name"  # letters; a capital where the original begins with one
    TEXT = "text"  # letters and digits where the original has such, blanks and signs stay
    TOKEN = "token"  # letters and digits, no sign kept  # noqa: S105 - a look, not a password
    HEX = "hex"  # hexadecimal digits in the case of the original
    UUID = "uuid"  # version, variant, dashes and case stay
    BYTES = "bytes"  # as many bytes
    IP = "ip"  # 198.18.0.0/15 or 2001:db8::/32; a text's length may differ
    DATE = "date"  # another day of the same year: the order of years stays
    MOMENT = "moment"  # as DATE, with another time of day
    NUMBER = "number"  # as many digits, the same first one: the order of magnitudes stays
    BLANK = "blank"  # free text: as many characters that say nothing; equality is given up
    JSON = "json"  # the values at its paths, each with a look of its own; keys and nesting stay


class Source(StrEnum):
    """Who says that a column is masked, or is not."""

    POLICY = "policy"
    NAME = "name"  # the column's name looks personal
    TYPE = "type"  # its type holds free text or bytes that nobody has described
    CONTENT = "content"  # rows that were looked at look personal
    DERIVED = "derived"  # it repeats what other masked columns say, such as a hash of an e-mail
    REFERENCE = "reference"  # it refers to, or is referred to by, a masked column
    NOTHING = "nothing"  # nothing says that it is personal: it is kept


@dataclass(frozen=True, slots=True)
class JsonPath:
    """Where a personal value stands in a document: `$.user.email`, `$.items[*].name`."""

    path: str
    look: Look


@dataclass(frozen=True, slots=True)
class MaskedColumn:
    """What becomes of one column.

    `look` is None where `derived` is set: SQL over the masked columns of the same row, each as `{name}`:
    `SHA2(LOWER({email}), 256)`. `domain` names the values that it shares with other columns: columns
    of one domain map equal values to equal values. `is_folded`: the domain ignores case, as the
    collations of its columns do. `is_unique`: a unique index holds it."""

    table: str
    column: str
    look: Look | None
    domain: str
    source: Source
    why: str  # a clause that may stand on a line; names no value
    derived: str = ""
    paths: tuple[JsonPath, ...] = ()
    is_folded: bool = False
    is_unique: bool = False

    @property
    def id(self) -> str:
        """`table.column`."""
        return f"{self.table}.{self.column}"


@dataclass(frozen=True, slots=True)
class MaskPlan:
    """What is masked in one database. `kept` says of the other columns that could hold something
    personal why they are not; `policy` is the policy's title, "" without one; `attempts` has for
    each domain how often its key was changed until no two values met (missing: 0); `notes` is what
    is to be said of tables."""

    database: str
    policy: str
    columns: tuple[MaskedColumn, ...]
    kept: tuple[MaskedColumn, ...] = ()
    attempts: Mapping[str, int] | None = None
    notes: tuple[str, ...] = ()

    def of(self, table: str) -> tuple[MaskedColumn, ...]:
        """The masked columns of a table."""
        return tuple(c for c in self.columns if c.table == table)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables with masked columns, in order of name."""
        return tuple(sorted({c.table for c in self.columns}))


@dataclass(frozen=True, slots=True)
class MaskFact:
    """One figure of the masked database beside what it must be, for Great Expectations to judge:
    `name` such as `rows`, `distinct`, `null_share`, `mean_length`, `orphans`, `survivors`, `patterns`,
    `index_bytes`; `place` is table, table.column or table.index."""

    name: str
    place: str
    before: float
    after: float
    tolerance_ratio: float = 0.0


@dataclass(frozen=True, slots=True)
class Masked:
    """A database that was masked and proven. `title` is what marker, records and reports say of it;
    `values` is how many values from before the proof looked for, and found none of."""

    title: str
    tables: int
    columns: int
    rows: int
    seconds: float
    checks: int
    values: int = 0

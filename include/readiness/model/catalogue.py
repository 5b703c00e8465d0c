"""What masking knows of a database: its tables as the server describes them, and no value of a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One column. `data_type` is in lower case without length (`varchar`), `column_type` with it;
    `max_chars` is what it holds of characters (bytes for binaries), 0 for other types; `generated` is
    "", "virtual" or "stored"; `is_json` also where the engine keeps JSON as a text (MariaDB)."""

    name: str
    data_type: str
    column_type: str
    is_nullable: bool = False
    max_chars: int = 0
    charset: str = ""
    collation: str = ""
    generated: str = ""
    is_auto_increment: bool = False
    is_json: bool = False

    @property
    def is_case_sensitive(self) -> bool:
        """Whether equal means equal byte by byte."""
        return not self.collation or self.collation.endswith(("_bin", "_cs")) or self._is_binary

    @property
    def _is_binary(self) -> bool:
        return self.data_type in {
            "binary",
            "varbinary",
            "tinyblob",
            "blob",
            "mediumblob",
            "longblob",
        }


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """One index: its columns in key order, with the characters of each that it holds (0: all). A part
    that is an expression has the name ""."""

    name: str
    is_unique: bool
    parts: tuple[tuple[str, int], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(name for name, _ in self.parts)


@dataclass(frozen=True, slots=True)
class ForeignKeyFacts:
    """`columns` refer to `referenced_columns` of `referenced_table`, in the same database."""

    name: str
    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableFacts:
    """One base table. `rows` is the server's estimate; `is_versioned`: it keeps old rows (MariaDB)."""

    name: str
    engine: str
    columns: Mapping[str, ColumnFacts]
    indexes: tuple[IndexFacts, ...] = ()
    foreign_keys: tuple[ForeignKeyFacts, ...] = ()
    triggers: tuple[str, ...] = ()
    rows: int = 0
    data_bytes: int = 0
    index_bytes: int = 0
    is_partitioned: bool = False
    is_versioned: bool = False

    @property
    def primary_key(self) -> tuple[str, ...]:
        """Its columns, () without one."""
        return next((i.columns for i in self.indexes if i.name == "PRIMARY"), ())

    def is_indexed(self, column: str) -> bool:
        """Whether an index holds the column."""
        return any(column in index.columns for index in self.indexes)

    def is_unique(self, column: str) -> bool:
        """Whether a unique index holds the column, alone or with others."""
        return any(column in i.columns for i in self.indexes if i.is_unique)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One database of a server."""

    database: str
    engine: str  # "mariadb" or "mysql"
    version: str
    tables: Mapping[str, TableFacts]

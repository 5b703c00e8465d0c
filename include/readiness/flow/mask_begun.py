"""What a masking has decided, as its clone's journal and a folder keep it: no value of a row, no key."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from readiness.artifacts import json_files
from readiness.artifacts.masking_file import MASKING_FILE, Proof, read_masking
from readiness.errors import ArtifactError, MaskingError
from readiness.model.catalogue import (
    Catalogue,
    ColumnFacts,
    ForeignKeyFacts,
    IndexFacts,
    TableFacts,
)

VERSION = 1
PLAN_FILE = "masking.plan.json"


@dataclass(frozen=True, slots=True)
class Begun:
    """One database's masking as it was decided before anything changed. `policy` is its title, `key`
    the check value of the project's key, `plan` the plan's own JSON text; `catalogue` describes the
    database as it was."""

    policy: str
    key: str
    plan: str
    catalogue: Catalogue

    def to_text(self) -> str:
        """As the journal keeps it."""
        return json.dumps(
            {
                "policy": self.policy,
                "key": self.key,
                "plan": json.loads(self.plan),
                "catalogue": catalogue_to_json(self.catalogue),
            }
        )

    @classmethod
    def from_text(cls, text: str) -> Begun:
        """The inverse. Raises MaskingError for what another version wrote."""
        try:
            data = json.loads(text)
            catalogue = catalogue_from_json(data["catalogue"])
            return cls(data["policy"], data["key"], json.dumps(data["plan"]), catalogue)
        except (ValueError, KeyError, TypeError):
            raise MaskingError(
                "The journal of this clone's masking was written by another version.",
                hint="Go on with that version, or begin anew:  readiness clone reset NAME",
            ) from None


def catalogue_to_json(catalogue: Catalogue) -> dict[str, Any]:
    """The catalogue as plain JSON values."""
    tables = [_table_to_json(table) for table in catalogue.tables.values()]
    return {
        "database": catalogue.database,
        "engine": catalogue.engine,
        "version": catalogue.version,
        "tables": tables,
    }


def catalogue_from_json(data: Mapping[str, Any]) -> Catalogue:
    """The inverse of `catalogue_to_json`; raises KeyError, TypeError for other keys."""
    tables = [_table_from_json(table) for table in data["tables"]]
    by_name = {table.name: table for table in tables}
    return Catalogue(data["database"], data["engine"], data["version"], by_name)


def _table_to_json(table: TableFacts) -> dict[str, Any]:
    # asdict knows plain dicts only.
    return {
        **{name: getattr(table, name) for name in _PLAIN},
        "columns": [asdict(column) for column in table.columns.values()],
        "indexes": [asdict(index) for index in table.indexes],
        "foreign_keys": [asdict(key) for key in table.foreign_keys],
    }


def _table_from_json(data: Mapping[str, Any]) -> TableFacts:
    columns = [ColumnFacts(**column) for column in data["columns"]]
    made = {
        **data,
        "columns": {column.name: column for column in columns},
        "indexes": tuple(_index(index) for index in data["indexes"]),
        "foreign_keys": tuple(_foreign_key(key) for key in data["foreign_keys"]),
        "triggers": tuple(data["triggers"]),
    }
    return TableFacts(**made)


_APART = {"columns", "indexes", "foreign_keys"}
_PLAIN = tuple(name for name in TableFacts.__dataclass_fields__ if name not in _APART)


def _index(data: Mapping[str, Any]) -> IndexFacts:
    return IndexFacts(**{**data, "parts": tuple((name, chars) for name, chars in data["parts"])})


def _foreign_key(data: Mapping[str, Any]) -> ForeignKeyFacts:
    lists = ("columns", "referenced_columns")
    return ForeignKeyFacts(**{**data, **{name: tuple(data[name]) for name in lists}})


@dataclass(frozen=True, slots=True)
class Part:
    """What came of one database, by its plan (JSON text); `policy` and `key` as in `Begun`."""

    database: str
    tables: int
    columns: int
    rows: int
    checks: int
    values: int
    plan: str
    policy: str
    key: str


def parts_to_text(parts: Sequence[Part]) -> str:
    """The databases that are masked and proven, as the journal keeps them."""
    return json.dumps([asdict(part) for part in parts])


def parts_of(text: str | None) -> list[Part]:
    """The inverse of `parts_to_text`; None holds none."""
    return [Part(**part) for part in json.loads(text or "[]")]


def write_plans(folder: Path, plans: Sequence[str]) -> None:
    """Writes `masking.plan.json`, into a folder that is there: what is masked and why, by database."""
    content = {"plans": [json.loads(plan) for plan in plans]}
    json_files.write_json(folder / PLAN_FILE, content, version=VERSION, makes_folder=False)


def proofs_of(folder: Path | None, parts: Sequence[Part]) -> list[Proof]:
    """The proofs that an earlier try has written of these databases."""
    done = {part.database for part in parts}
    if folder is None or not done:
        return []
    try:
        return [proof for proof in read_masking(folder / MASKING_FILE) if proof.database in done]
    except ArtifactError:
        return []

"""What the parameterizer knows of a database: tables, columns, keys; read once, kept as JSON.

Names keep the server's spelling; look-ups of columns ignore case, as the server does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from readiness.errors import WorkloadError
from readiness.ports import Session
from readiness.workload.prove.definitions import filled_by, full_type

SCHEMA_JSON_VERSION = 1
_WHOLE = ("tinyint", "smallint", "mediumint", "int", "bigint")


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `type` is the data type in lower case without length (`varchar`, `bigint`).

    `full_type` has length, sign and values (`bigint unsigned`, `varchar(40)`), `filled` says what
    the server writes where a statement gives no value; both are in one spelling for all engines, and
    "" in schema files that are older than they."""

    type: str
    nullable: bool = True
    auto_increment: bool = False
    full_type: str = ""
    filled: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    """One index, its columns in key order; the primary key is named PRIMARY."""

    name: str
    unique: bool
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` refer to `referenced_columns` of `referenced_table`."""

    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table."""

    columns: Mapping[str, Column]
    indexes: tuple[Index, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The primary key's columns, () without one."""
        return next((i.columns for i in self.indexes if i.name == "PRIMARY"), ())

    @property
    def auto_increment_column(self) -> str:
        """The AUTO_INCREMENT column, "" without one."""
        return next((name for name, c in self.columns.items() if c.auto_increment), "")


@dataclass(frozen=True, slots=True)
class Schema:
    """One database; `collation` is its default. Of the columns in `kept` a policy says that their
    values are words like those of an ENUM, of those `apart` that they are no variables. `implied` has
    what columns refer to by their names alone, where no foreign key says so. All three are worked out
    anew for each build and kept in no file."""

    name: str
    collation: str
    tables: Mapping[str, Table] = field(default_factory=dict)
    kept: frozenset[tuple[str, str]] = frozenset()
    apart: frozenset[tuple[str, str]] = frozenset()
    implied: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def find(self, table: str, column: str) -> tuple[str, str] | None:
        """The column in the server's spelling, None when there is no such column."""
        known = self.tables.get(table)
        if known is None:
            return None
        if column in known.columns:
            return table, column
        low = column.lower()
        return next(((table, c) for c in known.columns if c.lower() == low), None)

    def root(self, table: str, column: str) -> tuple[str, str]:
        """The column at the end of the foreign keys, declared or implied, that start at this one."""
        seen: set[tuple[str, str]] = set()
        at = (table, column)
        while at not in seen and (parent := self._parent(*at)):
            seen.add(at)
            at = parent
        return at

    def _parent(self, table: str, column: str) -> tuple[str, str] | None:
        known = self.tables.get(table)
        for key in known.foreign_keys if known else ():
            if column in key.columns:
                return key.referenced_table, key.referenced_columns[key.columns.index(column)]
        return self.implied.get((table, column))

    def is_indexed(self, table: str, column: str) -> bool:
        """Any index holds the column."""
        known = self.tables.get(table)
        return known is not None and any(column in i.columns for i in known.indexes)

    def is_unique(self, table: str, column: str) -> bool:
        """The column alone is a primary or unique key."""
        known = self.tables.get(table)
        return known is not None and any(i.unique and i.columns == (column,) for i in known.indexes)

    def is_auto_increment(self, table: str, column: str) -> bool:
        """The server numbers this column."""
        known = self.tables.get(table)
        return known is not None and known.auto_increment_column == column != ""

    def type_of(self, table: str, column: str) -> str:
        """The column's data type, "" for an unknown column."""
        known = self.tables.get(table)
        found = known.columns.get(column) if known else None
        return found.type if found else ""

    def is_whole(self, table: str, column: str) -> bool:
        """The column holds whole numbers."""
        return self.type_of(table, column) in _WHOLE

    def is_listed(self, table: str, column: str) -> bool:
        """Whether the schema itself lists the column's values (ENUM and SET), or a policy keeps them."""
        return self.type_of(table, column) in ("enum", "set") or (table, column) in self.kept

    def is_fixed(self, table: str, column: str) -> bool:
        """Whether the column's values become no variables: listed, or apart by a policy."""
        return self.is_listed(table, column) or (table, column) in self.apart

    def children(self, table: str, column: str) -> list[tuple[str, str]]:
        """The columns that refer to this one by a foreign key, declared or implied, sorted by table."""
        declared = {
            (name, key.columns[key.referenced_columns.index(column)])
            for name, known in self.tables.items()
            for key in known.foreign_keys
            if key.referenced_table == table and column in key.referenced_columns
        }
        return sorted(
            declared | {c for c, parent in self.implied.items() if parent == (table, column)}
        )

    def to_json(self) -> dict[str, object]:
        """The form of `--schema FILE`."""
        tables = {name: asdict(table) for name, table in sorted(self.tables.items())}
        return {
            "schema_version": SCHEMA_JSON_VERSION,
            "name": self.name,
            "collation": self.collation,
            "tables": tables,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Schema:
        """The inverse of `to_json`. Raises WorkloadError for another version or a broken file."""
        version = data.get("schema_version")
        if version != SCHEMA_JSON_VERSION:
            raise WorkloadError(
                f"the schema file has schema_version {version!r}, {SCHEMA_JSON_VERSION} is read",
                hint="Write it again:  readiness workload schema --source DSN -o FILE",
            )
        try:
            tables = data["tables"]
            if not isinstance(tables, dict):
                raise TypeError("tables is no object")
            made = {str(name): _table(entry) for name, entry in tables.items()}
        except (KeyError, TypeError, ValueError) as e:
            raise WorkloadError(
                f"the schema file is broken: {type(e).__name__} at {e}",
                hint="Write it again:  readiness workload schema --source DSN -o FILE",
            ) from e
        return cls(str(data.get("name", "")), str(data.get("collation", "")), made)


def _table(entry: Mapping[str, object]) -> Table:
    columns, indexes, keys = entry["columns"], entry["indexes"], entry["foreign_keys"]
    if not (isinstance(columns, dict) and isinstance(indexes, list) and isinstance(keys, list)):
        raise TypeError("columns, indexes and foreign_keys")
    return Table(
        {str(name): Column(**c) for name, c in columns.items()},
        tuple(Index(i["name"], i["unique"], tuple(i["columns"])) for i in indexes),
        tuple(
            ForeignKey(tuple(k["columns"]), k["referenced_table"], tuple(k["referenced_columns"]))
            for k in keys
        ),
    )


def read_schema(session: Session, database: str) -> Schema:
    """The schema of one database from information_schema, in four queries.

    Raises WorkloadError when the database does not exist or holds no table that one may see."""
    collation = session.query(
        "SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = %s",
        (database,),
    )
    columns = _columns(session, database)
    if not collation or not columns:
        raise WorkloadError(
            f"the database {database!r} holds no table that this user may see",
            hint="Check the database name in the DSN and the user's SELECT privilege.",
        )
    indexes, keys = _indexes(session, database), _foreign_keys(session, database)
    return Schema(
        database,
        _text(collation[0][0]),
        {
            name: Table(found, tuple(indexes.get(name, ())), tuple(keys.get(name, ())))
            for name, found in columns.items()
        },
    )


def _columns(session: Session, database: str) -> dict[str, dict[str, Column]]:
    rows = session.query(
        "SELECT c.TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE, c.IS_NULLABLE, c.EXTRA, c.COLUMN_TYPE, "
        "c.COLUMN_DEFAULT "
        "FROM information_schema.COLUMNS c JOIN information_schema.TABLES t "
        "ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME "
        "AND t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') "
        "WHERE c.TABLE_SCHEMA = %s ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION",
        (database,),
    )
    tables: dict[str, dict[str, Column]] = {}
    for row in rows:
        table, column, kind, nullable, extra, column_type = (_text(v) for v in row[:6])
        tables.setdefault(table, {})[column] = Column(
            kind.lower(),
            nullable == "YES",
            "auto_increment" in extra.lower(),
            full_type(column_type, kind),
            filled_by(None if row[6] is None else _text(row[6]), extra),
        )
    return tables


def _indexes(session: Session, database: str) -> dict[str, list[Index]]:
    rows = session.query(
        "SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME FROM information_schema.STATISTICS "
        "WHERE TABLE_SCHEMA = %s AND COLUMN_NAME IS NOT NULL "
        "ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX",
        (database,),
    )
    tables: dict[str, dict[str, Index]] = {}
    for row in rows:
        table, name, non_unique, column = (_text(v) for v in row)
        known = tables.setdefault(table, {})
        before = known[name].columns if name in known else ()
        known[name] = Index(name, non_unique == "0", (*before, column))
    return {table: list(known.values()) for table, known in tables.items()}


def _foreign_keys(session: Session, database: str) -> dict[str, list[ForeignKey]]:
    rows = session.query(
        "SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, "
        "REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE "
        "WHERE TABLE_SCHEMA = %s AND REFERENCED_TABLE_NAME IS NOT NULL "
        "ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION",
        (database,),
    )
    tables: dict[str, dict[str, ForeignKey]] = {}
    for row in rows:
        table, name, column, parent, referenced = (_text(v) for v in row)
        known = tables.setdefault(table, {})
        before = known.get(name, ForeignKey((), parent, ()))
        known[name] = ForeignKey(
            (*before.columns, column), parent, (*before.referenced_columns, referenced)
        )
    return {table: list(known.values()) for table, known in tables.items()}


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)

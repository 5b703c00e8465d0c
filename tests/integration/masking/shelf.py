"""A database to mask: made by statements, read into a catalogue, masked, looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.fakes.masking_sql import HashingSql

from readiness.adapters.local_server import LocalServer
from readiness.masking.run.tables import mask_tables
from readiness.model.catalogue import Catalogue, ColumnFacts, IndexFacts, TableFacts
from readiness.model.masking import Look, MaskedColumn, MaskPlan, Source
from readiness.ports import Progress, Row, Session

KEY = "ab" * 32
_DIGITS = " UNION ALL ".join(f"SELECT {n}" for n in range(1, 10))
# A derived table of n from 0 to 9999.
NUMBERS = f"(SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d n FROM {', '.join(f'(SELECT 0 d UNION ALL {_DIGITS}) {x}' for x in 'abce')}) s"


class Shelf:
    """The database `shop` of a server."""

    def __init__(self, server: LocalServer) -> None:
        self.server = server
        self.engine = server.binary.engine
        self.session: Session = server.root_session()

    def empty(self) -> None:
        """Makes the database anew, and forgets what masking did."""
        for name in ("shop", "readiness_marker"):
            self.session.query(f"DROP DATABASE IF EXISTS {name}")
        self.session.query("CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
        self.session.query("USE shop")

    def again(self) -> None:
        """A new session, as after a restart."""
        self.session.close()
        self.session = self.server.root_session("shop")

    def close(self) -> None:
        self.session.close()

    def run(self, *statements: str) -> list[Row]:
        """The rows of the last."""
        rows: list[Row] = []
        for statement in statements:
            rows = self.session.query(statement)
        return rows

    def checksum(self, table: str) -> object:
        return self.run(f"CHECKSUM TABLE `{table}`")[0][1]

    def created(self, table: str) -> str:
        return str(self.run(f"SHOW CREATE TABLE `{table}`")[0][1])

    def catalogue(self) -> Catalogue:
        """As the server describes it."""
        names = [
            (str(r[0]), str(r[1]), int(str(r[2] or 0)), int(str(r[3] or 0)))
            for r in self.run(
                "SELECT TABLE_NAME, ENGINE, DATA_LENGTH, INDEX_LENGTH FROM information_schema.TABLES"
                " WHERE TABLE_SCHEMA = 'shop' AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')"
            )
        ]
        return Catalogue(
            "shop",
            self.engine,
            "",
            {
                name: TableFacts(
                    name,
                    engine,
                    self._columns(name),
                    tuple(self._indexes(name)),
                    data_bytes=data,
                    index_bytes=index,
                )
                for name, engine, data, index in names
            },
        )

    def _columns(self, table: str) -> dict[str, ColumnFacts]:
        rows = self.session.query(
            "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, CHARACTER_MAXIMUM_LENGTH,"
            " CHARACTER_SET_NAME, COLLATION_NAME, EXTRA FROM information_schema.COLUMNS"
            " WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = %s ORDER BY ORDINAL_POSITION",
            (table,),
        )
        return {str(r[0]): _column(r) for r in rows}

    def _indexes(self, table: str) -> list[IndexFacts]:
        rows = self.session.query(
            "SELECT INDEX_NAME, NON_UNIQUE, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS"
            " WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = %s ORDER BY INDEX_NAME, SEQ_IN_INDEX",
            (table,),
        )
        found: dict[str, IndexFacts] = {}
        for name, non_unique, column, part in rows:
            before = found.get(str(name), IndexFacts(str(name), not int(str(non_unique)), ()))
            parts = (*before.parts, (str(column or ""), int(str(part or 0))))
            found[str(name)] = IndexFacts(before.name, before.is_unique, parts)
        return list(found.values())

    def mask(
        self,
        *columns: str,
        derived: dict[str, str] | None = None,
        open_session: Callable[[], Session] | None = None,
        catalogue: Catalogue | None = None,
        progress: Progress = lambda _: None,
    ) -> int:
        """Masks `table.column`s, and those of `derived` by their expressions."""
        return mask_tables(
            open_session or self.server.root_session,
            catalogue or self.catalogue(),
            plan_of(columns, derived or {}),
            key_hex=KEY,
            progress=progress,
            sql=HashingSql(),
        )


def plan_of(columns: Sequence[str], derived: dict[str, str]) -> MaskPlan:
    """Columns by `table.column`."""
    made = [_masked(c, "") for c in columns] + [_masked(c, d) for c, d in derived.items()]
    return MaskPlan("shop", "", tuple(made))


def _masked(column: str, derived: str) -> MaskedColumn:
    table, _, name = column.partition(".")
    look = None if derived else Look.TEXT
    return MaskedColumn(table, name, look, "text", Source.POLICY, "a test", derived)


def _column(row: Row) -> ColumnFacts:
    extra = str(row[7] or "").upper()
    generated = "stored" if "STORED GENERATED" in extra or "PERSISTENT" in extra else ""
    return ColumnFacts(
        str(row[0]),
        str(row[1]).lower(),
        str(row[2]),
        str(row[3]) == "YES",
        int(str(row[4] or 0)),
        str(row[5] or ""),
        str(row[6] or ""),
        generated or ("virtual" if "VIRTUAL" in extra else ""),
        "AUTO_INCREMENT" in extra,
    )

"""Masks a table by filling a new one of the same definition, which then takes its place.

The old table first gives up its foreign keys and (MySQL) its checks: their names are of the database,
and the new table is made with them. It is dropped before the new one is renamed, since a table that is
renamed takes along the keys that refer to it; of one that is dropped they wait for its name. Views and
privileges go by name, and stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from readiness.errors import MaskingError
from readiness.masking.names import quoted, text
from readiness.masking.run.definition import Definition, data_bytes, index_bytes, own_constraints
from readiness.masking.run.session import attempt
from readiness.model.catalogue import Catalogue, TableFacts
from readiness.ports import Session

TOLERANCE_RATIO = 0.15
_SMALL_BYTES = 2 << 20  # a few extents of 1 MB: pages are not what is measured there
_FULL_FACTOR = 100


class Rebuild:
    """One table's; `expressions` gives the new value of each masked column."""

    def __init__(
        self,
        session: Session,
        catalogue: Catalogue,
        table: TableFacts,
        definition: Definition,
        expressions: Mapping[str, str],
    ) -> None:
        self._session = session
        self._catalogue = catalogue
        self._table = table
        self._definition = definition
        self._expressions = expressions
        self._is_mariadb = catalogue.engine == "mariadb"
        self.name = new_name(table.name)

    def begin(self) -> None:
        """Makes the new table, empty; one that a killed try left goes. LIKE, since MySQL shows a
        definition that was made from what it shows in other words."""
        self._session.query(f"DROP TABLE IF EXISTS {quoted(self.name)}")
        self._free_names()
        new = quoted(self.name)
        self._session.query(f"CREATE TABLE {new} LIKE {quoted(self._table.name)}")
        kinds = ("FOREIGN KEY",) if self._is_mariadb else ("FOREIGN KEY", "CHECK")
        adds = [f"ADD {clause}" for clause in self._definition.constraints(kinds)]
        if self._definition.following > 1:
            adds.append(f"AUTO_INCREMENT = {self._definition.following:d}")
        if adds:
            self._session.query(f"ALTER TABLE {new} {', '.join(adds)}")
            self._name_indexes()

    def statement(self, hints: str, where: str) -> str:
        """Fills in the rows of a condition; computed columns compute themselves."""
        names = [c.name for c in self._table.columns.values() if not c.generated]
        values = [self._expressions.get(name, quoted(name)) for name in names]
        return (
            f"INSERT INTO {quoted(self.name)} ({', '.join(map(quoted, names))})"
            f" SELECT {', '.join(values)} FROM {quoted(self._table.name)}{hints} WHERE {where}"
        )

    def order(self) -> str:
        """The order of rows that were written as they came, where the key does not tell it: that of a
        time or counter that an index begins with, else none at all."""
        firsts = [i.columns[0] for i in self._table.indexes if i.name != "PRIMARY" and i.columns]
        born = next((c for c in firsts if c and self._tells_order(c)), "")
        key = ", ".join(quoted(c) for c in self._table.primary_key if c)
        return f" ORDER BY {quoted(born)}" if born else f" ORDER BY CRC32(CONCAT_WS(',', {key}))"

    def is_too_dense(self, rows: int) -> bool:
        """Whether `rows` rows, written in key order, take less room than the old table's do: those
        came in another order (a random key), and left pages half full."""
        if not rows or self._definition.data_bytes < _SMALL_BYTES:
            return False
        self._session.query(f"ANALYZE TABLE {quoted(self.name)}")
        now = data_bytes(self._session, self._catalogue.database, self.name) / rows
        before = self._definition.data_bytes / max(1, self._definition.rows)
        return now < before * (1 - TOLERANCE_RATIO)

    def settle(self, rows: int) -> None:
        """Before the old table goes: all rows are there, and the indexes are as dense as before."""
        if rows != self._definition.rows:
            raise MaskingError(
                f"Table {self._table.name} has {rows:,} rows after masking,"
                f" {self._definition.rows:,} before: somebody else writes to it.",
                hint="End other sessions, and start from a fresh copy:  readiness clone reset NAME",
            )
        if self._growth() > 1 + TOLERANCE_RATIO:
            self._session.query(f"ALTER TABLE {quoted(self.name)} FORCE")
            self._loosen()

    def swap(self) -> None:
        """Puts the new table into the old one's place. Between both statements there is but the new
        one, which is how a repeat knows what is left to do."""
        if not self._is_there(self.name):
            return
        self._session.query(f"DROP TABLE IF EXISTS {quoted(self._table.name)}")
        self._session.query(f"RENAME TABLE {quoted(self.name)} TO {quoted(self._table.name)}")

    def _tells_order(self, column: str) -> bool:
        facts = self._table.columns[column]
        return facts.is_auto_increment or facts.data_type in {"datetime", "timestamp"}

    def _loosen(self) -> None:
        """Rows in key order fill pages to the brim; where production's are not so full, nor are ours."""
        share = self._growth()
        if share >= 1 - TOLERANCE_RATIO:
            return
        factor = max(10, int(_FULL_FACTOR * share))
        before = self._session.query("SELECT @@GLOBAL.innodb_fill_factor")[0][0]
        if not attempt(self._session, f"SET GLOBAL innodb_fill_factor = {factor:d}"):
            return
        try:
            self._session.query(f"ALTER TABLE {quoted(self.name)} FORCE")
        finally:
            self._session.query(f"SET GLOBAL innodb_fill_factor = {before}")

    def _growth(self) -> float:
        """Size of the indexes now / before; 1 where both are small, or not known."""
        self._session.query(f"ANALYZE TABLE {quoted(self.name)}")
        now = index_bytes(self._session, self._catalogue.database, self.name)
        before = self._definition.index_bytes
        if max(now, before) < _SMALL_BYTES or not before:
            return 1.0
        return now / before

    def _free_names(self) -> None:
        """MariaDB keeps names of checks per table."""
        table = self._table.name
        named = own_constraints(self._session, self._catalogue.database, table)
        drops = [f"DROP FOREIGN KEY {quoted(n)}" for n in named.get("FOREIGN KEY", ())]
        if not self._is_mariadb:
            drops += [f"DROP CHECK {quoted(n)}" for n in named.get("CHECK", ())]
        for drop in drops:
            self._session.query(f"ALTER TABLE {quoted(table)} {drop}")

    def _name_indexes(self) -> None:
        """An index that the server had made for a foreign key without a name is made anew with the
        key, and called as the key is: it gets its old name back."""
        old = {index.name: index.columns for index in self._table.indexes}
        new = self._indexes_there()
        for name in old.keys() - new.keys():
            made = (n for n, columns in new.items() if n not in old and columns == old[name])
            if its_name := next(made, ""):
                del new[its_name]
                self._session.query(
                    f"ALTER TABLE {quoted(self.name)}"
                    f" RENAME INDEX {quoted(its_name)} TO {quoted(name)}"
                )

    def _indexes_there(self) -> dict[str, tuple[str, ...]]:
        """The new table's indexes with their columns."""
        rows = self._session.query(
            "SELECT INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS"
            " WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s ORDER BY INDEX_NAME, SEQ_IN_INDEX",
            (self._catalogue.database, self.name),
        )
        found: dict[str, tuple[str, ...]] = {}
        for name, column in rows:
            found[text(name)] = (*found.get(text(name), ()), text(column or ""))
        return found

    def _is_there(self, table: str) -> bool:
        return bool(
            self._session.query(
                "SELECT 1 FROM information_schema.TABLES"
                " WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
                (self._catalogue.database, table),
            )
        )


def new_name(table: str) -> str:
    """What the new table is called until it takes the old one's name."""
    return f"readiness_{hashlib.sha256(table.encode()).hexdigest()[:16]}"

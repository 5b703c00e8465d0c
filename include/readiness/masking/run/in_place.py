"""Masks a table by UPDATE, range by range: no index holds a masked column, so none changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readiness.masking.names import quoted, text
from readiness.masking.run.definition import drop_triggers
from readiness.model.catalogue import Catalogue, TableFacts
from readiness.model.masking import MaskedColumn
from readiness.ports import Session


class InPlace:
    """One table's; `expressions` gives the new value of each masked column."""

    def __init__(
        self,
        session: Session,
        catalogue: Catalogue,
        table: TableFacts,
        columns: Sequence[MaskedColumn],
        expressions: Mapping[str, str],
    ) -> None:
        self._session = session
        self._catalogue = catalogue
        self._table = table
        self._sets = [*_in_order(columns, expressions)]

    def begin(self) -> None:
        """Triggers go, and columns that note the time of a change are told to keep it."""
        drop_triggers(self._session, self._catalogue.database, self._table.name)

    def statement(self, hints: str, where: str) -> str:
        """Changes the rows of a condition."""
        kept = [f"{n} = {n}" for n in self._stamped()]
        return (
            f"UPDATE {quoted(self._table.name)}{hints} SET {', '.join([*self._sets, *kept])}"
            f" WHERE {where}"
        )

    def order(self) -> str:
        """As the key orders them: rows stay where they are."""
        return ""

    def is_too_dense(self, _rows: int, /) -> bool:
        """Never: no page changes its rows, however many."""
        return False

    def settle(self, rows: int) -> None:
        """Lengths are kept, so pages are."""

    def swap(self) -> None:
        """There is but one table."""

    def _stamped(self) -> list[str]:
        """Columns that an UPDATE sets to the present unless it names them."""
        rows = self._session.query(
            "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = %s"
            " AND TABLE_NAME = %s AND EXTRA LIKE '%%on update%%'",
            (self._catalogue.database, self._table.name),
        )
        set_already = {s.partition(" = ")[0] for s in self._sets}
        return [n for n in (quoted(text(r[0])) for r in rows) if n not in set_already]


def _in_order(columns: Sequence[MaskedColumn], expressions: Mapping[str, str]) -> list[str]:
    """An UPDATE sets from left to right, and what stands further right sees what was set: derived
    columns, which read others, come before the ones that read only themselves."""
    ordered = sorted(columns, key=lambda c: not c.derived)
    return [f"{quoted(c.column)} = {expressions[c.column]}" for c in ordered]

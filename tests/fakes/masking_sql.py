"""Expressions as masking runs them: texts and bytes of the same length, whole numbers moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readiness.model.catalogue import ColumnFacts, TableFacts
from readiness.model.masking import MaskedColumn

_NUMBERS = {"int", "bigint", "tinyint", "smallint", "decimal"}
_BYTES = {"blob", "varbinary", "binary", "longblob"}


class HashingSql:
    """Fills `readiness.masking.run.tables.MaskingSql`."""

    def expressions_of(
        self, columns: Sequence[MaskedColumn], table: TableFacts, attempts: Mapping[str, int]
    ) -> Mapping[str, str]:
        base = {c.column: hashed(table.columns[c.column]) for c in columns if not c.derived}
        plain = {name: f"`{name}`" for name in table.columns}
        derived = {c.column: c.derived.format(**(plain | base)) for c in columns if c.derived}
        return base | derived

    def key_statement(self, key_hex: str) -> tuple[str, tuple[object, ...]]:
        return "SET @readiness_key = %s", (key_hex,)


def hashed(column: ColumnFacts) -> str:
    """Another value of the same length; equal ones stay equal."""
    name = "`" + column.name.replace("`", "``") + "`"
    if column.data_type in _NUMBERS:
        return f"{name} + 100000"
    if column.data_type in _BYTES:
        return f"LEFT(UNHEX(SHA2(CONCAT(@readiness_key, {name}), 256)), LENGTH({name}))"
    text = f"CONVERT({name} USING utf8mb4)"
    return f"LEFT(SHA2(CONCAT(@readiness_key, {text}), 512), CHAR_LENGTH({name}))"

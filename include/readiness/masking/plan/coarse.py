"""What a policy's `empty` and `generalize` make of a column, as SQL over its own unmasked value.

The column stands there between backquotes; NULL stays NULL."""

from __future__ import annotations

from readiness.masking.data_types import BINARIES, NUMBERS, TEXTS
from readiness.masking.names import quoted
from readiness.model.catalogue import ColumnFacts

_CLOCK = {"date", "datetime", "timestamp"}


def emptied(column: ColumnFacts) -> str:
    """`''`, 0, bytes of zero in a fixed width, `[]` for documents; "" for types that have no empty
    value."""
    name, kind = quoted(column.name), column.data_type
    if column.is_json:
        return f"IF({name} IS NULL, NULL, '[]')"  # `{}` would be the name of a column here
    if kind in NUMBERS:
        return f"IF({name} IS NULL, NULL, 0)"
    if kind in TEXTS or kind in BINARIES:
        return f"IF({name} IS NULL, NULL, '')"
    return ""


def generalized(column: ColumnFacts) -> str:
    """The first day of five years, a number's leading digit, a text's first character and the length
    of the rest; "" for types that cannot be made coarser."""
    name, kind = quoted(column.name), column.data_type
    if kind in _CLOCK:
        return f"IF(YEAR({name}) < 5, {name}, MAKEDATE(YEAR({name}) - YEAR({name}) % 5, 1))"
    if kind in NUMBERS:
        power = f"POW(10, FLOOR(LOG10(ABS({name}))))"
        return f"IF({name} IS NULL OR ABS({name}) < 1, {name}, TRUNCATE({name} / {power}, 0) * {power})"
    if kind in TEXTS:
        return f"CONCAT(LEFT({name}, 1), REPEAT('x', CHAR_LENGTH({name}) - 1))"
    return ""

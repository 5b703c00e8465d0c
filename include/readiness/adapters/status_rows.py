"""What a server says of itself in pairs of a name and a value."""

from __future__ import annotations

from collections.abc import Iterable

from readiness.ports import Row


def numbers_of(rows: Iterable[Row]) -> dict[str, float]:
    """The values that are numbers, by name."""
    made: dict[str, float] = {}
    for name, value in rows:
        try:
            made[str(name)] = float(str(value))
        except ValueError:
            continue
    return made

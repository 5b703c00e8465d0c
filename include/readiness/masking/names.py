"""Names of tables and columns in SQL text: any name, also with backquotes, blanks and percent signs."""

from __future__ import annotations


def quoted(name: str) -> str:
    """A name between backquotes, for a statement without parameters."""
    return "`" + name.replace("`", "``") + "`"


def bound(name: str) -> str:
    """The same for a statement with parameters, where a percent sign is written twice."""
    return quoted(name).replace("%", "%%")


def text(value: object) -> str:
    """A value of the data dictionary, which some servers give as bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)

"""Names of tables and columns, and texts, in SQL: any name, also with backquotes, blanks and percent signs."""

from __future__ import annotations


def quoted(*names: str) -> str:
    """A name between backquotes, or names with dots between, for a statement without parameters."""
    return ".".join("`" + name.replace("`", "``") + "`" for name in names)


def bound(name: str) -> str:
    """The same for a statement with parameters, where a percent sign is written twice."""
    return quoted(name).replace("%", "%%")


def literal(value: str) -> str:
    """A text as a literal, under a sql_mode that takes a backslash for an escape."""
    inner = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{inner}'"


def text(value: object) -> str:
    """A value of the data dictionary, which some servers give as bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)

"""Names as SQL writes them."""

from __future__ import annotations


def quoted(name: str) -> str:
    """An identifier in backquotes, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def text(value: object) -> str:
    """A value of the data dictionary, which some servers give as bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)

"""One spelling for what two engines say of the same column, so that MariaDB and MySQL agree.

MariaDB 10.11 shows `int(11)`, `'new'` and `current_timestamp()` where MySQL 9 shows `int`, `new` and
`CURRENT_TIMESTAMP`; MariaDB's JSON is a LONGTEXT."""

from __future__ import annotations

import re

_DISPLAY_WIDTH = re.compile(r"^(tinyint|smallint|mediumint|int|bigint|year)\(\d+\)")
_NOW = re.compile(r"\b(?:current_timestamp|now|localtime|localtimestamp)\b(?:\((\d*)\))?")
_NOISE = re.compile(r"\b(?:default_generated|auto_increment|persistent)\b")


def full_type(column_type: str, data_type: str) -> str:
    """The type with length, sign and values, without an integer's display width."""
    if data_type.lower() == "json":
        return "longtext"
    name, _, rest = column_type.partition("(")
    return _DISPLAY_WIDTH.sub(r"\1", name.lower() + ("(" + rest if rest else ""))


def filled_by(default: str | None, extra: str) -> str:
    """What the server writes where a statement gives no value: default, ON UPDATE, generated."""
    said = _NOW.sub(_now, " ".join(_NOISE.sub(" ", extra.lower()).split()))
    plain = _default(default)
    return " ".join(part for part in (f"default {plain}" if plain else "", said) if part)


def _default(text: str | None) -> str:
    """MariaDB quotes a text, MySQL does not; NULL is no default on either."""
    if text is None or text.upper() == "NULL":
        return ""
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'").replace("\\\\", "\\") or "''"
    low = text.lower()
    return _NOW.sub(_now, low) if _NOW.fullmatch(low) else text or "''"


def _now(found: re.Match[str]) -> str:
    digits = found[1] or ""
    return f"now({digits})"

"""Data types by what they hold, as the data dictionary of both engines spells them."""

from __future__ import annotations

CHARS = {"char", "varchar"}
LONG_TEXTS = {"tinytext", "text", "mediumtext", "longtext"}
TEXTS = CHARS | LONG_TEXTS
WORDS = {"enum", "set"}
BINARIES = {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}
WHOLE_NUMBERS = {"tinyint", "smallint", "mediumint", "int", "bigint"}
NUMBERS = WHOLE_NUMBERS | {"decimal", "float", "double"}
MOMENTS = {"datetime", "timestamp"}
ADDRESSES = {"inet4", "inet6"}
PLAIN = {"bit", "time", "year", "uuid"}

"""The SQL of a policy's `derive`: what a column repeats of other columns of its row.

`SHA2(LOWER({email}), 256)`: functions of a short list, columns of the same table in braces, plain
texts and numbers. Nothing else is SQL to it: no sub-query, variable, comment, operator or name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from readiness.config.nearest import did_you_mean

FUNCTIONS: dict[str, tuple[int, int]] = {  # the fewest and the most arguments
    **dict.fromkeys(("LOWER", "UPPER", "TRIM", "LTRIM", "RTRIM", "REVERSE", "MD5", "SHA1"), (1, 1)),
    **dict.fromkeys(("HEX", "UNHEX", "TO_BASE64", "FROM_BASE64", "CHAR_LENGTH", "LENGTH"), (1, 1)),
    **dict.fromkeys(("CRC32", "YEAR", "MONTH", "DAYOFMONTH", "DATE", "INET6_ATON"), (1, 1)),
    **dict.fromkeys(("INET6_NTOA", "INET_ATON", "INET_NTOA"), (1, 1)),
    **dict.fromkeys(("LEFT", "RIGHT", "SHA2", "IFNULL", "NULLIF"), (2, 2)),
    **dict.fromkeys(("SUBSTRING_INDEX", "REPLACE"), (3, 3)),
    "SUBSTRING": (2, 3),
    "COALESCE": (1, 8),
    "CONCAT": (1, 16),
    "CONCAT_WS": (2, 16),
}
_TOKEN = re.compile(
    r"\s*(?:(?P<column>\{[^{}]+\})|(?P<text>'[^'\\%{}]*')|(?P<number>-?\d{1,18})|(?P<null>NULL\b)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>[(),]))",
    re.IGNORECASE,
)
_LONGEST = 1000  # characters
_DEEPEST = 12


def derive_fault(text: str) -> str:
    """What is wrong with the SQL of a `derive`, "" when nothing is."""
    if len(text) > _LONGEST:
        return f"derive may have {_LONGEST} characters"
    try:
        parser = _Parser(list(_tokens(text)))
        parser.whole()
    except ValueError as error:
        return str(error)
    return "" if parser.columns else "derive names no column: write one in braces, as {email}"


def derive_columns(text: str) -> tuple[str, ...]:
    """The columns that a faultless `derive` names, each once, in order."""
    return tuple(dict.fromkeys(m[1:-1] for m in re.findall(r"\{[^{}]+\}", text)))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise ValueError(
                f"derive cannot be read from character {at + 1}: functions, {{columns}}, 'texts' without"
                " backslash, percent sign or brace, and whole numbers are allowed"
            )
        yield match.lastgroup, match[match.lastgroup]
        at = match.end()


class _Parser:
    """value := {column} | 'text' | number | NULL | FUNCTION ( value , … )"""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0
        self.columns = 0

    def whole(self) -> None:
        """One value and nothing behind it. Raises ValueError."""
        self._value(0)
        if self._at < len(self._tokens):
            raise ValueError(f"derive has {self._tokens[self._at][1]} where it should end")

    def _next(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise ValueError("derive ends too early: is a bracket missing?")
        self._at += 1
        return self._tokens[self._at - 1]

    def _value(self, depth: int) -> None:
        kind, text = self._next()
        if kind == "column":
            self.columns += 1
        elif kind == "name" and depth < _DEEPEST:
            self._call(text.upper(), depth)
        elif kind in ("sign", "name"):
            raise ValueError(f"derive has {text} where a value should stand")

    def _call(self, name: str, depth: int) -> None:
        if name not in FUNCTIONS:
            raise ValueError(
                f"derive may not call {name}.{did_you_mean(name.lower(), _LOWER) or _LIST}"
            )
        self._expect("(", name)
        count = 1
        self._value(depth + 1)
        while (token := self._next())[1] == ",":
            count += 1
            self._value(depth + 1)
        fewest, most = FUNCTIONS[name]
        if token[1] != ")" or not fewest <= count <= most:
            raise ValueError(f"{name} takes {_counted(fewest, most)} in brackets")

    def _expect(self, sign: str, name: str) -> None:
        if self._next()[1] != sign:
            raise ValueError(f"{name} needs a bracket: {name}(…)")


_LOWER = [name.lower() for name in FUNCTIONS]
_LIST = f" Allowed: {', '.join(sorted(FUNCTIONS))}"


def _counted(fewest: int, most: int) -> str:
    if fewest == most:
        return f"{fewest} value{'s' * (fewest != 1)}"
    return f"{fewest} to {most} values"

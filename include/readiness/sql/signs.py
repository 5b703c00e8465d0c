"""Tells the sign of a number from a subtraction: `(-5` is a number, `a -5` is not."""

from __future__ import annotations

from collections.abc import Sequence

_SIGNS = frozenset({b"-", b"+"})
_OPERATORS = frozenset(
    {b"(", b",", b"=", b"<", b">", b"!", b"~", b"+", b"-", b"*", b"/", b"%", b"&", b"|", b"^", b";"}
)
# reserved words that an operand follows; no column is called so without quotes
_WORDS = frozenset(
    b"ALL AND BETWEEN BINARY BY CASE DEFAULT DISTINCT DISTINCTROW DIV ELSE FOR FROM HAVING IN "
    b"INTERVAL LIKE MOD NOT ON OR REGEXP RETURN RLIKE SELECT SET THEN WHEN WHERE XOR".split()
)


def is_sign(words: Sequence[bytes], at: int) -> bool:
    """Whether word `at` is the sign of the operand behind it.

    `words` are the tokens of a statement in upper case, without comments; hints and the marks of
    executable comments may be among them."""
    if words[at] not in _SIGNS:
        return False
    before = at - 1
    while before >= 0 and (words[before][:2] == b"/*" or words[before] == b"*/"):
        before -= 1
    if before < 0 or words[before] in _OPERATORS:
        return True
    is_name = before > 0 and words[before - 1] == b"."
    return words[before] in _WORDS and not is_name

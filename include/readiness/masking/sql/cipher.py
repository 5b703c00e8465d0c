"""One-to-one maps of short texts: a Feistel network in SQL arithmetic, on digits or on letters.

A text is cut in two halves (the right one may be longer by one); each round adds a keyed hash of one
half to the other, modulo base^length, which can be taken back: so different texts of a length always
become different texts of that length. Nothing is walked in cycles, as the halves may differ in length.
SQL has no local names, so halves are spelled out where they are used: three rounds hash six times, at
0.2 µs each.
"""

from __future__ import annotations

from dataclasses import dataclass

from readiness.masking.sql.parts import Value, conv

MOST_DIGITS = 19
MOST_LETTERS = 12
_LATE, _EARLY = "qrstuvwxyz", "0123456789"  # a to p are digits of base 26 as they stand


@dataclass(frozen=True, slots=True)
class _Half:
    sql: str
    length: str


def digits(value: Value, sql: str, length: str) -> str:
    """`sql`, 1 to 19 ASCII digits, as as many others."""
    left = _Half(f"LEFT({sql}, {length} DIV 2)", f"{length} DIV 2")
    right = _Half(f"SUBSTRING({sql}, 1 + {length} DIV 2)", f"(1 + {length}) DIV 2")
    return "CONCAT({}, {})".format(*_rounds(value, left, right, 10))


def letters(value: Value, sql: str, is_capital: str) -> str:
    """`sql`, 1 to 12 ASCII letters, as as many small others; the first a capital where the condition
    `is_capital` holds."""
    word = _swapped(f"LOWER({sql})", _LATE, _EARLY)
    length = f"CHAR_LENGTH({sql})"
    # The longer half stands first: a single letter is in it, and the capital is cut from it alone.
    first = _Half(f"LEFT({word}, (1 + {length}) DIV 2)", f"(1 + {length}) DIV 2")
    second = _Half(f"SUBSTRING({word}, 1 + (1 + {length}) DIV 2)", f"{length} DIV 2")
    end, begin = _rounds(value, second, first, 26)
    initial, end = _spelled(f"LEFT({begin}, 1)"), f"CONCAT(SUBSTRING({begin}, 2), {end})"
    return f"CONCAT(IF({is_capital}, UPPER({initial}), {initial}), {_spelled(end)})"


def _spelled(sql: str) -> str:
    """Digits of base 26 as letters."""
    return _swapped(f"LOWER({sql})", _EARLY, _LATE)


def _rounds(value: Value, left: _Half, right: _Half, base: int) -> tuple[str, str]:
    first = _added(value, left, right.sql, "1", base)
    second = _added(value, right, first, "2", base)
    third = _added(value, _Half(first, left.length), second, "3", base)
    return third, second


def _added(value: Value, half: _Half, other: str, use: str, base: int) -> str:
    """The half plus a hash of the other one, as a text of the same length."""
    number = f"CONCAT('0', {half.sql})"
    number = number if base == 10 else conv(number, base, 10)
    hashed = value.number(f"{base}f{use}", f"CONCAT({half.length}, ':', {other})")
    total = f"MOD(CAST({number} AS UNSIGNED) + {hashed}, {_modulus(half.length, base)})"
    total = total if base == 10 else conv(total, 10, base)
    return f"LPAD({total}, {half.length}, '0')"


def _modulus(length: str, base: int) -> str:
    if base == 10:
        return f"CAST(RPAD('1', 1 + {length}, '0') AS UNSIGNED)"
    powers = ", ".join(str(base**n) for n in range(MOST_LETTERS // 2 + 1))
    return f"CAST(ELT(1 + {length}, {powers}) AS UNSIGNED)"


def _swapped(sql: str, these: str, those: str) -> str:
    for a, b in zip(these, those, strict=True):
        sql = f"REPLACE({sql}, '{a}', '{b}')"
    return sql

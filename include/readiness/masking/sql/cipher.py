"""One-to-one maps of short texts: a Feistel network in SQL arithmetic, on digits or on letters.

A text is cut in two halves (the right one may be longer by one); each round adds a keyed hash of one
half to the other, modulo base^length, which can be taken back: so different texts of a length always
become different texts of that length. Nothing is walked in cycles, as the halves may differ in length.
Two rounds are made. Without the key nothing is found by them; who knows what some values became learns
something of others that share a half with these.
"""

from __future__ import annotations

from dataclasses import dataclass

from readiness.masking.sql.parts import Value, bound, bound_number, conv, let

MOST_DIGITS = 19
MOST_LETTERS = 12
_LATE, _EARLY = "qrstuvwxyz", "0123456789"  # a to p are digits of base 26 as they stand


@dataclass(frozen=True, slots=True)
class _Half:
    sql: str
    length: str


def digits(value: Value, sql: str) -> str:
    """`sql`, 1 to 19 ASCII digits, as as many others."""
    word, length = bound("word"), bound_number("length")
    left = _Half(f"LEFT({word}, {length} DIV 2)", f"{length} DIV 2")
    right = _Half(f"SUBSTRING({word}, 1 + {length} DIV 2)", f"((1 + {length}) DIV 2)")
    return _of_word(sql, _rounds(value, left, right, 10, f"CONCAT({bound('one')}, {bound('two')})"))


def letters(value: Value, sql: str, is_capital: str) -> str:
    """`sql`, 1 to 12 ASCII letters, as as many small others; the first a capital where the condition
    `is_capital` holds."""
    word, length, made = bound("word"), bound_number("length"), bound("word")
    # The longer half stands first: a single letter is in it.
    first = _Half(f"LEFT({word}, (1 + {length}) DIV 2)", f"((1 + {length}) DIV 2)")
    second = _Half(f"SUBSTRING({word}, 1 + (1 + {length}) DIV 2)", f"{length} DIV 2")
    spelled = _swapped(f"LOWER(CONCAT({bound('one')}, {bound('two')}))", _EARLY, _LATE)
    capital = f"CONCAT(UPPER(LEFT({made}, 1)), SUBSTRING({made}, 2))"
    shown = let("word", spelled, f"IF({is_capital}, {capital}, {made})")
    return _of_word(
        _swapped(f"LOWER({sql})", _LATE, _EARLY), _rounds(value, first, second, 26, shown)
    )


def _of_word(sql: str, body: str) -> str:
    return let("word", sql, let("length", f"CHAR_LENGTH({bound('word')})", body))


def _rounds(value: Value, left: _Half, right: _Half, base: int, body: str) -> str:
    """`body`, of the two halves that are made: `one` and `two`."""
    second = let("two", _added(value, right, bound("one"), "2", base), body)
    return let("one", _added(value, left, right.sql, "1", base), second)


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

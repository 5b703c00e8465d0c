"""What masking expressions are made of: names, texts, keyed hashes, and a column's value as text.

Everything is computed in utf8mb4 under one explicit collation, so that no mixture of collations (error
1267) and no setting of the connection matters. No backslash, `%` or brace stands in an expression: it
means the same under every `sql_mode`, with parameters, and inside a derived expression. Patterns are
written as hexadecimal literals for that reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from readiness.masking.data_types import BINARIES

_BIN = "COLLATE utf8mb4_bin"
_PREFIX = "@readiness_"


def text(literal: str) -> str:
    """A text literal that no `sql_mode` reads otherwise."""
    if literal.isalnum() and literal.isascii():
        return f"'{literal}'"
    return f"_utf8mb4 X'{literal.encode().hex()}'" if literal else "''"


def by_engine(*, mariadb: str, mysql: str) -> str:
    """SQL that the engines read apart: MariaDB skips comments of versions 50700 to 50999."""
    return f"/*M! {mariadb} */ /*!50708 {mysql} */"


def group(number: int) -> str:
    """What a regular expression's group found, in a replacement."""
    backslash = f"_utf8mb4 X'5C{ord(str(number)):02X}'"
    return by_engine(mariadb=backslash, mysql=text(f"${number}"))


def conv(number: str, base: int, into: int) -> str:
    """CONV of a non-negative number that fits in 64 bits."""
    return f"CONV({number}, {base}, {into})"


def let(slot: str, sql: str, body: str) -> str:
    """`body`, in which `bound(slot)` or `bound_number(slot)` is what `sql` gives, computed once.

    SQL has no local names: spelled out in each place, a value of a few functions became one of
    hundreds. A condition is evaluated before its branch on both engines, so the variable is set when
    the body reads it, and each expression sets all that it reads. (MySQL 8 and 9 warn of it.)"""
    return f"IF(LENGTH({_PREFIX}{slot} := {sql}) < 0, NULL, {body})"


def bound(slot: str) -> str:
    """A text that `let` has computed. A variable has the character set of what it held before, as far
    as the optimizer knows: hence the conversion."""
    return f"(CONVERT({_PREFIX}{slot} USING utf8mb4) {_BIN})"


def bound_number(slot: str) -> str:
    """A whole number of 0 or more that `let` has computed."""
    return f"CAST({_PREFIX}{slot} AS UNSIGNED)"


def is_bound_to(slot: str, sql: str) -> str:
    """Whether a name stands for these very bytes."""
    return f"CAST({_PREFIX}{slot} AS BINARY) <=> {sql}"


@dataclass(frozen=True, slots=True)
class Value:
    """A text to be masked: `sql` gives it in utf8mb4_bin, blanks at its end left out, which PAD SPACE
    collations do not see; `same` gives what is equal for equal values and is hashed. `domain` and
    `attempt` choose the key."""

    sql: str
    same: str
    domain: str
    attempt: int = 0
    is_folded: bool = False
    max_chars: int = 0  # 0: any

    @property
    def length(self) -> str:
        """Its characters."""
        return f"CHAR_LENGTH({self.sql})"

    def digest(self, use: str, over: str = "", bits: int = 256) -> str:
        """A keyed hash in hexadecimal digits; `use` keeps the hashes of one value apart."""
        label = f"{self.domain}:{self.attempt}:{use}:".encode().hex()
        what = over or self.same
        return f"SHA2(CONCAT(CAST(@readiness_key AS BINARY), X'{label}', CAST({what} AS BINARY)), {bits})"

    def number(self, use: str, over: str = "") -> str:
        """A keyed number below 2^60. (A bare CONV is a text: arithmetic would make it a DOUBLE.)"""
        return f"CAST({conv(f'LEFT({self.digest(use, over)}, 15)', 16, 10)} AS UNSIGNED)"

    def part(self, sql: str, *, same: str = "") -> Value:
        """A part of the text as a value of its own."""
        return replace(self, sql=sql, same=same or folded(sql, self) if self.is_folded else sql)


def folded(sql: str, value: Value) -> str:
    """One spelling for texts that collations hold equal: no case, no accents.

    The weights of utf8mb4_general_ci are the capital base letters themselves; beyond plane 0 it knows
    only one letter, so those texts are put in small letters alone. Every second attempt does so
    with all: it sets apart what some collations hold apart (`muller` and `müller` in Swedish ones)."""
    if value.attempt % 2:
        return f"LOWER({sql})"
    plain = (
        f"(CONVERT(CONVERT(WEIGHT_STRING({sql} COLLATE utf8mb4_general_ci) USING ucs2) USING utf8mb4)"
        f" {_BIN})"
    )
    beyond = f"LOCATE({text(chr(0xFFFD))}, {plain})"
    return (
        f"(CASE WHEN CHAR_LENGTH({sql}) = LENGTH({sql}) THEN UPPER({sql})"
        f" WHEN {beyond} THEN LOWER({sql}) ELSE {plain} END)"
    )


def as_text(column: str, data_type: str) -> str:
    """A column's value in utf8mb4_bin without blanks at its end; bytes are read as latin1."""
    inner = f"CONVERT({column} USING latin1)" if data_type in BINARIES else column
    return f"RTRIM(CONVERT({inner} USING utf8mb4) {_BIN})"


def collated(sql: str) -> str:
    """A text that was made, under the one collation."""
    return f"(CONVERT({sql} USING utf8mb4) {_BIN})"


def matches(sql: str, pattern: str) -> str:
    """Whether a text matches a regular expression (case counts)."""
    return f"{sql} REGEXP {text(pattern)}"


def repeated(block: str, block_chars: int, length: str) -> str:
    """A block over and over, cut to a length."""
    return f"LEFT(REPEAT({block}, 1 + {length} DIV {block_chars}), {length})"


def cases(*branches: tuple[str, str], otherwise: str) -> str:
    """CASE WHEN … of (condition, result)."""
    whens = " ".join(f"WHEN {condition} THEN {result}" for condition, result in branches)
    return f"(CASE {whens} ELSE {otherwise} END)"

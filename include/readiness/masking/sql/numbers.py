"""NUMBER: as many digits, the same first one, sign and scale.

The digits behind the first one map one-to-one (up to 19 of them; more by a hash).
A number of one digit says only its magnitude and stays. Where the type ends within numbers of a length
and a first digit (60000 to 65535), they are turned within that stretch, so that none leaves the type.
"""

from __future__ import annotations

from readiness.masking.sql.cipher import MOST_DIGITS, digits
from readiness.masking.sql.parts import Value, bound, cases, let, text
from readiness.masking.sql.streams import digit_stream
from readiness.model.catalogue import ColumnFacts

_BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "integer": 32, "bigint": 64}
INTEGERS = frozenset(_BITS)
DECIMALS = frozenset({"decimal", "numeric"})
FLOATS = frozenset({"float", "double", "real"})
NUMBERS = INTEGERS | DECIMALS | FLOATS


def largest(facts: ColumnFacts) -> int:
    """The largest number of an integer type."""
    bits = _BITS[facts.data_type]
    bits -= "unsigned" not in facts.column_type.lower()
    return int(2**bits) - 1


def integer(value: Value, column: str, facts: ColumnFacts) -> str:
    """A number of an integer type."""
    # 0 - x, not -x or ABS(): the smallest BIGINT has no positive counterpart in its own type.
    plain = bound("plain")
    most = largest(facts)
    power = 10 ** (len(str(most)) - 1)
    low = most // power * power
    size = most - low + 1
    turned = (
        f"({low} + MOD(CAST({plain} AS DECIMAL(20, 0)) - {low} + MOD({value.number('turn', text('top'))},"
        f" {size}), {size}))"
    )
    free = f"CAST({_masked(value, plain)} AS DECIMAL(20, 0))"
    at_end = f"CAST({plain} AS DECIMAL(20, 0)) BETWEEN {low} AND {most}"
    # The type's smallest number is one beyond the negated largest: it becomes that one's neighbour.
    beyond = f"CAST({plain} AS DECIMAL(20, 0)) > {most}"
    made = cases((beyond, str(most)), (at_end, turned), otherwise=free)
    return let("plain", f"REPLACE(CAST({column} AS CHAR), '-', '')", _signed(made, column))


def decimal(value: Value, column: str, facts: ColumnFacts) -> str:
    """A number of an exact type: its digits, whatever their scale."""
    precision, scale = _digits(facts)
    plain = bound("plain")
    made = _after_zeros(value, plain)
    dotted = f"INSERT({made}, CHAR_LENGTH({plain}) - {scale - 1}, 0, '.')" if scale else made
    number = f"CAST({dotted} AS DECIMAL({precision}, {scale}))"
    bare = f"REPLACE(REPLACE(CAST({column} AS CHAR), '-', ''), '.', '')"
    signed = let("plain", bare, _signed(number, column))
    return cases((f"{column} = 0", column), otherwise=signed)


def real(value: Value, column: str) -> str:
    """A number of an inexact type: the digits of the text that the server writes of it."""
    made = f"(0e0 + {real_text(value, f'CAST({column} AS CHAR)')})"
    return cases((f"{column} = 0", column), otherwise=made)


def real_text(value: Value, sql: str) -> str:
    """A number as a text such as `-12.5e-7`: sign, zeros at the beginning, first digit, point and
    exponent stay."""
    small = f"LOWER({sql})"
    front = f"SUBSTRING_INDEX({small}, 'e', 1)"
    sign = f"LEFT({front}, LOCATE('-', {front}))"
    mantissa = f"REPLACE({front}, '-', '')"
    plain, point = bound("plain"), f"LOCATE('.', {mantissa})"
    made = f"INSERT({_after_zeros(value, plain)}, {point}, 0, IF({point}, '.', ''))"
    end = f"SUBSTRING({small}, 1 + CHAR_LENGTH({front}))"
    whole = f"CONCAT({sign}, {made}, {end})"
    return let("plain", f"REPLACE({mantissa}, '.', '')", whole)


def _after_zeros(value: Value, plain: str) -> str:
    """A text of digits: zeros at its beginning stay, and the digit behind them."""
    number = bound("number")
    zeros = f"REPEAT('0', CHAR_LENGTH({plain}) - CHAR_LENGTH({number}))"
    made = f"CONCAT({zeros}, {_masked(value, number)})"
    return let("number", f"TRIM(LEADING '0' FROM {plain})", made)


def _masked(value: Value, number: str) -> str:
    """A text of digits, the first of them kept."""
    return f"CONCAT(LEFT({number}, 1), {_tail(value, f'SUBSTRING({number}, 2)')})"


def _tail(value: Value, rest: str) -> str:
    length = f"CHAR_LENGTH({rest})"
    stream = f"LEFT({digit_stream(value, 'n')}, {length})"
    return cases((f"{length} <= {MOST_DIGITS}", digits(value, rest)), otherwise=stream)


def _signed(made: str, column: str) -> str:
    return f"(CASE WHEN {column} < 0 THEN 0 - {made} ELSE {made} END)"


def _digits(facts: ColumnFacts) -> tuple[int, int]:
    """Precision and scale; without brackets 10 and 0."""
    inside = facts.column_type.partition("(")[2].partition(")")[0]
    precision, _, scale = inside.partition(",")
    return int(precision or 10), int(scale or 0)

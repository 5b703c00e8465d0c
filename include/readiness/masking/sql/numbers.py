"""NUMBER: as many digits, the same first one, sign and scale.

The digits behind the first one map one-to-one (up to 19 of them; further ones stay 0-filled by a hash).
A number of one digit says only its magnitude and stays. Where the type ends within numbers of a length
and a first digit (60000 to 65535), they are turned within that stretch, so that none leaves the type.
"""

from __future__ import annotations

from readiness.masking.sql.cipher import MOST_DIGITS, digits
from readiness.masking.sql.parts import Value, cases, text
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
    plain = f"REPLACE(CAST({column} AS CHAR), '-', '')"
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
    return _signed(made, column)


def decimal(value: Value, column: str, facts: ColumnFacts) -> str:
    """A number of an exact type: its digits, whatever their scale."""
    scale = _scale(facts)
    plain = f"REPLACE(REPLACE(CAST({column} AS CHAR), '-', ''), '.', '')"
    number = f"TRIM(LEADING '0' FROM {plain})"
    made = f"CAST({_masked(value, number)} AS DECIMAL(65, 0))"
    unit = f"0.{'0' * (scale - 1)}1" if scale else "1"
    return cases((f"{column} = 0", column), otherwise=_signed(f"{made} * {unit}", column))


def real(value: Value, column: str) -> str:
    """A number of an inexact type: the digits of the text that the server writes of it."""
    mantissa = f"SUBSTRING_INDEX(REPLACE(LOWER(CAST({column} AS CHAR)), '-', ''), 'e', 1)"
    # The exponent's sign went with the number's; it is read from what follows the e.
    whole = f"LOWER(CAST({column} AS CHAR))"
    exponent = f"IF(LOCATE('e', {whole}), CONCAT('e', SUBSTRING_INDEX({whole}, 'e', -1)), '')"
    plain = f"REPLACE({mantissa}, '.', '')"
    number = f"TRIM(LEADING '0' FROM {plain})"
    zeros = f"REPEAT('0', CHAR_LENGTH({plain}) - CHAR_LENGTH({number}))"
    made = f"CONCAT({zeros}, {_masked(value, number)})"
    point = f"LOCATE('.', {mantissa})"
    dotted = f"IF({point}, INSERT({made}, {point}, 0, '.'), {made})"
    return cases(
        (f"{column} = 0", column),
        otherwise=_signed(f"(0e0 + CONCAT({dotted}, {exponent}))", column),
    )


def _masked(value: Value, number: str) -> str:
    """A text of digits, the first of them kept."""
    return f"CONCAT(LEFT({number}, 1), {_tail(value, f'SUBSTRING({number}, 2)')})"


def _tail(value: Value, rest: str) -> str:
    length = f"CHAR_LENGTH({rest})"
    stream = f"LEFT({digit_stream(value, 'n')}, {length})"
    return cases((f"{length} <= {MOST_DIGITS}", digits(value, rest, length)), otherwise=stream)


def _signed(made: str, column: str) -> str:
    return f"(CASE WHEN {column} < 0 THEN 0 - {made} ELSE {made} END)"


def _scale(facts: ColumnFacts) -> int:
    inside = facts.column_type.partition("(")[2].partition(")")[0]
    return int(inside.partition(",")[2] or 0)

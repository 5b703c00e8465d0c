"""DATE and MOMENT: another day of the same year, one-to-one within the year.

A day's number d of the year becomes (a * d + b) mod the days of the year. The factors are odd, one more
than a multiple of 5, and prime to 365 and 366; b is odd and no multiple of 5: so no two days meet, and
none stays. Factor and b are keyed by domain and year: a moment's day is what that day alone
becomes. Dates with a month or day 0 stay as they are: they name no day.
"""

from __future__ import annotations

from readiness.masking.sql.parts import Value, cases, matches
from readiness.masking.sql.streams import laid_over
from readiness.model.catalogue import ColumnFacts

MOMENTS = frozenset({"datetime", "timestamp"})
KINDS = MOMENTS | {"date", "time", "year"}
_FACTORS = (11, 31, 41, 71, 91, 101, 121, 131, 151, 161, 181, 191, 211, 221, 241, 251)
_DAY_S = 86_400
_ISO = "^[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = "[ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_LAST_OF_TIMESTAMP = 18  # of January 2038, the last whole day of the type


def day(value: Value, column: str, facts: ColumnFacts) -> str:
    """Another day; a time of day stays."""
    moved = f"({column} + INTERVAL {_shift(value, column, facts.data_type)} DAY)"
    return _where_a_day(column, moved)


def moment(value: Value, column: str, facts: ColumnFacts) -> str:
    """Another day, and another time of day, turned by as much for all moments of a day."""
    unit = 10 ** _fraction(facts)
    per_day = _DAY_S * unit
    now = f"(TIME_TO_SEC(TIME({column})) * {unit} + MICROSECOND({column}) DIV {1_000_000 // unit})"
    turn = f"(1 + MOD({value.number('time', f'CAST(DATE({column}) AS CHAR)')}, {per_day - 1}))"
    then = f"MOD(CAST({now} AS SIGNED) + CAST({turn} AS SIGNED), {per_day})"
    ticks = f"CAST({then} - CAST({now} AS SIGNED) AS SIGNED) * {1_000_000 // unit}"
    shift = f"CAST({_shift(value, column, facts.data_type)} AS SIGNED) * {_DAY_S * 1_000_000}"
    moved = f"({column} + INTERVAL ({shift} + {ticks}) MICROSECOND)"
    if facts.data_type == "timestamp":
        # The type's first and last day are not whole; what stands there means "never" or "for ever".
        ends = f"DATE({column}) IN ('1970-01-01', '2038-01-19')"
        moved = cases((ends, column), otherwise=moved)
    return _where_a_day(column, moved)


def time_of_day(value: Value, column: str) -> str:
    """A TIME of one day, turned by whole seconds; negative and longer ones are no time of day and stay."""
    turn = f"(1 + MOD({value.number('time')}, {_DAY_S - 1}))"
    now = f"TIME_TO_SEC({column})"
    then = f"MOD({now} + {turn}, {_DAY_S})"
    moved = f"ADDTIME({column}, SEC_TO_TIME(CAST({then} AS SIGNED) - CAST({now} AS SIGNED)))"
    return cases((f"{column} >= '00:00:00' AND {column} < '24:00:00'", moved), otherwise=column)


def day_in_text(value: Value) -> str:
    """`2024-02-29`, also with a time behind it, `29.02.2024` and `20240229`; digits are laid over all
    else."""
    sql = value.sql
    iso = f"LEFT({sql}, 10)"
    dotted = f"CONCAT(SUBSTRING({sql}, 7), '-', SUBSTRING({sql}, 4, 2), '-', LEFT({sql}, 2))"
    tight = f"CONCAT(LEFT({sql}, 4), '-', SUBSTRING({sql}, 5, 2), '-', SUBSTRING({sql}, 7))"
    return cases(
        (matches(sql, _ISO + "$"), _text_of(value, iso)),
        (
            matches(sql, _ISO + _TIME + "$"),
            f"CONCAT({_text_of(value, iso)}, SUBSTRING({sql}, 11, 1), {_time_text(value)})",
        ),
        (
            f"{matches(sql, '^[0-9]{2}[.][0-9]{2}[.][0-9]{4}$')} AND {matches(dotted, _ISO + '$')}",
            _dotted(value, dotted),
        ),
        (
            f"{matches(sql, '^[0-9]{8}$')} AND {matches(tight, _ISO + '$')}",
            f"REPLACE({_text_of(value, tight)}, '-', '')",
        ),
        otherwise=laid_over(value),
    )


def _text_of(value: Value, iso: str) -> str:
    """The day as `2024-02-29`. The 31st of a short month counts on: no text makes a warning."""
    start = f"MAKEDATE(CAST(LEFT({iso}, 4) AS UNSIGNED), 1)"
    months = f"(CAST(SUBSTRING({iso}, 6, 2) AS UNSIGNED) - 1)"
    days = f"(CAST(SUBSTRING({iso}, 9, 2) AS UNSIGNED) - 1)"
    date = f"({start} + INTERVAL {months} MONTH + INTERVAL {days} DAY)"
    return f"CAST({date} + INTERVAL {_shift(value, date, 'date')} DAY AS CHAR)"


def _dotted(value: Value, iso: str) -> str:
    made = _text_of(value, iso)
    return f"CONCAT(RIGHT({made}, 2), '.', SUBSTRING({made}, 6, 2), '.', LEFT({made}, 4))"


def _time_text(value: Value) -> str:
    turn = f"(1 + MOD({value.number('time', f'LEFT({value.sql}, 10)')}, {_DAY_S - 1}))"
    now = f"TIME_TO_SEC(SUBSTRING({value.sql}, 12))"
    return f"CAST(SEC_TO_TIME(MOD({now} + {turn}, {_DAY_S})) AS CHAR)"


def _shift(value: Value, column: str, data_type: str) -> str:
    """By how many days a day moves."""
    year = f"YEAR({column})"
    days = f"DAYOFYEAR(CAST(CONCAT(LPAD({year}, 4, '0'), '-12-31') AS DATE))"
    number = f"(DAYOFYEAR({column}) - 1)"
    b = f"(10 * MOD({value.number('day', year)}, 36) + ELT(1 + MOD({value.number('odd', year)}, 4), 1, 3, 7, 9))"
    factors = ", ".join(map(str, _FACTORS))
    a = f"ELT(1 + MOD({value.number('factor', year)}, {len(_FACTORS)}), {factors})"
    moved = f"(CAST(MOD({number} * CAST({a} AS UNSIGNED) + CAST({b} AS UNSIGNED), {days}) AS SIGNED) - {number})"
    return moved if data_type != "timestamp" else _within_timestamp(value, column, moved)


def _within_timestamp(value: Value, column: str, moved: str) -> str:
    """The type's first and last year are not whole: their days are turned within what it holds."""
    number = f"(DAYOFYEAR({column}) - 1)"
    last = _LAST_OF_TIMESTAMP
    turn = f"(1 + MOD({value.number('edge', f'YEAR({column})')}, {last - 1}))"
    within = f"(CAST(MOD({number} + {turn}, {last}) AS SIGNED) - {number})"
    first = f"(1 + CAST(MOD({number} - 1 + {turn}, 364) AS SIGNED) - {number})"
    return cases(
        (f"YEAR({column}) = 2038 AND {number} >= {last}", "0"),
        (f"YEAR({column}) = 2038", within),
        (f"YEAR({column}) = 1970 AND {number} = 0", "0"),
        (f"YEAR({column}) = 1970", first),
        otherwise=moved,
    )


def _where_a_day(column: str, moved: str) -> str:
    is_one = f"YEAR({column}) > 0 AND MONTH({column}) > 0 AND DAYOFMONTH({column}) > 0"
    return cases((is_one, moved), otherwise=column)


def _fraction(facts: ColumnFacts) -> int:
    inside = facts.column_type.partition("(")[2].partition(")")[0]
    return int(inside or 0)

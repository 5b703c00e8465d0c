"""The SQL that masks a column: a scalar expression over the column and @readiness_key alone.

Each value is computed once and held in a variable of the session (`parts.let`); the same values as if
all were spelled out. Microseconds that a value takes on MariaDB 10.11, spelled out / held, the bare scan
left out, one after the other on two shared cores (upper bounds; a bare SHA2 takes 0.2):

    EMAIL 7.1 / 4.6 · PHONE 6.9 / 3.6, with signs 36 / 13 · DIGITS (card) 15 / 4.5 · NAME 11 / 5
    TEXT (street) 26 / 12 · NUMBER 4.8 / 2.8, decimal 8.3 / 3.0 · DOMAIN, TOKEN, UUID, DATE, MOMENT 2 to 3
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from readiness.errors import MaskingError
from readiness.masking.data_types import ADDRESSES, BINARIES, TEXTS
from readiness.masking.names import quoted
from readiness.masking.sql import contacts, dates, documents, numbers, texts
from readiness.masking.sql.parts import (
    Value,
    as_text,
    bound,
    cases,
    folded,
    is_bound_to,
    let,
    repeated,
)
from readiness.model.catalogue import ColumnFacts, TableFacts
from readiness.model.masking import Look, MaskedColumn

_AS_TEXTS = TEXTS | BINARIES | ADDRESSES | {"uuid"}
_TEXT_LOOKS = {
    Look.EMAIL: contacts.email,
    Look.DOMAIN: contacts.domain,
    Look.PHONE: contacts.phone,
    Look.DIGITS: contacts.figures,
    Look.NAME: texts.prose,
    Look.TEXT: texts.prose,
    Look.TOKEN: texts.token,
    Look.HEX: texts.hexadecimal,
    Look.UUID: texts.uuid,
    Look.BYTES: texts.token,
    Look.DATE: dates.day_in_text,
    Look.MOMENT: dates.day_in_text,
    Look.NUMBER: contacts.phone,
    Look.JSON: texts.prose,
}


def expression_of(
    column: MaskedColumn,
    facts: ColumnFacts,
    *,
    attempt: int = 0,
    attempts: Mapping[str, int] | None = None,
) -> str:
    """What the column is set to. NULL stays NULL. `attempts` are those of the looks of JSON paths.

    Raises MaskingError where the type can hold nothing of that look."""
    own = quoted(facts.name)
    if column.look is None:
        raise MaskingError(
            f"{column.id} is derived: its expression needs the other columns of its row.",
            hint="Ask expressions_of for the whole table.",
        )
    made = _masked(column, facts, attempt, attempts or {})
    return f"IF({own} IS NULL, NULL, {made})"


def expressions_of(
    columns: Sequence[MaskedColumn], table: TableFacts, attempts: Mapping[str, int]
) -> dict[str, str]:
    """The expressions of all masked columns of a table by name. In derived ones `{name}` becomes what
    that column is set to; a plain `name` is the value before.

    An UPDATE must assign them in the order given, in which each column stands behind all that are made
    from it: behind an assignment its name means the new value, which would be masked again."""
    by_name = {column.column: column for column in columns}
    made = {one: _of_row(one, by_name, table, attempts, ()) for one in by_name}
    return {one: made[one] for one in sorted(made, key=lambda one: -_depth(one, by_name))}


def _depth(one: str, columns: Mapping[str, MaskedColumn]) -> int:
    """How many columns one after the other it is made from (there are no circles any more)."""
    derived = columns[one].derived if one in columns else ""
    inside = [o for o in columns if "{" + o + "}" in derived and o != one]
    return 1 + max((_depth(o, columns) for o in inside), default=-1)


def _of_row(
    wanted: str,
    columns: Mapping[str, MaskedColumn],
    table: TableFacts,
    attempts: Mapping[str, int],
    above: tuple[str, ...],
) -> str:
    column = columns[wanted]
    if column.look is not None:
        attempt, facts = attempts.get(column.domain, 0), table.columns[wanted]
        made = expression_of(column, facts, attempt=attempt, attempts=attempts)
        is_source = any("{" + wanted + "}" in other.derived for other in columns.values())
        return _remembered(facts, made) if is_source and facts.data_type in TEXTS else made
    if wanted in above:
        raise MaskingError(
            f"{column.id} is derived from itself.",
            hint="Give one of the columns of the circle a look in the policy.",
        )
    made = column.derived
    for other in table.columns:
        place = "{" + other + "}"
        if place in made:
            made = made.replace(place, _input(other, columns, table, attempts, (*above, wanted)))
    return made


def _remembered(facts: ColumnFacts, made: str) -> str:
    """What other columns are made from is computed once for the row, whichever of them is first: the
    value it was last made of, under its key, is remembered beside what was made."""
    own = quoted(facts.name)
    slot = hashlib.sha256(f"{facts.column_type} {facts.charset} {made}".encode()).hexdigest()[:16]
    asked = f"CONCAT(CAST(@readiness_key AS BINARY), CAST({own} AS BINARY))"
    done, of = bound(f"made_{slot}"), f"of_{slot}"
    # What it is made of is noted last: after an error nothing stands beside it that is not its own.
    anew = let(f"made_{slot}", made, let(of, asked, done))
    return f"IF({own} IS NULL, NULL, IF({is_bound_to(of, asked)}, {done}, {anew}))"


def _input(
    other: str,
    columns: Mapping[str, MaskedColumn],
    table: TableFacts,
    attempts: Mapping[str, int],
    above: tuple[str, ...],
) -> str:
    """What another column of the row will hold, in its own character set: hashes are over its bytes."""
    if other not in columns:
        return quoted(other)
    made, charset = _of_row(other, columns, table, attempts, above), table.columns[other].charset
    is_text = table.columns[other].data_type in TEXTS and charset
    return f"CONVERT({made} USING {charset})" if is_text else f"({made})"


def _masked(
    column: MaskedColumn, facts: ColumnFacts, attempt: int, attempts: Mapping[str, int]
) -> str:
    own, kind, look = quoted(facts.name), facts.data_type, column.look or Look.TEXT
    value = _value(column, facts, attempt)
    if kind == "json" or facts.is_json or look is Look.JSON:
        return _json(column, facts, attempts)
    if kind in BINARIES:
        return _bytes(look, value, own)
    if kind in _AS_TEXTS:
        return text_of(look, value, f"CONVERT({own} USING utf8mb4)")
    if kind in numbers.NUMBERS:
        return _number(look, value, own, facts)
    if kind in dates.KINDS:
        return _of_time(look, value, own, facts)
    raise MaskingError(
        f"{column.id} is of type {kind}, which can hold nothing that looks like {look.value}.",
        hint=f"Say in the policy that it is kept, and why:  {column.id}: {{keep: …}}",
    )


def _of_time(look: Look, value: Value, own: str, facts: ColumnFacts) -> str:
    if facts.data_type == "year":
        return own  # a year keeps its year: nothing else is in it
    if facts.data_type == "time":
        return dates.time_of_day(value, own)
    of = dates.moment if look is Look.MOMENT and facts.data_type in dates.MOMENTS else dates.day
    return of(value, own, facts)


def text_of(look: Look, value: Value, full: str) -> str:
    """A look as a text. Blanks at the end stay where they are."""
    if look is Look.BLANK:
        return texts.filler(f"CHAR_LENGTH({full})")
    if look is Look.IP:
        return _computed_once(value, contacts.ip_text)
    return _computed_once(
        value, lambda v: f"RPAD({_TEXT_LOOKS[look](v)}, CHAR_LENGTH({full}), ' ')"
    )


def _computed_once(value: Value, made: Callable[[Value], str]) -> str:
    """What is made of a value whose text and spelling are computed before."""
    ready = replace(value, sql=bound("value"), same=bound("same" if value.is_folded else "value"))
    body = made(ready)
    if value.is_folded:
        body = let("same", folded(bound("value"), value), body)
    return let("value", value.sql, body)


def _value(column: MaskedColumn, facts: ColumnFacts, attempt: int) -> Value:
    own = quoted(facts.name)
    sql = as_text(own, facts.data_type)
    is_folded = column.is_folded and facts.data_type in TEXTS
    value = Value(sql, sql, column.domain, attempt, is_folded, facts.max_chars)
    same = folded(sql, value) if is_folded else sql
    return Value(sql, same, column.domain, attempt, is_folded, facts.max_chars)


def _bytes(look: Look, value: Value, own: str) -> str:
    length = f"LENGTH({own})"
    raw = Value(own, own, value.domain, value.attempt)
    block = f"UNHEX({raw.digest('b', bits=512)})"
    made = cases(
        (f"{length} <= 64", f"LEFT({block}, {length})"), otherwise=repeated(block, 64, length)
    )
    if look is Look.BYTES:
        return made
    if look is Look.UUID:
        is_one = f"{length} = 16"
        return cases((is_one, texts.uuid_bytes(raw, own)), otherwise=_back(look, value, length))
    if look is Look.IP:
        return cases((f"{length} IN (4, 16)", contacts.ip_bytes(raw, own)), otherwise=made)
    if look is Look.BLANK:
        return f"CAST({texts.filler(length)} AS BINARY)"
    return _back(look, value, length)


def _back(look: Look, value: Value, length: str) -> str:
    """A look of a text that stands in a binary column."""
    made = _computed_once(value, lambda v: f"RPAD({_TEXT_LOOKS[look](v)}, {length}, ' ')")
    return f"CAST(CONVERT({made} USING latin1) AS BINARY)"


def _number(look: Look, value: Value, own: str, facts: ColumnFacts) -> str:
    if facts.data_type in numbers.DECIMALS:
        return numbers.decimal(value, own, facts)
    if facts.data_type in numbers.FLOATS:
        return numbers.real(value, own)
    if look is Look.IP and numbers.largest(facts) >= contacts.LAST_V4:
        return contacts.ip_number(value, own)
    return numbers.integer(value, own, facts)


def _json(column: MaskedColumn, facts: ColumnFacts, attempts: Mapping[str, int]) -> str:
    own = quoted(facts.name)
    if column.look is Look.JSON:
        whole = own if facts.data_type == "json" else f"CONVERT({own} USING utf8mb4)"
        return documents.document(whole, column.paths, attempts, text_of)
    length = f"CHAR_LENGTH({own})"
    filled = f"CONCAT('\"', {texts.filler(f'({length} - 2)')}, '\"')"
    made = cases((f"{length} < 2", "'0'"), otherwise=filled)
    return documents.as_json(made) if facts.data_type == "json" else made

"""JSON: the values at some paths of a document; keys, nesting and all other values stay.

A path that a document lacks changes nothing. Strings stay strings and numbers numbers; an object or
array at a path is emptied, as nobody has said what stands in it, unless other paths lead into it (an
address is a text here and an object there). `[*]` is spelled out as [0], [1] …:
neither engine can change all elements at once. `collisions.settle` finds how many each table needs;
else 8, 4 in arrays of arrays. A longer array is emptied rather than half masked. Texts that are no JSON stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from readiness.masking.sql.numbers import real_text
from readiness.masking.sql.parts import Value, as_text, by_engine, cases, folded, text
from readiness.model.masking import JsonPath, Look

MOST_ELEMENTS = 8
_STAR = "[*]"
TextLook = Callable[[Look, Value, str], str]
"""The text of a look: of the value, whose full length (with blanks at its end) the SQL gives."""


def document(
    column: str,
    paths: tuple[JsonPath, ...],
    attempts: Mapping[str, int],
    of_look: TextLook,
) -> str:
    """The document with its values masked."""
    pairs: dict[str, str] = {}
    # Fewer elements where arrays stand in arrays: all of them stand in one expression.
    bound = MOST_ELEMENTS // max([1, *(path.path.count(_STAR) for path in paths)])
    for path in paths:
        for start in arrays(path.path, bound):
            pairs.setdefault(start, _shortened(column, start, bound))
        for concrete in spelled_out(path.path, bound):
            held = _held(column, concrete, path.path, paths, bound)
            pairs[concrete] = _leaf(column, concrete, path.look, attempts, of_look, held)
    # What holds others comes before them: they are replaced within it.
    ordered = sorted(pairs.items(), key=lambda pair: (pair[0].count("["), len(pair[0])))
    listed = ", ".join(f"{text(path)}, {as_json(sql)}" for path, sql in ordered)
    changed = f"JSON_REPLACE({column}, {listed})" if pairs else column
    return cases((f"JSON_VALID({column})", changed), otherwise=column)


def spelled_out(path: str, elements: int) -> list[str]:
    """The path with [0], [1] … for each [*]."""
    if _STAR not in path:
        return [path]
    ways = [path.replace(_STAR, f"[{n}]", 1) for n in range(elements)]
    return [made for way in ways for made in spelled_out(way, elements)]


def arrays(path: str, elements: int) -> list[str]:
    """The arrays that a path with [*] goes through, outer ones first."""
    if _STAR not in path:
        return []
    start, _, rest = path.partition(_STAR)
    inner = [one for n in range(elements) for one in arrays(f"{start}[{n}]{rest}", elements)]
    return [start, *inner]


def as_json(sql: str) -> str:
    """A text as a JSON value, not as a string."""
    before = by_engine(mariadb="JSON_COMPACT(", mysql="CAST(")
    after = by_engine(mariadb=")", mysql="AS JSON)")
    return f"{before} {sql} {after}"


def _shortened(column: str, path: str, bound: int) -> str:
    found = f"JSON_EXTRACT({column}, {text(path)})"
    longer = f"JSON_LENGTH({found}) > {bound}"
    return cases((f"{found} IS NULL", "'null'"), (longer, "'[]'"), otherwise=_plain(found))


def _held(
    column: str, path: str, planned: str, paths: tuple[JsonPath, ...], bound: int
) -> tuple[str, str]:
    """What becomes of an object and of an array at a path."""
    into = [p.path for p in paths if p.path.startswith((f"{planned}.", f"{planned}["))]
    plain = _plain(f"JSON_EXTRACT({column}, {text(path)})")
    is_open = any(p.startswith(planned + _STAR) for p in into)
    array = _shortened(column, path, bound) if is_open else plain
    has_elements = any(p.startswith(f"{planned}[") for p in into)
    has_keys = any(p.startswith(f"{planned}.") for p in into)
    return plain if has_keys else text("{}"), array if has_elements else text("[]")


def _leaf(
    column: str,
    path: str,
    look: Look,
    attempts: Mapping[str, int],
    of_look: TextLook,
    held: tuple[str, str],
) -> str:
    found = f"JSON_EXTRACT({column}, {text(path)})"
    kind = f"JSON_TYPE({found})"
    string = f"JSON_UNQUOTE({found})"
    masked = of_look(look, _value(as_text(string, ""), look, attempts), string)
    number = _number(_value(_plain(found), look, attempts))
    return cases(
        (f"{found} IS NULL", "'null'"),
        (f"{kind} = 'STRING'", f"JSON_QUOTE({masked})"),
        (f"{kind} = 'OBJECT'", held[0]),
        (f"{kind} = 'ARRAY'", held[1]),
        (f"{kind} IN ('NULL', 'BOOLEAN')", _plain(found)),
        otherwise=number,
    )


def _number(value: Value) -> str:
    made = real_text(value, value.sql)
    return f"IF(JSON_VALID({made}), {made}, '0')"


def _value(sql: str, look: Look, attempts: Mapping[str, int]) -> Value:
    """A path has no domain of its own: it is that of its look, and knows no case."""
    plain = Value(sql, sql, look.value, attempts.get(look.value, 0), is_folded=True)
    return Value(sql, folded(sql, plain), plain.domain, plain.attempt, is_folded=True)


def _plain(found: str) -> str:
    """A part of a document as the text it is."""
    return as_text(found, "")

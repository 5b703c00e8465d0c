"""References that no foreign key declares: what a column's name says, where it says one thing only.

Many applications have no foreign keys: `oc_cart.customer_id` is the `customer_id` that numbers
`oc_customer`, `loans.user_id` is the `id` of `users`. Without that, the id that an insert makes is not
recognised in the statements behind it. A name alone joins nothing: values must agree as well."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from readiness.workload.find.groups import Group
from readiness.workload.find.names import singular
from readiness.workload.schema import Schema, Table

_KEYS = ("id", "uuid", "guid")

Column = tuple[str, str]


def with_implied(schema: Schema) -> Schema:
    """The schema, with `implied` for each column whose name points at one table's key, and which no
    foreign key explains."""
    keys = {(t, c) for t in schema.tables for c in _key(schema.tables[t])}
    named = _by_name(schema, keys)
    implied = {
        (table, column): parent
        for table, known in schema.tables.items()
        for column in known.columns
        if (parent := named.get(column.lower()))
        and parent[0] != table
        and (table, column) not in keys
        and schema.root(table, column) == (table, column)
        and _are_alike(schema, (table, column), parent)
    }
    return replace(schema, implied=implied)


def _key(table: Table) -> Iterator[str]:
    """The primary key's only column."""
    if len(table.primary_key) == 1:
        yield table.primary_key[0]


def _by_name(schema: Schema, keys: Collection[Column]) -> dict[str, Column]:
    """What a column of this name refers to, in lower case; names that could mean two are left out."""
    found: dict[str, list[Column]] = {}
    shared = _shared_prefix(list(schema.tables))
    for table, column in keys:
        for name in _names(table, column, shared):
            found.setdefault(name, []).append((table, column))
    return {name: one for name, all_ in found.items() if (one := _only(all_, schema))}


def _names(table: str, column: str, shared: str) -> set[str]:
    """`customer_id` is itself; the `id` of `wp_users` is `user_id` and `userid`, with and without the
    prefix that all tables share."""
    low = column.lower()
    if low not in _KEYS:
        return {low} if low.endswith(_KEYS) else set()
    tables = {table.lower(), table.lower().removeprefix(shared)}
    return {f"{row}{dash}{low}" for t in tables for row in (t, singular(t)) for dash in ("_", "")}


def _only(columns: list[Column], schema: Schema) -> Column | None:
    """The only one, or the only one that the server numbers: a table beside it may share its key."""
    numbered = [c for c in columns if schema.is_auto_increment(*c)]
    best = columns if len(columns) == 1 else numbered
    return best[0] if len(best) == 1 else None


def _shared_prefix(tables: list[str]) -> str:
    """`wp_` where each of several tables begins with it."""
    prefixes = {t.lower().partition("_")[0] for t in tables if "_" in t}
    is_shared = len(tables) > 1 and len(prefixes) == 1 and all("_" in t for t in tables)
    return f"{prefixes.pop()}_" if is_shared else ""


def _are_alike(schema: Schema, one: Column, other: Column) -> bool:
    """Both whole numbers, or of one type."""
    is_whole = schema.is_whole(*one) and schema.is_whole(*other)
    return is_whole or schema.type_of(*one) == schema.type_of(*other)


def told_of(groups: Sequence[Group], schema: Schema) -> list[str]:
    """One warning that says which columns of the flow were read by their names."""
    met = {u.column for g in groups for u in g.uses if u.is_plain and u.column != g.root}
    read = sorted(".".join(c) for c in met if c in schema.implied)
    if not read:
        return []
    return [
        f"no foreign key says what {', '.join(read)} refer{'s' * (len(read) == 1)} to: the names were"
        " taken at their word, where values agree"
    ]

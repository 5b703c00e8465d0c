"""How tables are defined: a rebuilt table has the columns, indexes, keys and triggers it had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readiness.ports import Session

Shape = dict[str, dict[str, list[str]]]  # by kind, by table: one text for each thing defined
_QUERIES = {
    "columns": "SELECT table_name, column_name, column_type, is_nullable, collation_name, extra"
    " FROM information_schema.columns WHERE table_schema = %s",
    "indexes": "SELECT table_name, index_name, non_unique, seq_in_index, column_name, sub_part,"
    " index_type FROM information_schema.statistics WHERE table_schema = %s",
    "foreign_keys": "SELECT table_name, constraint_name, ordinal_position, column_name,"
    " referenced_table_name, referenced_column_name FROM information_schema.key_column_usage"
    " WHERE referenced_table_name IS NOT NULL AND table_schema = %s",
    "triggers": "SELECT event_object_table, trigger_name, action_timing, event_manipulation, definer,"
    " sql_mode FROM information_schema.triggers WHERE event_object_schema = %s",
}


def read_shape(session: Session, database: str, tables: Sequence[str]) -> Shape:
    """What is defined in these tables; names and types, no value."""
    masked = set(tables)
    shape: Shape = {}
    for kind, sql in _QUERIES.items():
        for table, *parts in session.query(sql, (database,)):
            if str(table) in masked:
                shape.setdefault(kind, {}).setdefault(str(table), []).append(_text(parts))
    for defined in shape.values():
        for things in defined.values():
            things.sort()  # the server gives them in any order
    return shape


def kept_of(before: Shape, after: Shape) -> Iterator[tuple[str, str, int, int]]:
    """Of each kind and table: how many things there were, and how many of them there still are.

    One more than before counts as one that is missing."""
    for kind, tables in before.items():
        for table, things in tables.items():
            now = after.get(kind, {}).get(table, [])
            kept, added = set(things) & set(now), set(now) - set(things)
            yield kind, table, len(set(things)), len(kept) - len(added)


def _text(parts: Sequence[object]) -> str:
    return " ".join("-" if part is None else str(part) for part in parts)

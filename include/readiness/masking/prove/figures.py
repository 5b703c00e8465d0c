"""Figures of the masked tables, taken before any change and again after: one pass for each table.

All are exact up to EXACT_ROWS rows. Of a longer table every k-th row is looked at, chosen by the
CRC of its primary key, so that both passes see the same rows; rows are always counted in full. A table
whose primary key is masked, or that has none, is read in full whatever its length.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from readiness.errors import StatementFailed
from readiness.masking.names import quoted
from readiness.masking.prove.facets import Facet, row_of
from readiness.model.catalogue import Catalogue, IndexFacts, TableFacts
from readiness.model.masking import Look, MaskPlan
from readiness.ports import Session

EXACT_ROWS = 5_000_000
Figures = dict[str, dict[str, float]]  # by name of the figure, by place
_EXTENT_BYTES = 1 << 20  # above 32 pages an index grows by extents
_INDEX_TOLERANCE = 0.15
_DENIED = {1044, 1142, 1143, 1227, 1146}  # the account may not read the statistics
# These give one value for one value by their width alone: a few may meet.
_NARROW = {Look.NAME: 0.01, Look.TEXT: 0.01, Look.TOKEN: 0.01, Look.HEX: 0.01, Look.BYTES: 0.01,
           Look.DOMAIN: 0.05, Look.IP: 0.05, Look.DATE: 0.05, Look.MOMENT: 0.05, Look.NUMBER: 0.05}  # fmt: skip
_DIGESTS = ("SHA2(", "SHA1(", "SHA(", "MD5(")  # as distinct as what they are of
_CUT, _CUT_CHARACTERS = 0.25, 8  # the last four digits of others
_PART = 0.05  # a longer part of others, such as a domain
_ADDRESSES = 1 << 17  # of IP version 4 that the look makes
_FEW = 10
_FLOATS = {"float", "double"}  # as many bytes whatever they are; how they are written out varies


def take_figures(
    session: Session, catalogue: Catalogue, plan: MaskPlan, facets: Sequence[Facet]
) -> Figures:
    """Rows, distinct values, share of NULL, mean length, orphans and index sizes, as they stand now."""
    figures: Figures = {}
    for name in plan.tables:
        table = catalogue.tables[name]
        own = [f for f in facets if f.table == name]
        asked = dict(_asked(table, plan, own))
        everything = f"SELECT COUNT(*) FROM {quoted(plan.database, name)}"
        _put(figures, ("rows", name), session.query(everything)[0][0])
        share = share_of(table, plan)
        select = f"SELECT {', '.join(asked.values()) or '1'} FROM {quoted(plan.database, name)}"
        found = session.query(f"{select} WHERE {share}" if share else select)[0]
        for key, value in zip(asked, found, strict=False):
            _put(figures, key, value)
    _count_orphans(session, catalogue, plan, figures)
    _measure_indexes(session, plan, figures)
    return figures


def share_of(table: TableFacts, plan: MaskPlan) -> str:
    """SQL that picks the rows to look at; "" for all of them."""
    every = -(-table.rows // EXACT_ROWS)
    row = row_of(table, plan)
    return f"CRC32({row}) % {every} = 0" if row and every > 1 else ""


def _put(figures: Figures, key: tuple[str, str], value: object) -> None:
    name, place = key
    figures.setdefault(name, {})[place] = float(str(value)) if value is not None else 0.0


def _asked(
    table: TableFacts, plan: MaskPlan, facets: Sequence[Facet]
) -> Iterator[tuple[tuple[str, str], str]]:
    """Each aggregate of the one pass, by name and place."""
    for facet in facets:
        if facet.is_emptied:
            yield ("emptied", facet.place), f"SUM({facet.length} > 0)"
            continue
        yield ("null_share", facet.place), f"SUM({facet.value} IS NULL) * 1e0 / COUNT(*)"
        if facet.is_reshaped:
            continue
        is_float = table.columns[facet.column.column].data_type in _FLOATS
        if (facet.look is not Look.IP or facet.is_binary) and not is_float:
            yield ("mean_length", facet.place), f"SUM({facet.length}) * 1e0 / COUNT({facet.value})"
        if facet.look is not Look.BLANK:
            yield ("distinct", facet.place), f"COUNT(DISTINCT {facet.value})"
    for index, columns in _prefixes(table, plan, facets):
        place = f"{table.name}.{index.name}({len(columns)})"
        yield ("distinct", place), f"COUNT(DISTINCT {', '.join(columns)})"


def _prefixes(
    table: TableFacts, plan: MaskPlan, facets: Sequence[Facet]
) -> Iterator[tuple[IndexFacts, list[str]]]:
    """The left parts of each index of more than one column that hold a masked column, as SQL."""
    masked = {c.column for c in plan.of(table.name)}
    reshaped = {f.column.column for f in facets if f.is_reshaped or f.look is Look.BLANK}
    for index in table.indexes:
        if "" in index.columns or set(index.columns) & reshaped:
            continue
        for size in range(1, len(index.parts) + 1):
            is_cut = index.parts[size - 1][1] > 0
            if set(index.columns[:size]) & masked and (size > 1 or is_cut):
                yield index, [_part(*part) for part in index.parts[:size]]


def _part(column: str, characters: int) -> str:
    name = quoted(column)
    return f"LEFT({name}, {characters})" if characters else name


def _count_orphans(
    session: Session, catalogue: Catalogue, plan: MaskPlan, figures: Figures
) -> None:
    """Rows whose foreign key leads nowhere, wherever either side is in a masked table."""
    masked = set(plan.tables)
    for table in catalogue.tables.values():
        for key in table.foreign_keys:
            if not masked & {table.name, key.referenced_table}:
                continue
            pairs = list(zip(key.columns, key.referenced_columns, strict=True))
            tie = " AND ".join(f"p.{quoted(b)} = c.{quoted(a)}" for a, b in pairs)
            known = " AND ".join(f"c.{quoted(a)} IS NOT NULL" for a, _ in pairs)
            sql = (
                f"SELECT COUNT(*) FROM {quoted(plan.database, table.name)} c WHERE {known} AND NOT"
                f" EXISTS (SELECT 1 FROM {quoted(plan.database, key.referenced_table)} p WHERE {tie})"
            )
            _put(figures, ("orphans", f"{table.name}.{key.name}"), session.query(sql)[0][0])


def _measure_indexes(session: Session, plan: MaskPlan, figures: Figures) -> None:
    """Sizes by InnoDB's own statistics, made anew first; none where the account may not read them."""
    if not plan.tables:
        return
    session.query(f"ANALYZE TABLE {', '.join(quoted(plan.database, t) for t in plan.tables)}")
    base = "SUBSTRING_INDEX(SUBSTRING_INDEX(table_name, '#P#', 1), '#p#', 1)"
    sql = (
        f"SELECT {base}, index_name, SUM(stat_value) * @@innodb_page_size FROM"
        " mysql.innodb_index_stats WHERE database_name = %s AND stat_name = 'size' GROUP BY 1, 2"
    )
    try:
        found = session.query(sql, (plan.database,))
    except StatementFailed as error:
        if error.code not in _DENIED:
            raise
        return
    masked = set(plan.tables)
    for table, index, size in found:
        if str(table) in masked:
            _put(figures, ("index_bytes", f"{table}.{index}"), size)


def tolerance_of(
    name: str, place: str, before: float, facets: Mapping[str, Facet], catalogue: Catalogue
) -> float:
    """The share by which a figure may be off: 15 % for an index, but an extent at least; a few
    values where a look's room is narrow, none for the others."""
    if name == "index_bytes":
        return max(_INDEX_TOLERANCE, _EXTENT_BYTES / before if before else 0.0)
    if name == "mean_length":
        return _length_tolerance(facets.get(place))
    if name == "distinct":
        return _distinct_tolerance(place, before, facets, catalogue)
    return 0.0


def _length_tolerance(facet: Facet | None) -> float:
    """Derived texts may be cut out of others; dates and numbers are written alike."""
    if facet is None or facet.look is None or facet.look is Look.IP:
        return 0.05
    if facet.column.look is Look.JSON and facet.look is Look.NUMBER:
        return 0.15  # a document writes no zero at the end of a fraction
    return 0.001 if facet.look is Look.JSON or facet.column.look is Look.JSON else 0.0


def _distinct_tolerance(
    place: str, before: float, facets: Mapping[str, Facet], catalogue: Catalogue
) -> float:
    if place in facets:
        return _narrow(facets[place], before, catalogue)
    table, index = _index_at(place, catalogue)
    own = [facets[f"{table}.{c}"] for c in index.columns if f"{table}.{c}" in facets]
    return max((_narrow(f, before, catalogue) for f in own), default=0.0)


def _index_at(place: str, catalogue: Catalogue) -> tuple[str, IndexFacts]:
    """The index of `table.index(2)`; either name may hold dots."""
    named = place.rpartition("(")[0]
    return next(
        (table.name, index)
        for table in catalogue.tables.values()
        for index in table.indexes
        if f"{table.name}.{index.name}" == named
    )


def _narrow(facet: Facet, before: float, catalogue: Catalogue) -> float:
    """0 for columns that are unique by themselves: the server would have refused the second."""
    table = catalogue.tables[facet.table]
    column = facet.column.column
    if any(i.is_unique and i.columns == (column,) for i in table.indexes):
        return 0.0
    if facet.look is None:
        return _derived(facet, table, before)
    if facet.look is Look.IP and before:
        met = 1 - _ADDRESSES * (1 - math.exp(-before / _ADDRESSES)) / before
        return met + _NARROW[Look.IP]
    ratio = _NARROW.get(facet.look, 0.0)
    return max(ratio, 1 / before) if ratio and before >= _FEW else ratio


def _derived(facet: Facet, table: TableFacts, before: float) -> float:
    if any(digest in facet.column.derived.upper() for digest in _DIGESTS):
        return 0.0
    is_cut = table.columns[facet.column.column].max_chars <= _CUT_CHARACTERS
    return max(_CUT if is_cut else _PART, 3 / max(before, 1))

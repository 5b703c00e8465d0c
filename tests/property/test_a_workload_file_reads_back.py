"""Law: what a workload file is written from is what it reads back to, whatever the statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from readiness.model.workload import (
    Bind,
    Form,
    Piece,
    Repeat,
    Row,
    Slot,
    Step,
    Turn,
    Variable,
    VariableKind,
    Workload,
)
from readiness.sql.kind import statement_kind
from readiness.sql.lexer import encode
from readiness.workload.text.file import ordered, parse, render

PATH = Path("flow.sql")
GENERATORS = (
    "uuid4",
    "hex64",
    "email(28)",
    r"pattern(\A-9\\x\(\) a)",
    "datetime(2020-01-01..2024-12-31,6)",
)
TABLES = ("users", "shop.users", "a b", "a`b", "a:b", "ä", "a: 91bc0a2d")
columns = st.sampled_from(["", "users.id", "a b.c`d", "t.c"])
values = st.binary(max_size=20)


@st.composite
def fresh(draw: st.DrawFn, name: str) -> Variable:
    form = draw(st.sampled_from([Form.TEXT, Form.HEX]))
    example = encode(form, draw(values)).decode("utf-8", "surrogateescape")
    generator = draw(st.sampled_from(GENERATORS if form is Form.TEXT else ["binary16"]))
    return Variable(name, VariableKind.FRESH, generator, draw(columns), form, example=example)


# What a statement may hold that reads like an annotation, a mark or an end of a statement.
TRICKS = (
    b"",
    b"'/* @end */'",
    b"'/* @turn items 2 */'",
    b"'-- @turn items 2'",
    b"`/* @end */`",
    b"/* a comment */",
    b"(CONCAT('(', (1)))",
    b"'it''s; done'",
)


@st.composite
def plain(draw: st.DrawFn, names: list[str]) -> list[bytes | Slot]:
    """Bytes and slots by turns, no two of the first side by side."""
    made: list[bytes | Slot] = []
    for name in draw(st.lists(st.sampled_from(names), max_size=3)):
        literal = encode(draw(st.sampled_from([Form.TEXT, Form.HEX])), draw(values))
        made += [b", " + draw(st.sampled_from(TRICKS)) + b" " + literal + b", ", Slot(name)]
    return made


@st.composite
def rows(draw: st.DrawFn, names: list[str], repeats: tuple[Repeat, ...]) -> list[Piece]:
    """Rows of one repeat one after the other, sometimes with static bytes between."""
    if not repeats or draw(st.booleans()):
        return []
    repeat, first = draw(st.sampled_from(repeats)), draw(st.sampled_from([1, 2]))
    made: list[Piece] = []
    for number in range(first, repeat.most + 1):
        row = Row(Turn(repeat.name, number), (b", (", *draw(plain(names)), b")"))
        made += [normal(row), b" AND"] if draw(st.booleans()) else [normal(row)]
    return made


def normal(row: Row) -> Row:
    """The row as it is read: static bytes side by side are one piece."""
    return Row(row.turn, tuple(p for p in joined(row.pieces) if not isinstance(p, Row)))


def joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    made: list[Piece] = []
    for piece in pieces:
        if made and isinstance(piece, bytes) and isinstance(made[-1], bytes):
            made[-1] += piece
        else:
            made.append(piece)
    return tuple(made)


@st.composite
def steps(draw: st.DrawFn, names: list[str], repeats: tuple[Repeat, ...]) -> list[Step]:
    """INSERTs: some with ids, some with rows, then a loop for each repeat."""
    made = []
    for number in range(draw(st.integers(1, 5))):
        start = [b"INSERT INTO t VALUES ", *draw(rows(names, repeats)), b" (0"]
        pieces = joined([*start, *draw(plain(names)), b")", *draw(rows(names, repeats))])
        # Behind rows that may be left out, only the first row's id is sure.
        most = 0 if any(isinstance(p, Row) for p in pieces) else 3
        binds = (Bind(f"id_{number}", draw(st.integers(0, most))),) if draw(st.booleans()) else ()
        made.append(draw(step(pieces, f"s{number}", binds)))
    for repeat in repeats:
        for number in range(draw(st.sampled_from([1, 2])), repeat.most + 1):
            pieces = joined([b"INSERT INTO t VALUES (0", *draw(plain(names)), b")"])
            looped = draw(step(pieces, f"{repeat.name}_{number}", ()))
            turn = Turn(repeat.name, number)
            made.append(replace(looped, connection=1, transaction=0, turn=turn))
    return made


@st.composite
def step(
    draw: st.DrawFn, pieces: tuple[Piece, ...], statement_id: str, binds: tuple[Bind, ...]
) -> Step:
    connection, transaction = draw(st.integers(1, 3)), draw(st.integers(0, 4))
    return Step(
        statement_id,
        1 + transaction % 3 if transaction else connection,  # a transaction keeps to one
        transaction,
        statement_kind(b"INSERT INTO t"),
        draw(st.sampled_from([0.0, 0.001, 4.1, 1234.5, 1e-05])),
        pieces,
        binds,
        shape=draw(st.sampled_from(["", "3f2a9c11"])),
    )


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    names = [f"v_{i}" for i in range(draw(st.integers(1, 4)))]
    counts_of = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)
    repeats = tuple(
        Repeat(name, draw(counts_of)) for name in draw(st.sets(st.sampled_from(["items", "tries"])))
    )
    flow = draw(steps(names, repeats))
    variables = [draw(fresh(name)) for name in names]
    bound = [b.variable for s in flow for b in s.binds]
    variables += [Variable(n, VariableKind.SERVER, "", draw(columns), Form.NUMBER) for n in bound]
    inputs = draw(st.permutations([v.name for v in variables]))
    expression = f"CONCAT(@{inputs[0]}, ';', @{inputs[-1]})"
    variables.append(
        Variable("d", VariableKind.DERIVED, "", draw(columns), Form.TEXT, expression=expression)
    )
    names_set = draw(st.sampled_from(["", "SET NAMES utf8mb4 COLLATE utf8mb4_bin"]))
    counts = draw(st.dictionaries(st.sampled_from(["literals", "groups"]), st.integers(0, 999)))
    tables = draw(st.dictionaries(st.sampled_from(TABLES), st.just("91bc0a2d")))
    return Workload(
        "flow", 2, tuple(variables), (), tuple(flow), counts, names_set, repeats, tables
    )


@given(workloads())
def test_parse_undoes_render(workload: Workload) -> None:
    assert parse(render(workload), path=PATH) == ordered(workload)


@given(workloads())
def test_rendering_what_was_read_gives_the_same_bytes(workload: Workload) -> None:
    data = render(workload)
    assert render(parse(data, path=PATH)) == data

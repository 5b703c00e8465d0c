"""Law: what a workload file is written from is what it reads back to, whatever the statements."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from readiness.model.workload import (
    Bind,
    Form,
    Piece,
    Slot,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.sql.kind import statement_kind
from readiness.sql.lexer import encode
from readiness.workload.file import ordered, parse, render

PATH = Path("flow.sql")
GENERATORS = (
    "uuid4",
    "hex64",
    "email(28)",
    r"pattern(\A-9\\x\(\) a)",
    "datetime(2020-01-01..2024-12-31,6)",
)
columns = st.sampled_from(["", "users.id", "a b.c`d", "t.c"])
values = st.binary(max_size=20)


@st.composite
def fresh(draw: st.DrawFn, name: str) -> Variable:
    form = draw(st.sampled_from([Form.TEXT, Form.HEX]))
    example = encode(form, draw(values)).decode("utf-8", "surrogateescape")
    generator = draw(st.sampled_from(GENERATORS if form is Form.TEXT else ["binary16"]))
    return Variable(name, VariableKind.FRESH, generator, draw(columns), form, example=example)


@st.composite
def steps(draw: st.DrawFn, names: list[str]) -> list[Step]:
    made = []
    for number in range(draw(st.integers(1, 5))):
        pieces: list[Piece] = [b"INSERT INTO t VALUES ("]
        for name in draw(st.lists(st.sampled_from(names), max_size=4)):
            literal = encode(draw(st.sampled_from([Form.TEXT, Form.HEX])), draw(values))
            pieces += [Slot(name), b", " + literal + b", "]
        pieces[-1:] = (
            [pieces[-1], b"0)"] if isinstance(pieces[-1], Slot) else [_text(pieces[-1]) + b"0)"]
        )
        binds = (Bind(f"id_{number}", draw(st.integers(0, 3))),) if draw(st.booleans()) else ()
        made.append(
            Step(
                f"s{number}",
                draw(st.integers(1, 3)),
                draw(st.integers(0, 4)),
                statement_kind(b"INSERT INTO t"),
                draw(st.sampled_from([0.0, 0.001, 4.1, 1234.5, 1e-05])),
                tuple(pieces),
                binds,
            )
        )
    return made


def _text(piece: Piece) -> bytes:
    assert isinstance(piece, bytes)
    return piece


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    names = [f"v_{i}" for i in range(draw(st.integers(1, 4)))]
    flow = draw(steps(names))
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
    return Workload("flow", 2, tuple(variables), (), tuple(flow), counts, names_set)


@given(workloads())
def test_parse_undoes_render(workload: Workload) -> None:
    assert parse(render(workload), path=PATH) == ordered(workload)


@given(workloads())
def test_rendering_what_was_read_gives_the_same_bytes(workload: Workload) -> None:
    data = render(workload)
    assert render(parse(data, path=PATH)) == data

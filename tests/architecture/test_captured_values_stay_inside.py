"""What holds captured bytes redacts itself, is never pickled, and has no codec."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.architecture.source import Module

from readiness.model.transactions import Outcome, Raw, RawCapture, RawStatement, RawTransaction

RAW_LAYERS = ("capture", "workload", "anonymize", "flow", "model", "sql")
# They hold bytes, and none of a capture.
NOT_CAPTURED = {
    "capture/batch_dump.py:_Layout": "column names and line ends of a dump",
    "capture/sniff.py:_Stranger": "how files begin that are no log",
    "anonymize/hunt.py:_Piece": "an output that is searched",
    "anonymize/needles.py:Marking": "code, no value; its numbers are not shown",
    "sql/assignments.py:Assignment": "names of system variables",
    "model/workload.py:Row": "a sealed statement, as the workload file shows it",
    "flow/beside.py:Before": "a workload file that was published",
    "workload/text/layout.py:Layout": "a sealed statement",
    "workload/make/expression.py:Expression": "code, no value",
    "workload/find/loops.py:Line": "code, no value",
    "workload/find/lists.py:_Item": "keywords and marks; a literal is `?`",
    "workload/make/free.py:Free": "bits: which numbers are taken",
    "workload/make/free.py:Lane": "the run's own entropy",
}


@dataclass(frozen=True)
class Held:
    """A class with fields, as its module writes it."""

    name: str
    bases: tuple[str, ...]
    decorators: str
    annotations: tuple[str, ...]
    methods: tuple[str, ...]

    @property
    def is_raw(self) -> bool:
        return "Raw" in self.bases

    @property
    def redacts_itself(self) -> bool:
        """A NamedTuple cannot be Raw."""
        return self.is_raw or ("NamedTuple" in self.bases and "__repr__" in self.methods)


def held(modules: list[Module]) -> Iterator[Held]:
    for module in modules:
        path = module.path.removeprefix("include/readiness/")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                yield Held(
                    f"{path}:{node.name}",
                    tuple(ast.unparse(base) for base in node.bases),
                    " ".join(ast.unparse(d) for d in node.decorator_list),
                    tuple(_annotations(node)),
                    tuple(s.name for s in node.body if isinstance(s, ast.FunctionDef)),
                )


def _annotations(node: ast.ClassDef) -> Iterator[str]:
    return (ast.unparse(s.annotation) for s in node.body if isinstance(s, ast.AnnAssign))


def test_what_holds_bytes_of_a_capture_is_raw(modules: list[Module]) -> None:
    bare = {
        c.name
        for c in held(modules)
        if ("dataclass" in c.decorators or "NamedTuple" in c.bases)
        and c.name.split("/")[0] in RAW_LAYERS
        and any(re.search(r"\bbytes\b", a) for a in c.annotations)
        and not c.redacts_itself
    }
    assert bare == set(NOT_CAPTURED)


def test_no_raw_dataclass_brings_a_repr_of_its_own(modules: list[Module]) -> None:
    shown = [
        c.name
        for c in held(modules)
        if c.is_raw and "dataclass" in c.decorators and "repr=False" not in c.decorators
    ]
    assert shown == []


def test_nothing_that_writes_or_sends_knows_a_raw_type(modules: list[Module]) -> None:
    raw = {c.name.split(":")[1] for c in held(modules) if c.is_raw and "capture/" in c.name}
    raw |= {c.name.split(":")[1] for c in held(modules) if c.name.startswith("model/") and c.is_raw}
    writers = ("artifacts", "adapters", "report")
    told = [
        f"{m.path}: {name.name}"
        for m in modules
        if m.path.split("/")[2] in writers
        for node in ast.walk(m.tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("readiness.")
        for name in node.names
        if name.name in raw
    ]
    assert told == []


def test_nothing_of_the_package_pickles(modules: list[Module]) -> None:
    assert [
        m.path for m in modules if re.search(r"^\s*(import|from) pickle", m.text, re.MULTILINE)
    ] == []


def _statement() -> RawStatement:
    return RawStatement(b"SELECT 'jane@example.com'", 1)


@pytest.mark.parametrize(
    "made",
    [
        _statement(),
        RawTransaction(1, "shop", "", (_statement(),), Outcome.COMMIT),
        RawCapture("a.log", "mysql", ()),
    ],
    ids=lambda made: type(made).__name__,
)
def test_a_raw_value_shows_nothing_and_is_not_pickled(made: Raw) -> None:
    assert "jane" not in f"{made!r} {made} {[made]!r} {made!s:>200}"
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(made)

"""Modules and functions stay small and say what they promise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.architecture.source import Module

FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(module: Module) -> Iterator[Function]:
    for node in ast.walk(module.tree):
        if isinstance(node, Function):
            yield node


def length(function: Function) -> int:
    """Lines from `def` to the last, the docstring left out."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        first = function.body[0]
        lines -= (first.end_lineno or 0) - first.lineno + 1
    return lines


def public(module: Module) -> Iterator[Function | ast.ClassDef]:
    for node in module.tree.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from (
                    n for n in node.body if isinstance(n, Function) and not n.name.startswith("_")
                )


def test_no_module_has_more_than_500_lines(modules: list[Module]) -> None:
    assert [m.path for m in modules if m.text.count("\n") > 500] == []


def test_no_function_has_more_than_60_lines(modules: list[Module]) -> None:
    long = [f"{m.path}:{f.name}" for m in modules for f in functions(m) if length(f) > 60]
    assert long == []


def test_most_functions_are_short(modules: list[Module]) -> None:
    lengths = sorted(length(f) for m in modules for f in functions(m))
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[len(lengths) * 95 // 100] <= 40


def test_every_module_says_what_it_promises(modules: list[Module]) -> None:
    assert [m.path for m in modules if not ast.get_docstring(m.tree)] == []


def test_every_public_name_has_a_docstring(modules: list[Module]) -> None:
    bare = [
        f"{m.path}:{n.name}"
        for m in modules
        for n in public(m)
        if not ast.get_docstring(n) and not _is_an_implementation(n)
    ]
    assert bare == []


def _is_an_implementation(node: Function | ast.ClassDef) -> bool:
    """The same method of another class has its docstring at the port or the base class."""
    names = {ast.unparse(d).rpartition(".")[2] for d in node.decorator_list}
    return bool(names & {"override", "setter"})


def test_no_module_is_a_drawer_for_everything(modules: list[Module]) -> None:
    parts = {part for m in modules for part in m.path.removesuffix(".py").split("/")}
    assert parts & FORBIDDEN_NAMES == set()


def test_nothing_is_left_for_later(modules: list[Module]) -> None:
    later = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\bNotImplementedError\b|\bfor now\b")
    assert [m.path for m in modules if later.search(m.text)] == []


def test_broad_excepts_are_rare(modules: list[Module]) -> None:
    broad = sum(len(re.findall(r"except (Base)?Exception\b", m.text)) for m in modules)
    lines = sum(m.text.count("\n") for m in modules)
    assert broad <= max(3, lines / 1000)

"""What changes little in the captures changes few lines of checkout.sql."""

from __future__ import annotations

from difflib import ndiff

import pytest
from tests.fakes.checkouts import basket_workload

from readiness.model.workload import (
    Form,
    Repeat,
    StatementKind,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.workload.text.file import render

BASKET = basket_workload()
CHANGES = {
    "a table": ("tables", {**BASKET.tables, "orders": "00000000"}),
    "a table's definition": ("tables", {**BASKET.tables, "products": "00000000"}),
    "a count": ("repeats", (Repeat("order_items_0", (1, 3, 3)),)),
    "a figure": ("counts", {"literals": 7}),
}


def lines_between(one: Workload, other: Workload) -> list[str]:
    """The lines that went or came, the title left out."""
    texts = [render(w).decode().splitlines() for w in (one, other)]
    changed = [line for line in ndiff(*texts) if line[0] in "+-"]
    return [line for line in changed if "-- @workload" not in line]


def with_field(name: str, value: object) -> Workload:
    fields = {f: getattr(BASKET, f) for f in Workload.__dataclass_fields__}
    return Workload(**{**fields, name: value})


@pytest.mark.parametrize("what", CHANGES)
def test_one_change_is_one_line(what: str) -> None:
    changed = lines_between(BASKET, with_field(*CHANGES[what]))
    assert len(changed) <= 2
    assert len([line for line in changed if line[0] == "+"]) == 1


def test_a_new_variable_is_two_lines() -> None:
    new = Variable("note_0", VariableKind.FRESH, "hex8", "notes.text", Form.TEXT, "'00000000'")
    changed = lines_between(BASKET, with_field("variables", (new, *BASKET.variables)))
    assert [line[0] for line in changed] == ["+", "+"]


def test_a_new_statement_is_two_lines() -> None:
    new = Step("s002a", 1, 1, StatementKind.SELECT, 0.0, (b"SELECT 1",))
    changed = lines_between(
        BASKET, with_field("steps", (*BASKET.steps[:2], new, *BASKET.steps[2:]))
    )
    assert changed == ["+ -- @statement s002a", "+ SELECT 1;"]

"""Repeats: each checkout draws one of the captured counts, and leaves out what is beyond it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from tests.fakes.checkouts import small_pools, small_workload

from readiness.model.workload import (
    Bind,
    Form,
    Repeat,
    Row,
    Slot,
    StatementKind,
    Step,
    Turn,
    Variable,
    VariableKind,
    Workload,
)
from readiness.ports import CheckoutFlow
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.pools import Pools

ITEMS = Repeat("order_items_0", (1, 2, 5))
TRIES = Repeat("payments_0", (1, 1, 2))
INSERT, SELECT = StatementKind.INSERT, StatementKind.SELECT


def turn(number: int, repeat: str = "order_items_0") -> Turn:
    return Turn(repeat, number)


def basket() -> Workload:
    """A SELECT per item, one INSERT with a row per item (and a try's mark), an id per later item."""
    skus = [
        Variable(f"sku_{k}", VariableKind.FRESH, "pattern(A-AAAAAA)", "", Form.TEXT, "''")
        for k in range(5)
    ]
    ids = [Variable(f"item_id_{k}", VariableKind.SERVER, "", "", Form.NUMBER) for k in range(5)]
    steps = [
        Step(f"s{k}", 1, 0, SELECT, 0.0, (b"SELECT ", Slot(f"sku_{k}")), turn=turn(k + 1))
        for k in range(5)
    ]
    rows = [Row(turn(k + 1), (b", (", Slot(f"sku_{k}"), b", '100%')")) for k in range(1, 5)]
    tried = Row(turn(2, "payments_0"), (b", ('tried', '')",))
    first = (b"INSERT INTO items VALUES (", Slot("sku_0"), b", '100%')")
    steps.append(Step("s9", 1, 0, INSERT, 0.0, (*first, *rows, tried)))
    steps += [
        Step(f"i{k}", 2, 0, INSERT, 0.0, (b"INSERT",), (Bind(f"item_id_{k}"),), turn=turn(k + 1))
        for k in range(5)
    ]
    return Workload("checkout", 3, (*skus, *ids), (), tuple(steps), repeats=(ITEMS, TRIES))


@cache
def flow() -> CheckoutFlow:
    return compile_flow(basket(), Pools(()), namespace=b"run", seed=1)


def run(made: CheckoutFlow, number: int) -> list[tuple[str, bytes]]:
    """What a checkout sends, asked as the engine asks."""
    values, sent, step = made.new_values(number), [], 0
    while (step := made.following(step, values)) < len(made.statement_ids):
        sent.append((made.statement_ids[step], made.render(step, values)))
        if made.binds[step]:
            made.bind(step, values, 1000 + step)
        step += 1
    return sent


def items(sent: list[tuple[str, bytes]]) -> int:
    return sum(name in {"s0", "s1", "s2", "s3", "s4"} for name, _ in sent)


def test_the_captured_counts_come_evenly() -> None:
    drawn = Counter(items(run(flow(), n)) for n in range(3000))
    assert set(drawn) == {1, 2, 5}
    assert all(900 < times < 1100 for times in drawn.values())


def test_a_count_that_two_captures_have_comes_twice_as_often() -> None:
    tried = Counter(b"tried" in dict(run(flow(), n))["s9"] for n in range(3000))
    assert 900 < tried[True] < 1100


def test_all_parts_of_one_repeat_draw_together() -> None:
    for number in range(100):
        sent = run(flow(), number)
        count = items(sent)
        assert [name for name, _ in sent if name[0] == "i"] == [f"i{k}" for k in range(count)]
        assert dict(sent)["s9"].count(b"'100%')") == count


def test_two_repeats_draw_apart() -> None:
    both = {
        (items(sent), b"tried" in dict(sent)["s9"]) for sent in (run(flow(), n) for n in range(200))
    }
    assert len(both) == 6


def test_a_row_holds_the_values_of_its_turn() -> None:
    sent = dict(next(s for n in range(50) if items(s := run(flow(), n)) == 5))
    skus = [sent[f"s{k}"].removeprefix(b"SELECT ") for k in range(5)]
    expected = b"INSERT INTO items VALUES " + b", ".join(b"(" + s + b", '100%')" for s in skus)
    assert sent["s9"].removesuffix(b", ('tried', '')") == expected


def test_only_steps_that_may_be_left_out_are_asked_for() -> None:
    made = flow()
    asked = {name for name, may in zip(made.statement_ids, made.may_skip, strict=True) if may}
    assert asked == {"s1", "s2", "s3", "s4", "i1", "i2", "i3", "i4"}


def test_nothing_is_left_out_of_a_flow_without_repeats() -> None:
    made = compile_flow(small_workload(), small_pools(), namespace=b"run", seed=1)
    values = made.new_values(0)
    assert not any(made.may_skip)
    assert [made.following(k, values) for k in range(6)] == [0, 1, 2, 3, 4, 5]


def test_a_checkout_may_leave_out_its_last_steps_and_all_of_them() -> None:
    none = replace(basket(), repeats=(replace(ITEMS, counts=(0, 5)), TRIES))
    short = replace(none, steps=none.steps[:5], variables=none.variables[:5])
    made = compile_flow(short, Pools(()), namespace=b"run", seed=1)
    assert Counter(len(run(made, n)) for n in range(100)).keys() == {0, 5}


@pytest.mark.parametrize("number", [0, 7])
def test_a_checkout_draws_the_same_for_the_same_number(number: int) -> None:
    assert run(flow(), number) == run(flow(), number)

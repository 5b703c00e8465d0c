"""A transaction rolled back and tried again: in some captures, not in others."""

from __future__ import annotations

from itertools import permutations

import pytest
from tests.fakes.baskets import Basket, said_by, said_in
from tests.fakes.captures import capture, shop_schema, text_of, transaction

from readiness.model.draft import RawDraft
from readiness.model.transactions import Outcome, RawCapture
from readiness.model.workload import Slot
from readiness.workload.find.parameterize import parameterize


def draft(*captures: RawCapture) -> RawDraft:
    return parameterize(list(captures), schema=shop_schema(), name="order")


def baskets(*failed: tuple[int, ...], items: int = 2) -> list[RawCapture]:
    return [Basket(items, seed, failed=f).capture() for seed, f in enumerate(failed, 1)]


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_a_try_that_one_capture_has_happens_as_often_as_captured(length: int) -> None:
    found = draft(*baskets((), (), (length,)))
    (repeat,) = found.repeats
    assert repeat.counts == (0, 0, 1)
    tried = [s for s in found.steps if s.turn]
    assert [s.kind.value for s in (tried[0], tried[-1])] == ["begin", "rollback"]
    assert len(tried) == length + 2
    assert not found.warnings


def test_the_transaction_that_goes_through_always_runs() -> None:
    found = draft(*baskets((2,), (), ()))
    after = [s for s in found.steps if s.transaction == 2]
    assert all(s.turn is None for s in after)
    assert [s.kind.value for s in (after[0], after[-1])] == ["begin", "commit"]


def test_two_tries_are_two_turns_in_order() -> None:
    found = draft(*baskets((), (1, 2), (3,)))
    assert [r.counts for r in found.repeats] == [(0, 2, 1)]
    assert [s.turn.number for s in found.steps if s.turn and s.kind == "begin"] == [1, 2]


def test_the_tries_of_all_captures_stay_as_they_are() -> None:
    captures = baskets((2,), (2,), (2,))
    found = draft(*captures)
    assert found.repeats == ()
    assert all(said_by(found, n) == said_in(c) for n, c in enumerate(captures))


def test_a_checkout_of_each_capture_can_be_played_back() -> None:
    captures = baskets((), (), (2,))
    found = draft(*captures)
    for number, captured in enumerate(captures):
        assert said_by(found, number) == said_in(captured)


def test_the_order_of_captures_changes_no_variable() -> None:
    found = [draft(*order) for order in permutations(baskets((), (3,), (1,)))]
    names = [sorted((v.name, v.kind) for v in f.variables) for f in found]
    assert all(n == names[0] for n in names)


def test_an_id_that_was_rolled_back_is_not_used_by_what_always_runs() -> None:
    found = draft(*baskets((), (), (5,)))
    bound = {b.variable: s for s in found.steps for b in s.binds}
    tried = {name for name, s in bound.items() if s.turn}
    assert tried
    for step in found.steps:
        if step.turn is None:
            assert not tried & {p.variable for p in step.pieces if isinstance(p, Slot)}


def test_a_try_with_another_basket_is_still_one_flow() -> None:
    captures = [
        Basket(1, 1).capture(),
        Basket(2, 2).capture(),
        Basket(5, 3, failed=(3,)).capture(),
    ]
    found = draft(*captures)
    assert {r.counts for r in found.repeats} == {(1, 2, 5), (0, 0, 1)}
    assert said_by(found, 0) == said_in(captures[0])


def test_a_rollback_that_nothing_follows_is_no_try() -> None:
    """Told as before: nothing says what it was for."""
    undone = transaction("BEGIN", "SELECT 1 FROM orders", "ROLLBACK", outcome=Outcome.ROLLBACK)
    done = transaction("BEGIN", "SELECT 2 FROM shops", "SELECT 3 FROM users", "COMMIT")
    found = draft(capture(done, undone), capture(done))
    assert found.repeats == ()
    assert "capture 2 has no statement for s005, s006, s007" in found.warnings


def test_a_statement_sent_twice_is_a_repeat() -> None:
    sql = "SELECT id FROM orders WHERE id = {} FOR UPDATE"
    captures = [
        capture(transaction("BEGIN", *[sql.format(n)] * times, "COMMIT"))
        for n, times in ((7_000_001, 1), (7_000_002, 1), (7_000_003, 2))
    ]
    found = draft(*captures)
    assert [r.counts for r in found.repeats] == [(1, 1, 2)]
    assert len({text_of(s) for s in found.steps if s.turn}) == 1


def test_a_try_within_a_loop_is_left_out_and_told() -> None:
    def item(number: int) -> list[str]:
        return ["BEGIN", f"SELECT * FROM products WHERE id = {7_000_000 + number}"]

    def said(start: int, items: int, tries: int) -> RawCapture:
        undone = transaction(*item(start), "ROLLBACK", outcome=Outcome.ROLLBACK)
        each = [transaction(*item(start + n), "COMMIT") for n in range(items)]
        head = transaction("BEGIN", "SELECT 1 FROM shops", "COMMIT")
        return capture(head, *[undone] * tries, *each, head)

    found = draft(said(100, 1, 0), said(200, 3, 1), said(300, 2, 0))
    assert [r.counts for r in found.repeats] == [(1, 3, 2)]
    assert not [s for s in found.steps if s.kind == "rollback"]
    assert "failed tries within a loop are left out: 1" in found.warnings

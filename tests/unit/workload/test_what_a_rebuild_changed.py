"""Two workloads are compared by variables, statements and counts; no value is told."""

from __future__ import annotations

from dataclasses import replace

from readiness.model.workload import (
    Form,
    Repeat,
    Row,
    Sample,
    Slot,
    StatementKind,
    Step,
    Turn,
    Variable,
    VariableKind,
    Workload,
)
from readiness.workload.explain.changes import changes_between

USER = Variable("user_id_0", VariableKind.FRESH, "uuid4", "users.id", Form.TEXT, example="'secret'")
SHOP = Variable("shop_id_0", VariableKind.EXISTING, "sample", "shops.id", Form.NUMBER)


def step(number: int, *pieces: bytes | Slot | Row, shape: str = "") -> Step:
    return Step(f"s{number:03d}", 1, 0, StatementKind.INSERT, 0.0, pieces, shape=shape)


BEFORE = Workload(
    "checkout",
    3,
    (USER, SHOP),
    (Sample(("shop_id_0",), "shops", ("id",)),),
    (
        step(1, b"INSERT INTO a VALUES (", Slot("user_id_0"), b", 1)"),
        step(2, b"UPDATE b SET c = ", Slot("shop_id_0")),
    ),
    {"literals": 3, "generated": 2},
)


def test_equal_workloads_have_no_changes() -> None:
    changes = changes_between(BEFORE, replace(BEFORE, captures=4))
    assert not changes
    assert changes.lines() == []


def test_variables_come_go_and_change() -> None:
    user = replace(USER, generator="uuid7", example="'other'")
    coupon = replace(USER, name="coupon_0", column="coupons.code", generator="pattern(999)")
    changes = changes_between(BEFORE, replace(BEFORE, variables=(user, coupon), samples=()))
    assert changes.lines() == [
        "+ @coupon_0: fresh pattern(999) (coupons.code)",
        "- @shop_id_0: existing sample (shops.id)".replace(" sample", ""),
        "~ @user_id_0: fresh uuid4 (users.id) → fresh uuid7 (users.id)",
    ]
    assert "secret" not in str(changes.to_json())


def test_another_skew_is_a_change() -> None:
    sample = replace(BEFORE.samples[0], weight_by="orders.shop_id")
    (line,) = changes_between(BEFORE, replace(BEFORE, samples=(sample,))).lines()
    assert line == "~ @shop_id_0: existing (shops.id) → existing (shops.id) weight orders.shop_id"


def test_a_long_expression_is_told_in_short() -> None:
    long = replace(SHOP, kind=VariableKind.DERIVED, expression="CONCAT(" + "'a', " * 50 + "'b')")
    other = replace(long, expression="UPPER(" + long.expression + ")")
    old = replace(BEFORE, variables=(USER, long), samples=())
    (line,) = changes_between(old, replace(old, variables=(USER, other))).lines()
    assert line == "~ @shop_id_0: derived, its expression changed"


def test_statements_come_and_go_by_their_shape_not_their_id() -> None:
    first, second = BEFORE.steps
    new = step(1, b"DELETE FROM d")
    moved = (replace(first, statement_id="s002"), replace(second, statement_id="s003"))
    changes = changes_between(BEFORE, replace(BEFORE, steps=(new, *moved)))
    assert (changes.came, changes.went) == (("s001",), ())
    assert changes_between(BEFORE, replace(BEFORE, steps=(first,))).went == ("s002",)


def test_a_fingerprint_in_the_file_wins_over_the_text() -> None:
    old = replace(BEFORE, steps=(step(1, b"SELECT 1", shape="aaaaaaaa"),))
    new = replace(BEFORE, steps=(step(1, b"SELECT 1", shape="bbbbbbbb"),))
    assert changes_between(old, new).came == ("s001",)


def test_more_rows_of_an_insert_are_the_same_statement() -> None:
    insert = (b"INSERT INTO t VALUES (", Slot("user_id_0"), b", 1)")
    row = Row(Turn("items", 2), (b", (", Slot("user_id_0"), b", 1)"))
    old = replace(BEFORE, steps=(step(1, *insert),))
    assert not changes_between(old, replace(old, steps=(step(1, *insert, row),)))


def test_another_basket_and_another_definition_are_changes() -> None:
    old = replace(BEFORE, repeats=(Repeat("items", (1, 2)),), tables={"a": "1" * 8, "b": "2" * 8})
    new = replace(old, repeats=(Repeat("items", (1, 2, 5)),), tables={"a": "3" * 8, "c": "4" * 8})
    assert changes_between(old, new).lines() == [
        "~ repeat items: 1 2 → 1 2 5",
        "~ tables with another definition: a",
    ]
    assert changes_between(BEFORE, old).lines() == ["~ repeat items: none → 1 2"]


def test_counts_that_differ_are_shown_before_and_after() -> None:
    changes = changes_between(BEFORE, replace(BEFORE, counts={"literals": 3, "generated": 1}))
    assert changes.lines() == ["~ generated 2 → 1"]

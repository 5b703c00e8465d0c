"""Captures of one, two and five items are one flow: what is done for an item is a repeat."""

from __future__ import annotations

from itertools import permutations

import pytest
from tests.fakes.baskets import Basket, payload, said_by, said_in
from tests.fakes.captures import (
    alone,
    capture,
    shop_schema,
    statements,
    text_of,
    transaction,
    variables,
)

from readiness.anonymize.originals import originals
from readiness.model.draft import RawDraft, RawRow
from readiness.model.transactions import Outcome, RawCapture
from readiness.model.workload import Repeat, Slot, Turn, VariableKind
from readiness.workload.find.parameterize import parameterize
from readiness.workload.find.payloads import is_json


def draft(*captures: RawCapture) -> RawDraft:
    return parameterize(list(captures), schema=shop_schema(), name="order")


def baskets(*counts: int, rows: bool = True, looks_at_last: bool = False) -> list[RawCapture]:
    return [
        Basket(n, seed, rows=rows, looks_at_last=looks_at_last).capture()
        for seed, n in enumerate(counts, 1)
    ]


def kinds(found: RawDraft) -> list[tuple[str, str]]:
    return sorted((v.name, v.kind.value) for v in found.variables)


def turns(found: RawDraft) -> list[int]:
    """The turn of each step, 0 for one that always runs."""
    return [s.turn.number if s.turn else 0 for s in found.steps]


def looked_up(*ids: int) -> list[str]:
    return [f"SELECT * FROM products WHERE id = {n}" for n in ids]


@pytest.mark.parametrize("rows", [True, False])
def test_all_loops_over_one_basket_are_one_repeat_with_the_captured_counts(rows: bool) -> None:
    found = draft(*baskets(1, 2, 5, rows=rows))
    assert found.repeats == (Repeat("order_lines_0", (1, 2, 5)),)
    assert not found.warnings


@pytest.mark.parametrize("rows", [True, False])
def test_a_checkout_with_a_captures_count_and_values_is_that_capture(rows: bool) -> None:
    captures = baskets(1, 2, 5, rows=rows)
    found = draft(*captures)
    for number, captured in enumerate(captures):
        assert said_by(found, number) == said_in(captured)


@pytest.mark.parametrize("rows", [True, False])
def test_the_order_of_captures_changes_no_variable(rows: bool) -> None:
    found = [
        kinds(draft(*order))
        for order in permutations(baskets(1, 2, 5, rows=rows, looks_at_last=True))
    ]
    assert all(f == found[0] for f in found)


def test_rows_and_members_carry_the_turn_of_their_item() -> None:
    found = draft(*baskets(1, 2, 3))
    insert = next(s for s in found.steps if text_of(s).startswith("INSERT INTO order_lines"))
    rows = [p for p in insert.pieces if isinstance(p, RawRow)]
    assert [r.turn for r in rows] == [Turn("order_lines_0", n) for n in (2, 3)]
    assert all(r.pieces[0] == b", (" for r in rows)
    assert text_of(found.steps[-1]) == (
        "SELECT id FROM products WHERE id IN (@product_id_0[order_lines_0 2]{,@product_id_1}"
        "[order_lines_0 3]{,@product_id_2})"
    )


def test_each_item_has_a_product_of_its_own_in_all_its_loops() -> None:
    found = draft(*baskets(1, 2, 5, rows=False))
    for number in range(1, 6):
        inside = [s for s in found.steps if s.turn == Turn("order_lines_0", number)]
        used = {p.variable for s in inside for p in s.pieces if isinstance(p, Slot)}
        assert f"product_id_{number - 1}" in used
        assert not used & {f"product_id_{n}" for n in range(5) if n != number - 1}


def test_the_order_is_one_variable_and_the_ids_of_its_lines_are_bound_one_by_one() -> None:
    found = draft(*baskets(1, 2, 5))
    binds = {b.variable: b.offset for s in found.steps for b in s.binds}
    assert binds == {"order_id_0": 0, **{f"order_line_id_{n}": n for n in range(5)}}


def test_lines_that_are_inserted_one_by_one_are_bound_in_their_turn() -> None:
    found = draft(*baskets(2, 1, 4, rows=False))
    bound = {b.variable: s.turn for s in found.steps for b in s.binds if s.turn}
    assert bound == {f"order_line_id_{n}": Turn("order_lines_0", n + 1) for n in range(4)}


@pytest.mark.parametrize("counts", [(1, 2), (1, 2, 5), (3, 2, 1)])
@pytest.mark.parametrize("rows", [True, False])
def test_what_always_runs_uses_no_id_of_an_item_that_may_be_left_out(
    counts: tuple[int, ...], rows: bool
) -> None:
    """The last line of the basket is that of the first item, in a checkout of one."""
    found = draft(*baskets(*counts, rows=rows, looks_at_last=True))
    (last,) = [s for s in found.steps if text_of(s).startswith("SELECT * FROM order_lines")]
    (slot,) = [p for p in last.pieces if isinstance(p, Slot)]
    used = variables(found)[slot.variable]
    bound = {b.variable: s.turn for s in found.steps for b in s.binds}
    if used.kind is VariableKind.DERIVED:
        assert used.expression == "@order_line_id_0"
    else:
        assert bound[slot.variable] is None or bound[slot.variable] == Turn("order_lines_0", 1)


def test_a_key_that_an_item_brings_is_not_used_where_the_item_may_be_missing() -> None:
    keys = [f"{n:08x}-183e-4ff6-88fb-3cb33779a772" for n in (7, 8, 9)]

    def said(mine: list[str]) -> RawCapture:
        made = [f"INSERT INTO users (id) VALUES ('{k}')" for k in mine]
        return statements(*made, f"SELECT * FROM users WHERE id = '{mine[-1]}'")

    found = draft(said(keys[:1]), said(keys[1:]))
    assert text_of(found.steps[-1]) == "SELECT * FROM users WHERE id = @user_id_2"
    assert variables(found)["user_id_2"].expression == "@user_id_0"


def test_the_branches_of_a_bulk_update_are_turns_of_the_items_that_they_name() -> None:
    def said(start: int, items: int) -> RawCapture:
        ids = range(start, start + items)
        branches = " ".join(f"WHEN {n} THEN price_cents - 1" for n in ids)
        listed = ", ".join(map(str, ids))
        update = f"UPDATE products SET price_cents = CASE id {branches} END WHERE id IN ({listed})"
        return statements("SELECT 1 FROM shops", *looked_up(*ids), update)

    captures = [said(7_000_100, 2), said(7_000_200, 1), said(7_000_300, 3)]
    found = draft(*captures)
    assert [r.counts for r in found.repeats] == [(2, 1, 3)]
    assert not found.warnings
    assert all(said_by(found, n) == said_in(c) for n, c in enumerate(captures))


def test_equal_baskets_are_written_out_and_repeat_nothing() -> None:
    found = draft(*baskets(3, 3, 3))
    assert (found.repeats, set(turns(found))) == ((), {0})
    assert not any(isinstance(p, RawRow) for s in found.steps for p in s.pieces)


def test_two_loops_side_by_side_with_counts_of_their_own_are_two_repeats() -> None:
    def said(start: int, items: int, users: int) -> RawCapture:
        names = [f"SELECT * FROM users WHERE email = 'p{start + n}@x.test'" for n in range(users)]
        return statements(*looked_up(*range(start, start + items)), *names)

    found = draft(said(7_000_100, 1, 3), said(7_000_200, 2, 2), said(7_000_300, 3, 1))
    assert {r.name: r.counts for r in found.repeats} == {
        "products_0": (1, 2, 3),
        "users_0": (3, 2, 1),
    }
    assert turns(found) == [1, 2, 3, 1, 2, 3]


def test_a_body_that_begins_and_ends_alike_is_one_item() -> None:
    def said(start: int, items: int) -> RawCapture:
        each = [
            text
            for n in range(start, start + items)
            for text in (
                *looked_up(n),
                f"UPDATE products SET sku = sku WHERE id = {n}",
                *looked_up(n),
            )
        ]
        return statements("SELECT 1 FROM shops", *each, "SELECT 2 FROM shops")

    found = draft(said(7_000_100, 1), said(7_000_200, 2), said(7_000_300, 3))
    assert turns(found) == [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0]


def test_an_item_begins_where_its_values_say_so() -> None:
    """One update before the loop of look-up and update: the statements alone fit both ways."""

    def said(start: int, items: int) -> RawCapture:
        def changed(n: int) -> str:
            return f"UPDATE products SET sku = sku WHERE id = {n}"

        each = [t for n in range(start, start + items) for t in (*looked_up(n), changed(n))]
        return statements("SELECT 1 FROM shops", changed(start + 50), *each, "SELECT 2 FROM shops")

    found = draft(said(7_000_100, 2), said(7_000_200, 1), said(7_000_300, 3))
    assert turns(found) == [0, 0, 1, 1, 2, 2, 3, 3, 0]


def test_a_loop_of_transactions_takes_them_whole() -> None:
    def said(start: int, items: int) -> RawCapture:
        each = [transaction("BEGIN", *looked_up(n), "COMMIT") for n in range(start, start + items)]
        head = transaction("BEGIN", "SELECT 1 FROM shops", *looked_up(start), "COMMIT")
        tail = transaction("BEGIN", *looked_up(start), "SELECT 2 FROM shops", "COMMIT")
        return capture(head, *each, tail)

    found = draft(said(7_000_100, 3), said(7_000_200, 1), said(7_000_300, 2))
    inside = [s.kind.value for s in found.steps if s.turn and s.turn.number == 2]
    assert inside == ["begin", "select", "commit"]
    assert [s.transaction for s in found.steps if s.kind == "begin"] == [1, 2, 3, 4, 5]


def test_a_loop_within_a_loop_is_written_out_and_told() -> None:
    def said(start: int, sizes: tuple[int, ...]) -> RawCapture:
        each: list[str] = []
        for n, size in enumerate(sizes):
            shop = start + n * 10
            each += [f"SELECT * FROM shops WHERE id = {shop}"]
            each += looked_up(*range(shop + 1, shop + 1 + size))
        return statements("SELECT email FROM users", *each)

    sizes = [(2,), (1, 3), (2, 1, 2)]
    captures = [said(7_000_000 + n * 1_000, s) for n, s in enumerate(sizes)]
    found = draft(*captures)
    assert [r.counts for r in found.repeats] == [(1, 2, 3)]
    assert any("runs within another" in w for w in found.warnings)
    assert said_by(found, 2) == said_in(captures[2])


def test_a_loop_that_one_capture_does_not_have_is_told() -> None:
    head = ["SELECT email FROM users", "SELECT name FROM shops", "SELECT sku FROM products"]
    found = draft(
        statements(*head, *looked_up(7_000_001, 7_000_002)),
        statements(*head),
        statements(*head, *looked_up(7_000_301)),
    )
    assert "capture 2 has no statement for s004, s005" in found.warnings
    assert [r.counts for r in found.repeats] == [(2, 1)]


def test_nothing_that_differs_by_basket_escapes_the_search_for_originals() -> None:
    found = draft(*baskets(1, 2, 5, rows=False))
    searched = set(originals(found).values.values())
    for number in range(5):
        assert str(Basket(5, 3).product(number)).encode() in searched
        assert str(Basket(5, 3).price(number)).encode() in searched


def with_payload(*counts: int) -> list[RawCapture]:
    captures = []
    for seed, count in enumerate(counts, 1):
        one = Basket(count, seed)
        prices = [one.price(n) for n in range(count)]
        text = payload(prices, one.user)
        lines = [
            f"INSERT INTO products (sku, price_cents) VALUES ('SKU-{p * 7:08d}', {p})"
            for p in prices
        ]
        captures.append(
            statements(
                f"INSERT INTO users (id, email) VALUES ('{one.user}', '{seed:08x}@shop.test')",
                *lines,
                f"INSERT INTO orders (note) VALUES ('{text}')",
            )
        )
    return captures


def test_a_payload_holds_the_longest_list_and_stays_json() -> None:
    found = draft(*with_payload(1, 2, 5))
    text = variables(found)["order_note_0"]
    assert text.kind is VariableKind.DERIVED
    for number in range(5):
        assert f"@product_sku_{number}" in text.expression
    assert all(v is not None and is_json(v) for v in text.values)
    assert "a text of s007 always holds the longest list of the captures" in found.warnings


def test_the_captured_payloads_are_searched_for_as_they_were() -> None:
    found = draft(*with_payload(1, 2, 5))
    one = Basket(2, 2)
    captured = payload([one.price(0), one.price(1)], one.user).encode()
    assert captured in set(originals(found).values.values())


def test_the_shape_of_the_captured_statement_is_kept() -> None:
    found = draft(*baskets(1, 2))
    shapes = {s.shape for s in found.steps}
    assert all(len(s) == 8 and int(s, 16) >= 0 for s in shapes)
    by_text = {text_of(s): s.shape for s in found.steps if s.turn}
    assert len(set(by_text.values())) < len(by_text)  # turns of one loop have one shape


def test_a_pause_belongs_to_the_statement_that_it_stands_before() -> None:
    def said(gap_ns: int, *ids: int) -> RawCapture:
        each = [transaction(t, outcome=Outcome.AUTOCOMMIT, gap_ns=gap_ns) for t in looked_up(*ids)]
        return capture(alone("SELECT 1 FROM shops"), *each)

    found = draft(said(1_000_000, 7_000_001), said(5_000_000, 7_000_301, 7_000_302))
    assert [s.pause_ms for s in found.steps if s.turn] == [5.0, 5.0]

"""AUTO_INCREMENT ids: each way in which they were bound to the wrong row once, or might be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes.captures import alone, capture, shop_schema, statements, text_of, variables

from readiness.model.draft import RawDraft
from readiness.model.workload import VariableKind
from readiness.workload.find.parameterize import parameterize
from readiness.workload.schema import Column, Index, Schema, Table

USERS = ("u-0000001", "u-0000002", "u-0000003")


def of(
    *texts: str, values: tuple[dict[str, object], ...], schema: Schema | None = None
) -> RawDraft:
    """One flow, captured once for each set of values."""
    captures = [statements(*(t.format(**v) for t in texts)) for v in values]
    return parameterize(captures, schema=schema or shop_schema(), name="order")


def kinds(found: RawDraft) -> dict[str, VariableKind]:
    return {v.name: v.kind for v in found.variables}


def binds(found: RawDraft) -> dict[str, tuple[str, int]]:
    return {b.variable: (s.statement_id, b.offset) for s in found.steps for b in s.binds}


def with_table(name: str, table: Table) -> Schema:
    schema = shop_schema()
    return replace(schema, tables={**schema.tables, name: table})


def test_ids_of_three_tables_in_lock_step_with_quantities() -> None:
    """Everything is 1, 2, 3 over the captures, and nothing is anything else's."""
    found = of(
        "INSERT INTO orders (note) VALUES ('x')",
        "INSERT INTO order_lines (order_id, quantity, price_cents) VALUES ({n}, {n}, {n})",
        "UPDATE order_lines SET quantity = {n} WHERE id = {n}",
        "UPDATE orders SET total_cents = {n} WHERE id = {n}",
        values=({"n": 1}, {"n": 2}, {"n": 3}),
    )
    assert binds(found) == {"order_id_0": ("s001", 0), "order_line_id_0": ("s002", 0)}
    assert [text_of(s) for s in found.steps[1:]] == [
        "INSERT INTO order_lines (order_id, quantity, price_cents) "
        "VALUES (@order_id_0, @order_line_quantity_0, 1)",
        "UPDATE order_lines SET quantity = @order_line_quantity_0 WHERE id = @order_line_id_0",
        "UPDATE orders SET total_cents = 1 WHERE id = @order_id_0",
    ]


def test_an_amount_that_equals_an_id_in_every_capture_stays_an_amount() -> None:
    found = of(
        "INSERT INTO orders (note) VALUES ('x')",
        "UPDATE orders SET total_cents = {n} WHERE id = {n}",
        "SELECT 1 FROM orders WHERE total_cents > {n}",
        values=({"n": 101}, {"n": 102}, {"n": 103}),
    )
    assert "total_cents = @order_total_cents_0 WHERE id = @order_id_0" in text_of(found.steps[1])


def test_a_reference_without_a_foreign_key_follows_the_id_that_it_repeats() -> None:
    audits = Table(
        {"id": Column("bigint", False, True), "subject_type": Column("varchar"), "subject_id": Column("bigint")},
        (Index("PRIMARY", True, ("id",)), Index("subject", False, ("subject_type", "subject_id"))),
    )  # fmt: skip
    found = of(
        "INSERT INTO orders (note) VALUES ('x')",
        "INSERT INTO audits (subject_type, subject_id) VALUES ('Order', {n})",
        "UPDATE orders SET note = 'y' WHERE id = {n}",
        values=({"n": 7}, {"n": 8}, {"n": 9}),
        schema=with_table("audits", audits),
    )
    assert variables(found)["subject_id_0"].expression == "@order_id_0"


@pytest.mark.parametrize("text", ["order/{n}", "order:{n}:paid", "the order #{n}"])
def test_an_indexed_text_embeds_the_short_id_of_the_table_that_it_names(text: str) -> None:
    logs = Table(
        {"id": Column("bigint", False, True), "target": Column("varchar")},
        (Index("PRIMARY", True, ("id",)), Index("target", False, ("target",))),
    )
    found = of(
        "INSERT INTO orders (note) VALUES ('x')",
        "INSERT INTO order_lines (order_id) VALUES ({n})",
        "UPDATE order_lines SET quantity = 1 WHERE id = {n}",
        f"INSERT INTO logs (target) VALUES ('{text}')",
        values=({"n": 7}, {"n": 8}, {"n": 9}),
        schema=with_table("logs", logs),
    )
    (target,) = [v for v in found.variables if v.table == "logs"]
    assert target.kind is VariableKind.DERIVED
    assert "@order_id_0" in target.expression
    (doubt,) = [d for d in found.explanation.doubts if d.where == f"@{target.name}"]
    assert doubt.taken == "computed from @order_id_0"
    assert doubt.others == ("@order_line_id_0",)
    assert "workload salt" in doubt.cure


def test_a_text_written_before_the_id_is_known_cannot_embed_it() -> None:
    found = of(
        "INSERT INTO users (id, name) VALUES ('{u}', 'order/{n}')",
        "INSERT INTO orders (note) VALUES ('x')",
        "UPDATE orders SET note = 'y' WHERE id = {n}",
        values=tuple({"n": 7 + i, "u": u} for i, u in enumerate(USERS)),
    )
    assert not [v for v in found.variables if v.kind is VariableKind.DERIVED]


def test_ids_are_used_on_another_connection_than_that_of_the_insert() -> None:
    captures = [
        capture(
            alone(f"INSERT INTO orders (user_id) VALUES ('{u}')", thread=1),
            alone(f"UPDATE orders SET note = 'x' WHERE id = {n}", thread=2),
        )
        for u, n in zip(USERS, (77, 79, 85), strict=True)
    ]
    found = parameterize(captures, schema=shop_schema(), name="order")
    assert [s.connection for s in found.steps] == [1, 2]
    assert binds(found) == {"order_id_0": ("s001", 0)}
    assert text_of(found.steps[1]).endswith("id = @order_id_0")


def test_on_duplicate_key_that_tells_the_id_is_no_guess() -> None:
    found = of(
        "INSERT INTO orders (user_id) VALUES ('{u}') ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id)",
        "SELECT note FROM orders WHERE id = {n}",
        values=({"u": USERS[0], "n": 901}, {"u": USERS[1], "n": 17}),
    )
    assert binds(found) == {"order_id_0": ("s001", 0)}
    assert not found.warnings


@pytest.mark.parametrize(
    "insert",
    [
        "INSERT INTO orders (user_id) VALUES ('{u}') ON DUPLICATE KEY UPDATE note = 'again'",
        "INSERT IGNORE INTO orders (user_id) VALUES ('{u}')",
    ],
)
def test_an_insert_that_may_keep_a_row_is_said(insert: str) -> None:
    found = of(
        insert,
        "SELECT note FROM orders WHERE id = {n}",
        values=({"u": USERS[0], "n": 901}, {"u": USERS[1], "n": 905}),
    )
    assert binds(found) == {"order_id_0": ("s001", 0)}
    assert any(w.startswith("s001: IGNORE or ON DUPLICATE KEY UPDATE") for w in found.warnings)


def test_an_insert_that_kept_its_row_shows_by_the_ids_that_are_new_without_doubt() -> None:
    found = of(
        "INSERT INTO order_lines (quantity) VALUES (1)",
        "UPDATE order_lines SET quantity = 2 WHERE id = {line}",
        "INSERT IGNORE INTO orders (user_id) VALUES ('{u}')",
        "SELECT note FROM orders WHERE id = {n}",
        values=(
            {"line": 100, "u": USERS[0], "n": 50},
            {"line": 110, "u": USERS[1], "n": 20},
            {"line": 120, "u": USERS[2], "n": 33},
        ),
    )
    assert kinds(found)["order_line_id_0"] is VariableKind.SERVER
    assert kinds(found)["order_id_0"] is VariableKind.EXISTING


def test_replace_always_makes_a_row() -> None:
    found = of(
        "REPLACE INTO orders (user_id, note) VALUES ('{u}', 'x')",
        "SELECT note FROM orders WHERE id = {n}",
        values=({"u": USERS[0], "n": 901}, {"u": USERS[1], "n": 905}),
    )
    assert binds(found) == {"order_id_0": ("s001", 0)}
    assert not found.warnings


def test_rows_of_insert_select_are_counted_from_the_first_and_said_to_be_a_guess() -> None:
    found = of(
        "INSERT INTO order_lines (order_id, product_id) "
        "SELECT {o}, id FROM products WHERE shop_id = {s}",
        "UPDATE order_lines SET quantity = 1 WHERE id IN ({a}, {b}, {c}, {old})",
        values=(
            {"o": 31, "s": 4, "a": 901, "b": 902, "c": 903, "old": 77},
            {"o": 33, "s": 5, "a": 908, "b": 909, "c": 910, "old": 78},
        ),
    )
    assert binds(found) == {f"order_line_id_{n}": ("s001", n) for n in range(3)}
    assert kinds(found)["order_line_id_3"] is VariableKind.EXISTING
    assert any("depends on the data; 3 of their ids are used" in w for w in found.warnings)


def test_what_insert_select_puts_into_a_column_meets_the_column() -> None:
    found = of(
        "INSERT INTO order_lines (order_id, product_id) SELECT {o}, id FROM products",
        values=({"o": 31}, {"o": 33}),
    )
    assert kinds(found) == {"order_id_0": VariableKind.EXISTING}


def test_ids_two_apart_ask_for_a_target_that_numbers_so() -> None:
    found = of(
        "INSERT INTO order_lines (quantity) VALUES (1), (1), (1)",
        "SELECT quantity FROM order_lines WHERE id IN ({a}, {b}, {c})",
        values=({"a": 901, "b": 903, "c": 905}, {"a": 911, "b": 913, "c": 915}),
    )
    assert [offset for _, offset in binds(found).values()] == [0, 2, 4]
    assert any("auto_increment_increment = 2" in w for w in found.warnings)


def test_which_of_several_rows_an_id_is_of_is_said_to_be_a_guess() -> None:
    found = of(
        "INSERT INTO order_lines (quantity) VALUES (1), (1), (1)",
        "SELECT quantity FROM order_lines WHERE id = {a}",
        values=({"a": 901}, {"a": 911}),
    )
    assert any("1 of the ids of 3 rows inserted into order_lines" in w for w in found.warnings)


def test_ids_of_a_database_that_was_put_back_are_said_to_be_equal() -> None:
    found = of(
        "INSERT INTO orders (user_id) VALUES ('{u}')",
        "UPDATE orders SET note = 'x' WHERE id = 101",
        values=({"u": USERS[0]}, {"u": USERS[1]}),
    )
    (warning,) = [w for w in found.warnings if "equal in all captures" in w]
    assert "s002" in warning
    assert "salt the AUTO_INCREMENT ranges" in warning


def test_an_id_looked_up_before_the_insert_may_be_equal_without_a_word() -> None:
    found = of(
        "SELECT note FROM orders WHERE id = 1",
        "INSERT INTO orders (user_id) VALUES ('{u}')",
        values=({"u": USERS[0]}, {"u": USERS[1]}),
    )
    assert not found.warnings


def test_ids_told_in_rows_are_said_to_be_unread() -> None:
    found = of(
        "INSERT INTO orders (user_id) VALUES ('{u}') RETURNING id",
        "SELECT note FROM orders WHERE id = {n}",
        values=({"u": USERS[0], "n": 901}, {"u": USERS[1], "n": 905}),
    )
    assert any(w.startswith("s001: INSERT … RETURNING") for w in found.warnings)


def test_a_prepared_insert_is_numbered_by_its_execute() -> None:
    found = of(
        "PREPARE st FROM 'INSERT INTO orders (user_id, note) VALUES (?, ?)'",
        "SET @a = '{u}', @b = 'x'",
        "EXECUTE st USING @a, @b",
        "SELECT note FROM orders WHERE id = {n}",
        values=({"u": USERS[0], "n": 901}, {"u": USERS[1], "n": 905}),
    )
    assert binds(found) == {"order_id_0": ("s003", 0)}
    assert kinds(found)["user_id_0"] is VariableKind.EXISTING

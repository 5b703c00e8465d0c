"""Fresh, existing, numbered by the server, derived, or left in place: small flows, one law each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes.captures import (
    capture,
    shop_schema,
    statements,
    text_of,
    transaction,
    variables,
)

from readiness.errors import WorkloadError
from readiness.model.draft import RawDraft, RawLiteral, RawRow
from readiness.model.transactions import RawCapture
from readiness.model.workload import VariableKind
from readiness.workload.find.parameterize import parameterize
from readiness.workload.schema import Column, ForeignKey, Index, Table

USERS = ("2f0c1e5a-0c6b-4f0e-9d38-3f9b1d3a0001", "9a7bb1de-57a1-4c36-8a52-77f3f0a60002")


def draft(*captures: RawCapture, **asked: object) -> RawDraft:
    return parameterize(captures, schema=shop_schema(), name="order", **asked)  # type: ignore[arg-type]


def of(*texts: str, values: tuple[dict[str, object], ...], **asked: object) -> RawDraft:
    """One flow, captured once for each set of values."""
    return draft(*(statements(*(t.format(**v) for t in texts)) for v in values), **asked)


def kinds(found: RawDraft) -> dict[str, VariableKind]:
    return {v.name: v.kind for v in found.variables}


def test_one_capture_cannot_tell() -> None:
    with pytest.raises(WorkloadError, match="at least 2") as caught:
        draft(statements("SELECT id FROM users WHERE email = 'a@b.test'"))
    assert "another persona" in caught.value.hint
    assert "a@b.test" not in str(caught.value)


def test_another_flow_is_refused() -> None:
    one = statements("SELECT id FROM users", "SELECT id FROM orders", "SELECT id FROM shops")
    other = statements("DELETE FROM users", "DELETE FROM orders", "SELECT id FROM shops")
    with pytest.raises(WorkloadError, match="1 of 3 statements match"):
        draft(one, other)


def test_a_capture_without_work_is_refused() -> None:
    with pytest.raises(WorkloadError, match="no statement beyond session set-up"):
        draft(statements("SET NAMES utf8mb4"), statements("SELECT id FROM users"))


def test_equal_values_are_constants() -> None:
    found = of("SELECT id FROM users WHERE name = 'x' LIMIT 5", values=({}, {}))
    assert not found.variables
    assert (found.counts["constant"], found.counts["structural"]) == (1, 1)


def test_what_the_flow_inserts_into_its_own_key_is_fresh_even_after_a_look_up() -> None:
    found = of(
        "SELECT id FROM users WHERE email = '{e}'",
        "INSERT INTO users (id, email) VALUES ('{u}', '{e}')",
        values=tuple({"u": u, "e": f"p{i}@mail.test"} for i, u in enumerate(USERS)),
        exists=lambda *_: True,
    )
    assert kinds(found) == {"user_email_0": VariableKind.FRESH, "user_id_0": VariableKind.FRESH}


def test_what_is_looked_up_and_never_inserted_exists() -> None:
    found = of(
        "SELECT id FROM users WHERE email = '{e}'",
        values=({"e": "ann@mail.test"}, {"e": "bob@mail.test"}),
    )
    assert kinds(found) == {"user_email_0": VariableKind.EXISTING}
    assert [(s.table, s.columns) for s in found.samples] == [("users", ("email",))]


def test_a_value_that_the_source_does_not_hold_is_a_miss_and_stays_one() -> None:
    found = of(
        "SELECT id FROM users WHERE email = '{e}'",
        values=({"e": "ann@mail.test"}, {"e": "bob@mail.test"}),
        exists=lambda *_: False,
    )
    assert kinds(found) == {"user_email_0": VariableKind.FRESH}
    assert any("users.email does not exist at the source" in w for w in found.warnings)


def test_a_reference_to_a_table_that_the_flow_does_not_insert_exists() -> None:
    found = of(
        "INSERT INTO orders (user_id, shop_id) VALUES ('{u}', {s})",
        values=({"u": USERS[0], "s": 17}, {"u": USERS[1], "s": 23}),
    )
    assert kinds(found) == {"user_id_0": VariableKind.EXISTING, "shop_id_0": VariableKind.EXISTING}
    assert {s.table: s.weight_by for s in found.samples} == {
        "shops": "orders.shop_id",
        "users": "orders.user_id",
    }


def test_server_ids_are_bound_to_the_insert_before_them() -> None:
    found = of(
        "INSERT INTO orders (note) VALUES ('hello')",
        "INSERT INTO order_lines (order_id) VALUES ({o}), ({o})",
        "UPDATE order_lines SET quantity = 2 WHERE id = {b}",
        "SELECT id FROM order_lines WHERE id IN ({a}, {b})",
        values=({"o": 101, "a": 7001, "b": 7002}, {"o": 102, "a": 7005, "b": 7006}),
    )
    binds = [(s.statement_id, [(b.variable, b.offset) for b in s.binds]) for s in found.steps[:2]]
    assert binds == [
        ("s001", [("order_id_0", 0)]),
        ("s002", [("order_line_id_1", 0), ("order_line_id_0", 1)]),
    ]


def test_two_inserts_into_one_table_are_told_apart() -> None:
    found = of(
        "INSERT INTO orders (note) VALUES ('first')",
        "INSERT INTO orders (note) VALUES ('second')",
        "SELECT note FROM orders WHERE id = {b}",
        "SELECT note FROM orders WHERE id = {a}",
        values=({"a": 101, "b": 102}, {"a": 201, "b": 202}),
    )
    assert [len(s.binds) for s in found.steps] == [1, 1, 0, 0]
    assert text_of(found.steps[2]).endswith(f"@{found.steps[1].binds[0].variable}")


def test_an_id_used_before_any_insert_existed() -> None:
    found = of(
        "SELECT note FROM orders WHERE id = {old}",
        "INSERT INTO orders (note) VALUES ('hello')",
        "SELECT note FROM orders WHERE id = {new}",
        values=({"old": 55, "new": 900}, {"old": 31, "new": 901}),
    )
    assert kinds(found) == {"order_id_0": VariableKind.EXISTING, "order_id_1": VariableKind.SERVER}


def test_an_old_id_beside_a_new_one_shows_by_the_order_of_the_captures() -> None:
    found = of(
        "INSERT INTO orders (note) VALUES ('hello')",
        "SELECT note FROM orders WHERE id IN ({new}, {old})",
        values=({"old": 55, "new": 900}, {"old": 31, "new": 901}),
    )
    assert kinds(found) == {"order_id_0": VariableKind.SERVER, "order_id_1": VariableKind.EXISTING}


def test_lock_step_ids_are_split_by_their_tables() -> None:
    found = of(
        "INSERT INTO orders (note) VALUES ('hello')",
        "INSERT INTO order_lines (order_id) VALUES ({id})",
        "SELECT quantity FROM order_lines WHERE id = {id}",
        values=({"id": 7}, {"id": 8}),
    )
    assert kinds(found) == {
        "order_id_0": VariableKind.SERVER,
        "order_line_id_0": VariableKind.SERVER,
    }


def test_a_choice_among_own_rows_follows_the_first_capture() -> None:
    rows = [f"{n}{USERS[0][1:]}" for n in "abc"]
    more = [f"{n}{USERS[1][1:]}" for n in "def"]
    found = of(
        "INSERT INTO users (id) VALUES ('{r[0]}'), ('{r[1]}'), ('{r[2]}')",
        "SELECT name FROM users WHERE id = '{pick}'",
        values=({"r": rows, "pick": rows[2]}, {"r": more, "pick": more[0]}),
    )
    assert variables(found)["user_id_3"].expression == "@user_id_2"


def test_a_value_of_one_statement_without_index_stays_in_place() -> None:
    found = of(
        "UPDATE orders SET note = '{n}' WHERE total_cents > 0",
        values=({"n": "leave at the door"}, {"n": "ring twice"}),
    )
    (literal,) = [p for p in found.steps[0].pieces if isinstance(p, RawLiteral) and p.varies]
    assert not found.variables
    assert (literal.table, literal.column) == ("orders", "note")
    assert found.counts["inline"] == 1


def test_a_value_of_several_statements_is_one_variable() -> None:
    found = of(
        "UPDATE orders SET total_cents = {t} WHERE note = 'x'",
        "INSERT INTO order_lines (price_cents) VALUES ({t})",
        values=({"t": 1999000}, {"t": 2750000}),
    )
    assert [text_of(s)[-22:] for s in found.steps][1] == "(@order_total_cents_0)"


def test_another_literal_form_of_a_variable_is_derived_from_it() -> None:
    found = of(
        "INSERT INTO shops (id) VALUES ({s})",
        "UPDATE orders SET note = '{s}'",
        values=({"s": 915197455677413650}, {"s": 915197471282862888}),
    )
    assert variables(found)["shop_id_0_text"].expression == "CAST(@shop_id_0 AS CHAR)"


def test_own_user_variables_are_not_overwritten() -> None:
    found = of(
        "SET @user_id_0 := 5",
        "INSERT INTO users (id) VALUES ('{u}')",
        values=tuple({"u": u} for u in USERS),
    )
    assert list(variables(found)) == ["user_id_1"]


def test_a_list_of_another_length_is_evidence_as_far_as_it_goes() -> None:
    found = draft(
        statements("SELECT id FROM users WHERE name IN ('x', 'y')", "SELECT id FROM shops"),
        statements("SELECT id FROM users WHERE name IN ('x')", "SELECT id FROM shops"),
    )
    (row,) = [p for p in found.steps[0].pieces if isinstance(p, RawRow)]
    (own,) = [p for p in found.steps[0].pieces if isinstance(p, RawLiteral)]
    (more,) = [p for p in row.pieces if isinstance(p, RawLiteral)]
    assert (own.text, own.varies) == (b"'x'", False)
    assert (more.text, more.varies, row.turn.number) == (b"'y'", True, 2)


@pytest.mark.parametrize("mode", ["ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT"])
@pytest.mark.parametrize("which", [0, 1])
def test_a_capture_that_reads_sql_otherwise_is_refused(mode: str, which: int) -> None:
    sql = "SELECT id FROM users WHERE name = 'x'"
    captures = [statements(sql), statements(sql)]
    captures[which] = capture(transaction(sql, "COMMIT", sql_mode=f"STRICT_ALL_TABLES,{mode}"))
    with pytest.raises(WorkloadError, match=mode) as refusal:
        draft(*captures)
    assert mode in refusal.value.hint


def test_a_literal_in_place_knows_what_each_capture_held() -> None:
    sql = "SELECT id FROM orders WHERE note = '{n}'"
    found = of(sql, values=({"n": "red"}, {"n": "green"}, {"n": "blue"}))
    (kept,) = [p for p in found.steps[0].pieces if isinstance(p, RawLiteral)]
    assert (kept.text, kept.varies, kept.others) == (b"'red'", True, (b"green", b"blue"))


def test_a_word_that_the_schema_lists_is_kept() -> None:
    schema = shop_schema()
    schema.tables["orders"].columns["note"] = Column("enum")
    captures = [statements(f"SELECT id FROM orders WHERE note = '{n}'") for n in ("gift", "loan")]
    found = parameterize(captures, schema=schema, name="order")
    (kept,) = [p for p in found.steps[0].pieces if isinstance(p, RawLiteral)]
    assert (kept.text, kept.varies) == (b"'gift'", False)


def test_a_key_that_a_function_inserts_is_the_flows_own() -> None:
    """x'5f1c…' refers to what UNHEX('5f1c…') made: no basket of the target may be drawn for it."""
    keys = ("5f1c9a523f0e4c599d3e2b7f6a1d8c04", "c2d79a523f0e4c599d3e2b7f6a1d8c05")
    schema = shop_schema()
    number, primary = Column("binary"), Index("PRIMARY", unique=True, columns=("id",))
    lines = Table(
        {"basket_id": number, "line": Column("int")},
        (Index("PRIMARY", unique=True, columns=("basket_id", "line")),),
        (ForeignKey(("basket_id",), "baskets", ("id",)),),
    )
    tables = {"baskets": Table({"id": number}, (primary,)), "basket_lines": lines}
    captures = [
        statements(
            f"INSERT INTO baskets VALUES (UNHEX('{key}'))",
            f"INSERT INTO basket_lines VALUES (x'{key}', 1)",
        )
        for key in keys
    ]
    found = parameterize(captures, schema=replace(schema, tables=tables), name="order")
    assert VariableKind.EXISTING not in kinds(found).values()
    assert not found.samples

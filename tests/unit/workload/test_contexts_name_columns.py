"""Which column a literal meets."""

from __future__ import annotations

import pytest
from tests.fakes.captures import shop_schema, statements

from readiness.sql.lexer import lex
from readiness.workload.find.context import Context, ContextReader, Meeting, with_prepared
from readiness.workload.find.statements import flatten


def context(sql: str) -> Context:
    raw = sql.encode()
    return ContextReader(shop_schema()).read(raw, lex(raw))


@pytest.mark.parametrize(
    ("sql", "meetings"),
    [
        ("SELECT 1 FROM users WHERE email = 'x'", [Meeting(), Meeting("users", "email", "where")]),
        ("SELECT id FROM users u WHERE 'x' = u.EMAIL", [Meeting("users", "email", "where")]),
        ("SELECT id FROM users WHERE email LIKE 'x%'", [Meeting("users", "email", "like")]),
        ("SELECT id FROM orders WHERE id IN (7)", [Meeting("orders", "id", "in")]),
        ("SELECT id FROM orders WHERE id BETWEEN 7 AND 9", [Meeting("orders", "id", "where")] * 2),
        ("UPDATE orders SET note = 'x'", [Meeting("orders", "note", "set")]),
        ("UPDATE orders SET total_cents = total_cents - 5", [Meeting("orders", "total_cents", "set", 0, True)]),
        ("SELECT id FROM users WHERE email_hash = SHA2('x', 256)", [Meeting("users", "email_hash", "where", 0, True)] * 2),
        ("INSERT INTO shops (name, id) VALUES ('a', 1), ('b', 2)",
         [Meeting("shops", "name", "insert", 0), Meeting("shops", "id", "insert", 0),
          Meeting("shops", "name", "insert", 1), Meeting("shops", "id", "insert", 1)]),
        ("INSERT INTO shops VALUES (1, 'a')", [Meeting("shops", "id", "insert"), Meeting("shops", "name", "insert")]),
        ("INSERT INTO shops SET name = 'a'", [Meeting("shops", "name", "insert")]),
        ("REPLACE INTO shops (id) VALUES (-1)", [Meeting("shops", "id", "insert")]),
        ("INSERT INTO shops (id) VALUES (1) ON DUPLICATE KEY UPDATE name = 'b'",
         [Meeting("shops", "id", "insert"), Meeting("shops", "name", "set")]),
        ("UPDATE orders SET note = CASE id WHEN 7 THEN 'a' END",
         [Meeting("orders", "id", "where"), Meeting("orders", "note", "set", 0, True)]),
        ("SELECT id FROM orders WHERE created_at > TIMESTAMP'2026-01-01'", [Meeting("orders", "created_at", "where")]),
        ("SELECT id FROM unknown WHERE email = 'x'", [Meeting()]),
    ],
)  # fmt: skip
def test_literals_meet_columns(sql: str, meetings: list[Meeting]) -> None:
    assert list(context(sql).meetings) == meetings


def test_what_the_parser_cannot_read_has_no_columns() -> None:
    found = context("XA START 'a', 'b', 1")
    assert not found.is_parsed
    assert set(found.meetings) == {Meeting()}


def test_an_insert_without_the_numbered_column_lets_the_server_number() -> None:
    found = context("INSERT INTO order_lines (order_id) VALUES (1), (2)").insertion
    assert found is not None
    assert (found.table, found.rows, found.numbered) == ("order_lines", 2, "id")


def test_an_insert_with_the_numbered_column_numbers_itself() -> None:
    found = context("INSERT INTO order_lines (ID, order_id) VALUES (5, 1)").insertion
    assert found is not None
    assert found.numbered == ""


def prepared(*texts: str) -> list[Context]:
    flow = flatten(statements(*texts))
    reader = ContextReader(shop_schema())
    contexts = [reader.read(s.sql, s.tokens) for s in flow.statements]
    return with_prepared(flow.statements, contexts, reader)


def test_a_user_variable_meets_the_column_of_its_placeholder() -> None:
    contexts = prepared(
        "PREPARE s FROM 'SELECT 5 FROM orders WHERE user_id = ? AND note = ?'",
        "SET @a = 'u-1', @b := 'x'",
        "EXECUTE s USING @A, @b",
    )
    assert [m.column for m in contexts[1].meetings] == ["user_id", "note"]


def test_a_prepared_text_may_come_from_a_variable() -> None:
    contexts = prepared(
        "SET @q = 'INSERT INTO orders (user_id) VALUES (?)'",
        "PREPARE s FROM @q",
        "SET @a = 'u-1'",
        "EXECUTE s USING @a",
    )
    assert contexts[2].meetings[0].column == "user_id"
    insertion = contexts[3].insertion
    assert insertion is not None
    assert insertion.numbered == "id"


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT id FROM orders o WHERE o.note = 'x' AND EXISTS (SELECT 1 FROM users o WHERE o.name = 'y')",
         ["orders.note", "", "users.name"]),
        ("SELECT id FROM orders WHERE note = 'x' AND user_id IN (SELECT id FROM users WHERE name = 'y' AND note = 'z')",
         ["orders.note", "users.name", "orders.note"]),
        ("SELECT x.id FROM (SELECT id FROM users u WHERE u.email = 'a') x JOIN orders u ON u.note = 'b'",
         ["users.email", "orders.note"]),
        ("WITH orders AS (SELECT id FROM users WHERE name = 'x') SELECT id FROM orders WHERE note = 'y'",
         ["users.name", ""]),
        ("DELETE o FROM orders o JOIN users u ON u.id = o.user_id WHERE o.note = 'x' AND u.name = 'y'",
         ["orders.note", "users.name"]),
        ("UPDATE orders o JOIN users u ON u.id = o.user_id SET o.note = 'x' WHERE u.name = 'y'",
         ["orders.note", "users.name"]),
        ("SELECT id FROM orders WHERE (user_id, note) IN (('u', 'x'), ('v', 'y'))",
         ["orders.user_id", "orders.note", "orders.user_id", "orders.note"]),
        ("SELECT id FROM orders WHERE (user_id, note) = ('u', 'x')", ["orders.user_id", "orders.note"]),
        ("SELECT id FROM orders ORDER BY FIELD(id, 3, 1, 2)", ["orders.id"] * 3),
        ("INSERT INTO orders (user_id, note) SELECT 'u', name FROM shops WHERE id = 5", ["orders.user_id", "shops.id"]),
        ("INSERT INTO orders (user_id, note) SELECT 'u', 'x' UNION ALL SELECT 'v', 'y'",
         ["orders.user_id", "orders.note"] * 2),
        ("INSERT INTO shops VALUES (1, 'a', 'more than the schema tells')", ["", "", ""]),
        ("INSERT INTO orders (total_cents) VALUES (-5)", ["orders.total_cents"]),
    ],
)  # fmt: skip
def test_a_name_means_the_table_nearest_to_it(sql: str, columns: list[str]) -> None:
    found = [f"{m.table}.{m.column}".removeprefix(".") for m in context(sql).meetings]
    assert found == columns


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM users WHERE LOWER(email) = 'x'",
        "SELECT id FROM users WHERE LOWER(email) IN ('x')",
        "SELECT id FROM users WHERE 'x' = UPPER(email)",
    ],
)
def test_a_value_meets_the_column_within_a_function(sql: str) -> None:
    (meeting,) = context(sql).meetings
    assert (meeting.table, meeting.column, meeting.is_wrapped) == ("users", "email", True)


def test_a_function_of_two_columns_is_met_by_nobody() -> None:
    (meeting,) = context("SELECT id FROM users WHERE CONCAT(email, name) = 'x'").meetings
    assert meeting == Meeting()


def test_long_literals_are_not_shown_to_the_parser_and_keep_their_places() -> None:
    sql = (
        f"INSERT INTO users (email, name, email_hash, id) VALUES ('{'a' * 5000}', _binary'{'b' * 900}', "
        f"x'{'0f' * 700}', 0x{'ab' * 600}), ('c', N'{'d' * 300}', 'e', 'f')"
    )
    columns = ["email", "name", "email_hash", "id"] * 2
    assert [m.column for m in context(sql).meetings] == columns

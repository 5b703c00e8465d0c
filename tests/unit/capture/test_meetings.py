"""Which column a literal meets, in the forms in which applications write it."""

from __future__ import annotations

import pytest

from readiness.capture.meetings import meetings
from readiness.sql.lexer import lex


def met(sql: str) -> list[tuple[str, str, bytes]]:
    raw = sql.encode()
    return [(*m.column, m.value) for m in meetings(raw, lex(raw))[1]]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("INSERT INTO t (a, `B`) VALUES (1, 'x')", [("t", "a", b"1"), ("t", "b", b"x")]),
        (
            "INSERT INTO db.t (a,b) VALUES (1,NOW(6)),(2,'y')",
            [("t", "a", b"1"), ("t", "a", b"2"), ("t", "b", b"y")],
        ),
        ("REPLACE INTO t (a) VALUES (CONCAT('x', 1))", []),
        ("INSERT IGNORE INTO t SET a = 1, b = UPPER('x')", [("t", "a", b"1")]),
        ("INSERT INTO t VALUES (1, 'x')", []),
        ("INSERT INTO t (a) SELECT 1", []),
        ("SELECT * FROM t WHERE a = 1 AND b <=> 'x'", [("t", "a", b"1"), ("t", "b", b"x")]),
        ("select c1_0.id from c c1_0 where c1_0.u=X'FF'", [("c", "u", b"\xff")]),
        ("SELECT * FROM t AS x JOIN u ON u.id = x.id WHERE x.a IN (1, 2)",
         [("t", "a", b"1"), ("t", "a", b"2")]),
        ("SELECT * FROM t, u WHERE a = 1", [("", "a", b"1")]),
        ("SELECT * FROM `t` WHERE `t`.`a` = 'it''s' -- b = 2", [("t", "a", b"it's")]),
        ("UPDATE t SET n = n + 1, a = 'x' WHERE id = 5 AND q >= 2",
         [("t", "a", b"x"), ("t", "id", b"5")]),
        ("UPDATE t SET a = 1 + 2", []),
        ("SELECT * FROM t WHERE day = DATE '2026-11-30'", []),
        ("DELETE FROM t WHERE scope = 'x' LIMIT 50", [("t", "scope", b"x")]),
    ],
)  # fmt: skip
def test_literals_meet_their_columns(sql: str, found: list[tuple[str, str, bytes]]) -> None:
    assert met(sql) == found


def test_tables_are_named_once_in_order() -> None:
    sql = b"UPDATE a x JOIN b ON b.id = x.id JOIN a y ON y.id = b.id SET x.n = 1"
    assert meetings(sql, lex(sql))[0] == ("a", "b")


def test_a_statement_cut_anywhere_is_read_without_an_error() -> None:
    sql = b"INSERT INTO t (a, b) VALUES (1, 2), (3, (SELECT x FROM u WHERE u.id = 4 AND c IN (5, 6)"
    for end in range(len(sql)):
        meetings(sql[:end], lex(sql[:end]))

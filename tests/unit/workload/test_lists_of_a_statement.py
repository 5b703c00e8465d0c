"""The rows of VALUES and the members of IN, found by bytes."""

from __future__ import annotations

import pytest
from tests.fakes.captures import alone, capture

from readiness.workload.find.lists import aligning_shape, lists_of, paired
from readiness.workload.find.statements import Statement, flatten


def one(sql: str) -> Statement:
    return flatten(capture(alone(sql))).statements[0]


def elements(sql: str) -> list[list[str]]:
    return [[sql[e.start : e.end] for e in x.elements] for x in lists_of(one(sql))]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM t WHERE a IN (1, 'x,y', 3)", [["1", "'x,y'", "3"]]),
        ("SELECT * FROM t WHERE a IN (1)", [["1"]]),
        ("SELECT * FROM t WHERE a IN (-1, 2)", [["-1", "2"]]),
        ("SELECT * FROM t WHERE (a, b) IN ((1, 2), (3, 4))", [["(1, 2)", "(3, 4)"]]),
        ("SELECT * FROM t WHERE a IN (SELECT b FROM u WHERE c IN (1, 2))", [["1", "2"]]),
        ("INSERT INTO t VALUES (1, NOW()), (2, NOW())", [["(1, NOW())", "(2, NOW())"]]),
        (
            "INSERT INTO t (a) VALUES (LEFT('a', 2)),\n(LEFT('b', 2))",
            [["(LEFT('a', 2))", "(LEFT('b', 2))"]],
        ),
        ("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = VALUES(a)", [["(1)"]]),
        ("INSERT INTO t VALUES (1), (NULL)", []),
        ("INSERT INTO t VALUES (NULL), (NULL)", []),
        ("SELECT * FROM t WHERE a IN (1, 2) AND b IN ('x', 'y')", [["1", "2"], ["'x'", "'y'"]]),
        (
            "UPDATE t SET a = CASE id WHEN 1 THEN 'x' WHEN 2 THEN 'y' ELSE a END WHERE id IN (1, 2)",
            [["WHEN 1 THEN 'x'", "WHEN 2 THEN 'y'"], ["1", "2"]],
        ),
        ("SELECT CASE WHEN a = 1 THEN 2 END FROM t", [["WHEN a = 1 THEN 2"]]),
        ("SELECT CASE WHEN a = 1 THEN 2 WHEN b = 3 THEN 4 END FROM t", [["WHEN b = 3 THEN 4"]]),
        ("SELECT CASE WHEN CASE a WHEN 1 THEN 2 END = 3 THEN 4 END FROM t", [["WHEN 1 THEN 2"]]),
        ("SELECT COALESCE(1, 2), 'IN (1, 2)' FROM t", []),
        ("SELECT * FROM t WHERE MATCH(a) AGAINST ('x' IN BOOLEAN MODE)", []),
    ],
)
def test_lists_and_their_elements(sql: str, expected: list[list[str]]) -> None:
    assert elements(sql) == expected


def test_comments_are_no_elements() -> None:
    sql = "SELECT * FROM t WHERE a IN (1, /* 2, */ 3)"
    assert len(lists_of(one(sql))[0].elements) == 2


def test_literals_are_paired_by_row_and_column() -> None:
    long = one("INSERT INTO t (a, b) VALUES (1, 2), (3, 4), (5, 6) ON DUPLICATE KEY UPDATE b = 7")
    short = one("INSERT INTO t (a, b) VALUES (1, 2), (3, 4) ON DUPLICATE KEY UPDATE b = 7")
    pairs = paired(long, short)
    assert pairs == [*((n, True) for n in range(4)), (0, False), (1, False), (4, True)]


def test_a_longer_partner_pairs_with_what_is_there() -> None:
    short = one("SELECT * FROM t WHERE a IN (1) AND b = 2")
    long = one("SELECT * FROM t WHERE a IN (3, 4, 5) AND b = 6")
    assert paired(short, long) == [(0, True), (3, True)]


def test_two_lists_of_one_statement_do_not_mix() -> None:
    first = one("SELECT * FROM t WHERE a IN (1, 2) AND b IN (3, 4, 5)")
    second = one("SELECT * FROM t WHERE a IN (1, 2, 3) AND b IN (4, 5)")
    assert paired(first, second) == [(0, True), (1, True), (3, True), (4, True), (3, False)]


def test_arguments_of_a_function_are_no_list() -> None:
    first, second = one("SELECT COALESCE(1, 2) FROM t"), one("SELECT COALESCE(1, 2, 3) FROM t")
    assert paired(first, second) == [None, None]


def test_branches_of_a_case_do_not_make_another_statement() -> None:
    sql = "UPDATE t SET a = CASE id {} ELSE a END WHERE id IN ({})"
    short = one(sql.format("WHEN 1 THEN 2", "1"))
    long = one(sql.format("WHEN 3 THEN 4 WHEN 5 THEN 6", "3, 5"))
    assert short.shape != long.shape
    assert aligning_shape(short) == aligning_shape(long)
    assert paired(long, short) == [
        (0, True),
        (1, True),
        (0, False),
        (1, False),
        (2, True),
        (2, False),
    ]

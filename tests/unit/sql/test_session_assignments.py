"""What a SET gives to its session, as servers read it."""

from __future__ import annotations

import pytest

from readiness.sql.assignments import session_assignments
from readiness.sql.lexer import lex


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (b"SET autocommit=0", [(b"AUTOCOMMIT", b"0")]),
        (b"set @@session.autocommit := on", [(b"AUTOCOMMIT", b"on")]),
        (b"SET LOCAL `sql_mode` = 'a,b', x = (1, 2)", [(b"SQL_MODE", b"'a,b'"), (b"X", b"(1, 2)")]),
        (b"SET NAMES utf8mb4, autocommit = 1", [(b"AUTOCOMMIT", b"1")]),
        (b"SET @autocommit = 0", []),
        (b"SET @a = @@autocommit, sql_mode = ''", [(b"SQL_MODE", b"''")]),
        (b"SET GLOBAL autocommit = 0, sql_mode = ''", []),
        (b"SET GLOBAL a = 1, SESSION b = 2, c = 3", [(b"B", b"2"), (b"C", b"3")]),
        (b"SET @@global.a = 1, b = 2", [(b"B", b"2")]),
        (b"SET PERSIST a = 1", []),
        (b"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", []),
        (b"SET PASSWORD = 'x'", [(b"PASSWORD", b"'x'")]),
        (b"SELECT a = 1", []),
        (b"SET", []),
    ],
)
def test_only_the_sessions_own_variables(sql: bytes, found: list[tuple[bytes, bytes]]) -> None:
    assignments = session_assignments(sql, lex(sql))
    assert [(a.name, sql[a.value[0].start : a.value[-1].end]) for a in assignments] == found

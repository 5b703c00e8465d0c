"""What the slow log says of a statement is what a replay's reply says, for every kind of statement."""

from __future__ import annotations

import pytest
from tests.integration.checking.conftest import DATABASE, Shop, connect, logged

from readiness.adapters.mysql_script import open_script
from readiness.capture.replies import rows_by_line
from readiness.capture.sessions import read_capture
from readiness.ports import Reply

pytestmark = pytest.mark.mysql
PROCEDURES = (
    "CREATE TABLE rates (bucket INT PRIMARY KEY, hits INT NOT NULL, note VARCHAR(9))",
    "CREATE PROCEDURE two_answers() BEGIN SELECT 1 UNION SELECT 2; SELECT 3; END",
    "CREATE PROCEDURE bump(IN b INT) INSERT INTO rates VALUES (b, 1, '')"
    " ON DUPLICATE KEY UPDATE hits = hits + 1",
)
STATEMENTS = (
    b"SELECT id FROM shops LIMIT 7",
    b"SELECT id FROM shops WHERE id < 0",
    b"SELECT COUNT(*) FROM shops",
    b"INSERT INTO rates VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 1, 'c')",
    b"INSERT INTO rates VALUES (1, 1, 'a') ON DUPLICATE KEY UPDATE hits = hits + 1",
    b"INSERT INTO rates VALUES (1, 2, 'a') ON DUPLICATE KEY UPDATE hits = 2",
    b"INSERT IGNORE INTO rates VALUES (1, 1, 'a'), (4, 1, 'd')",
    b"INSERT INTO rates SELECT id + 100, 1, 'x' FROM shops LIMIT 5",
    b"REPLACE INTO rates VALUES (2, 9, 'z'), (9, 9, 'z')",
    b"UPDATE rates SET note = 'n' WHERE bucket < 4",
    b"UPDATE rates SET note = 'n' WHERE bucket < 4",
    b"UPDATE rates SET note = 'n' WHERE bucket < 0",
    b"DELETE FROM rates WHERE bucket > 100",
    b"SELECT id INTO @one FROM shops WHERE id = 3",
    b"CALL bump(1)",
    b"CALL two_answers()",
)


@pytest.fixture(scope="module")
def answered(
    shop: Shop, tmp_path_factory: pytest.TempPathFactory
) -> dict[bytes, tuple[Reply, Rows]]:
    """Each statement with the reply and the rows in the log; of one sent twice, the last."""
    with connect(shop.server) as connection, connection.cursor() as cursor:
        for statement in PROCEDURES:
            cursor.execute(statement)
    replies: list[Reply] = []

    def act() -> None:
        script = open_script(**shop.server.root_login(DATABASE))
        replies.extend(script.run(sql) for sql in STATEMENTS)
        script.close()

    _, slow = logged(shop.server, tmp_path_factory.mktemp("rows"), "rows", act)
    rows = rows_by_line(slow)
    heard = [
        (s.sql, rows[s.line])
        for t in read_capture(slow).transactions
        for s in t.statements
        if s.sql in STATEMENTS
    ]
    assert [sql for sql, _ in heard] == list(STATEMENTS)
    return {sql: (reply, found) for (sql, found), reply in zip(heard, replies, strict=True)}


Rows = tuple[int, int | None]


@pytest.mark.parametrize("sql", STATEMENTS, ids=lambda sql: sql[:40].decode())
def test_rows(answered: dict[bytes, tuple[Reply, Rows]], sql: bytes) -> None:
    reply, (sent, affected) = answered[sql]
    if sql.startswith((b"SELECT", b"CALL")):
        assert reply.rows == sent
    elif affected is not None:
        assert reply.affected_rows == affected

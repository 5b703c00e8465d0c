"""The line above a transaction says what it writes, and nothing that is not sure."""

from __future__ import annotations

import pytest

from readiness.model.workload import Row, Slot, Step, Turn
from readiness.sql.kind import statement_kind
from readiness.workload.text.gist import gist


def step(*pieces: bytes | Slot | Row) -> Step:
    text = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    return Step("s001", 1, 1, statement_kind(text), 0.0, pieces)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["BEGIN", "SELECT 1", "COMMIT"], "reads only"),
        (["INSERT INTO users (id) VALUES (1)"], "writes users"),
        (["insert ignore into `audit_log` set a = 1"], "writes audit_log"),
        (["REPLACE rate_limits VALUES (1)"], "writes rate_limits"),
        (["INSERT INTO shop.users SELECT * FROM guests"], "writes shop.users"),
        (["INSERT LOW_PRIORITY IGNORE INTO `a b`.`c` VALUES (1)"], "writes a b.c"),
        (["UPDATE users SET a = 1"], "writes users"),
        (["UPDATE LOW_PRIORITY users AS u SET a = 1"], "writes users"),
        (["UPDATE loans l JOIN users u ON u.id = l.user_id SET u.a = 1"], "writes more"),
        (
            ["UPDATE loans AS l LEFT OUTER JOIN users u ON u.id = l.user_id SET u.a = 1"],
            "writes more",
        ),
        (["UPDATE users SET a = (SELECT b FROM c JOIN d)"], "writes users"),
        (["DELETE FROM a WHERE b IN (SELECT c FROM d)"], "writes a"),
        (["UPDATE loans, users SET a = 1"], "writes more"),
        (["DELETE QUICK FROM tokens WHERE id = 1"], "writes tokens"),
        (["DELETE t FROM tokens t JOIN users u"], "writes more"),
        (["WITH x AS (SELECT 1) UPDATE users SET a = 1"], "writes more"),
        (["UPDATE a SET b = 1", "UPDATE c SET d = 1", "UPDATE a SET b = 2"], "writes a, c"),
        (["UPDATE a SET b = 1", "UPDATE c JOIN d SET d = 1"], "writes a, more"),
        (["BEGIN", "INSERT INTO a VALUES (1)", "ROLLBACK"], "writes a; rolls back"),
        (["SELECT 1 FOR UPDATE", "ROLLBACK"], "reads only; rolls back"),
        (["SAVEPOINT a", "ROLLBACK TO a"], "reads only"),
        (["SET STATEMENT max_statement_time=1 FOR INSERT INTO a VALUES (1)"], "writes a"),
        (["INSERT /*+ SET_VAR(x=1) */ /* note */ INTO a VALUES (1)"], "writes a"),
        (["INSERT INTO `a\nb` VALUES (1)"], "writes more"),
        (["DELETE FROM a USING a JOIN b"], "writes more"),
        (["UPDATE"], "writes more"),
    ],
)
def test_a_transaction_is_told_by_what_it_writes(texts: list[str], said: str) -> None:
    assert gist([step(text.encode()) for text in texts]) == said


def test_rows_and_slots_are_no_obstacle() -> None:
    row = Row(Turn("items", 2), (b", (", Slot("sku_1"), b")"))
    assert gist([step(b"INSERT INTO items VALUES (", Slot("sku_0"), b")", row)]) == "writes items"

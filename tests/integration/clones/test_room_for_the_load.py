"""What a load is said to add to the disk before it runs is no less than what it adds, nor ten times that."""

from __future__ import annotations

import random
import uuid
from contextlib import closing
from pathlib import Path

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_binary import ServerBinary
from readiness.wiring.load_room import bytes_per_checkout
from readiness.wiring.targets import workload_at

pytestmark = pytest.mark.mysql
ROWS = 8000
STEP = 4 << 20  # a file grows by so much at once
TABLE = (
    "CREATE TABLE orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, token CHAR(36) UNIQUE, user_id INT,"
    " state VARCHAR(12), at DATETIME, note VARCHAR(200), KEY (user_id, at), KEY (state))"
)
INSERT = (
    "INSERT INTO orders (token, user_id, state, at, note) VALUES"
    " ('{token}', {user}, 'pending', '2026-11-30 10:00:00', 'some note of the customer')"
)


def test_an_indexed_row_takes_no_more_than_is_estimated(
    server_binary: ServerBinary, tmp_path: Path
) -> None:
    file = tmp_path / "checkout.sql"
    example = INSERT.format(token=uuid.uuid4(), user=4711)
    file.write_text(
        "-- @workload checkout  schema_version: 1  captures: 1  statements: 1  transactions: 1\n\n"
        f"-- @statement s001  -- @transaction 0\n{example};\n"
    )
    said = ROWS * bytes_per_checkout(workload_at(file))
    chance = random.Random(7)
    with LocalServer(tmp_path / "server", binary=server_binary) as server:
        with closing(server.root_session()) as admin:
            admin.query("CREATE DATABASE shop")
        with closing(server.root_session("shop")) as session:
            session.query(TABLE)
            table = server.datadir / "shop" / "orders.ibd"
            before = table.stat().st_size
            session.query("BEGIN")
            for _ in range(ROWS):
                token = uuid.UUID(int=chance.getrandbits(128))
                session.query(INSERT.format(token=token, user=chance.randrange(99999)))
            session.query("COMMIT")
            grown = table.stat().st_size - before
    assert grown - STEP <= said <= 10 * grown

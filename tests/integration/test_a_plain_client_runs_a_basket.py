"""`mariadb DATABASE < basket.sql` runs every turn once, whether the client sends comments or not."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from tests.fakes.checkouts import basket_workload

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_script import open_script
from readiness.ports import Session
from readiness.sql.lexer import TokenKind, lex, split_statements
from readiness.workload.text.file import render

pytestmark = pytest.mark.mysql

SCHEMA = (
    "CREATE DATABASE shop",
    "CREATE TABLE shop.products (sku VARCHAR(9) PRIMARY KEY, stock INT)",
    "CREATE TABLE shop.order_items (ref VARCHAR(9), sku VARCHAR(9))",
    "CREATE TABLE shop.notes (id INT AUTO_INCREMENT PRIMARY KEY, text VARCHAR(99))",
    "INSERT INTO shop.products VALUES ('A', 9), ('B', 9), ('C', 9), ('D', 9)",
)
FILE = render(basket_workload())


@pytest.fixture(scope="module")
def shop(private_server: LocalServer) -> Session:
    """A shop with four products."""
    session = private_server.root_session()
    for sql in SCHEMA:
        session.query(sql)
    return session


def send(server: LocalServer, data: bytes) -> None:
    """What a client does: one statement after the other over one connection."""
    script = open_script(**server.root_login("shop"))
    for statement in split_statements(data):
        assert script.run(statement).warnings == ()
    script.close()


def without_comments(data: bytes) -> bytes:
    """What a client that skips comments sends."""
    for token in reversed(lex(data)):
        if token.kind is TokenKind.COMMENT:
            data = data[: token.start] + data[token.end :]
    return data


def clients(server: LocalServer) -> list[list[str]]:
    """The command lines of the server's own client, if it is installed."""
    name = "mariadb" if server.binary.engine == "mariadb" else "mysql"
    beside = server.binary.path.resolve().with_name(name)
    program = str(beside) if beside.exists() else shutil.which(name)
    socket = f"--socket={server.running_state().socket}"
    options = ["--comments", "--skip-comments"] if program else []
    return [[str(program), "--no-defaults", socket, "-uroot", option, "shop"] for option in options]


def test_all_turns_run_once_with_comments_and_without(
    private_server: LocalServer, shop: Session
) -> None:
    send(private_server, FILE)
    send(private_server, without_comments(FILE))
    found = clients(private_server)
    for command in found:
        subprocess.run(command, input=FILE, check=True, timeout=60)
    runs = 2 + len(found)
    items = shop.query("SELECT sku, COUNT(*) FROM shop.order_items GROUP BY sku ORDER BY sku")
    assert items == [("A", runs), ("B", runs), ("C", runs)]
    stock = shop.query("SELECT stock FROM shop.products ORDER BY sku")
    assert stock == [(9 - runs,), (9 - runs,), (9 - runs,), (9,)]
    notes = shop.query("SELECT text FROM shop.notes")
    assert notes == [("/* @turn order_items_0 2 */",)] * 2 * runs
    shop.close()

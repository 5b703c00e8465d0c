"""A little shop on a server of each engine, its checkouts with both logs on, and the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql
import pytest
from pymysql.cursors import Cursor
from tests.fakes.engines import binary_of
from tests.fakes.load_accounts import load_dsn

from readiness.adapters.local_server import LocalServer
from readiness.cli.main import main

DATABASE = "little"
APP = "app"
SCHEMA = (
    "CREATE TABLE shops (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,"
    " name VARCHAR(40) NOT NULL)",
    "CREATE TABLE products (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,"
    " shop_id BIGINT UNSIGNED NOT NULL, sku VARCHAR(20) NOT NULL, cents INT UNSIGNED NOT NULL,"
    " stock INT NOT NULL DEFAULT 100000, UNIQUE KEY one (shop_id, sku),"
    " CONSTRAINT of_shop FOREIGN KEY (shop_id) REFERENCES shops (id))",
    "CREATE TABLE orders (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,"
    " token CHAR(36) NOT NULL UNIQUE, shop_id BIGINT UNSIGNED NOT NULL, cents INT UNSIGNED,"
    " made_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), state VARCHAR(10) NOT NULL"
    " DEFAULT 'new', doc JSON, CONSTRAINT order_shop FOREIGN KEY (shop_id) REFERENCES shops (id))",
    "CREATE TABLE order_lines (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,"
    " order_id BIGINT UNSIGNED NOT NULL, product_id BIGINT UNSIGNED NOT NULL, cents INT UNSIGNED,"
    " CONSTRAINT line_order FOREIGN KEY (order_id) REFERENCES orders (id),"
    " CONSTRAINT line_product FOREIGN KEY (product_id) REFERENCES products (id))",
)
TOKENS = (
    "3c9ae1f2-58d7-4b6e-9a01-7d52c8b4e6f1",
    "b7d04e69-1c2f-4f83-8e5a-09f6a3d7c2b8",
    "e81f5a3d-96b0-4c74-a2d9-5b3c07e4f19a",
)


def connect(server: LocalServer, user: str = "root") -> pymysql.Connection[Cursor]:
    """As root over the socket, or as another user by TCP."""
    state = server.running_state()
    where: dict[str, Any] = {"unix_socket": state.socket}
    if user != "root":
        where = {
            "host": "127.0.0.1",
            "port": state.port,
            "password": "secret",
            "ssl_disabled": True,
        }
    return pymysql.connect(
        user=user, database=DATABASE, charset="utf8mb4", autocommit=True, **where
    )


@dataclass(frozen=True)
class Shop:
    """The server, and the logs of one checkout of each of three customers."""

    server: LocalServer
    general: tuple[Path, ...]
    slow: tuple[Path, ...]

    @property
    def dsn(self) -> str:
        return f"mysql://root@localhost/{DATABASE}?socket={self.server.running_state().socket}"

    @property
    def target(self) -> str:
        """As the account that loads it, once it is adopted."""
        return load_dsn(self.server, DATABASE)

    @property
    def engine(self) -> str:
        return self.server.running_state().engine


def fill(cursor: Cursor) -> None:
    for statement in SCHEMA:
        cursor.execute(statement)
    cursor.execute("ALTER TABLE products AUTO_INCREMENT = 500")
    for shop in range(1, 41):
        cursor.execute("INSERT INTO shops (name) VALUES (%s)", (f"shop {shop}",))
        rows = [(shop, f"SKU-{shop:02}-{k:03}", 1000 + 37 * (11 * shop + k)) for k in range(9)]
        cursor.executemany("INSERT INTO products (shop_id, sku, cents) VALUES (%s, %s, %s)", rows)


def prepare(server: LocalServer, number: int, *, start: int = 7000) -> None:
    """Other orders came before each capture."""
    with connect(server) as connection, connection.cursor() as cursor:
        for table, first in (("orders", start), ("order_lines", 10 * start)):
            cursor.execute(f"ALTER TABLE {table} AUTO_INCREMENT = {first + 131 * number}")


def shop_once(server: LocalServer, number: int, *, more: str = "", items: int = 2) -> None:
    """One checkout of some products; `more` is one statement that this release adds."""
    shop = 5 + 9 * number
    with connect(server, APP) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id, sku, cents FROM products WHERE shop_id = %s", (shop,))
        rows = list(cursor.fetchall())
        basket = [rows[number + 2 * k] for k in range(items)]
        ids = ", ".join(str(row[0]) for row in basket)
        cursor.execute(f"SELECT stock FROM products WHERE id IN ({ids})")
        cursor.execute("BEGIN")
        cursor.execute(
            "INSERT INTO orders (token, shop_id, cents) VALUES (%s, %s, %s)",
            (TOKENS[number], shop, sum(row[2] for row in basket)),
        )
        order = cursor.lastrowid
        if more:
            cursor.execute(more)
        for product, _, cents in basket:
            cursor.execute(
                "INSERT INTO order_lines (order_id, product_id, cents) VALUES (%s, %s, %s)",
                (order, product, cents),
            )
            cursor.execute("UPDATE products SET stock = stock - 1 WHERE id = %s", (product,))
        cursor.execute("COMMIT")
        cursor.execute("SELECT * FROM orders WHERE token = %s", (TOKENS[number],))
        cursor.execute("SELECT * FROM order_lines WHERE order_id = %s", (order,))


def logged(server: LocalServer, folder: Path, name: str, act: Callable[[], None]) -> list[Path]:
    """The general and the slow log of what is done meanwhile."""
    paths = [folder / f"{name}.log", folder / f"{name}.slow.log"]
    with connect(server) as admin, admin.cursor() as cursor:
        cursor.execute("SET GLOBAL log_output = 'FILE', long_query_time = 0")
        for log, path in zip(("general_log", "slow_query_log"), paths, strict=True):
            cursor.execute(f"SET GLOBAL {log}_file = '{path}'")
            cursor.execute(f"SET GLOBAL {log} = ON")
        try:
            act()
        finally:
            cursor.execute("SET GLOBAL general_log = OFF, slow_query_log = OFF")
    return paths


def empty_shop(server: LocalServer) -> None:
    session = server.root_session()
    session.query(f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
    session.query(f"CREATE USER {APP}@'127.0.0.1' IDENTIFIED BY 'secret'")
    session.query(f"GRANT ALL ON {DATABASE}.* TO {APP}@'127.0.0.1'")
    session.close()
    with connect(server) as connection, connection.cursor() as cursor:
        fill(cursor)


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def preproduction(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    """A shop that nobody captured, adopted or salted so far."""
    folder = tmp_path_factory.mktemp(f"pre-{request.param}")
    with LocalServer(folder / "server", binary=binary_of(request.param)) as server:
        empty_shop(server)
        yield Shop(server, (), ())


@pytest.fixture(scope="package", params=["mariadb", "mysql"])
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    """A shop where three checkouts were captured; other orders came before each."""
    folder = tmp_path_factory.mktemp(request.param)
    with LocalServer(folder / "server", binary=binary_of(request.param)) as server:
        empty_shop(server)
        general, slow = [], []
        for number in range(len(TOKENS)):
            prepare(server, number)
            paths = logged(server, folder, f"c{number}", lambda n=number: shop_once(server, n))
            general.append(paths[0])
            slow.append(paths[1])
        yield Shop(server, tuple(general), tuple(slow))


@dataclass(frozen=True)
class Said:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def plain_err(self) -> str:
        return re.sub(r"\x1b\[[0-9;]*m", "", self.err)


Readiness = Callable[..., Said]


@pytest.fixture
def readiness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Readiness:
    """The command line in a state folder of its own."""
    monkeypatch.setenv("READINESS_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("READINESS_PRODUCTION", raising=False)
    monkeypatch.delenv("READINESS_STORE", raising=False)
    monkeypatch.setenv("READINESS_KEY_FILE", str(tmp_path / "key"))

    def run(*arguments: object) -> Said:
        capsys.readouterr()
        code = main([str(a) for a in arguments])
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return run

"""Masking that is killed, or whose server is, goes on and ends as if nothing had been."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable, Sequence

import pytest
from tests.integration.masking.shelf import NUMBERS, Shelf

from readiness.errors import ReadinessError, TargetUnavailable
from readiness.model.catalogue import Catalogue
from readiness.ports import Row, Session

pytestmark = [pytest.mark.mysql, pytest.mark.long]

TABLES = ("users", "orders", "plain", "heap", "old", "trail")
COLUMNS = ("users.email", "orders.ref", "plain.name", "heap.name", "old.name")
STATEMENTS = (
    "SET SESSION sql_mode = ''",
    "CREATE TABLE users (id INT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(80) NOT NULL, boss INT NULL,"
    " age INT, UNIQUE KEY email (email), CONSTRAINT users_boss FOREIGN KEY (boss) REFERENCES users (id),"
    " CONSTRAINT grown CHECK (age >= 0))",
    "CREATE TABLE orders (a INT, b VARCHAR(9), user_id INT, ref VARCHAR(40), PRIMARY KEY (a, b), KEY ref (ref),"
    " CONSTRAINT orders_user FOREIGN KEY (user_id) REFERENCES users (id))",
    "CREATE TABLE plain (id INT PRIMARY KEY, name VARCHAR(40))",
    "CREATE TABLE heap (name VARCHAR(40))",
    "CREATE TABLE old (id INT PRIMARY KEY, name VARCHAR(40), KEY (name)) ENGINE=MyISAM",
    "CREATE TABLE trail (what VARCHAR(80))",
    f"INSERT INTO users SELECT n + 1, CONCAT('user', n, '@example.com'), NULLIF(n DIV 2, 0), n % 90 FROM {NUMBERS} ORDER BY n",
    f"INSERT INTO orders SELECT n DIV 7, n % 7, n + 1, CONCAT('r-', n) FROM {NUMBERS}",
    f"INSERT INTO plain SELECT n, CONCAT('name ', n) FROM {NUMBERS}",
    f"INSERT INTO heap SELECT CONCAT('name ', n DIV 3) FROM {NUMBERS} WHERE n < 3000 ORDER BY n",
    f"INSERT INTO old SELECT n, CONCAT('name ', n) FROM {NUMBERS} WHERE n < 3000",
    "CREATE TRIGGER one AFTER UPDATE ON users FOR EACH ROW INSERT INTO trail VALUES ('users')",
    "CREATE TRIGGER two AFTER UPDATE ON plain FOR EACH ROW INSERT INTO trail VALUES ('plain')",
    "CREATE TRIGGER three BEFORE INSERT ON orders FOR EACH ROW SET NEW.ref = CONCAT(NEW.ref, '!')",
)


class Counting:
    """A session that says before each statement how many went before."""

    def __init__(self, session: Session, before: Callable[[int], None]) -> None:
        self._session, self._before, self.count = session, before, 0

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        self.count += 1
        self._before(self.count)
        return self._session.query(sql, parameters)

    def close(self) -> None:
        self._session.close()


def fill(shelf: Shelf) -> Catalogue:
    """The shop before masking."""
    shelf.empty()
    shelf.run(*STATEMENTS)
    return shelf.catalogue()


def end_of(shelf: Shelf) -> tuple[object, ...]:
    """All that masking may change, in its last state."""
    shelf.again()
    triggers = shelf.run(
        "SELECT TRIGGER_NAME, ACTION_STATEMENT FROM information_schema.TRIGGERS"
        " WHERE EVENT_OBJECT_SCHEMA = 'shop' ORDER BY 1"
    )
    tables = shelf.run("SHOW TABLES")
    return (
        tables,
        triggers,
        *(shelf.checksum(t) for t in TABLES),
        *(shelf.created(t) for t in TABLES),
    )


@pytest.fixture
def uninterrupted(shelf: Shelf) -> tuple[tuple[object, ...], int]:
    """How it ends without a kill, and after how many statements."""
    counted: list[int] = []
    catalogue = fill(shelf)
    shelf.mask(
        *COLUMNS,
        catalogue=catalogue,
        open_session=lambda: Counting(shelf.server.root_session(), counted.append),
    )
    return end_of(shelf), len(counted)


def masked_in_a_process_that_dies_before(shelf: Shelf, catalogue: Catalogue, number: int) -> None:
    """Masks in a child, which kills itself."""

    def die(count: int) -> None:
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        try:
            shelf.mask(
                *COLUMNS,
                catalogue=catalogue,
                open_session=lambda: Counting(shelf.server.root_session(), die),
            )
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def test_a_process_killed_before_any_statement(
    shelf: Shelf, uninterrupted: tuple[tuple[object, ...], int]
) -> None:
    end, statements = uninterrupted
    for number in range(1, statements + 1, 1 if statements < 60 else 3):
        catalogue = fill(shelf)
        masked_in_a_process_that_dies_before(shelf, catalogue, number)
        shelf.mask(*COLUMNS, catalogue=catalogue)
        assert end_of(shelf) == end, f"killed before statement {number} of {statements}"


def test_a_process_killed_again_and_again(
    shelf: Shelf, uninterrupted: tuple[tuple[object, ...], int]
) -> None:
    end, _ = uninterrupted
    catalogue = fill(shelf)
    for number in range(20, 60, 2):
        masked_in_a_process_that_dies_before(shelf, catalogue, number)
    shelf.mask(*COLUMNS, catalogue=catalogue)
    assert end_of(shelf) == end


def test_a_process_killed_at_any_moment(
    shelf: Shelf, uninterrupted: tuple[tuple[object, ...], int]
) -> None:
    end, _ = uninterrupted
    chance = random.Random(7)
    for _ in range(12):
        catalogue = fill(shelf)
        child = os.fork()
        if child == 0:
            try:
                shelf.mask(*COLUMNS, catalogue=catalogue)
            finally:
                os._exit(0)
        time.sleep(chance.uniform(0.02, 1.5))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        shelf.mask(*COLUMNS, catalogue=catalogue)
        assert end_of(shelf) == end


def test_a_server_killed_at_many_moments(
    shelf: Shelf, uninterrupted: tuple[tuple[object, ...], int]
) -> None:
    end, statements = uninterrupted
    for number in random.Random(3).sample(range(14, statements + 1), 14):
        catalogue = fill(shelf)
        before = kill_at(shelf, number)
        with contextlib.suppress(ReadinessError):
            shelf.mask(
                *COLUMNS,
                catalogue=catalogue,
                open_session=lambda b=before: Counting(shelf.server.root_session(), b),
            )
        shelf.session.close()
        shelf.server.start()
        shelf.session = shelf.server.root_session("shop")
        shelf.mask(*COLUMNS, catalogue=catalogue)
        assert end_of(shelf) == end, f"killed before statement {number} of {statements}"


def kill_at(shelf: Shelf, number: int) -> Callable[[int], None]:
    """Kills the server before that statement."""

    def kill(count: int) -> None:
        if count == number:
            shelf.server.kill()

    return kill


def test_a_server_that_dies_says_how_to_go_on(shelf: Shelf) -> None:
    catalogue = fill(shelf)
    before = kill_at(shelf, 40)
    with pytest.raises(TargetUnavailable) as broken:
        shelf.mask(
            *COLUMNS,
            catalogue=catalogue,
            open_session=lambda: Counting(shelf.server.root_session(), before),
        )
    shelf.session.close()
    shelf.server.start()
    shelf.session = shelf.server.root_session("shop")
    assert "Run it again" in broken.value.hint

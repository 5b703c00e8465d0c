"""Records checkouts of the invented shop as a server's own general logs, one file a checkout."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.demo.background import BACKGROUND_USERS, Background
from readiness.demo.order import Basket
from readiness.demo.personas import PERSONAS, Persona
from readiness.demo.shop import SERVICE_USERS, Checkout
from readiness.errors import CaptureError

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

    from readiness.demo.shop import Connect
    from readiness.ports import Progress

_ID_RANGE = 10_000_019
_HOSTS = ("localhost", "127.0.0.1")


def create_users(
    connection: Connection[Cursor], database: str, *, hosts: Sequence[str] = _HOSTS
) -> dict[str, str]:
    """Creates the shop's users, who may read and write its rows; their passwords by user."""
    passwords = {user: secrets.token_urlsafe(18) for user in SERVICE_USERS + BACKGROUND_USERS}
    with connection.cursor() as cursor:
        for user, password in passwords.items():
            for host in hosts:
                cursor.execute("CREATE USER %s@%s IDENTIFIED BY %s", (user, host, password))
                cursor.execute(
                    f"GRANT SELECT, INSERT, UPDATE, DELETE ON `{database}`.* TO %s@%s", (user, host)
                )
    return passwords


def salt_ids(connection: Connection[Cursor]) -> int:
    """Gives each table with AUTO_INCREMENT a range of its own; the number of tables moved.

    Ids of two tables are then never equal by chance, so a captured id tells its table. A table
    that is already beyond its range stays."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = DATABASE() AND extra LIKE '%auto_increment%'"
            " ORDER BY table_name"
        )
        tables = cursor.fetchall()
        moved = 0
        for number, (table, column) in enumerate(tables, 1):
            cursor.execute(f"SELECT COALESCE(MAX(`{column}`), 0) FROM `{table}`")
            (largest,) = cursor.fetchone() or (0,)
            if largest < number * _ID_RANGE:
                cursor.execute(f"ALTER TABLE `{table}` AUTO_INCREMENT = {number * _ID_RANGE}")
                moved += 1
    return moved


def capture_checkouts(
    admin: Connection[Cursor],
    connect: Connect,
    *,
    directory: Path,
    personas: Sequence[Persona] = PERSONAS,
    seed: int = 1,
    progress: Progress | None = None,
) -> list[Path]:
    """Each persona checks out once while the server logs to `directory`/checkout-N.log.

    `admin` may set global variables and is not logged; its database is the shop's. Repayments, a
    cron job and health checks run in between. The server's log is as it was afterwards. Once per
    database: a persona signs up with the same e-mail each time."""
    salt_ids(admin)
    directory.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for number, persona in enumerate(personas, 1):
        path = directory / f"checkout-{number}.log"
        basket = _choose_basket(admin, persona.merchant_rank, persona.items)
        with _general_log(admin, path):
            _check_out(persona, connect, basket, seed * 1000 + number)
        paths.append(path)
        if progress is not None:
            progress(f"{path.name}: {path.stat().st_size:,} bytes")
    return paths


def _check_out(persona: Persona, connect: Connect, basket: Basket, seed: int) -> None:
    background = Background(connect, seed=seed)
    try:
        Checkout(persona, connect, basket=basket, seed=seed, after=background.step).run()
    finally:
        background.close()


def _choose_basket(admin: Connection[Cursor], rank: int, items: int) -> Basket:
    """Products of the merchant with the `rank`-th most loans, 0 first."""
    with admin.cursor() as cursor:
        cursor.execute(
            "SELECT merchant_id FROM loans GROUP BY merchant_id"
            " ORDER BY COUNT(*) DESC, merchant_id LIMIT 1 OFFSET %s",
            (rank,),
        )
        row = cursor.fetchone()
        if row is None:
            raise CaptureError(
                f"the shop has no merchant of rank {rank}", hint="Load it with more users."
            )
        (merchant,) = row
        cursor.execute(
            "SELECT sku FROM products WHERE merchant_id = %s ORDER BY id LIMIT %s OFFSET %s",
            (merchant, items, rank % 20),
        )
        return Basket(merchant, tuple(sku for (sku,) in cursor.fetchall()))


@contextmanager
def _general_log(admin: Connection[Cursor], path: Path) -> Iterator[None]:
    """The general log goes to a new file at `path` inside; before and after it is as it was."""
    path.unlink(missing_ok=True)  # the server would append
    with admin.cursor() as cursor:
        cursor.execute("SET SESSION sql_log_off = 1")
        cursor.execute(
            "SELECT @@global.general_log, @@global.general_log_file, @@global.log_output"
        )
        was_on, file, output = cursor.fetchone() or (0, "", "FILE")
        cursor.execute("SET GLOBAL general_log = 0")
        cursor.execute("SET GLOBAL log_output = 'FILE', GLOBAL general_log_file = %s", (str(path),))
        try:
            cursor.execute("SET GLOBAL general_log = 1")
            yield
        finally:
            cursor.execute("SET GLOBAL general_log = 0")
            cursor.execute(
                "SET GLOBAL general_log_file = %s, GLOBAL log_output = %s, GLOBAL general_log = %s",
                (file, output, was_on),
            )

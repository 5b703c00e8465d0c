"""`python -m readiness.demo.source DSN --captures DIR`: the invented shop on a server that is there.

For docker-compose.yml: loads the shop into the DSN's empty database and records three checkouts in
the server's general log. DIR must be the same folder for the server and for us. A database that
holds tables already stays as it is; without the captures in DIR that is an error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.adapters.mysql_session import Login, connect, login_of
from readiness.cli import console
from readiness.config.dsn import Dsn
from readiness.demo.personas import PERSONAS
from readiness.demo.production import SEED
from readiness.demo.recording import capture_checkouts, create_users
from readiness.demo.seed_data import load_shop
from readiness.errors import ConfigError, ReadinessError

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

    from readiness.ports import Progress


def main(arguments: Sequence[str] | None = None) -> int:
    """Fills one database; exit code 0 also when it was full before."""
    parser = argparse.ArgumentParser(prog="python -m readiness.demo.source")
    parser.add_argument("dsn", help="an account that may create users and set global variables")
    parser.add_argument("--captures", type=Path, required=True, help="where the server logs to")
    args = parser.parse_args(arguments)
    try:
        logs = fill(Dsn.parse(args.dsn), args.captures, console.progress)
    except ReadinessError as error:
        return console.failure(error, as_json=False)
    print("\n".join(map(str, logs)) or "The shop was there before.")
    return 0


def fill(dsn: Dsn, captures: Path, progress: Progress) -> list[Path]:
    """Loads the shop and captures three checkouts; the logs, [] when all of it was there before.

    Raises ConfigError without a database name or when an earlier try was cut off in the middle,
    TargetError, CaptureError."""
    if not dsn.database:
        raise ConfigError(
            "The DSN names no database to fill.", hint="mysql://user@host:port/DATABASE?…"
        )
    login = login_of(dsn)
    with closing(connect(login)) as admin:
        if _has_tables(admin):
            _require_all(captures, dsn.database)
            return []
        load_shop(admin, seed=SEED, progress=progress)
        passwords = create_users(admin, dsn.database, hosts=("%",))

        def connect_as(user: str) -> Connection[Cursor]:
            return connect(Login(**{**login, "user": user, "password": passwords[user]}))

        return capture_checkouts(
            admin, connect_as, directory=captures, seed=SEED, progress=progress
        )


def _require_all(captures: Path, database: str) -> None:
    """The last capture is the last thing that a whole try makes."""
    last = captures / f"checkout-{len(PERSONAS)}.log"
    if not last.is_file():
        raise ConfigError(
            f"The database {database} holds tables, but {captures} lacks {last.name}: an earlier try"
            " was cut off, or the database is not the demo's.",
            hint=f"If nobody needs its rows: drop and create {database}, then try again.",
        )


def _has_tables(admin: Connection[Cursor]) -> bool:
    with admin.cursor() as cursor:
        return bool(cursor.execute("SHOW TABLES"))


if __name__ == "__main__":
    sys.exit(main())

"""How long masking takes beside one bare UPDATE and beside Python row by row; what indexes take after.

The demo shop's users with all their indexes, planned and masked by the real expressions. The peer is
what one would type instead: one UPDATE of the same columns, a hash for each value, no promise kept. Of
the wall clock, since a server does the work: the peers take turns, and the medians are compared."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from tests.bench.measure import Row, row
from tests.bench.shop_users import bare_update, definition, hashed, make_users, mask, planned, ready

from readiness.adapters.local_server import LocalServer
from readiness.masking.catalogue import read_catalogue
from readiness.ports import Session

ROWS = 60_000
_BY_HAND = 1_500  # rows that Python masks one by one: for all it would take minutes
_RUNS = 5
_CHANGED = (
    "email",
    "email_sha256",
    "email_domain",
    "phone",
    "first_name",
    "last_name",
    "search_name",
)


def masking_rows(folder: Path, say: Callable[[str], None]) -> Iterator[Row]:
    """The rows; a private server is made in `folder` and removed again."""
    home = folder / "bench-masking"
    shutil.rmtree(home, ignore_errors=True)
    say(f"masking 8 columns, 6 of them indexed, of {ROWS:,} users, {_RUNS} runs each")
    try:
        with LocalServer(home) as server:
            yield from _measured(server)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _measured(server: LocalServer) -> Iterator[Row]:
    session = _filled(server)
    work = planned(session)
    columns = [column.column for column in work.plan.columns]
    ours, bare, by_hand, at_once, sizes = [], [], [], [], []
    for _ in range(_RUNS):
        _copy(session)
        before = _index_bytes(session)
        ours.append(_seconds(lambda: mask(server.root_session(), work)))
        sizes.append(_index_bytes(session) / before)
        _copy(session)
        bare.append(_seconds(lambda: session.query(bare_update(columns))))
        _copy(session)
        by_hand.append(_seconds(lambda: _mask_by_hand(session)) / _BY_HAND * 1000)
        at_once.append(_seconds(lambda: _mask_in_one_transaction(session)) / _BY_HAND * 1000)
    session.close()
    speed = median(ours) / ROWS * 1000
    yield row("masking: the whole table", median(ours), "s",
              peer=("one bare UPDATE of the same columns", median(bare)), runs=_RUNS)  # fmt: skip
    yield row("masking: 1,000 rows", speed * 1000, "ms",
              peer=("row by row from Python, a commit each", median(by_hand) * 1000), runs=_RUNS)  # fmt: skip
    yield row("masking: 1,000 rows", speed * 1000, "ms",
              peer=("row by row, one transaction", median(at_once) * 1000), runs=_RUNS)  # fmt: skip
    yield row("masking: indexes afterwards", median(sizes) * 100, "% of before",
              peer=("as before", 100.0), runs=_RUNS)  # fmt: skip


def _filled(server: LocalServer) -> Session:
    session = server.root_session()
    session.query("CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
    session.query("USE shop")
    ready(session)
    make_users(session, ROWS)
    _copy(session)
    return session


def _copy(session: Session) -> None:
    """The table anew, as rows come: its pages are as full as an application leaves them."""
    session.query("DROP TABLE IF EXISTS users")
    session.query("DROP TABLE IF EXISTS readiness_marker.masking")
    session.query(definition("users"))
    session.query("INSERT INTO users SELECT * FROM original ORDER BY created_at")


def _mask_by_hand(session: Session) -> None:
    """What a script does: reads rows, hashes in Python, writes each back by its key."""
    names = ", ".join(_CHANGED)
    sets = ", ".join(f"{name} = %s" for name in _CHANGED)
    found = session.query(f"SELECT id, {names} FROM users LIMIT {_BY_HAND}")
    for user_id, *values in found:
        made = [hashed(value)[: len(str(value))] for value in values]
        session.query(
            f"UPDATE users SET {sets}, date_of_birth = date_of_birth + INTERVAL 1 DAY WHERE id = %s",
            (*made, user_id),
        )


def _mask_in_one_transaction(session: Session) -> None:
    """Which no table of a real size can be: its undo would not end."""
    session.query("START TRANSACTION")
    _mask_by_hand(session)
    session.query("COMMIT")


def _index_bytes(session: Session) -> float:
    session.query("ANALYZE TABLE users")
    return float(read_catalogue(session, "shop").tables["users"].index_bytes)


def _seconds(act: Callable[[], object]) -> float:
    began_s = time.monotonic()
    act()
    return time.monotonic() - began_s

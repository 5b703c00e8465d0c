"""How long masking takes beside one bare UPDATE and beside Python row by row; what indexes take after.

Of the wall clock, since a server does the work: the peers take turns, and the medians are compared."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from tests.bench.measure import Row, row
from tests.fakes.masking_sql import HashingSql
from tests.integration.masking.shelf import KEY, Shelf, plan_of

from readiness.adapters.local_server import LocalServer
from readiness.masking.session import prepare

ROWS = 60_000
_STEP = 5_000
_BY_HAND = 1_500  # rows that Python masks one by one: for all it would take minutes
_RUNS = 5
_MASKED = ("t.email", "t.phone", "t.name", "t.note")
_TABLE = (
    "CREATE TABLE {name} (id BIGINT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(80) NOT NULL,"
    " phone VARCHAR(20) NOT NULL, name VARCHAR(60), note VARCHAR(80), at DATETIME NOT NULL,"
    " UNIQUE KEY (email), KEY (phone), KEY (name, phone), KEY (at)) ENGINE=InnoDB"
)


def masking_rows(folder: Path, say: Callable[[str], None]) -> Iterator[Row]:
    """The rows; a private server is made in `folder` and removed again."""
    home = folder / "bench-masking"
    shutil.rmtree(home, ignore_errors=True)
    say(f"masking 4 columns, 3 of them indexed, of {ROWS:,} rows, {_RUNS} runs each")
    try:
        with LocalServer(home) as server:
            shelf = Shelf(server)
            yield from _measured(shelf)
            shelf.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _measured(shelf: Shelf) -> Iterator[Row]:
    shelf.empty()
    prepare(shelf.session)
    _make_rows(shelf)
    ours, bare, by_hand, sizes = [], [], [], []
    for _ in range(_RUNS):
        _copy(shelf)
        before = _index_bytes(shelf)
        ours.append(_seconds(lambda: shelf.mask(*_MASKED)))
        sizes.append(_index_bytes(shelf) / before)
        _copy(shelf)
        bare.append(_seconds(lambda: shelf.run(_update(shelf))))
        _copy(shelf)
        by_hand.append(_seconds(lambda: _mask_by_hand(shelf)) / _BY_HAND * 1000)
    speed = median(ours) / ROWS * 1000
    yield row("masking: the whole table", median(ours), "s",
              peer=("one bare UPDATE of the same columns", median(bare)), runs=_RUNS)  # fmt: skip
    yield row("masking: 1,000 rows", speed * 1000, "ms",
              peer=("row by row from Python", median(by_hand) * 1000), runs=_RUNS)  # fmt: skip
    yield row("masking: indexes afterwards", median(sizes) * 100, "% of before",
              peer=("as before", 100.0), runs=_RUNS)  # fmt: skip


def _make_rows(shelf: Shelf) -> None:
    """One by one, as an application does: pages of indexes split."""
    shelf.run(_TABLE.format(name="original"))
    for low in range(0, ROWS, _STEP):
        values = ", ".join(
            f"('{_hash(n)[:20]}@example.com', '{_hash(n + 1)[:14]}', '{_hash(n // 7)[:22]}',"
            f" '{'x' * 60}', '2026-01-01' + INTERVAL {n} SECOND)"
            for n in range(low, low + _STEP)
        )
        shelf.run(f"INSERT INTO original (email, phone, name, note, at) VALUES {values}")


def _copy(shelf: Shelf) -> None:
    """The table anew, its pages as full as those of the original."""
    shelf.run("DROP TABLE IF EXISTS t", "DROP TABLE IF EXISTS readiness_marker.masking")
    shelf.run(_TABLE.format(name="t"))
    for low in range(0, ROWS, _STEP):
        shelf.run(f"INSERT INTO t SELECT * FROM original WHERE id > {low} AND id <= {low + _STEP}")


def _update(shelf: Shelf) -> str:
    facts = shelf.catalogue().tables["t"]
    made = HashingSql().expressions_of(plan_of(_MASKED, {}).columns, facts, {})
    shelf.session.query("SET @readiness_key = %s", (KEY,))
    return "UPDATE t SET " + ", ".join(f"{name} = {sql}" for name, sql in made.items())


def _mask_by_hand(shelf: Shelf) -> None:
    """In one transaction: a commit for each row would wait for the disk."""
    shelf.run("START TRANSACTION")
    for row_id, *values in shelf.run(
        f"SELECT id, email, phone, name, note FROM t LIMIT {_BY_HAND}"
    ):
        new = [_hash(v)[: len(str(v))] for v in values]
        shelf.session.query(
            "UPDATE t SET email = %s, phone = %s, name = %s, note = %s WHERE id = %s",
            (*new, row_id),
        )
    shelf.run("COMMIT")


def _index_bytes(shelf: Shelf) -> float:
    shelf.run("ANALYZE TABLE t")
    return float(sum(t.index_bytes for t in shelf.catalogue().tables.values() if t.name == "t"))


def _hash(value: object) -> str:
    return hashlib.sha256(str(value).encode()).hexdigest()


def _seconds(act: Callable[[], object]) -> float:
    began_s = time.monotonic()
    act()
    return time.monotonic() - began_s

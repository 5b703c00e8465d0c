"""How long the copy of a datadir takes by each way to a snapshot, beside `cp -a` of the same bytes.

The wall clock, since copying waits for the disk; ours and the peer take turns, so that what else
the machine does is in both. What lies in the page cache stays there, for both.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from tests.bench.measure import Row, row

from readiness.adapters.local_server import LocalServer
from readiness.adapters.local_snapshots import LocalSnapshots
from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.adapters.snapshot_source import find_source
from readiness.adapters.snapshot_ways import way_for
from readiness.errors import CloneError, ServerError

_RUNS = 5
_DOUBLINGS = 8
_FIRST_ROWS = 1000
_ROW_BYTES = 1000


def copy_rows(folder: Path, say: Callable[[str], None]) -> Iterator[Row]:
    """The rows, for each engine that is here; its server is made in `folder` and removed again."""
    for engine in ("mariadb", "mysql"):
        try:
            binary = find_server(engine=engine)
        except ServerError:
            say(f"no {engine} here: its copies are left out")
            continue
        top = folder.resolve() / f"bench-copy-{engine}"
        shutil.rmtree(top, ignore_errors=True)
        top.mkdir(parents=True)
        try:
            yield from _rows_of(binary, top, say)
        finally:
            shutil.rmtree(top)


def _rows_of(binary: ServerBinary, top: Path, say: Callable[[str], None]) -> Iterator[Row]:
    server = LocalServer(top / "server", binary=binary)
    say(f"copies of a datadir of {binary.engine}, {_RUNS} runs each")
    with server:
        _fill(server)
        time.sleep(2)  # pages that are being written would be in the first run alone
        yield from _row(f"copy: running {binary.engine}", server, top)
    yield from _row(f"copy: stopped {binary.engine}", server, top)
    yield from _whole(f"snapshot with its digest: stopped {binary.engine}", server, top)


def _fill(server: LocalServer) -> None:
    session = server.root_session()
    session.query("CREATE DATABASE shop")
    session.query("CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, pad VARBINARY(1000))")
    row_sql = f"(RANDOM_BYTES({_ROW_BYTES}))"
    session.query(f"INSERT INTO shop.t (pad) VALUES {', '.join([row_sql] * _FIRST_ROWS)}")
    for _ in range(_DOUBLINGS):
        session.query(f"INSERT INTO shop.t (pad) SELECT RANDOM_BYTES({_ROW_BYTES}) FROM shop.t")
    session.close()


def _row(name: str, server: LocalServer, top: Path) -> Iterator[Row]:
    try:
        way = way_for(find_source(str(server.directory)), lambda: server.binary)
    except CloneError:
        return  # no mariadb-backup here

    def ours(to: Path) -> None:
        to.mkdir()
        with way.held():
            way.copy(to)

    yield _beside_cp(f"{name} ({way.method})", ours, server, top)


def _whole(name: str, server: LocalServer, top: Path) -> Iterator[Row]:
    def ours(to: Path) -> None:
        LocalSnapshots(to, server.binary).take(str(server.directory), "bench")

    yield _beside_cp(name, ours, server, top)


def _beside_cp(name: str, ours: Callable[[Path], None], server: LocalServer, top: Path) -> Row:
    took: dict[str, list[float]] = {"ours": [], "cp": []}

    def cp(to: Path) -> None:
        subprocess.run(["cp", "-a", str(server.datadir), str(to)], check=True)

    for _ in range(_RUNS):
        for key, work in (("cp", cp), ("ours", ours)):
            took[key].append(_seconds(work, top / "copy"))
    return row(name, median(took["ours"]), "s", peer=("cp -a", median(took["cp"])), runs=_RUNS)


def _seconds(work: Callable[[Path], None], to: Path) -> float:
    began = time.perf_counter()
    work(to)
    took_s = time.perf_counter() - began
    shutil.rmtree(to)
    return took_s

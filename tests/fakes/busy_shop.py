"""A shop under write load, whose rows tell a torn copy: stock taken always equals orders made."""

from __future__ import annotations

import contextlib
import random
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_binary import ServerBinary
from readiness.errors import ReadinessError
from readiness.model.clone import Snapshot

_ITEMS = 200
_WRITERS = 4


def fill(server: LocalServer) -> None:
    """Schema `shop` with some thousand rows."""
    session = server.root_session()
    session.query("CREATE DATABASE shop")
    session.query("CREATE TABLE shop.stock (id INT PRIMARY KEY, n INT NOT NULL, pad CHAR(200))")
    session.query(
        "CREATE TABLE shop.orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, stock INT, pad CHAR(200))"
    )
    rows = ", ".join(f"({n}, 0, UUID())" for n in range(1, _ITEMS + 1))
    session.query(f"INSERT INTO shop.stock VALUES {rows}")
    session.close()


@contextlib.contextmanager
def load(server: LocalServer) -> Iterator[None]:
    """Inside, sessions take from stock and make orders, a transaction each."""
    stop = threading.Event()
    writers = [threading.Thread(target=_write, args=(server, stop, n)) for n in range(_WRITERS)]
    for writer in writers:
        writer.start()
    try:
        yield
    finally:
        stop.set()
        for writer in writers:
            writer.join()


def _write(server: LocalServer, stop: threading.Event, seed: int) -> None:
    chance = random.Random(seed)
    with contextlib.suppress(ReadinessError):  # the server may be killed under it
        session = server.root_session("shop")
        while not stop.is_set():
            item = chance.randint(1, _ITEMS)
            session.query("BEGIN")
            session.query("UPDATE stock SET n = n + 1 WHERE id = %s", (item,))
            session.query("INSERT INTO orders (stock, pad) VALUES (%s, UUID())", (item,))
            session.query("COMMIT")
        session.close()


def taken_and_ordered(server: LocalServer) -> tuple[int, int]:
    """What a whole copy has equal."""
    session = server.root_session("shop")
    ((taken, ordered),) = session.query(
        "SELECT (SELECT SUM(n) FROM stock), (SELECT COUNT(*) FROM orders)"
    )
    session.close()
    return int(str(taken)), int(str(ordered))


def copied_live(server: LocalServer, to: Path) -> Path:
    """What somebody gets who does `cp -a` of a datadir, whatever its server does."""
    subprocess.run(["cp", "-a", str(server.datadir), str(to)], check=True)
    return to


def opened(snapshot: Snapshot, home: Path, binary: ServerBinary) -> LocalServer:
    """A private server on a copy of the snapshot's data, as a restore makes it; not started."""
    home.mkdir()
    shutil.copytree(Path(snapshot.path) / "data", home / "data")
    (home / "data" / "auto.cnf").unlink(missing_ok=True)
    return LocalServer(home, binary=binary)


def log_of_first_start(server: LocalServer) -> str:
    """Starts it, kills it, and gives what it logged, also when it died."""
    with contextlib.suppress(ReadinessError):
        server.start()
    server.kill()
    return (server.directory / "error.log").read_text("utf-8", "replace")

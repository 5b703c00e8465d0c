"""The clone backends that keep the contract, each with a small production to copy.

A new backend is one more entry of `BACKENDS`: a function that gives a `Stand` inside a `with`.
Its production has a schema `shop` with a table `users (id, v)` of `ROWS` rows, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of
from tests.fakes.memory_clones import Cloud, MemoryClones

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.errors import CloneError
from readiness.model.clone import Snapshot
from readiness.ports import CloneBackend, Session

ROWS = 60


@dataclass
class Stand:
    """A backend and what the contract must know beside its port.

    `again` gives the backend as another process sees it. `load_user_is_there` asks the server and
    tries what the backend says to a load; `crash` ends a clone's server without a word. `rest`
    lists what is left of clones: processes, folders, anything."""

    backend: CloneBackend
    source: str
    snapshot: Snapshot
    again: Callable[[], CloneBackend]
    load_user_is_there: Callable[[str], bool]
    crash: Callable[[str], None]
    rest: Callable[[], list[str]]
    production: Callable[[], list[tuple[object, ...]]]


Backend = Callable[[Path], AbstractContextManager[Stand]]


def rows_of(session: Session) -> list[tuple[object, ...]]:
    """What shop.users holds."""
    try:
        return [tuple(row) for row in session.query("SELECT id, v FROM shop.users ORDER BY id")]
    finally:
        session.close()


def filled(server: LocalServer) -> None:
    """Makes the production of a private server."""
    session = server.root_session()
    session.query("CREATE DATABASE shop")
    session.query("CREATE TABLE shop.users (id INT PRIMARY KEY, v CHAR(36) NOT NULL)")
    for number in range(ROWS):
        session.query("INSERT INTO shop.users VALUES (%s, UUID())", (number,))
    session.close()


def local(engine: str) -> Backend:
    """Clones on this machine, of one engine."""

    @contextmanager
    def stand(folder: Path) -> Iterator[Stand]:
        binary = binary_of(engine)
        production = LocalServer(folder / "production", binary=binary)
        with production:
            filled(production)
        backend = LocalClones(folder / "state", binary=binary)
        snapshot = backend.snapshot(str(production.directory), "gold")

        def load_user_is_there(name: str) -> bool:
            try:
                open_session(**backend.load_login(name)).close()
            except CloneError:
                session = backend.admin_session(name)
                users = session.query("SELECT 1 FROM mysql.user WHERE User = 'readiness_load'")
                session.close()
                return bool(users)
            return True

        def rows() -> list[tuple[object, ...]]:
            with production:
                return rows_of(production.root_session())

        yield Stand(
            backend=backend,
            source=str(production.directory),
            snapshot=snapshot,
            again=lambda: LocalClones(backend.root, binary=binary),
            load_user_is_there=load_user_is_there,
            crash=lambda name: bool(backend.server(name).kill()) and None,
            rest=lambda: [str(path) for path in (backend.root / "clones").glob("*")],
            production=rows,
        )
        for clone in backend.list():
            backend.destroy(clone.name)

    return stand


@contextmanager
def memory(folder: Path) -> Iterator[Stand]:
    """The backend in memory; its servers cannot crash."""
    cloud = Cloud(sources={"production": [(number, f"v{number}") for number in range(ROWS)]})
    backend = MemoryClones(cloud)
    yield Stand(
        backend=backend,
        source="production",
        snapshot=backend.snapshot("production", "gold"),
        again=lambda: MemoryClones(cloud),
        load_user_is_there=lambda name: bool(cloud.clones[name][1].load_password),
        crash=lambda _name: None,
        rest=lambda: sorted(cloud.clones),
        production=lambda: [tuple(row) for row in cloud.sources["production"]],
    )


BACKENDS = (
    pytest.param(memory, id="memory"),
    pytest.param(local("mariadb"), id="local-mariadb", marks=pytest.mark.mysql),
    pytest.param(local("mysql"), id="local-mysql", marks=pytest.mark.mysql),
)

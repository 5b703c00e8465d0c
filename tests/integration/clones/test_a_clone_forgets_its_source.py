"""A clone of a server with passwords, replication, logs and other accounts is a server of our own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of
from tests.integration.clones.backends import ROWS, filled, rows_of

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import Login, open_session
from readiness.adapters.server_command import ServerOptions
from readiness.clones import manifest
from readiness.errors import CloneError, TargetError
from readiness.masking.journal import Journal
from readiness.model.clone import Clone, Snapshot

pytestmark = pytest.mark.mysql
PASSWORD = "pr0duction"


@dataclass
class Copied:
    clones: LocalClones
    clone: Clone
    snapshot: Snapshot


def worldly(server: LocalServer, engine: str) -> None:
    """Gives a server what production has."""
    session = server.root_session()
    session.query("CREATE USER 'app'@'127.0.0.1' IDENTIFIED BY %s", (PASSWORD,))
    session.query("GRANT ALL ON *.* TO 'app'@'127.0.0.1'")
    session.query("CREATE USER 'readiness_load'@'%%' IDENTIFIED BY %s", (PASSWORD,))
    session.query("CREATE DEFINER='app'@'127.0.0.1' VIEW shop.seen AS SELECT id FROM shop.users")
    session.query("CREATE DATABASE readiness_marker")
    session.query("CREATE TABLE readiness_marker.originals (v INT)")
    if engine == "mysql":
        session.query("SET PERSIST max_connections = 33")
        session.query("CHANGE REPLICATION SOURCE TO SOURCE_HOST='10.0.0.9', SOURCE_USER='r'")
    else:
        session.query("CHANGE MASTER TO MASTER_HOST='10.0.0.9', MASTER_USER='r'")
    session.query("ALTER USER 'root'@'localhost' IDENTIFIED BY %s", (PASSWORD,))
    session.close()


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def copied(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Copied]:
    binary = binary_of(request.param)
    folder = tmp_path_factory.mktemp("w")
    options = ServerOptions(log_bin=True)
    production = LocalServer(folder / "production", binary=binary, options=options)
    with production:
        filled(production)
        worldly(production, request.param)
    clones = LocalClones(folder / "state", binary=binary)
    snapshot = clones.snapshot(str(production.directory), "gold")
    yield Copied(clones, clones.restore(snapshot, run_id="r", variant="a", lease_s=60), snapshot)
    for clone in clones.list():
        clones.destroy(clone.name)


def test_root_needs_no_password_of_production(copied: Copied) -> None:
    assert len(rows_of(copied.clones.admin_session(copied.clone.name))) == ROWS


def test_an_account_of_production_does_not_log_in(copied: Copied) -> None:
    for user in ("app", "readiness_load"):
        login = Login(
            host="127.0.0.1",
            port=copied.clone.endpoint.port,
            user=user,
            password=PASSWORD,
            tls="off",
        )
        with pytest.raises(TargetError):
            open_session(**login)


def test_what_such_an_account_defined_still_works(copied: Copied) -> None:
    copied.clones.admit(copied.clone.name, masked="waived: made up")
    session = open_session(**copied.clones.load_login(copied.clone.name))
    assert session.query("SELECT COUNT(*) FROM seen") == [(ROWS,)]
    session.close()


def test_it_is_no_replica_and_keeps_no_setting_log_or_marker(copied: Copied) -> None:
    session = copied.clones.admin_session(copied.clone.name)
    is_mysql = copied.snapshot.engine == "mysql"
    assert session.query("SHOW REPLICA STATUS" if is_mysql else "SHOW ALL SLAVES STATUS") == []
    assert session.query("SELECT @@max_connections") == [(copied.clones.options.max_connections,)]
    assert session.query("SHOW TABLES FROM readiness_marker") == [("marker",)]
    session.close()
    data = Path(copied.clone.directory) / "data"
    assert list(data.glob("binlog.*")) == []


def test_tables_are_compared_with_what_the_first_restore_read(copied: Copied) -> None:
    told: list[str] = []
    clones = LocalClones(copied.clones.root, binary=copied.clones.binary, tell=told.append)
    clones.restore(copied.snapshot, run_id="r", variant="b", lease_s=60)
    assert told[0].startswith("1 tables compared in ")
    path = Path(copied.snapshot.path)
    known = manifest.read_manifest(path)
    wrong = {name: total + 1 for name, total in known.checksums.items()}
    changed = replace(known, checksums=wrong)
    manifest.write_manifest(path, changed)
    try:
        with pytest.raises(CloneError, match=r"shop\.users"):
            clones.restore(copied.snapshot, run_id="r", variant="c", lease_s=60)
    finally:
        manifest.write_manifest(path, known)
        clones.destroy("readiness-r-b")
    assert [clone.name for clone in clones.list()] == ["readiness-r-a"]


def test_half_masked_data_is_no_snapshot(copied: Copied) -> None:
    clones = copied.clones
    name = clones.restore(copied.snapshot, run_id="r", variant="d", lease_s=60).name
    session = clones.admin_session(name)
    journal = Journal(session)
    journal.open()
    journal.write("begun", "{}")
    session.close()
    clones.server(name).stop()
    half = clones.snapshot(clones.named(name).directory, "half")
    with pytest.raises(CloneError, match="not finished"):
        clones.restore(half, run_id="r", variant="e", lease_s=60)
    assert all(clone.name != "readiness-r-e" for clone in clones.list())

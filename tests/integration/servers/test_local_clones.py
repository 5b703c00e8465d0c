"""A clone is a true copy of its own: marked, leased, found again after a crash, wholly destroyed."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.adapters.processes import identify
from readiness.clones.tables import data_schemas
from readiness.errors import CloneError, StatementFailed
from readiness.model.clone import Clone, Snapshot

pytestmark = pytest.mark.mysql


def restored(clones: LocalClones, snapshot: Snapshot, variant: str = "base") -> Clone:
    return clones.restore(snapshot, run_id="run-1", variant=variant, lease_s=3600)


def checksums(server: LocalServer) -> list[tuple[object, ...]]:
    session = server.root_session("shop")
    try:
        return session.query("CHECKSUM TABLE users, orders")
    finally:
        session.close()


def test_a_datadir_that_somebody_else_has_open_is_not_copied(
    private_server: LocalServer, clones: LocalClones, tmp_path: Path
) -> None:
    other_name = tmp_path / "other-name"
    other_name.mkdir()
    (other_name / "ibdata1").hardlink_to(private_server.datadir / "ibdata1")
    with pytest.raises(CloneError, match="a copy would be torn"):
        clones.snapshot(str(other_name), "torn")


def test_a_snapshot_taken_twice_is_the_same_until_the_source_changes(
    production: LocalServer, clones: LocalClones
) -> None:
    first = clones.snapshot(str(production.directory), "gold")
    assert clones.snapshot(str(production.directory), "gold") == first
    with production:
        session = production.root_session()
        session.query("CREATE TABLE shop.later (id INT)")
        session.query("DROP TABLE shop.later")
        session.close()
    assert clones.snapshot(str(production.directory), "gold").sha256 != first.sha256


def test_a_clone_holds_what_production_holds(
    production: LocalServer, clones: LocalClones, snapshot: Snapshot
) -> None:
    clone = restored(clones, snapshot)
    copied = checksums(clones.server(clone.name))
    clones.destroy(clone.name)
    with production:
        assert checksums(production) == copied


def test_variants_of_one_snapshot_live_side_by_side(
    clones: LocalClones, snapshot: Snapshot
) -> None:
    first, second = restored(clones, snapshot, "a"), restored(clones, snapshot, "b")
    assert first.endpoint != second.endpoint
    assert [clone.name for clone in clones.list()] == ["readiness-run-1-a", "readiness-run-1-b"]


def test_the_load_user_changes_rows_and_nothing_else(
    clones: LocalClones, snapshot: Snapshot
) -> None:
    clone = clones.admit(restored(clones, snapshot).name, masked="waived: made up")
    assert clones.load_password_file(clone.name).stat().st_mode & 0o777 == 0o600
    session = open_session(**clones.load_login(clone.name))
    session.query("INSERT INTO users (v) VALUES ('x')")
    for forbidden in ("DROP TABLE users", "SET GLOBAL max_connections = 1", "SHOW BINARY LOGS"):
        with pytest.raises(StatementFailed):
            session.query(forbidden)
    session.close()


def test_restoring_twice_adopts_the_running_clone(clones: LocalClones, snapshot: Snapshot) -> None:
    assert restored(clones, snapshot).pid == restored(clones, snapshot).pid
    assert len(clones.list()) == 1


def test_a_crashed_clone_is_started_again_with_its_rows(
    clones: LocalClones, snapshot: Snapshot
) -> None:
    clone = restored(clones, snapshot)
    session = clones.admin_session(clone.name, "shop")
    session.query("INSERT INTO users (v) VALUES ('after')")
    session.close()
    clones.server(clone.name).kill()
    assert clones.list()[0].pid == 0
    again = LocalClones(clones.root)
    session = again.admin_session(restored(again, snapshot).name, "shop")
    assert session.query("SELECT COUNT(*) FROM users WHERE v = 'after'") == [(1,)]
    session.close()
    again.destroy(clone.name)


def test_a_half_copied_clone_is_listed_and_copied_anew(
    clones: LocalClones, snapshot: Snapshot
) -> None:
    half = clones.root / "clones" / "readiness-run-1-base" / "data.partial"
    half.mkdir(parents=True)
    (half / "ibdata1").write_bytes(b"torn")
    assert [clone.pid for clone in clones.list()] == [0]
    assert restored(clones, snapshot).pid > 0
    assert not half.exists()


def test_destroying_twice_is_destroying_once(clones: LocalClones, snapshot: Snapshot) -> None:
    clone = restored(clones, snapshot)
    folder = Path(clones.server(clone.name).running_state().temporary_folder)
    assert clones.destroy(clone.name)
    assert identify(clone.pid) is None
    assert not folder.exists()
    assert not Path(clone.directory).exists()
    assert clones.list() == []
    assert not clones.destroy(clone.name)


def test_a_lease_is_renewed_on_the_clone_and_in_its_marker(
    clones: LocalClones, snapshot: Snapshot
) -> None:
    clone = restored(clones, snapshot)
    renewed = clones.renew(clone.name, lease_s=7200)
    session = clones.admin_session(clone.name)
    ((until,),) = session.query("SELECT lease_until FROM readiness_marker.marker")
    session.close()
    assert min(renewed.lease_until, float(str(until))) > time.time() + 7000
    assert clones.named(clone.name).lease_until == renewed.lease_until


@pytest.mark.parametrize("change", [{"engine": "postgres"}, {"version": "99.1.0"}])
def test_a_snapshot_of_another_server_is_refused_and_nothing_is_made(
    clones: LocalClones, snapshot: Snapshot, change: dict[str, str]
) -> None:
    with pytest.raises(CloneError, match="the server found here is"):
        restored(clones, replace(snapshot, **change))  # type: ignore[arg-type]
    assert clones.list() == []


def test_a_snapshot_that_lost_a_file_is_not_restored(
    production: LocalServer, clones: LocalClones
) -> None:
    taken = clones.snapshot(str(production.directory), "gold")
    clones.snapshots.verify(taken)
    next(Path(taken.path).glob("data/shop/*.ibd")).unlink()
    with pytest.raises(CloneError, match="not what its manifest says"):
        restored(clones, taken)
    with pytest.raises(CloneError, match="not what its manifest says"):
        clones.snapshots.verify(taken)


def test_what_load_may_change_is_what_is_masked(clones: LocalClones, snapshot: Snapshot) -> None:
    """One function says which databases those are; `SYS` only resembles one of the server's own."""
    clone = restored(clones, snapshot)
    with closing(clones.admin_session(clone.name)) as session:
        session.query("CREATE DATABASE SYS")
        assert data_schemas(session) == ["SYS", "shop"]
        clones.admit(clone.name, masked="waived: invented")
        grants = repr(session.query("SHOW GRANTS FOR 'readiness_load'@'127.0.0.1'"))
    assert all(f"ON `{name}`.*" in grants for name in ("SYS", "shop"))

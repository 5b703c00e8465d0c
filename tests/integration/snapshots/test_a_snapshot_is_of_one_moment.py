"""A snapshot holds one moment of its source, stopped or under load; a torn copy is refused."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.fakes.busy_shop import (
    copied_live,
    load,
    log_of_first_start,
    opened,
    taken_and_ordered,
)

from readiness.adapters.local_server import LocalServer
from readiness.adapters.local_snapshots import LocalSnapshots
from readiness.clones import torn
from readiness.clones.manifest import read_manifest
from readiness.errors import CloneError

pytestmark = pytest.mark.mysql
ONLINE = {"mariadb": "mariadb-backup", "mysql": "clone-plugin"}


def test_a_running_server_is_copied_while_it_works(
    online: LocalServer, snapshots: LocalSnapshots, tmp_path: Path
) -> None:
    with load(online):
        time.sleep(1)
        taken = snapshots.take(str(online.directory), "live")
    assert taken.method == ONLINE[online.binary.engine]
    assert (taken.engine, taken.version) == (online.binary.engine, online.binary.version)
    copy = opened(taken, tmp_path / "copy", online.binary)
    with copy:
        stock, orders = taken_and_ordered(copy)
    log = (copy.directory / "error.log").read_text("utf-8")
    assert torn.refusal(log, taken.engine, taken.method) == ""
    assert stock == orders > 0
    variables = read_manifest(Path(taken.path)).variables
    assert variables["innodb_page_size"] == "16384"
    assert variables["character_set_server"] == "utf8mb4"


def test_a_server_that_was_stopped_in_order_after_load_is_copied(
    running: LocalServer, snapshots: LocalSnapshots, tmp_path: Path
) -> None:
    with load(running):
        time.sleep(1)
    running.stop()
    taken = snapshots.take(str(running.directory), "cold")
    assert (taken.method, taken.version) == ("stopped", running.binary.version)
    log = log_of_first_start(opened(taken, tmp_path / "copy", running.binary))
    assert torn.refusal(log, taken.engine, taken.method) == ""


def test_a_copy_that_somebody_made_of_the_running_server_is_refused(
    running: LocalServer, snapshots: LocalSnapshots, tmp_path: Path
) -> None:
    with load(running):
        time.sleep(1)
        made = copied_live(running, tmp_path / "copied")
    with pytest.raises(CloneError, match="did not end in order"):
        snapshots.take(str(made), "torn")
    assert [snapshots.all(), snapshots.half()] == [[], []]


def test_it_is_refused_at_its_first_start_where_its_files_hide_it(
    running: LocalServer, snapshots: LocalSnapshots, tmp_path: Path
) -> None:
    with load(running):
        time.sleep(1)
        made = copied_live(running, tmp_path / "copied")
    (made / "ibtmp1").unlink()
    taken = snapshots.take(str(made), "torn")
    log = log_of_first_start(opened(taken, tmp_path / "copy", running.binary))
    assert torn.refusal(log, taken.engine, taken.method)


def test_the_datadir_of_a_killed_server_is_refused_until_it_was_stopped_in_order(
    running: LocalServer, snapshots: LocalSnapshots
) -> None:
    with load(running):
        time.sleep(0.5)
        running.kill()
    with pytest.raises(CloneError, match="did not end in order") as refused:
        snapshots.take(str(running.directory), "killed")
    assert "stop it in order" in refused.value.hint
    running.start()
    running.stop()
    assert snapshots.take(str(running.directory), "killed").bytes > 0


def test_a_bare_datadir_says_itself_which_server_wrote_it(
    running: LocalServer, tmp_path: Path
) -> None:
    running.stop()
    made = copied_live(running, tmp_path / "bare")
    taken = LocalSnapshots(tmp_path / "state").take(str(made), "bare")
    assert (taken.engine, taken.version) == (running.binary.engine, running.binary.version)


def test_tables_are_summed_at_the_first_restore_and_compared_at_the_next(
    running: LocalServer, snapshots: LocalSnapshots
) -> None:
    running.stop()
    taken = snapshots.take(str(running.directory), "sums")
    running.start()
    session = running.root_session()
    assert snapshots.verify_tables(session, taken) == 2
    assert set(read_manifest(Path(taken.path)).checksums) == {"shop.orders", "shop.stock"}
    assert snapshots.verify_tables(session, taken) == 2
    session.query("UPDATE shop.stock SET pad = 'other' WHERE id = 1")
    with pytest.raises(CloneError, match=r"not what snapshot sums holds: shop\.stock\."):
        snapshots.verify_tables(session, taken)
    session.close()
    snapshots.verify(taken)

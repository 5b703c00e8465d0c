"""What stands in the way of a snapshot is said with its remedy, and nothing half is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from readiness.adapters import snapshot_backup
from readiness.adapters.local_server import LocalServer
from readiness.adapters.local_snapshots import LocalSnapshots
from readiness.adapters.server_command import ServerOptions
from readiness.clones import disk
from readiness.errors import Busy, CloneError, ReadinessError, ServerError

pytestmark = pytest.mark.mysql
PASSWORD = "p\"\\#; 'x"  # every sign that an option file could misread
TAKE = (
    "import sys; from pathlib import Path;"
    "from readiness.adapters.local_snapshots import LocalSnapshots;"
    "LocalSnapshots(Path(sys.argv[1])).take(sys.argv[2], 'gold')"
)


def nothing_is_there(snapshots: LocalSnapshots) -> bool:
    top = snapshots.root / "snapshots"
    return not top.exists() or list(top.iterdir()) == []


def account(shop: LocalServer, tmp_path: Path, rights: str = "ALL") -> str:
    """A DSN over the socket of an account with a password and `rights`."""
    session = shop.root_session()
    session.query("DROP USER IF EXISTS 'keeper'@'localhost', 'keeper'@'127.0.0.1'")
    for host in ("localhost", "127.0.0.1"):
        session.query(f"CREATE USER 'keeper'@'{host}' IDENTIFIED BY %s", (PASSWORD,))
        session.query(f"GRANT {rights} ON *.* TO 'keeper'@'{host}'")
    session.close()
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n")
    file.chmod(0o600)
    return f"socket={shop.running_state().socket}&password_file={file}"


def shim(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that stands in for `name` on PATH."""
    folder.mkdir()
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_a_server_is_named_by_its_address(
    online: LocalServer, snapshots: LocalSnapshots, tmp_path: Path
) -> None:
    options = account(online, tmp_path)
    over_socket = snapshots.take(f"mysql://keeper@localhost/?{options}", "socket")
    password_file = options.partition("&")[2]
    port = online.running_state().port
    over_tcp = snapshots.take(f"mysql://keeper@127.0.0.1:{port}/?{password_file}", "tcp")
    assert over_socket.method == over_tcp.method != "stopped"
    texts = [p.read_bytes() for p in snapshots.root.rglob("*.json")]
    assert not any(PASSWORD.encode() in text for text in texts)
    assert snapshots.half() == []


def test_an_account_without_the_right_is_told_which(
    online: LocalServer, snapshots: LocalSnapshots, tmp_path: Path
) -> None:
    options = account(online, tmp_path, "SELECT, PROCESS")
    with pytest.raises(CloneError) as refused:
        snapshots.take(f"mysql://keeper@localhost/?{options}", "gold")
    assert "GRANT" in refused.value.hint
    assert nothing_is_there(snapshots)


def test_a_tunnel_is_not_taken_for_a_server_of_this_machine(
    running: LocalServer, snapshots: LocalSnapshots, tmp_path: Path
) -> None:
    password_file = account(running, tmp_path).partition("&")[2]
    with (
        tunnel(running.running_state().port) as port,
        pytest.raises(CloneError, match="may be a tunnel"),
    ):
        snapshots.take(f"mysql://keeper@127.0.0.1:{port}/?{password_file}", "gold")


@contextmanager
def tunnel(to: int) -> Iterator[int]:
    """A program on a loopback port that passes everything on."""
    script = (
        "import socket, sys, threading\n"
        "s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)\n"
        "def pump(a, b):\n"
        "    while data := a.recv(65536): b.sendall(data)\n"
        "while True:\n"
        "    a, _ = s.accept(); b = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
        "    for pair in ((a, b), (b, a)): threading.Thread(target=pump, args=pair, daemon=True).start()\n"
    )
    command = [sys.executable, "-c", script, str(to)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as forwarder:
        assert forwarder.stdout
        try:
            yield int(forwarder.stdout.readline())
        finally:
            forwarder.kill()


@pytest.mark.parametrize("shop", ["mariadb"], indirect=True)
def test_a_running_server_without_the_program_is_refused_with_both_remedies(
    running: LocalServer, snapshots: LocalSnapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_backup, "_PROGRAMS", ("readiness-no-such-program",))
    with pytest.raises(CloneError, match="no mariadb-backup here") as refused:
        snapshots.take(str(running.directory), "gold")
    assert "apt-get install mariadb-backup" in refused.value.hint
    assert "readiness server stop" in refused.value.hint
    assert nothing_is_there(snapshots)


@pytest.mark.parametrize("shop", ["mariadb"], indirect=True)
def test_a_program_of_another_series_is_refused(
    running: LocalServer,
    snapshots: LocalSnapshots,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    says = "echo 'mariadb-backup based on MariaDB server 10.4.8-MariaDB'"
    shim(tmp_path / "bin", "mariadb-backup", says, monkeypatch)
    with pytest.raises(CloneError, match=r"is of MariaDB 10\.4"):
        snapshots.take(str(running.directory), "gold")


def test_a_server_that_dies_while_it_is_copied_leaves_nothing_half(
    online: LocalServer, snapshots: LocalSnapshots
) -> None:
    killer = threading.Thread(target=kill_once_it_is_copied, args=(online, snapshots.root))
    session = online.root_session()
    if online.binary.engine == "mariadb":
        session.query("BACKUP STAGE START")  # the backup waits for it, and so for its death
    else:
        session.query("CREATE TABLE shop.big (id INT AUTO_INCREMENT PRIMARY KEY, pad CHAR(250))")
        session.query("INSERT INTO shop.big (pad) SELECT UUID() FROM shop.stock")
        for _ in range(10):
            session.query("INSERT INTO shop.big (pad) SELECT UUID() FROM shop.big")
    killer.start()
    try:
        with pytest.raises(CloneError, match="went away while it was copied"):
            snapshots.take(str(online.directory), "gold")
    finally:
        killer.join()
        session.close()
    assert nothing_is_there(snapshots)


def kill_once_it_is_copied(server: LocalServer, root: Path) -> None:
    data = root / "snapshots" / "gold.partial" / "data"
    deadline = time.monotonic() + 30
    while not data.exists() and time.monotonic() < deadline:
        time.sleep(0.002)
    if server.binary.engine == "mariadb":
        time.sleep(0.5)
    server.kill()


@pytest.mark.parametrize("shop", ["mysql"], indirect=True)
def test_clone_is_refused_where_it_would_leave_a_table_empty(
    running: LocalServer, snapshots: LocalSnapshots
) -> None:
    session = running.root_session("shop")
    session.query("CREATE TABLE old (id INT) ENGINE=MyISAM")
    try:
        with pytest.raises(CloneError, match=r"leave tables .* empty: shop\.old \(MyISAM\)"):
            snapshots.take(str(running.directory), "gold")
    finally:
        session.query("DROP TABLE old")
        session.close()


@pytest.mark.parametrize("shop", ["mysql"], indirect=True)
def test_a_mysql_without_the_plugin_is_refused_with_the_statement_for_it(
    running: LocalServer, snapshots: LocalSnapshots
) -> None:
    running.stop()
    options = ServerOptions(extra=("--clone=OFF",))
    with (
        LocalServer(running.directory, binary=running.binary, options=options) as server,
        pytest.raises(CloneError, match="CLONE plugin is not active") as refused,
    ):
        snapshots.take(str(server.directory), "gold")
    assert "INSTALL PLUGIN clone SONAME 'mysql_clone.so'" in refused.value.hint


@pytest.fixture
def stopped(running: LocalServer) -> LocalServer:
    """The shop, stopped."""
    running.stop()
    return running


def test_a_snapshot_that_does_not_fit_is_refused_with_both_figures(
    stopped: LocalServer, snapshots: LocalSnapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "SPARE_BYTES", 10**15)
    with pytest.raises(ServerError, match=r"1,000,000,\d+ MB needed, [\d,]+ MB free"):
        snapshots.take(str(stopped.directory), "gold")
    assert nothing_is_there(snapshots)


def test_a_disk_that_fills_up_meanwhile_is_told_and_the_snapshot_before_stays(
    stopped: LocalServer,
    snapshots: LocalSnapshots,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = snapshots.take(str(stopped.directory), "gold")
    full = 'mkdir "$5"; echo "cp: error writing X: No space left on device" >&2; exit 1'
    shim(tmp_path / "bin", "cp", full, monkeypatch)
    (stopped.datadir / "ib_buffer_pool").touch()
    with pytest.raises(ServerError, match="too full"):
        snapshots.take(str(stopped.directory), "gold")
    assert snapshots.named("gold") == before
    assert snapshots.half() == []


def test_a_datadir_that_changes_meanwhile_is_refused(
    stopped: LocalServer,
    snapshots: LocalSnapshots,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = shutil.which("cp")
    changing = f'{real} "$@" && touch "$4/ib_buffer_pool"'
    shim(tmp_path / "bin", "cp", changing, monkeypatch)
    with pytest.raises(CloneError, match="changed while they were copied"):
        snapshots.take(str(stopped.directory), "gold")
    assert nothing_is_there(snapshots)


def test_a_folder_that_is_no_datadir_is_refused(snapshots: LocalSnapshots, tmp_path: Path) -> None:
    with pytest.raises(CloneError, match="no datadir we may read"):
        snapshots.take(str(tmp_path), "gold")
    assert nothing_is_there(snapshots)


def test_a_snapshot_says_how_its_data_was_masked_and_another_title_is_another_snapshot(
    stopped: LocalServer, snapshots: LocalSnapshots
) -> None:
    plain = snapshots.take(str(stopped.directory), "gold")
    masked = snapshots.take(str(stopped.directory), "gold", masked="policy p: 3 columns")
    assert (plain.masked, masked.masked) == ("", "policy p: 3 columns")
    assert snapshots.named("gold") == masked


def test_a_killed_taker_is_found_by_its_intent_and_the_next_try_begins_anew(
    stopped: LocalServer, snapshots: LocalSnapshots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim(tmp_path / "bin", "cp", 'mkdir "$5"; exec sleep 60', monkeypatch)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-c", TAKE, str(snapshots.root), str(stopped.directory)]
    with subprocess.Popen(command, env=environment) as taker:
        (half,) = half_within(30, snapshots)
        assert half.is_alive
        assert half.intent
        assert (half.intent.source, half.intent.method) == (str(stopped.datadir), "stopped")
        with pytest.raises(ReadinessError) as refused:  # the datadir's lock, or the taker, says no
            snapshots.take(str(stopped.directory), "gold")
        assert isinstance(refused.value, CloneError | Busy)
        taker.kill()
    (left,) = snapshots.half()
    assert not left.is_alive
    monkeypatch.undo()
    assert taken_within(10, snapshots, stopped).name == "gold"
    assert snapshots.half() == []


def half_within(seconds: float, snapshots: LocalSnapshots) -> list:  # type: ignore[type-arg]
    deadline = time.monotonic() + seconds
    while not (found := [h for h in snapshots.half() if (h.path / "data").exists()]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def taken_within(seconds: float, snapshots: LocalSnapshots, server: LocalServer):  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while True:
        try:
            return snapshots.take(str(server.directory), "gold")
        except CloneError:
            assert time.monotonic() < deadline
            time.sleep(0.1)

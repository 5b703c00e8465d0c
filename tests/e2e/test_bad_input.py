"""What a person gets wrong is told in one message with what to type next: exit code 2 or 3."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.command_line import CommandLine, Said, assert_told
from tests.e2e.demo_process import PLANS, DemoProcess

from readiness.adapters import leftovers
from readiness.adapters.local_server import LocalServer

pytestmark = [pytest.mark.e2e, pytest.mark.mysql]

NOBODY = "mysql://somebody@127.0.0.1:1/shop"
WRONG_PLAN = """\
name: mine
flow:
  - name: checkout
stages:
  - {name: one, rate: 2/s, hold: 10}
expectations: load
"""
SHARDED_PLAN = """\
name: wide
flows:
  - name: checkout
stages:
  - {name: one, rate: 2/s, hold_s: 10}
shards: 2
expectations: load
"""
BROKEN_WORKLOAD = """\
-- @workload checkout  schema_version: 1  captures: 3  statements: 1  transactions: 0
-- @gen user_id_0 fresh uuid9 users.id
SET @user_id_0 = 'secret-of-a-person';
SELECT @user_id_0;
"""


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of 1,000 MiB: memory, taken as it is used."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1000m", "readiness-test", str(folder)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        # Filling the machine's own disk is no way out: whoever may not mount is told so.
        pytest.skip(
            "full disks were not tried: only root may mount the small one they need, and here"
            " nothing may be mounted. Run the tests as root, outside a container without that right."
        )
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path, *, but_mb: int) -> None:
    """A file that leaves `but_mb` MB of the disk."""
    room = shutil.disk_usage(disk).free - but_mb * 1_000_000
    with (disk / "filling").open("wb") as out:
        os.posix_fallocate(out.fileno(), 0, room)


def fill_up(disk: Path) -> None:
    """A file that grows until nothing more goes on the disk, while others write there, too."""
    block = bytes(1 << 20)
    with (disk / "filling").open("wb", buffering=0) as out, contextlib.suppress(OSError):
        while out.write(block):
            pass


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.02)


def test_no_server_program(cli: CommandLine) -> None:
    said = cli("server", "start", READINESS_MYSQLD="/nowhere/mariadbd")
    assert_told(said, 3, "READINESS_MYSQLD names /nowhere/mariadbd", "apt-get install mariadb")
    assert not (cli.folder / ".local/server/data").exists()


def test_a_demo_without_a_server_program(cli: CommandLine) -> None:
    said = cli.demo("--plan", PLANS / "short.yaml", READINESS_MYSQLD="/nowhere/mariadbd")
    assert_told(said, 3, "READINESS_MYSQLD names /nowhere/mariadbd", "docker compose")


def test_a_port_that_is_taken(cli: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = cli("server", "start", "--port", port)
    assert_told(said, 3, f"Port {port} on 127.0.0.1 is taken", "Leave --port out")
    assert_told(cli("server", "status"), 3, "No server runs")


def test_a_disk_too_full_for_a_server(cli: CommandLine, small_disk: Path) -> None:
    fill(small_disk, but_mb=100)
    said = cli("server", "start", "--dir", small_disk / "server")
    assert_told(said, 3, "262 MB needed, 100 MB free", "READINESS_STATE=")
    assert list((small_disk / "server").iterdir()) == []


def test_a_disk_that_is_full_before_the_shop_is_loaded(cli: CommandLine, small_disk: Path) -> None:
    fill(small_disk, but_mb=500)
    state = small_disk / "state"
    said = cli.demo("--plan", PLANS / "short.yaml", READINESS_STATE=str(state))
    assert_told(said, 3, "944 MB needed, 500 MB free", "READINESS_STATE=")
    assert leftovers.find(state / "demo") == []


def test_a_disk_that_fills_up_while_the_shop_is_loaded(small_disk: Path) -> None:
    demo = DemoProcess(small_disk)
    state = small_disk / ".local" / "demo"
    demo.wait_for("database server")
    wait_for(state / "seeding" / "data" / "shop" / "users.ibd")
    fill_up(small_disk)
    said = Said(demo.end(), demo.output, "")
    assert_told(said, 3, "The disk is too full for the shop: 944 MB needed", "MB free")
    assert "INSERT" not in said.all
    assert leftovers.find(state) == []
    assert not (state / "seeding").exists()


def test_a_disk_that_is_too_full_for_the_clone(small_disk: Path) -> None:
    cli = CommandLine(small_disk)
    assert_told(cli("server", "start", "--dir", "source"), 0)
    assert_told(cli("server", "stop", "--dir", "source"), 0)
    fill(small_disk, but_mb=400)
    said = cli("clone", "create", "--source", "source", "--snapshot", "one")
    assert_told(said, 3, "too full for clone readiness-manual-a", "MB needed", "MB free")
    assert_told(cli("clone", "list"), 0, "no clones")


def test_a_plan_with_unknown_keys_is_told_all_its_mistakes(cli: CommandLine) -> None:
    (cli.folder / "mine.yaml").write_text(WRONG_PLAN)
    said = cli("ramp", "--plan", "mine.yaml", "--target", NOBODY, "--workload", "x.sql")
    assert_told(said, 2, "mine.yaml:2:1", "mine.yaml:5:", "flows", "hold_s")
    assert said.err.count("id you mean") == 2
    for_machines = cli("ramp", "--plan", "mine.yaml", "--target", NOBODY, "--json").json
    assert {m["line"] for m in for_machines["mistakes"]} >= {2, 5}
    assert not (cli.folder / ".local/runs").exists()


def test_a_plan_of_shards_is_sent_to_airflow(cli: CommandLine) -> None:
    (cli.folder / "wide.yaml").write_text(SHARDED_PLAN)
    expected = ("wide spreads its load over 2 shards", "shards: 1")
    assert_told(cli("ramp", "--plan", "wide.yaml", "--target", NOBODY), 2, *expected)
    assert_told(cli.demo("--plan", "wide.yaml"), 2, *expected)


def test_a_broken_annotation_names_file_line_and_remedy(cli: CommandLine) -> None:
    (cli.folder / "mine.sql").write_text(BROKEN_WORKLOAD)
    said = cli("workload", "check", "mine.sql", "--target", NOBODY)
    assert_told(said, 2, "mine.sql:2:", "uuid9")
    assert "secret-of-a-person" not in said.all


def test_a_broken_workload_stops_a_load_before_its_target_is_asked(cli: CommandLine) -> None:
    (cli.folder / "mine.sql").write_text(BROKEN_WORKLOAD)
    said = a_load(cli, NOBODY, "--workload", "mine.sql")
    assert_told(said, 2, "mine.sql:2:")
    assert not (cli.folder / "run").exists()


def test_no_such_workload(cli: CommandLine) -> None:
    said = a_load(cli, NOBODY, "--workload", "none.sql")
    assert_told(said, 2, "There is no workload file none.sql", "readiness workload build")


def test_a_target_without_a_marker(cli: CommandLine, private_server: LocalServer) -> None:
    dsn = f"mysql://root@localhost/mysql?socket={private_server.running_state().socket}"
    (cli.folder / "mine.sql").write_text(BROKEN_WORKLOAD.replace("uuid9", "uuid4"))
    said = a_load(cli, dsn, "--workload", "mine.sql")
    assert_told(said, 2, "may be production", "marker", "missing", f"clone adopt '{dsn}'")
    assert not (cli.folder / "run").exists()
    for_machines = a_load(cli, dsn, "--workload", "mine.sql", "--json").json
    assert {"name": "marker", "holds": False} in [
        {"name": k["name"], "holds": k["holds"]} for k in for_machines["keys"]
    ]


def test_an_unreachable_target(cli: CommandLine) -> None:
    (cli.folder / "mine.sql").write_text(BROKEN_WORKLOAD.replace("uuid9", "uuid4"))
    said = a_load(cli, NOBODY, "--workload", "mine.sql")
    assert_told(said, 3, "Nobody answers at 127.0.0.1:1", "port open from here")


def test_a_wrong_password(cli: CommandLine, private_server: LocalServer) -> None:
    session = private_server.root_session()
    session.query("CREATE OR REPLACE USER visitor@'127.0.0.1' IDENTIFIED BY 'the-right-one'")
    session.close()
    port = private_server.running_state().port
    dsn = f"mysql://visitor@127.0.0.1:{port}/mysql?password_env=GUESS"
    said = cli("clone", "adopt", dsn, "--yes", GUESS="a-wrong-one")
    assert_told(said, 3, "refused the login of user visitor", "password_file")
    assert "a-wrong-one" not in said.all


def test_a_password_that_is_not_there(cli: CommandLine) -> None:
    said = cli("clone", "adopt", "mysql://visitor@127.0.0.1:1/?password_env=GUESS")
    assert_told(said, 2, "The environment has no GUESS", "export GUESS=")


def test_a_password_in_the_command_line(cli: CommandLine) -> None:
    said = cli("clone", "adopt", "mysql://visitor:hunter2@127.0.0.1:1/")
    assert_told(said, 2, "every process of this host can read", "password_file")
    assert "hunter2" not in said.all


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["load", "--rate", "fast"], 2, "argument --rate: allowed is a number"),
        (["lod"], 2, "invalid choice: 'lod'"),
        ([], 2, "required: COMMAND"),
        (["capture", "none.log"], 2, "none.log"),
        (["capture", "."], 2, "."),
        (["judge", "none"], 3, "none is no run folder"),
        (["report", "none"], 3, "none is no run folder"),
        (["clone", "create", "--snapshot", "none"], 3, "There is no snapshot none"),
        (["clone", "create", "--snapshot", "A/B"], 3, "is no name"),
        (["ramp", "--plan", "none", "--target", NOBODY], 2, "No such file: none"),
        (["workload", "build", "--capture", "a", "-o", "b"], 2, "--source DSN"),
    ],
)
def test_whatever_is_typed_is_answered(
    cli: CommandLine, arguments: list[str], code: int, words: str
) -> None:
    assert_told(cli(*arguments), code, words, f"(exit {code})")


def test_an_error_is_json_where_json_was_asked_for(cli: CommandLine) -> None:
    for arguments, code in ((["report", "none"], 3), (["load"], 2), (["server", "status"], 3)):
        said = cli(*arguments, "--json")
        assert said.json["exit_code"] == said.code == code
        assert said.json["message"]
        assert said.err == ""


def a_load(cli: CommandLine, dsn: str, *more: str) -> Said:
    return cli("load", "--target", dsn, "--rate", 1, "--duration", 1, "-o", "run", *more)

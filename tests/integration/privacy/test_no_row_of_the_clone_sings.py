"""Statements that fail on a clone: the server's errors quote rows, and nobody repeats them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pymysql
import pytest
from tests.e2e.command_line import CommandLine, Said
from tests.fakes.canaries import BIRDS, Cage

from readiness.adapters.mysql_session import login_of, open_session
from readiness.config.dsn import Dsn
from readiness.model.workload import (
    Form,
    Sample,
    Slot,
    StatementKind,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.workload.text.file import render

pytestmark = [pytest.mark.mysql, pytest.mark.e2e]
SCHEMA = (
    "CREATE DATABASE lending",
    "CREATE TABLE lending.users (id CHAR(36) PRIMARY KEY, name VARCHAR(99) UNIQUE, city VARCHAR(99))",
    "CREATE TABLE lending.days (id INT AUTO_INCREMENT PRIMARY KEY, day DATE)",
)
FAILING = {
    # 1062 quotes the value: Duplicate entry 'Ziskvogel Qwentin' for key 'name'
    "a duplicate": (StatementKind.INSERT, b"INSERT INTO users (id, name) VALUES (UUID(), "),
    # 1292 quotes it: Incorrect date value: 'Ziskvogel Qwentin'
    "no date": (StatementKind.INSERT, b"INSERT INTO days (day) VALUES ("),
}


def workload(kind: StatementKind, sql: bytes) -> bytes:
    """Takes a user's name from the clone and sends it where it cannot go."""
    name = Variable("name", VariableKind.EXISTING, "sample", "users.name", Form.TEXT)
    steps = (
        Step("s001", 1, 0, StatementKind.SELECT, 0.0, (b"SELECT id FROM users WHERE name = ", Slot("name"))),
        Step("s002", 1, 0, kind, 0.0, (sql, Slot("name"), b")")),
    )  # fmt: skip
    samples = (Sample(("name",), "users", ("name",)),)
    return render(Workload("checkout", 2, (name,), samples, steps))


class Clone:
    """A clone whose rows are canaries, and the command line beside it."""

    def __init__(self, folder: Path) -> None:
        self.cli = CommandLine(folder)
        self.dsn = ""

    def make(self) -> None:
        source = self.cli("server", "start", "--dir", "source", "--json").json
        with closing(pymysql.connect(unix_socket=source["socket"], user="root")) as admin:
            with admin.cursor() as cursor:
                for sql in SCHEMA:
                    cursor.execute(sql)
                rows = [(bird.user_id, bird.name, bird.city) for bird in BIRDS]
                cursor.executemany("INSERT INTO lending.users VALUES (%s, %s, %s)", rows)
            admin.commit()
        self.cli("server", "stop", "--dir", "source")
        made = self.cli(
            "clone", "create", "--source", "source", "--snapshot", "s", "--lease-h", 0.2, "--json"
        )
        why = "the canaries are searched for as they are"
        self.cli("mask", "--target", made.json["dsn"], "--not-needed", why)
        (listed,) = self.cli("clone", "list", "--json").json["clones"]
        self.dsn = listed["dsn"]

    def remove(self) -> None:
        self.cli("clone", "destroy", "readiness-manual-a")
        self.cli("server", "stop", "--dir", "source")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    clone = Clone(tmp_path_factory.mktemp("clone"))
    try:
        clone.make()
        yield clone
    finally:
        with suppress(OSError):
            clone.remove()


@pytest.fixture(scope="module")
def cage(tmp_path_factory: pytest.TempPathFactory) -> Cage:
    return Cage(tmp_path_factory.mktemp("cage"))


def outputs(said: Said, *folders: Path) -> dict[str, bytes]:
    found = (p for folder in folders for p in sorted(folder.rglob("*")) if p.is_file())
    return {
        "stdout": said.out.encode(),
        "stderr": said.err.encode(),
        **{str(path): path.read_bytes() for path in found},
    }


@pytest.mark.parametrize("what", FAILING)
def test_a_failing_check_names_the_statement_and_the_code(
    clone: Clone, cage: Cage, what: str
) -> None:
    (clone.cli.folder / "checkout.sql").write_bytes(workload(*FAILING[what]))
    for more in ([], ["--json"]):
        said = clone.cli("workload", "check", "checkout.sql", "--target", clone.dsn, *more)
        assert said.code == 3, said.all
        assert "s002" in said.all
        assert "1062" in said.all or "1292" in said.all
        assert cage.escaped(outputs(said)) == []


# The check above tries both; a load, its judge and its report take half a minute.
@pytest.mark.parametrize("what", ["a duplicate", pytest.param("no date", marks=pytest.mark.long)])
def test_a_failing_load_and_its_report_hold_no_row(clone: Clone, cage: Cage, what: str) -> None:
    (clone.cli.folder / "checkout.sql").write_bytes(workload(*FAILING[what]))
    folder = f"run-{what.replace(' ', '-')}"
    said = clone.cli(
        "load", "--target", clone.dsn, "--workload", "checkout.sql", "--rate", 5, "--duration", 3,
        "-o", folder,
    )  # fmt: skip
    run = clone.cli.folder / folder
    assert (run / "report.html").is_file(), said.all
    assert "Traceback" not in said.all
    assert cage.escaped(outputs(said, run)) == []
    for command in (["judge", folder, "--json"], ["report", folder]):
        again = clone.cli(*command)
        assert cage.escaped(outputs(again, run)) == []


def test_a_clone_without_the_table_is_told_by_its_name(clone: Clone, cage: Cage) -> None:
    file = clone.cli.folder / "checkout.sql"
    kind, sql = FAILING["a duplicate"]
    file.write_bytes(workload(kind, sql.replace(b"INTO users", b"INTO nowhere")))
    said = clone.cli("workload", "check", "checkout.sql", "--target", clone.dsn)
    assert said.code == 3, said.all
    assert cage.escaped(outputs(said)) == []


def test_masking_tells_and_keeps_no_row(clone: Clone, cage: Cage) -> None:
    """What it says, what it writes, and all rows of the masked clone."""
    made = clone.cli("clone", "create", "--snapshot", "s", "--variant", "b", "--json").json
    try:
        said = clone.cli("mask", "--target", made["dsn"], "-o", "masked")
        assert said.code == 0, said.all
        told = outputs(said, clone.cli.folder / "masked")
        (listed,) = (
            c
            for c in clone.cli("clone", "list", "--json").json["clones"]
            if c["name"] == made["name"]
        )
        rows = repr(rows_of(listed["dsn"])).encode()
        assert rows.count(b"(") >= len(BIRDS)
        assert cage.escaped({**told, "rows": rows}) == []
    finally:
        clone.cli("clone", "destroy", made["name"])


def rows_of(dsn: str) -> list[tuple[object, ...]]:
    """What the load user reads in the table of people, but for their ids, which stay."""
    with closing(open_session(**login_of(Dsn.parse(dsn)))) as session:
        return session.query("SELECT name, city FROM lending.users")

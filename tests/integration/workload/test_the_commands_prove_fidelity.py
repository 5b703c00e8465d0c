"""From recorded logs to a fidelity, by commands alone: schema, build, adopt, check."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.fakes.paylater import SERVICES, SETS, captures_of, load_paylater
from tests.integration.workload.databases import Database

from readiness.adapters.local_server import LocalServer
from readiness.cli.main import main

pytestmark = pytest.mark.mysql


@pytest.fixture(scope="module")
def database(server: LocalServer) -> Database:
    """A clone of the recorded shop, not yet adopted."""
    database = Database(server, "paylater")
    database.make()
    with database.admin() as admin:
        load_paylater(admin)
    return database


@dataclass(frozen=True)
class Shell:
    """Commands in one state folder; `home` holds what they write."""

    database: Database
    home: Path
    capsys: pytest.CaptureFixture[str]

    def run(self, *words: object) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def build(self, which: str) -> Path:
        """The workload of one set of captures, its schema from the target."""
        schema, output = self.home / "schema.json", self.home / f"{which}.sql"
        assert self.run("workload", "schema", "--source", self.database.dsn(), "-o", schema)[0] == 0
        named = [word for path in captures_of(which) for word in ("--capture", path)]
        code, _, said = self.run("workload", "build", *named, "--schema", schema, "-o", output)
        assert code == 0, said
        return output

    def check(self, workload: Path, *words: object) -> tuple[int, dict[str, object]]:
        words = (*words, "--json")
        adopted = self.run("clone", "adopt", self.database.dsn(), "--yes", "--masked", "invented")
        assert adopted[0] == 0, adopted
        users = [word for user in SERVICES for word in ("--user", user)]
        code, out, said = self.run(
            *(
                "workload",
                "check",
                workload,
                "--target",
                self.database.load_dsn(),
                "--checkouts",
                20,
            ),
            *(*users, *words),
        )
        assert out, said
        found: dict[str, object] = json.loads(out)
        return code, found


@pytest.fixture
def shell(
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Shell:
    monkeypatch.setenv("READINESS_STATE", str(tmp_path / "state"))
    return Shell(database, tmp_path, capsys)


def slow_logs(which: str) -> list[object]:
    paths = sorted(SETS[which].glob("*.slow.log"))
    return [word for path in paths for word in ("--slow-log", path)]


@pytest.mark.parametrize("which", sorted(SETS))
def test_97_of_100_statements_meet_the_captured_rows(which: str, shell: Shell) -> None:
    code, report = shell.check(shell.build(which), *slow_logs(which))
    fidelity = report["fidelity"]
    assert isinstance(fidelity, dict)
    print(f"{which}: fidelity {fidelity['ratio']:.4f} of {fidelity['compared']} statements")
    assert code == 0
    assert report["failed"] == 0
    assert fidelity["compared"] > 100  # checkouts with the baskets of the logs
    assert fidelity["ratio"] >= 0.97


def test_a_wrong_binding_is_found(shell: Shell) -> None:
    """The sharpest use of the check: an id that is read from the wrong variable fails nothing."""
    workload = shell.build("salted")
    text = workload.read_text("utf-8")
    wrong = text.replace("`otp_codes`.`id` = @otp_code_id_0", "`otp_codes`.`id` = 1")
    assert wrong != text
    workload.write_text(wrong, "utf-8")
    code, report = shell.check(workload, *slow_logs("salted"), "--least-fidelity", "1")
    fidelity = report["fidelity"]
    assert isinstance(fidelity, dict)
    assert code == 3
    assert report["failed"] == 0
    assert len(fidelity["differences"]) >= 1

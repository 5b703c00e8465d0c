"""`readiness workload build --policy`, and what another key or a lost one means for a rebuild."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fakes.lending_logs import BORROWERS, write_logs

from readiness.anonymize.key import load_key
from readiness.cli.main import main


class Bench:
    """A folder with logs, and the command as a person runs it there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.logs = write_logs(folder)
        self.sql = folder / "built/checkout.sql"
        self.key = folder / "key"
        self._capsys = capsys

    def build(self, *more: str, code: int = 0, policy: str = "") -> str:
        logs = [part for log in self.logs for part in ("--capture", str(log))]
        rest = ["--schema", str(self.folder / "schema.json"), "-o", str(self.sql)]
        if policy:
            (self.folder / "lending.yaml").write_text(f"columns:\n  {policy}\n")
            rest += ["--policy", str(self.folder / "lending.yaml")]
        key = ["--key-file", str(self.key)]
        assert main(["workload", "build", *logs, *rest, *key, *more]) == code
        said = self._capsys.readouterr()
        return said.out if code == 0 else said.err

    def why(self) -> dict[str, Any]:
        text = self.sql.with_name("checkout.variables.yaml").read_text()
        found: dict[str, Any] = yaml.safe_load(text)
        return found

    def files(self) -> dict[str, bytes]:
        return {p.name: p.read_bytes() for p in self.sql.parent.glob("*")}


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, capsys)


def test_without_a_policy_the_rules_alone_are_told(bench: Bench) -> None:
    assert "no policy: what differs or looks personal is replaced" in bench.build()
    assert "policy" not in bench.why()


def test_a_kept_column_keeps_what_the_first_capture_had(bench: Bench) -> None:
    said = bench.build(policy="users.city: {treat: keep, reason: cities are public}")
    text = bench.sql.read_text()
    assert f"'{BORROWERS[0].city}'" in text
    assert not any(b.name in text for b in BORROWERS)
    assert "1 keep; else what differs or looks personal is replaced" in said
    policy = bench.why()["policy"]
    assert policy["columns"] == {"users.city": {"treat": "keep", "reason": "cities are public"}}
    assert f"-- @policy lending {policy['sha256'][:12]}\n" in text
    (fixed,) = [f for f in bench.why()["fixed"] if f["class"] == "policy"]
    assert fixed["column"] == "users.city"


def test_a_constant_column_is_forced(bench: Bench) -> None:
    bench.build(policy="loans.state: {treat: pseudonym}")
    text = bench.sql.read_text()
    assert "paid out" not in text
    assert "'asked'" not in text


@pytest.mark.parametrize(("treat", "left"), [("empty", "''"), ("generalize", "'Oxxx'")])
def test_a_varying_column_is_emptied_or_made_coarser(bench: Bench, treat: str, left: str) -> None:
    bench.build(policy=f"users.city: {{treat: {treat}}}")
    assert f", {left})" in bench.sql.read_text()


def test_an_unknown_column_is_told_and_nothing_is_written(bench: Bench) -> None:
    said = bench.build(policy="users.citty: {treat: empty}", code=2)
    assert "lending.yaml:2:3" in said
    assert "Did you mean city?" in said
    assert not bench.sql.exists()


def test_another_policy_at_a_rebuild_is_told(bench: Bench) -> None:
    bench.build(policy="users.city: {treat: empty}")
    assert "built under the policy lending" in bench.build()
    assert "built under" not in bench.build()


def test_a_policy_may_be_named(bench: Bench) -> None:
    assert "policy default" in bench.build("--policy", "default")
    assert "default" in bench.build("--policy", "defualt", code=2)


def test_another_key_is_told_before_anything_is_written(bench: Bench) -> None:
    bench.build()
    before = bench.files()
    bench.key.unlink()
    load_key(bench.key)
    said = bench.build(code=2)
    assert "was made with another key" in said
    assert bench.files() == before
    bench.build("--new-key")
    assert bench.files() != before
    bench.build()


def test_a_lost_key_is_told_and_none_is_made(bench: Bench) -> None:
    bench.build()
    before = bench.files()
    bench.key.unlink()
    assert "There is no key file" in bench.build(code=2)
    assert bench.files() == before
    assert not bench.key.exists()


def test_the_check_value_tells_nothing_of_the_key(bench: Bench) -> None:
    bench.build()
    assert len(bench.why()["key"]) == 8
    assert not any(bench.why()["key"].encode() in line for line in bench.key.read_bytes().split())


def test_a_rebuild_with_the_same_key_and_policy_changes_nothing(bench: Bench) -> None:
    bench.build(policy="users.city: {treat: pseudonym}")
    before = bench.files()
    assert "nothing changed" in bench.build(policy="users.city: {treat: pseudonym}")
    assert bench.files() == before

"""What one capture alone, and three of them, do to `readiness workload build`."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from tests.fakes.captures import DATA
from tests.fakes.paylater import SETS, captures_of

from readiness.cli.main import main

SCHEMA = DATA / "schema.json"
SECONDS = 15.0


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "key"
    file.write_bytes(b"k" * 64)
    file.chmod(0o600)
    return file


def build(captures: tuple[Path, ...], key: Path, output: Path) -> int:
    named = [word for path in captures for word in ("--capture", str(path))]
    known = ("--schema", str(SCHEMA), "--key-file", str(key))
    return main(["workload", "build", *named, *known, "-o", str(output), "--json"])


def test_one_capture_is_refused_with_what_to_do(
    key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "checkout.sql"
    assert build(captures_of("salted")[:1], key, output) == 2
    said = capsys.readouterr()
    text = said.out + said.err
    assert "at least 2" in text
    assert "another persona" in text
    assert not output.exists()


def test_the_same_capture_twice_is_no_evidence(
    key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "checkout.sql"
    one = captures_of("salted")[0]
    assert build((one, one), key, output) == 2
    assert "another persona" in "".join(capsys.readouterr())
    assert not output.exists()


def test_a_capture_among_others_twice_is_named(
    key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other, _ = captures_of("salted")
    copy = tmp_path / "copy.log"
    copy.write_bytes(one.read_bytes())
    assert build((one, other, copy), key, tmp_path / "checkout.sql") == 2
    assert "copy.log" in "".join(capsys.readouterr())


@pytest.mark.parametrize("which", sorted(SETS))
def test_three_captures_are_built_in_seconds(
    which: str, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    assert build(captures_of(which), key, tmp_path / "checkout.sql") == 0
    took = time.monotonic() - began
    counts = json.loads(capsys.readouterr().out)["counts"]
    print(f"{which}: built in {took:.2f} s, {counts['generated']} generated")
    assert counts["generated"] <= 45
    assert took <= SECONDS

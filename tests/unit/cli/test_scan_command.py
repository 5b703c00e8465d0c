"""`readiness scan`: what is found is told by file, line, encoding and id, and never shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fakes.leaks import KEY, VALUES, held

from readiness.anonymize.allowed import key_name
from readiness.anonymize.filter import filter_of
from readiness.cli.main import main

TESTS = Path(__file__).parents[2]
LOGS = [str(TESTS / f"samples/checkout-captures/{name}.log")
        for name in ("checkout_general", "checkout_capture2", "checkout_capture3")]  # fmt: skip
CAPTURES = [part for log in LOGS for part in ("--capture", log)]
GOLDEN = str(TESTS / "golden")


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "keys" / "key"
    path.parent.mkdir()
    path.write_bytes(KEY)
    path.chmod(0o600)
    monkeypatch.setenv("READINESS_KEY_FILE", str(path))
    return path


@pytest.fixture
def filter_file(tmp_path: Path) -> str:
    path = tmp_path / "checkout.filter"
    path.write_bytes(filter_of(held(), KEY))
    return str(path)


@pytest.fixture
def leaking(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "report.html").write_text("<p>\n" + VALUES["s018/1/1"].upper() + "\n</p>")
    (folder / "clean.txt").write_text("nothing")
    return folder


def test_the_captures_themselves_leak_and_no_value_is_shown(
    capsys: pytest.CaptureFixture[str], key: Path
) -> None:
    assert main(["scan", LOGS[1], *CAPTURES]) == 3
    shown = capsys.readouterr().out
    assert "plain, value line" in shown
    assert "@" not in shown


@pytest.mark.parametrize("given", [CAPTURES, CAPTURES[:2]], ids=["three logs", "one log"])
def test_what_the_project_publishes_is_clean(
    given: list[str], capsys: pytest.CaptureFixture[str], key: Path
) -> None:
    assert main(["scan", GOLDEN, *given]) == 0
    said = capsys.readouterr()
    assert "no captured value" in said.out
    assert ("with one log" in said.err) is (given != CAPTURES)


def test_a_hit_is_told_by_file_line_encoding_and_value(
    capsys: pytest.CaptureFixture[str], key: Path, leaking: Path, filter_file: str
) -> None:
    assert main(["scan", str(leaking), "--filter", filter_file, "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    (leak,) = said["leaks"]
    told = {"file": str(leaking / "report.html"), "line": 2, "encoding": "plain"}
    assert leak == {**told, "value": "s018/1/1", "hash": leak["hash"]}
    assert (said["clean"], said["files"], said["values"]) == (False, 2, len(VALUES))
    assert said["key"] == key_name(KEY)


def test_the_printed_hash_makes_the_allow_list(
    capsys: pytest.CaptureFixture[str], key: Path, leaking: Path, filter_file: str, tmp_path: Path
) -> None:
    arguments = ["scan", str(leaking), "--filter", filter_file, "--json"]
    main(arguments)
    said = json.loads(capsys.readouterr().out)
    entry = f"- {{hash: '{said['leaks'][0]['hash']}', reason: our mascot}}"
    spare = f"- {{hash: '{'0' * 24}', reason: long gone}}"
    allow = tmp_path / "allow.yaml"
    allow.write_text(f"key: '{said['key']}'\nallow:\n  {entry}\n  {spare}\n")
    assert main([*arguments, "--allow", str(allow)]) == 0
    again = capsys.readouterr()
    found = json.loads(again.out)
    assert [a["reason"] for a in found["allowed"]] == ["our mascot"]
    assert found["unused"] == ["0" * 24]
    assert f"entry {'0' * 24} allows nothing here" in again.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere", *CAPTURES], "No such file or folder: nowhere"),
        ([GOLDEN, "--capture", "none.log"], "No such log: none.log"),
        ([GOLDEN, "--filter", "none.filter"], "No such filter: none.filter"),
        ([GOLDEN], "required"),
        ([GOLDEN, "--filter", "a", *CAPTURES], "not allowed with"),
        ([GOLDEN, *CAPTURES, "--allow", "none.yaml"], "none.yaml cannot be read"),
        ([GOLDEN, *CAPTURES, "--key-file", "/nowhere/key"], "no key file /nowhere/key"),
    ],
)
def test_what_cannot_be_done_says_so(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], key: Path
) -> None:
    assert main(["scan", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_lost_key_and_another_key_are_told(
    capsys: pytest.CaptureFixture[str], key: Path, leaking: Path, filter_file: str
) -> None:
    key.write_bytes(b"some other key of the same size!!!")
    assert main(["scan", str(leaking), "--filter", filter_file]) == 2
    assert "made with another key" in capsys.readouterr().err
    key.unlink()
    assert main(["scan", str(leaking), "--filter", filter_file]) == 2
    assert "There is no key file" in capsys.readouterr().err
    assert not key.exists()


def test_logs_need_no_key(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("READINESS_KEY_FILE", str(tmp_path / "none"))
    assert main(["scan", LOGS[1], *CAPTURES, "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert said["key"] == ""
    assert {leak["hash"] for leak in said["leaks"]} == {""}

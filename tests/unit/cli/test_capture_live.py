"""`readiness capture --from`: what it refuses before it asks any server."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.cli.main import main

DSN = "mysql://app@127.0.0.1:1/"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", DSN], "--from needs --on, --off or --fetch"),
        (["--from", DSN, "--on", "--off"], "not allowed with argument"),
        (["--from", DSN, "--on", "-o", "x"], "-o is for --fetch"),
        (["--from", "postgres://a@b/", "--on"], "does not begin with mysql://"),
        (["--from", "mysql://a:secret@b/", "--on"], "holds a password"),
        (["--on"], "need a server"),
        (["--from", DSN, "--on", "--log-output", "none"], "--log-output"),
        (["--from", DSN, "--fetch", "server.log"], "reads a server, not a file"),
    ],
)
def test_a_wrong_command_says_what_is_wrong(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["capture", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["--on", "--off", "--fetch"])
def test_a_server_that_does_not_answer_is_named(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("READINESS_STATE", str(tmp_path))
    assert main(["capture", "--from", DSN, verb]) == 3
    assert "Nobody answers at 127.0.0.1:1" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

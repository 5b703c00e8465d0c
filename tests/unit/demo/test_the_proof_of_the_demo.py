"""The demo says in one line that nothing captured got out, and ends where something did."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from tests.fakes.canaries import BIRDS, Cage

from readiness.demo.proof import prove
from readiness.errors import PrivacyError


@pytest.fixture
def cage(tmp_path: Path) -> Cage:
    return Cage(tmp_path)


def published(cage: Cage, text: str) -> list[Path]:
    folder = cage.folder / "run/slack"
    folder.mkdir(parents=True)
    (folder / "root.json").write_text(text)
    (cage.folder / "run/report.html").write_text("<p>READY</p>")
    return [cage.folder / "run"]


def test_clean_outputs_are_counted(cage: Cage) -> None:
    line = prove(cage.logs, published(cage, "{}"))
    head, _, tail = line.partition(" captured values in 2 outputs (")
    assert head.startswith("0 of ")
    assert int(head.split()[-1]) >= 15
    assert int(tail.split()[0]) >= 10


def test_a_leak_ends_it_without_being_repeated(cage: Cage) -> None:
    name = BIRDS[1].name
    leak = base64.b64encode(f"x{name}".encode()).decode()
    outputs = published(cage, f'{{"text": "{leak}"}}')
    with pytest.raises(PrivacyError, match=r"^1 of .*root\.json, line 1, base64") as caught:
        prove(cage.logs, outputs)
    assert cage.escaped({"message": str(caught.value).encode()}) == []

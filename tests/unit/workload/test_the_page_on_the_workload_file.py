"""docs/workload-file.md shows a file that is read, and names every annotation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from readiness.model.workload import Row
from readiness.workload.text.annotations import OF_A_STEP, OF_THE_FILE, SETTING
from readiness.workload.text.file import parse, render


@pytest.fixture
def page(repository: Path) -> str:
    return (repository / "docs/workload-file.md").read_text(encoding="utf-8")


def example(page: str) -> bytes:
    found = re.search(r"```sql\n(.*?)```", page, re.DOTALL)
    assert found
    return found[1].encode()


def test_the_example_is_as_it_would_be_written(page: str) -> None:
    workload = parse(example(page), path=Path("checkout.sql"))
    assert any(isinstance(piece, Row) for step in workload.steps for piece in step.pieces)
    _, heading, written = render(workload).partition(b"-- @workload")
    assert heading + written == example(page)


def test_every_annotation_is_explained(page: str) -> None:
    rows = "\n".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    missing = [n for n in (*OF_THE_FILE, *SETTING, *OF_A_STEP, "end") if f"@{n}" not in rows]
    assert missing == []

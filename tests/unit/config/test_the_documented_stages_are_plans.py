"""What docs/load.md says to copy is read as a plan."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from readiness.config.plan import load_plan

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "load.md"
PIECES = re.findall(r"^```yaml\n(.*?)^```$", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL)
AROUND = """\
name: documented
flows: [{name: checkout, normal_rate_per_s: 12}]
expectations: load
"""


@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_to_copy_is_a_plan(piece: str, tmp_path: Path) -> None:
    path = tmp_path / "documented.yaml"
    path.write_text(AROUND + piece)
    assert load_plan(path).stages_at(12.0)


def test_there_are_pieces_to_copy() -> None:
    assert len(PIECES) >= 4

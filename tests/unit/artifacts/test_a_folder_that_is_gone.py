"""What is written into a clone's folder does not make the folder of a destroyed clone again."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.artifacts.masking_file import write_masking
from readiness.errors import ArtifactError
from readiness.flow.mask_begun import write_plans


def test_the_proof_of_a_masking_needs_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="cannot be written"):
        write_masking(tmp_path / "gone" / "masking.json", [])
    assert list(tmp_path.iterdir()) == []


def test_the_plan_of_a_masking_needs_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="cannot be written"):
        write_plans(tmp_path / "gone", [])
    assert list(tmp_path.iterdir()) == []

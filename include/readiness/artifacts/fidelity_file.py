"""The file that `readiness calibrate --like` writes, and that a plan names by `fidelity`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readiness.artifacts.forms import reading
from readiness.artifacts.json_files import read_json, write_json
from readiness.model.fidelity import Compared, Fidelity, Likeness, Trial

VERSION = 1


def write_fidelity(path: Path, fidelity: Fidelity) -> None:
    """Writes it; raises ArtifactError."""
    write_json(path, fidelity_to_json(fidelity), version=VERSION)


def read_fidelity(path: Path) -> Fidelity:
    """The inverse of `write_fidelity`. Raises ArtifactError, SchemaMismatch."""
    content = read_json(path, version=VERSION)
    with reading(path):
        trials = tuple(map(_trial, content.pop("trials")))
        return Fidelity(**{**content, "trials": trials})


def fidelity_to_json(fidelity: Fidelity) -> dict[str, Any]:
    """All of it as plain JSON values."""
    return asdict(fidelity)


def _trial(content: Mapping[str, Any]) -> Trial:
    said = content["likeness"]
    compared = tuple(Compared(**one) for one in said["compared"])
    likeness = Likeness(said["score"], compared, tuple(said["missing"]))
    return Trial(**{**content, "likeness": likeness})

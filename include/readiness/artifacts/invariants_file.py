"""`invariants.json`: what the target answered to the plan's invariants, before and after the load."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from readiness.artifacts import forms, json_files
from readiness.model.invariant import Reading

VERSION = 1
NAME = "invariants.json"


def write_readings(folder: Path, readings: Iterable[Reading]) -> None:
    """Writes them in place of what stood there."""
    content = {"readings": [asdict(reading) for reading in readings]}
    json_files.write_json(folder / NAME, content, version=VERSION)


def read_readings(folder: Path) -> dict[str, Reading]:
    """By name; empty where there are none. Raises ArtifactError or SchemaMismatch."""
    path = folder / NAME
    if not path.is_file():
        return {}
    content = json_files.read_json(path, version=VERSION)
    with forms.reading(path):
        return {r["name"]: Reading(**r) for r in content["readings"]}

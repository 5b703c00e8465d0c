"""JSON files that carry a schema_version: another version is refused, a broken file is named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readiness.artifacts import atomic
from readiness.errors import ArtifactError, SchemaMismatch


def write_json(
    path: Path, content: Mapping[str, object], *, version: int, makes_folder: bool = True
) -> None:
    """Writes `content` with its version first, two spaces deep, keys in the given order."""
    data = encode(content, path=path, version=version, indent=2)
    atomic.write_bytes(path, data, makes_folder=makes_folder)


def read_json(path: Path, *, version: int) -> dict[str, Any]:
    """The content without its version. Raises ArtifactError or SchemaMismatch naming the file."""
    return decode(atomic.read_bytes(path), path=path, version=version)


def encode(
    content: Mapping[str, object], *, path: Path, version: int, indent: int | None = None
) -> bytes:
    """JSON text in UTF-8. Raises ArtifactError when a number is not finite."""
    separators = (",", ":") if indent is None else None
    try:
        text = json.dumps(
            {"schema_version": version, **content},
            ensure_ascii=False,
            allow_nan=False,
            indent=indent,
            separators=separators,
        )
    except (TypeError, ValueError) as error:
        raise ArtifactError(f"{path} cannot be written: {error}.") from error
    return text.encode() + b"\n"


def decode(data: bytes, *, path: Path, version: int) -> dict[str, Any]:
    """The inverse of `encode`; `path` is named in errors."""
    try:
        content = json.loads(data)
    except ValueError as error:
        raise ArtifactError(f"{path} is broken: it is not JSON.") from error
    if not isinstance(content, dict):
        raise ArtifactError(f"{path} is broken: it holds no JSON object.")
    require_version(content.pop("schema_version", None), path=path, version=version)
    return content


def require_version(found: object, *, path: Path, version: int) -> None:
    """Raises SchemaMismatch unless `found` is `version`."""
    if found != version:
        message = f"{path} has schema_version {found}; this readiness reads {version}."
        raise SchemaMismatch(message, hint="Read it with the readiness that wrote it.")

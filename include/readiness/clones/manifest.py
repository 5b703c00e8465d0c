"""The manifest of a snapshot: what it is a copy of, and the digest of its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from readiness.errors import CloneError
from readiness.model.clone import Snapshot

SCHEMA_VERSION = 1
MANIFEST_FILE = "manifest.json"
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class TreeSize:
    """Files below a folder, their bytes, and when the latest was changed."""

    files: int
    bytes: int
    changed_ns: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `manifest.json` holds. `source_changed_ns` is the latest change of any file of the source
    when it was copied: equal means that a second snapshot would hold the same."""

    name: str
    engine: str
    version: str
    files: int
    bytes: int
    sha256: str
    created_at: float
    source: str
    source_changed_ns: int
    method: str = "stopped"
    masked: str = ""

    def snapshot(self, path: Path) -> Snapshot:
        """The snapshot that lies at `path` with this manifest."""
        return Snapshot(
            name=self.name,
            path=str(path),
            engine=self.engine,
            version=self.version,
            bytes=self.bytes,
            created_at=self.created_at,
            sha256=self.sha256,
            method=self.method,
            masked=self.masked,
        )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes `manifest.json` into `folder`."""
    text = json.dumps({"schema_version": SCHEMA_VERSION, **asdict(manifest)}, indent=1)
    (folder / MANIFEST_FILE).write_text(f"{text}\n", "utf-8")


def read_manifest(folder: Path) -> Manifest:
    """The manifest in `folder`. Raises CloneError when it is missing, broken or of another form."""
    path = folder / MANIFEST_FILE
    try:
        data = json.loads(path.read_text("utf-8"))
        version = data.pop("schema_version")
        if version != SCHEMA_VERSION:
            raise CloneError(f"{path} has schema_version {version}, and {SCHEMA_VERSION} is read.")
        return Manifest(**data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CloneError(
            f"{path} is missing or broken: this is no snapshot.",
            hint="Take it again; a snapshot is never mended.",
        ) from error


def size_of(folder: Path) -> TreeSize:
    """Counts all files below `folder`."""
    stats = [path.stat() for path in _files(folder)]
    return TreeSize(
        len(stats),
        sum(s.st_size for s in stats),
        max((s.st_mtime_ns for s in stats), default=0),
    )


def digest_of(folder: Path) -> str:
    """SHA-256 over names, sizes and contents of all files below `folder`, in order of name."""
    total = hashlib.sha256()
    for path in _files(folder):
        total.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                total.update(block)
    return total.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    yield from (path for path in sorted(folder.rglob("*")) if path.is_file())

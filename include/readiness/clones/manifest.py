"""The manifest of a snapshot: what it is a copy of, and the digest of its files.

Beside it the intent: what a snapshot that is being taken is going to be, written before the act."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from readiness.errors import CloneError
from readiness.model.clone import Snapshot

SCHEMA_VERSION = 2
MANIFEST_FILE = "manifest.json"
INTENT_FILE = "intent.json"
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
    when it was copied: equal means that a second snapshot would hold the same; 0 for a running one.

    `variables` are the source's (clones.tables.VARIABLES), as far as they are known. `checksums` are
    by `schema.table`, made by `checksums_by` ("mariadb 10.11.19"): only a server reads them, so the
    first restore fills them in; until then they are empty."""

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
    variables: dict[str, str] = field(default_factory=dict)
    checksums: dict[str, int] = field(default_factory=dict)
    checksums_by: str = ""

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
    """Writes `manifest.json` into `folder`, whole or not at all."""
    _write(folder / MANIFEST_FILE, asdict(manifest))


def read_manifest(folder: Path) -> Manifest:
    """The manifest in `folder`. Raises CloneError when it is missing, broken or of another form."""
    path = folder / MANIFEST_FILE
    try:
        data = json.loads(path.read_text("utf-8"))
        version = data.pop("schema_version")
        if version != SCHEMA_VERSION:
            raise CloneError(
                f"{path} has schema_version {version}, and {SCHEMA_VERSION} is read.",
                hint="Take the snapshot again; an older form is not converted.",
            )
        return Manifest(**data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CloneError(
            f"{path} is missing or broken: this is no snapshot.",
            hint="Take it again; a snapshot is never mended.",
        ) from error


@dataclass(frozen=True, slots=True)
class Intent:
    """What NAME.partial is to become, and whose process makes it (`started_ticks`: field 22 of
    /proc/PID/stat, so that a reused pid is another process)."""

    name: str
    source: str
    method: str
    started_at: float
    pid: int
    started_ticks: int


def write_intent(folder: Path, intent: Intent) -> None:
    """Writes `intent.json` into `folder`, whole or not at all."""
    _write(folder / INTENT_FILE, asdict(intent))


def read_intent(folder: Path) -> Intent | None:
    """The intent in `folder`; None when it is missing or broken."""
    try:
        data = json.loads((folder / INTENT_FILE).read_text("utf-8"))
        return Intent(**data) if data.pop("schema_version") == SCHEMA_VERSION else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _write(path: Path, data: dict[str, object]) -> None:
    partial = path.with_name(f"{path.name}.partial")
    text = json.dumps({"schema_version": SCHEMA_VERSION, **data}, indent=1)
    partial.write_text(f"{text}\n", "utf-8")
    partial.replace(path)


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

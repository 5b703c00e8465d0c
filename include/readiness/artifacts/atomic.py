"""A file written here is, after a crash at any moment, the old file or the new one, never half."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from readiness.errors import ArtifactError


def write_bytes(path: Path, data: bytes) -> None:
    """Replaces `path` by `data`, on disk when it returns. Raises ArtifactError naming the file."""
    with naming(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), 0o644)
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_directory(path.parent)


def append_line(path: Path, line: bytes) -> None:
    """Adds one line, in one write. Raises ArtifactError naming the file."""
    with naming(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            file.write(line + b"\n")


def read_bytes(path: Path) -> bytes:
    """The content of `path`. Raises ArtifactError naming the file, also when it is missing."""
    with naming(path, "read"):
        return path.read_bytes()


@contextlib.contextmanager
def naming(path: Path, verb: str) -> Iterator[None]:
    """Turns an OSError into an ArtifactError that names the file and the reason."""
    try:
        yield
    except FileNotFoundError as error:
        message = f"{path} cannot be {verb}: there is no such file."
        raise ArtifactError(message, hint="Is this the folder of a finished run?") from error
    except OSError as error:
        message = f"{path} cannot be {verb}: {error.strerror}."
        raise ArtifactError(message, hint="Check free space and rights of the folder.") from error


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

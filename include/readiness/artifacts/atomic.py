"""A file written here is, after a crash at any moment, the old file or the new one, never half."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from readiness.errors import ArtifactError


def write_bytes(path: Path, data: bytes, *, makes_folder: bool = True) -> None:
    """Replaces `path` by `data`, on disk when it returns. Raises ArtifactError naming the file; so
    without `makes_folder` where its folder is gone."""
    with naming(path, "written"):
        temporary = _staged(path, data, makes_folder=makes_folder)
        try:
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_directory(path.parent)


def _staged(path: Path, data: bytes, *, makes_folder: bool = True) -> Path:
    """A temporary file beside `path` with its content to be, on disk."""
    with naming(path, "written"):
        if makes_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), 0o644)
                os.fsync(file.fileno())
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        return Path(name)


def write_together(files: Mapping[Path, bytes]) -> None:
    """Replaces all `files`, or none when one cannot be written. Raises ArtifactError naming it.

    A crash between two replacements leaves whole files, some old, some new."""
    staged: dict[Path, Path] = {}
    try:
        for path, data in files.items():
            staged[path] = _staged(path, data)
        _replace_all(staged)
    finally:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)
    for folder in {path.parent for path in files}:
        _sync_directory(folder)


def _replace_all(staged: Mapping[Path, Path]) -> None:
    """Puts each file in its place; the ones before come back when one refuses."""
    before: dict[Path, bytes | None] = {}
    try:
        for path, temporary in staged.items():
            with naming(path, "written"):
                old = path.read_bytes() if path.exists() else None
                temporary.replace(path)
            before[path] = old
    except ArtifactError:
        for path, old in before.items():
            if old is None:
                path.unlink(missing_ok=True)
            else:
                write_bytes(path, old)
        raise


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

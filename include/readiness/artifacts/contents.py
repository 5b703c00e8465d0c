"""Any file as text to search: compressed ones opened, parquet by column, all else byte by byte."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from readiness.artifacts import atomic
from readiness.errors import ConfigError

_CHUNK = 1 << 20


class Content(NamedTuple):
    """One text within a file: its name, and its bytes in pieces, to be read once."""

    name: str
    chunks: Iterator[bytes]


def files_in(paths: Iterable[Path]) -> list[Path]:
    """The files meant, folders with all that is in them, each once, in order.

    Raises ConfigError naming a path that is not there."""
    paths = list(paths)
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise ConfigError(
            f"No such file or folder: {', '.join(missing)}.",
            hint="Name what is to be searched: readiness scan runs/RUN_ID …",
        )
    found = [
        file
        for path in paths
        for file in (sorted(path.rglob("*")) if path.is_dir() else [path])
        if file.is_file()
    ]
    return list(dict.fromkeys(found))


def contents(path: Path) -> Iterator[Content]:
    """What there is to search in a file, each as it stands and opened. Raises ArtifactError naming a
    file that cannot be read; a broken compressed one is opened as far as it goes."""
    with atomic.naming(path, "read"), path.open("rb") as file:
        head = file.read(4)
    yield Content(str(path), _raw(path))
    if head[:2] == b"\x1f\x8b":
        yield Content(f"{path} (opened)", _unzipped(path))
    elif head == b"PAR1":
        yield from _columns(path)


def _raw(path: Path) -> Iterator[bytes]:
    with atomic.naming(path, "read"), path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _unzipped(path: Path) -> Iterator[bytes]:
    with atomic.naming(path, "read"), gzip.open(path) as file:
        while chunk := _next(file):
            yield chunk


def _next(file: gzip.GzipFile) -> bytes:
    try:
        return file.read1(_CHUNK)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return b""


def _columns(path: Path) -> Iterator[Content]:
    """Each column, a value a line: the line of a hit is its row."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.ParquetFile(path).schema_arrow.names
    except (pa.ArrowException, OSError):
        return
    for name in names:
        yield Content(f"{path} (column {name})", _column(path, name))


def _column(path: Path, name: str) -> Iterator[bytes]:
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(path).iter_batches(columns=[name]):
        yield b"".join(_line(value) for value in batch.column(0).to_pylist())


def _line(value: Any) -> bytes:
    made = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
    return made + b"\n"

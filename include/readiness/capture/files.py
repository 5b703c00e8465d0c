"""Gives the bytes of log files as they are, plain or gzip, and says how far reading is.

Nothing is decoded here: logs hold bytes that are no text.
"""

from __future__ import annotations

import gzip
import io
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from readiness.errors import CaptureError, LogFormatError

if TYPE_CHECKING:
    from readiness.ports import Progress

BLOCK_BYTES = 1 << 16  # larger ones leave the cache and are slower
_GZIP_MAGIC = b"\x1f\x8b"
_SAY_EVERY_S = 2.0
_MB = 1_000_000


class Meter:
    """Says every two seconds how far the reading of some files is: share, MB/s, time left."""

    def __init__(
        self,
        paths: Sequence[Path],
        progress: Progress | None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._progress = progress
        self._clock = clock
        self._total_bytes = sum(_size_bytes(path) for path in paths)
        self._before_bytes = 0  # on disk, of the files already read
        self._given_bytes = 0  # unpacked
        self._began_s: float | None = None
        self._said_s = 0.0

    def began(self) -> None:
        """Reading begins, or goes on with the next file."""
        if self._began_s is None:
            self._began_s = self._said_s = self._clock()

    def read(self, path: Path, *, at_bytes: int, given_bytes: int) -> None:
        """The file was read up to this place on disk; so much came out since the last call."""
        self._given_bytes += given_bytes
        if self._progress is None or self._began_s is None:
            return
        now_s = self._clock()
        if now_s - self._said_s < _SAY_EVERY_S:
            return
        self._said_s = now_s
        took_s = now_s - self._began_s
        ratio = min((self._before_bytes + at_bytes) / max(self._total_bytes, 1), 1.0)
        left_s = took_s * (1 - ratio) / max(ratio, 1e-9)
        self._progress(
            f"reading {path.name}: {ratio:.0%}, {self._given_bytes / took_s / _MB:.0f} MB/s,"
            f" {_duration(left_s)} left"
        )

    def finished(self, path: Path) -> None:
        """The file was read to its end."""
        self._before_bytes += _size_bytes(path)


class LogFile:
    """One file, unpacked if it is gzip, whatever it is called; `lines` counts those given so far.

    Raises CaptureError for what cannot be read: a folder, no permission, gzip cut off."""

    def __init__(self, path: Path, *, meter: Meter | None = None) -> None:
        self.path = path
        self.lines = 0
        self._meter = meter or Meter((), None)

    def blocks(self, size_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """All bytes, in blocks that end anywhere; who takes them keeps `lines`, for errors."""
        with self._errors(), open_raw(self.path) as raw:
            self._meter.began()
            stream = _unpacked(raw)
            while block := stream.read(size_bytes):
                yield block
                self._meter.read(self.path, at_bytes=raw.tell(), given_bytes=len(block))
            self._meter.finished(self.path)

    def text_lines(self) -> Iterator[bytes]:
        """All lines with their line ends; the last may lack it. For formats of short lines."""
        rest: list[bytes] = []
        for block in self.blocks():
            head, newline, tail = block.rpartition(b"\n")
            if not newline:
                rest.append(block)
                continue
            whole = b"".join([*rest, head, newline])
            rest = [tail] if tail else []
            for line in io.BytesIO(whole):  # a carriage return ends no line, unlike in splitlines
                self.lines += 1
                yield line
        if rest:
            self.lines += 1
            yield b"".join(rest)

    def head(self, size_bytes: int) -> bytes:
        """The first bytes, unpacked."""
        with self._errors(), open_raw(self.path) as raw:
            return _unpacked(raw).read(size_bytes)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, zlib.error, gzip.BadGzipFile) as e:
            raise LogFormatError(
                self.path,
                self.lines + 1,
                "the gzip file is broken or cut off",
                hint="Copy it again.",
            ) from e
        except OSError as e:
            raise _unreadable(self.path, e) from e


def open_raw(path: Path) -> IO[bytes]:
    """The file's bytes as on disk. Raises CaptureError where it is a folder or no file."""
    if path.is_dir():
        raise CaptureError(
            f"{path} is a folder, not a log", hint=f"Name the files in it: {path}/*.log"
        )
    if path.exists() and not path.is_file():
        raise CaptureError(
            f"{path} is a pipe or device: a log is read more than once",
            hint="Save it as a file first; gzip files need no unpacking.",
        )
    try:
        return path.open("rb")
    except OSError as e:
        raise _unreadable(path, e) from e


def _unreadable(path: Path, error: OSError) -> CaptureError:
    hint = ""
    if isinstance(error, PermissionError):
        hint = "Server logs often belong to mysql: copy it as root, or join its group."
    return CaptureError(f"cannot read {path}: {error.strerror or 'input/output error'}", hint=hint)


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    is_packed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    raw.seek(0)
    return cast(IO[bytes], gzip.GzipFile(fileobj=raw, mode="rb")) if is_packed else raw


def _size_bytes(path: Path) -> int:
    """0 where the file is gone: opening it says so."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"

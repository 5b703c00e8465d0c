"""How much disk a folder takes."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

_BLOCK_BYTES = 512  # of st_blocks, whatever the file system's own


@dataclass(frozen=True, slots=True)
class Usage:
    """`disk_bytes`: blocks that the files have, those included that a file system with reflinks shares
    with the snapshot; `file_bytes`: how long the files are, holes included."""

    disk_bytes: int
    file_bytes: int


def usage_of(folder: Path) -> Usage:
    """Counts all files below `folder`; what vanishes meanwhile, or may not be read, counts nothing."""
    blocks = length = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                found = os.stat(os.path.join(where, name), follow_symlinks=False)  # noqa: PTH116, PTH118
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode):
                blocks, length = blocks + found.st_blocks, length + found.st_size
    return Usage(blocks * _BLOCK_BYTES, length)

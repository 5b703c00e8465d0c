"""What the files of a stopped datadir say: which server wrote it, and whether it was stopped in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SYSTEM_TABLESPACE = "ibdata1"
_TEMPORARY_TABLESPACE = "ibtmp1"  # both engines remove it when they stop in order
_CREATOR = re.compile(rb"(MySQL|MariaDB|Backup) (\d+\.\d+\.\d+)")
_CREATOR_PLACE = slice(16, 48)  # in the header of a redo log file, since MySQL 8.0 and MariaDB 10.2
_FLAGS_OFFSET = 54  # FSP_SPACE_FLAGS of page 0
_DEFAULT_PAGE_BYTES = 16384


@dataclass(frozen=True, slots=True)
class DatadirFacts:
    """`engine` and `version` are "" where the redo log does not tell; `was_stopped`: nothing there
    says that the server ended otherwise than in order."""

    engine: str
    version: str
    page_bytes: int
    was_stopped: bool


def facts_of(datadir: Path) -> DatadirFacts:
    """What the datadir says of itself. Opens no file that a lock may hang on but the redo log."""
    engine, version = _written_by(datadir)
    if not engine:
        engine = "mysql" if (datadir / "mysql.ibd").exists() else ""
    return DatadirFacts(
        engine, version, _page_bytes(datadir), not (datadir / _TEMPORARY_TABLESPACE).exists()
    )


def _written_by(datadir: Path) -> tuple[str, str]:
    files = [datadir / "ib_logfile0", *sorted((datadir / "#innodb_redo").glob("#ib_redo*"))]
    for path in files:
        if path.name.endswith("_tmp"):  # a spare one, not written yet
            continue
        found = _CREATOR.search(_head(path)[_CREATOR_PLACE])
        if found:
            return "mysql" if found[1] == b"MySQL" else "mariadb", found[2].decode()
    return "", ""


def _page_bytes(datadir: Path) -> int:
    """The page size that the flags of the first tablespace other than the system's tell; the system's
    own file is not opened, since closing it would free our lock on it."""
    for path in sorted(datadir.glob("*/*.ibd")):
        return page_bytes_of(int.from_bytes(_head(path)[_FLAGS_OFFSET : _FLAGS_OFFSET + 4], "big"))
    return _DEFAULT_PAGE_BYTES


def page_bytes_of(flags: int) -> int:
    """The page size that FSP_SPACE_FLAGS hold: bits 6 to 9, or 0 to 3 in MariaDB's full_crc32 format
    (bit 4), as log2 of the size minus 9; 0 means 16 KiB."""
    shift = flags & 0xF if flags & 0x10 else flags >> 6 & 0xF
    return 1 << (shift + 9) if shift else _DEFAULT_PAGE_BYTES


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(64)
    except OSError:
        return b""

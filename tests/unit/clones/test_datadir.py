"""A datadir tells from its files which server wrote it, and whether that one ended in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.clones.datadir import facts_of, page_bytes_of


def redo(creator: bytes) -> bytes:
    return b"Phys" + bytes(12) + creator.ljust(32, b"\0") + bytes(464)


@pytest.mark.parametrize(
    ("file", "creator", "said"),
    [
        ("ib_logfile0", b"MariaDB 10.11.18", ("mariadb", "10.11.18")),
        ("ib_logfile0", b"Backup 10.6.23", ("mariadb", "10.6.23")),
        ("ib_logfile0", b"MySQL 8.0.28", ("mysql", "8.0.28")),
        ("#innodb_redo/#ib_redo7", b"MySQL 9.7.4", ("mysql", "9.7.4")),
        ("ib_logfile0", b"", ("", "")),
    ],
)
def test_the_redo_log_names_its_writer(
    tmp_path: Path, file: str, creator: bytes, said: tuple[str, str]
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_bytes(redo(creator))
    facts = facts_of(tmp_path)
    assert (facts.engine, facts.version) == said


def test_a_temporary_tablespace_is_left_by_a_server_that_did_not_end_in_order(
    tmp_path: Path,
) -> None:
    assert facts_of(tmp_path).was_stopped
    (tmp_path / "ibtmp1").touch()
    assert not facts_of(tmp_path).was_stopped


@pytest.mark.parametrize(
    ("flags", "page_bytes"),
    [
        (0x15, 16384),  # MariaDB, full_crc32
        (0x13, 4096),
        (0x4800, 16384),  # MySQL's system tablespace
        (0x21 | 3 << 6, 4096),
        (0x21 | 7 << 6, 65536),
    ],
)
def test_the_flags_of_a_tablespace_hold_the_page_size(flags: int, page_bytes: int) -> None:
    assert page_bytes_of(flags) == page_bytes

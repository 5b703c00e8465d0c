"""What is no log is called by its name, with the way out; nothing of it is quoted."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.capture.conftest import BANNER

from readiness.capture.logs import open_log
from readiness.errors import CaptureError, LogFormatError

GENERAL = b"2026-11-30T11:14:12.000250Z\t    7 Query\tSELECT 'zoe@example.test'\n"
NO_LOGS = {
    "binlog.000001": (b"\xfebin\x8f\x1c\x00", "a binary log", "general_log=1"),
    "mysqlbinlog.sql": (
        b"# The proper term is ...\n# at 4\n#261130 11:14:12 server id 1  end_log_pos 126\n",
        "mysqlbinlog", "general_log=1",
    ),
    "net.pcap": (b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "a network recording", "general_log=1"),
    "net.pcapng": (b"\x0a\x0d\x0d\x0a\x1c\x00\x00\x00", "a network recording", "general_log=1"),
    "net.txt": (b"11:14:12.721060 IP 10.0.0.5.40822 > 10.0.0.9.3306: Flags\n", "tcpdump", "general"),
    "audit.json": (b'[\n{ "timestamp": "2026-11-30 11:14:12", "id": 0 }', "JSON", "CSV"),
    "percona.json": (b'{"audit_record":{"name":"Query"}}\n', "JSON", "CSV"),
    "audit.xml": (b'<?xml version="1.0" encoding="utf-8"?>\n<AUDIT>\n', "XML", "CSV"),
    "dump.sql": (b"-- MySQL dump 10.13  Distrib 8.0.39\n--\n", "a dump of tables", "general_log=1"),
    "error.log": (
        b"2026-11-30T11:14:12.000250Z 0 [System] [MY-010116] [Server] mysqld starting\n",
        "the server's error log", "general_log=1",
    ),
    "x.bz2": (bz2.compress(GENERAL), "packed with bzip2", "bunzip2"),
    "x.xz": (lzma.compress(GENERAL), "packed with xz", "unxz"),
    "x.zst": (b"\x28\xb5\x2f\xfd\x04", "packed with zstd", "unzstd"),
    "x.zip": (b"PK\x03\x04", "a zip archive", "unzip"),
    "x.utf16": ("\ufeff".encode("utf-16-le") + GENERAL.decode().encode("utf-16-le"), "UTF-16",
                "copy the server's own file"),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_LOGS)
def test_a_file_of_another_kind_is_named_with_the_way_out(name: str, tmp_path: Path) -> None:
    content, what, way_out = NO_LOGS[name]
    path = tmp_path / "general.log"
    path.write_bytes(content)
    with pytest.raises(LogFormatError, match=f"^{path}:1: this is .*{what}") as caught:
        open_log(path)
    assert way_out in caught.value.hint


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "the log is empty"),
        (gzip.compress(b"", mtime=0), 1, "the log is empty"),
        (BANNER, 3, "a banner and no record"),
        (BANNER + b"zoe@example.test\n", 4, "expected a general log record"),
        (b"id,name\n1,zoe\n", 1, "expected a general, slow or audit log"),
        (b"\0\1\2zoe" * 100, 1, "no text"),
        (gzip.compress(GENERAL * 99, mtime=0)[:60], 1, "gzip file is broken or cut off"),
    ],
)
def test_a_file_without_records_is_refused_at_a_line(
    content: bytes, line: int, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "general.log"
    path.write_bytes(content)
    with pytest.raises(LogFormatError, match=message) as caught:
        list(open_log(path))
    assert caught.value.line == line
    assert "zoe" not in caught.value.message + caught.value.hint


def test_a_gzip_that_ends_early_gives_what_came_before_and_then_fails(tmp_path: Path) -> None:
    path = tmp_path / "general.log.gz"
    packed = gzip.compress(b"".join(b"%s%d\n" % (GENERAL[:-1], n) for n in range(200_000)))
    path.write_bytes(packed[: len(packed) // 2])
    source = open_log(path)
    with pytest.raises(LogFormatError, match="broken or cut off") as caught:
        list(source)
    assert caught.value.line > 1


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="is a folder") as caught:
        open_log(tmp_path)
    assert f"{tmp_path}/*.log" in caught.value.hint


def test_a_pipe_is_no_log(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CaptureError, match="pipe or device"):
        open_log(tmp_path / "pipe")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"absent\.log: No such file"):
        open_log(tmp_path / "absent.log")


@contextmanager
def as_nobody() -> Iterator[None]:
    """Inside, this process is nobody in particular, also where the tests run as root."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(own)


def test_a_file_of_others_is_refused_with_the_way_out() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "general.log"
        path.write_bytes(GENERAL)
        path.chmod(0)
        with as_nobody(), pytest.raises(CaptureError, match="Permission denied") as caught:
            open_log(path)
    assert "mysql" in caught.value.hint


@pytest.mark.parametrize("format", ["slow", "audit", "table"])
def test_a_format_that_the_file_has_not_is_refused(format: str, tmp_path: Path) -> None:
    path = tmp_path / "general.log"
    path.write_bytes(GENERAL)
    with pytest.raises(LogFormatError, match="expected"):
        list(open_log(path, format=format))


def test_an_unknown_format_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="no log format binlog") as caught:
        open_log(tmp_path / "general.log", format="binlog")
    assert "general" in caught.value.hint


def test_a_log_deep_in_a_cut_statement_is_still_known(tmp_path: Path) -> None:
    path = tmp_path / "general.log"
    path.write_bytes(b"(1, 'x'),\n" * 900 + GENERAL)
    assert len(list(open_log(path))) == 1

"""Tells what a file is by its first bytes, whatever it is called; names what is no log."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from readiness.capture import banners
from readiness.capture.batch_dump import has_header
from readiness.capture.general_records import RECORDS
from readiness.capture.general_table import is_csv_file, is_table_dump
from readiness.errors import CaptureError, LogFormatError

HEAD_BYTES = 1 << 20
GENERAL = "general"
SLOW = "slow"
AUDIT = "audit"
GENERAL_TABLE = "general-table"
GENERAL_CSV = "general-csv"
SLOW_TABLE = "slow-table"
HISTORY = "history"

_SLOW = re.compile(rb"\n(?:# Time: \d|# User@Host: )")
_AUDIT = re.compile(
    rb"\n(?:\d{8} [ \d]\d:\d\d:\d\d|\d{13,19}+),(?:[^,\n]*+,){3}\d++,\d++,[A-Z][A-Z_]*+,"
)
_RECORDS = (*((GENERAL, pattern) for pattern in RECORDS.values()), (SLOW, _SLOW), (AUDIT, _AUDIT))
_WAY_OUT = "Capture a general log: SET GLOBAL log_output='FILE', general_log=1."


@dataclass(frozen=True, slots=True)
class _Stranger:
    """What is no log of statements: how it begins, what it is, what to do instead."""

    starts: re.Pattern[bytes]
    what: str
    hint: str = _WAY_OUT


def _begins(*starts: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"\A(?:" + rb"|".join(map(re.escape, starts)) + rb")")


_BINARY = (
    _Stranger(
        _begins(b"\xfebin"),
        "a binary log",
        "It holds changes only, no reads and no sessions. " + _WAY_OUT,
    ),
    _Stranger(_begins(b"\xfdbin"), "an encrypted binary log"),
    _Stranger(
        _begins(b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d",
                b"\x0a\x0d\x0d\x0a"),
        "a network recording (tcpdump, pcap)",
        "It may be encrypted or have lost packets. " + _WAY_OUT,
    ),
    _Stranger(_begins(b"\x28\xb5\x2f\xfd"), "packed with zstd", "Unpack it first: unzstd FILE"),
    _Stranger(_begins(b"BZh"), "packed with bzip2", "Unpack it first: bunzip2 FILE"),
    _Stranger(_begins(b"\xfd7zXZ"), "packed with xz", "Unpack it first: unxz FILE"),
    _Stranger(_begins(b"\x04\x22\x4d\x18"), "packed with lz4", "Unpack it first: unlz4 FILE"),
    _Stranger(_begins(b"PK\x03\x04"), "a zip archive", "Unpack it first: unzip FILE"),
    _Stranger(
        _begins(codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
        "UTF-16 text, as PowerShell's > writes it",
        "Bytes of the log are lost: copy the server's own file again.",
    ),
)  # fmt: skip
_TEXT = (
    _Stranger(
        re.compile(rb"\A\s*+(?:\{\s*+[\"}]|\[\s*+[{\]])"),
        "JSON, as MySQL Enterprise's and Percona's audit plugins write it",
        "Read the audit log of MariaDB or Aurora (CSV). " + _WAY_OUT,
    ),
    _Stranger(
        re.compile(rb"\A\s*+<(?:\?xml|AUDIT|!DOCTYPE|html)", re.IGNORECASE),
        "XML, as audit plugins of MySQL write it",
        "Read the audit log of MariaDB or Aurora (CSV). " + _WAY_OUT,
    ),
    _Stranger(
        re.compile(rb"(?m)^# at \d+\r?\n#\d{6} [ \d]\d:\d\d:\d\d server id "),
        "the output of mysqlbinlog",
        "It holds changes only, no reads and no sessions. " + _WAY_OUT,
    ),
    _Stranger(
        re.compile(rb"(?m)^(?:/\*M?!|-- (?:MySQL|MariaDB) dump |-- Host: )"),
        "a dump of tables (mysqldump, mariadb-dump)",
    ),
    _Stranger(
        re.compile(rb"(?m)^\d\d:\d\d:\d\d\.\d{6} (?:IP6? |ARP)"),
        "the text output of tcpdump",
        "It may be encrypted or have lost packets. " + _WAY_OUT,
    ),
    _Stranger(
        re.compile(
            rb"(?m)^\d{4}-\d\d-\d\d[T ][ \d]\d:\d\d:\d\d[.\dZ+:-]*+ \d++ \[(?:Note|Warning|ERROR|System)\]"
        ),
        "the server's error log",
    ),
)


def sniff(path: Path, head: bytes) -> str:
    """The format of a file that begins so: GENERAL, SLOW, AUDIT, a table's dump, or HISTORY.

    Raises LogFormatError, which names what else it is, or the line and what was expected."""
    _refuse(path, head, _BINARY)
    table = _table(head)
    if table:
        return table
    text = b"\n" + head.removeprefix(codecs.BOM_UTF8)
    found, end = "", len(text)
    for name, pattern in _RECORDS:
        match = pattern.search(text, 0, end)
        if match:
            found, end = name, match.start() + 1  # only what begins on an earlier line is better
    if found:
        return found
    _refuse(path, head, _TEXT)
    if not head.strip() or banners.begins(head):
        return GENERAL  # its reader says what is missing, and may find it further down
    raise _unknown(path, head)


def _table(head: bytes) -> str:
    if has_header(head, ("event_id", "sql_text")):
        return HISTORY
    if has_header(head, ("start_time", "sql_text")):
        return SLOW_TABLE
    if is_table_dump(head):
        return GENERAL_TABLE
    return GENERAL_CSV if is_csv_file(head) else ""


def _refuse(path: Path, head: bytes, strangers: tuple[_Stranger, ...]) -> None:
    for stranger in strangers:
        if stranger.starts.search(head):
            raise LogFormatError(path, 1, f"this is {stranger.what}, no log", hint=stranger.hint)


def _unknown(path: Path, head: bytes) -> CaptureError:
    what = "of bytes that are no text" if b"\0" in head[:4096] else "of no known format"
    return LogFormatError(
        path,
        1,
        f"expected a general, slow or audit log or a log table's dump, found a line {what}",
        hint=_WAY_OUT,
    )

"""Finds the files that one server wrote as one log and rotated, and puts them in order.

`general.log.2.gz`, `general.log.1`, `general.log`; RDS' `mysql-general.log.2026-11-30.05` and its
hours `mysql-general.log.13`; logrotate's `general.log-20261130`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from readiness.capture.files import LogFile
from readiness.errors import CaptureError
from readiness.model.transactions import Raw

# up to `.log`, or up to a number or date behind the name
_BASE = re.compile(r"(?i)(.+?\.(?:log|csv|slow))(?=$|[.\-_])")
_NUMBER = re.compile(r"\.(\d{1,3})")
_DATE = re.compile(r"[.\-_](\d{4})-?(\d\d)-?(\d\d)(?:[.\-_T](\d+))?")

_TIME = re.compile(
    rb'(?m)^(?:# Time: |")?(?:(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?'
    rb"|(\d{6}) {1,2}(\d{1,2}:\d\d:\d\d))(?=[\t\"\n])"
)
_HEAD_BYTES = 1 << 16


@dataclass(frozen=True, slots=True, repr=False)
class _Part(Raw):
    """One file of a log; `first` is the time of its first record, None where it has none."""

    path: Path
    first: dt.datetime | None
    head: bytes


def groups(paths: Sequence[Path]) -> list[list[Path]]:
    """The files of each log, oldest first, logs in the order given.

    The times of the first records decide where all files of a log have one, since names of RDS run
    in a ring; else the names do. Raises CaptureError for a file that cannot be read or is given
    twice, also as a copy: its statements would count twice."""
    logs: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        logs.setdefault((path.parent.resolve(), _base(path.name)), []).append(path)
    return [group if len(group) == 1 else _ordered(group) for group in logs.values()]


def _ordered(group: Sequence[Path]) -> list[Path]:
    parts = [_part(path) for path in sorted(group, key=lambda path: _age(path.name))]
    _refuse_twice(parts)
    timed = [(part.first, part.path) for part in parts if part.first is not None]
    if len(timed) < len(parts):
        return [part.path for part in parts]
    return [path for _, path in sorted(timed, key=lambda pair: pair[0])]


def _part(path: Path) -> _Part:
    head = LogFile(path).head(_HEAD_BYTES)
    return _Part(path, first_time(head), head)


def first_time(head: bytes) -> dt.datetime | None:
    """When the first record of a file began, in any format that has its time on the line."""
    for found in _TIME.finditer(head):
        date, time, fraction, zone, old_date, old_time = found.groups(b"")
        try:
            if old_date:
                text = f"{old_date.decode()} {old_time.decode()} +0000"
                return dt.datetime.strptime(text, "%y%m%d %H:%M:%S %z")
            iso = b"%sT%s%s%s" % (date, time, fraction.ljust(7, b"0") if fraction else b"", zone)
            return dt.datetime.fromisoformat(iso.decode() + ("" if zone else "+00:00"))
        except ValueError:
            continue
    return None


def _base(name: str) -> str:
    found = _BASE.match(name)
    return found[1] if found else name


def _age(name: str) -> tuple[int, tuple[int, ...], str]:
    """Sorts the oldest first: dates upwards, then numbers downwards, then the live file."""
    rest = name.removesuffix(".gz")[len(_base(name)) :]
    date = _DATE.match(rest)
    if date:
        return 0, tuple(int(part or 0) for part in date.groups()), name
    number = _NUMBER.match(rest)
    if number:
        return 1, (-int(number[1]),), name
    return 2, (int(not rest),), name


def _refuse_twice(parts: Sequence[_Part]) -> None:
    seen: dict[bytes, Path] = {}
    for part in parts:
        if part.head in seen:
            raise CaptureError(
                f"{part.path} begins with the same records as {seen[part.head]}: a copy of it",
                hint="Name each part of the log once.",
            )
        if part.head:
            seen[part.head] = part.path

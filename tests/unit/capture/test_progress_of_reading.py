"""While a log is read, the share, the speed and the time left are said every two seconds."""

from __future__ import annotations

import gzip
from pathlib import Path

from readiness.capture.files import LogFile, Meter


class Ticks:
    """A clock that goes on by a second each time somebody looks."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        self.now_s += 1.0
        return self.now_s


def test_share_speed_and_time_left_are_said(tmp_path: Path) -> None:
    path = tmp_path / "general.log"
    path.write_bytes(b"x" * 8_000_000)
    said: list[str] = []
    for _ in LogFile(path, meter=Meter([path], said.append, clock=Ticks())).blocks(1_000_000):
        pass
    assert said == [
        "reading general.log: 25%, 1 MB/s, 6 s left",
        "reading general.log: 50%, 1 MB/s, 4 s left",
        "reading general.log: 75%, 1 MB/s, 2 s left",
        "reading general.log: 100%, 1 MB/s, 0 s left",
    ]


def test_the_share_is_of_all_files_and_of_their_size_on_disk(tmp_path: Path) -> None:
    paths = [tmp_path / "general.log.1", tmp_path / "general.log"]
    for path in paths:
        path.write_bytes(gzip.compress(bytes(range(256)) * 10_000))
    said: list[str] = []
    meter = Meter(paths, said.append, clock=Ticks())
    for path in paths:
        assert sum(map(len, LogFile(path, meter=meter).blocks())) == 2_560_000
    shares = [int(line.split(": ")[1].partition("%")[0]) for line in said]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 60
    assert shares[-1] > 90


def test_nobody_who_listens_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "general.log"
    path.write_bytes(b"one\ntwo")
    assert b"".join(LogFile(path).blocks(2)) == b"one\ntwo"


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    path = tmp_path / "slow.log"
    path.write_bytes(b"a\rb\r\n\x0b\x85\n" + b"c" * 300_000 + b"\nlast")
    lines = list(LogFile(path).text_lines())
    assert [len(line) for line in lines] == [5, 3, 300_001, 4]

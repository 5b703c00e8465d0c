"""Files that a server rotated are one log, in the order in which they were written."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.capture.conftest import BANNER

from readiness.capture.general_log import GeneralLog
from readiness.capture.logs import open_log, open_logs
from readiness.capture.rotation import groups
from readiness.errors import CaptureError, LogFormatError


def record(second: int, sql: bytes = b"SELECT 1") -> bytes:
    return b"2026-11-30T05:00:%02d.000000Z\t    7 Query\t%s\n" % (second, sql)


def write(folder: Path, files: dict[str, bytes]) -> list[Path]:
    """The files as named, packed where the name says so; paths in the order given."""
    paths = [folder / name for name in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return paths


def names(found: Sequence[Sequence[Path]]) -> list[list[str]]:
    return [[path.name for path in group] for group in found]


@pytest.mark.parametrize(
    "in_order",
    [
        ["general.log.10.gz", "general.log.2.gz", "general.log.1", "general.log"],
        ["general.log-20261129.gz", "general.log-20261130", "general.log"],
        ["general.log.2026-11-30.04", "general.log.2026-11-30.05", "general.log"],
        ["general.log.old", "general.log"],
    ],
)
def test_names_say_the_order_where_records_have_no_time(
    in_order: list[str], tmp_path: Path
) -> None:
    elided = {name: b"\t\t     7 Query\tSELECT '%s'\n" % name.encode() for name in in_order}
    assert names(groups(write(tmp_path, elided)[::-1])) == [in_order]


def test_the_first_records_time_outranks_names_that_run_in_a_ring(tmp_path: Path) -> None:
    hours = {f"mysql-general.log.{hour}": record(at) for at, hour in enumerate([22, 23, 0, 1])}
    paths = write(tmp_path, hours)
    assert names(groups(sorted(paths))) == [[path.name for path in paths]]


def test_times_of_both_servers_are_read_behind_a_banner(tmp_path: Path) -> None:
    old = b"261130  5:00:%02d\t     7 Query\tSELECT 1\n"
    paths = write(tmp_path, {"a.log.x": BANNER + old % 2, "a.log.y": BANNER + old % 1})
    assert names(groups(paths)) == [["a.log.y", "a.log.x"]]


def test_logs_of_other_names_or_folders_stay_apart(tmp_path: Path) -> None:
    files = {"one/general.log": b"", "one/general.log.1": b"", "two/general.log": b"", "b.log": b""}
    paths = write(tmp_path, {name: record(n) for n, name in enumerate(files)})
    assert names(groups(paths)) == [["general.log", "general.log.1"], ["general.log"], ["b.log"]]


def test_captures_of_several_personas_are_not_joined(tmp_path: Path) -> None:
    paths = write(tmp_path, {"checkout_1.log": record(1), "checkout_2.log": record(2)})
    assert [source.name for source in open_logs(paths)] == [str(path) for path in paths]


def test_a_copy_is_refused_for_its_statements_would_count_twice(tmp_path: Path) -> None:
    paths = write(tmp_path, {"general.log.1": record(1), "general.log.1.gz": record(1)})
    with pytest.raises(CaptureError, match="a copy of it"):
        open_logs(paths)


def test_a_file_given_twice_is_refused(tmp_path: Path) -> None:
    (path,) = write(tmp_path, {"general.log": record(1)})
    with pytest.raises(CaptureError, match="same records"):
        open_logs([path, path])


def test_lines_count_on_and_the_log_says_where(tmp_path: Path) -> None:
    files = {"general.log.1": record(1, b"SELECT\n1"), "general.log": BANNER + record(2)}
    (log,) = open_logs(write(tmp_path, files))
    assert [event.line for event in log] == [1, 6]
    assert log.lines == 6
    assert log.warnings == [
        "lines are counted from file to file: general.log.1 from 1, general.log from 3"
    ]


def test_a_record_goes_on_over_the_border(tmp_path: Path) -> None:
    whole = record(1, b"SELECT 'one\ntwo'") + record(2)
    cut = whole.index(b"e\ntwo")
    for at in range(cut, cut + 4):
        log = GeneralLog(*write(tmp_path, {"x.log.1": whole[:at], "x.log": whole[at:]}))
        assert [event.argument for event in log] == [b"SELECT 'one\ntwo'", b"SELECT 1"]


@pytest.mark.parametrize("banner", [b"", BANNER])
def test_a_record_whose_end_is_lost_does_not_swallow_the_next_file(
    banner: bytes, tmp_path: Path
) -> None:
    files = {"x.log.1": record(1) + record(2)[:-3], "x.log": banner + record(3, b"SELECT 3")}
    log = GeneralLog(*write(tmp_path, files))
    assert [event.argument for event in log] == [b"SELECT 1", b"SELECT 3"]
    assert log.warnings[1:] == ["line 2: the last record has no end and was left out"]


def test_an_error_names_the_file_and_its_own_line(tmp_path: Path) -> None:
    bad = b"2026-02-30T05:00:00.000000Z\t    7 Query\tSELECT 1\n"
    paths = write(tmp_path, {"x.log.1": record(1) * 3, "x.log": record(2) + bad})
    with pytest.raises(LogFormatError, match="time does not exist") as caught:
        list(GeneralLog(*paths))
    assert (caught.value.path, caught.value.line) == (paths[1], 2)


def test_files_of_one_name_and_two_formats_are_refused(tmp_path: Path) -> None:
    slow = b"# Time: 261130  5:00:09\n# User@Host: app[app] @ h []\nSELECT 1;\n"
    with pytest.raises(LogFormatError, match="expected the format general, found slow"):
        open_logs(write(tmp_path, {"x.log.1": record(1), "x.log": slow}))


def test_an_empty_file_in_a_rotation_adds_nothing(tmp_path: Path) -> None:
    (log,) = open_logs(write(tmp_path, {"x.log.2": record(1), "x.log.1": b"", "x.log": record(2)}))
    assert [event.at_ns is not None for event in log] == [True, True]


def test_one_log_opened_alone_is_not_joined_with_its_neighbours(tmp_path: Path) -> None:
    first, _ = write(tmp_path, {"x.log.1": record(1), "x.log": record(2)})
    assert len(list(open_log(first))) == 1

"""Values planted in each encoding, in each place that is published, are found: all of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.fakes.leaks import ENCODINGS, KEY, PLACES, VALUES, held

from readiness.anonymize.allowed import Allowed, value_hash
from readiness.anonymize.filter import filter_of, read_filter
from readiness.anonymize.needles import needles_of
from readiness.anonymize.originals import Originals
from readiness.errors import ConfigError
from readiness.flow.scan import Scanned, Sought, search, sought_in_filter

GOLDEN = Path(__file__).parents[2] / "golden"


def from_values() -> Sought:
    values = held().values
    return Sought(needles_of(held()), lambda i: value_hash(values[i], KEY), len(values))


def from_filter() -> Sought:
    return sought_in_filter(read_filter(filter_of(held(), KEY), KEY, path=Path("w.filter")))


def scanned(path: Path, sought: Sought, allowed: Allowed | None = None) -> Scanned:
    return search([path], sought, allowed=allowed or Allowed(), progress=lambda _text: None)


@pytest.fixture(params=[from_values, from_filter], ids=["values", "filter"], scope="module")
def sought(request: pytest.FixtureRequest) -> Sought:
    made: Sought = request.param()
    return made


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_planted_value_is_found(
    place: str, encoding: str, sought: Sought, tmp_path: Path
) -> None:
    file = tmp_path / place
    file.parent.mkdir(exist_ok=True)
    missed = []
    for value_id, value in VALUES.items():
        file.write_bytes(PLACES[place](ENCODINGS[encoding](value)))
        told = [t.leak for t in scanned(tmp_path, sought).leaks]
        if (str(file), value_id) not in {(leak.file, leak.value_id) for leak in told}:
            missed.append(value_id)
    assert missed == []


@pytest.mark.parametrize(
    ("text", "value_id"),
    [
        ("see o'brannigan@elsewhere.example", "user_email_0/1"),
        ("Mr. O'BRANNIGAN paid", "user_name_0/1"),
        ("card …88881881", "card_number_0/1"),
        ("4012 8888 8888 1881", "card_number_0/1"),
        ("15550138846", "user_phone_0/1"),
        ("call 5550138846.", "user_phone_0/1"),
        ("539487722", "user_ssn_0/1"),
        ("DE89 3704 0044 0532013000", "account_iban_0/1"),
    ],
)
def test_a_piece_of_a_personal_value_is_found(
    text: str, value_id: str, sought: Sought, tmp_path: Path
) -> None:
    (tmp_path / "report.html").write_text(text)
    told = [t.leak for t in scanned(tmp_path, sought).leaks]
    assert {(leak.encoding, leak.value_id) for leak in told} >= {("part", value_id)}


@pytest.mark.parametrize("text", ["0.94012888888881", "123401288889", "538-49", "2026-11-30"])
def test_a_measured_number_is_no_piece(text: str, sought: Sought, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(text)
    assert scanned(tmp_path, sought).leaks == ()


def test_small_numbers_and_days_count_in_sql_only(tmp_path: Path) -> None:
    values = {"a/1": b"4711", "b/1": b"138.85", "c/1": b"2026-11-29", "d/1": b"1987-05-03"}
    sought = Sought(needles_of(Originals(values)), lambda _i: "", len(values))
    text = b"SELECT " + b", ".join(values.values()) + b";"
    (tmp_path / "report.html").write_bytes(text)
    assert {t.leak.value_id for t in scanned(tmp_path, sought).leaks} == {"d/1"}
    (tmp_path / "report.html").rename(tmp_path / "checkout.sql")
    assert {t.leak.value_id for t in scanned(tmp_path, sought).leaks} == set(values)


def test_a_value_found_whole_is_not_told_by_its_pieces_too(sought: Sought, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(VALUES["card_number_0/1"])
    told = [t.leak for t in scanned(tmp_path, sought).leaks]
    assert [leak.encoding for leak in told] == ["plain"]


def test_what_the_project_publishes_gives_no_hit(sought: Sought) -> None:
    assert scanned(GOLDEN, sought).leaks == ()


def test_compressed_files_are_opened(sought: Sought, tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b"\n\n" + VALUES["s018/1/1"].encode()))
    (told,) = scanned(tmp_path, sought).leaks
    assert told.leak.file.endswith("a.json.gz (opened)")
    assert told.leak.line == 3


def test_a_cut_compressed_file_is_opened_as_far_as_it_goes(sought: Sought, tmp_path: Path) -> None:
    text = VALUES["s018/1/1"].encode() + bytes(range(256)) * 400
    (tmp_path / "a.gz").write_bytes(gzip.compress(text)[:-9])
    assert [t.leak.value_id for t in scanned(tmp_path, sought).leaks] == ["s018/1/1"]


def test_parquet_is_searched_by_column(sought: Sought, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["nobody", "someone", VALUES["s018/1/1"]]
    table = pa.table({"stage": [1, 2, 3], "note": names})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd")
    told = [t.leak for t in scanned(tmp_path, sought).leaks]
    assert (str(tmp_path / "a.parquet (column note)"), 3) in {(x.file, x.line) for x in told}


def test_what_is_no_parquet_though_it_begins_so_is_searched(sought: Sought, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"PAR1" + VALUES["s018/1/1"].encode())
    assert len(scanned(tmp_path, sought).leaks) == 1


def test_a_file_may_leak_by_its_name_which_is_not_shown(sought: Sought, tmp_path: Path) -> None:
    (tmp_path / f"{VALUES['s018/1/1']}.txt").write_text("clean")
    (told,) = scanned(tmp_path, sought).leaks
    assert "uill" not in told.leak.file
    assert "(a file's name)" in told.leak.file


def test_an_allowed_value_is_told_with_its_reason(sought: Sought, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(VALUES["s018/1/1"].upper() + " " + VALUES["user_ssn_0/1"])
    allowed = Allowed({value_hash(b"quillfeather", KEY): "our mascot", "0" * 24: "long gone"})
    found = scanned(tmp_path, sought, allowed)
    assert [t.reason for t in found.allowed] == ["our mascot"]
    assert [t.leak.value_id for t in found.leaks] == ["user_ssn_0/1"]
    assert found.unused == ("0" * 24,)


def test_a_path_that_is_not_there_is_named(sought: Sought, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no-such-folder"):
        scanned(tmp_path / "no-such-folder", sought)

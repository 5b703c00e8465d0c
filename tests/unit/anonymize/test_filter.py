"""The keyed filter: it says nothing without its key, and everything that fails says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.leaks import KEY, VALUES, held

from readiness.anonymize.filter import filter_beside, filter_of, read_filter
from readiness.anonymize.hunt import Hunter
from readiness.anonymize.needles import needles_of
from readiness.anonymize.originals import Originals
from readiness.errors import ArtifactError, ConfigError, SchemaMismatch

PATH = Path("checkout.filter")
GOLDEN = Path(__file__).parents[2] / "golden" / "filter" / "checkout.filter"
OTHER = b"some other key of the same size!!!"


def of(*values: str) -> bytes:
    return filter_of(Originals({f"v/{n}": v.encode() for n, v in enumerate(values, 1)}), KEY)


def test_the_file_of_this_version_is_read() -> None:
    kept = read_filter(GOLDEN.read_bytes(), KEY, path=GOLDEN)
    hits = Hunter(kept.needles).hits(b"\nQUILLFEATHER")
    assert [tuple(hit) for hit in hits] == [(2, "plain", "s018/1/1")]
    assert set(kept.hashes) == set(VALUES)


def test_this_version_writes_that_file() -> None:
    assert filter_of(held(), KEY) == GOLDEN.read_bytes()


def test_no_value_and_no_hash_stands_in_it() -> None:
    assert Hunter(needles_of(held())).hits(filter_of(held(), KEY)) == []


def test_another_key_makes_another_file() -> None:
    one, other = filter_of(held(), KEY), filter_of(held(), OTHER)
    common = max(len(line) for line in set(one.split(b"\n")) & set(other.split(b"\n")))
    assert common == len(b"readiness-filter 1")


def test_another_key_is_told_from_a_broken_file() -> None:
    with pytest.raises(ConfigError, match=r"checkout\.filter was made with another key") as told:
        read_filter(of("Quillfeather"), OTHER, path=PATH)
    assert "build the workload again" in told.value.hint


@pytest.mark.parametrize("cut", [0, 5, 19, 30, 60, -1])
def test_a_cut_file_is_refused(cut: int) -> None:
    with pytest.raises(ArtifactError, match="no usable filter"):
        read_filter(of("Quillfeather")[:cut], KEY, path=PATH)


def test_a_changed_file_is_refused() -> None:
    data = bytearray(of("Quillfeather"))
    data[-3] ^= 1
    with pytest.raises(ArtifactError, match="changed or cut"):
        read_filter(bytes(data), KEY, path=PATH)


def test_a_later_version_is_refused() -> None:
    data = of("Quillfeather").replace(b"readiness-filter 1", b"readiness-filter 2", 1)
    with pytest.raises(SchemaMismatch, match="version 2"):
        read_filter(data, KEY, path=PATH)


def test_no_values_are_a_filter_that_finds_nothing() -> None:
    kept = read_filter(of(), KEY, path=PATH)
    assert Hunter(kept.needles).hits(b"anything") == []


def test_it_lies_beside_its_workload() -> None:
    assert filter_beside(Path("workloads/checkout.sql")) == Path("workloads/checkout.filter")

"""The log that a bench measures holds what it says, so that dropping something is never fast."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.bench.made_log import make_log
from tests.bench.measure import Row, row, save, table

from readiness.capture.logs import open_log
from readiness.capture.sessions import Transactions

# of one checkout: grep -caP '\t *\d+ (Query|Execute)\t' checkout_general.log, and all records
STATEMENTS, RECORDS = 126, 145


@pytest.mark.parametrize("dialect", ["mysql", "mariadb"])
def test_every_record_of_every_checkout_is_read(dialect: str, tmp_path: Path) -> None:
    path = tmp_path / "general.log"
    made = make_log(path, size_bytes=500_000, dialect=dialect)
    assert made.records == made.checkouts * RECORDS
    assert made.statements == made.checkouts * STATEMENTS
    source = open_log(path)
    assert sum(1 for _ in source) == made.records
    assert source.dialect == dialect
    assert path.stat().st_size >= 500_000
    transactions = list(Transactions(open_log(path)))
    assert sum(len(t.statements) for t in transactions) == made.statements
    assert len(transactions) % made.checkouts == 0


def test_the_same_log_is_made_again(tmp_path: Path) -> None:
    for name in ("one", "two"):
        make_log(tmp_path / name, size_bytes=100_000, dialect="mysql")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_row_has_its_ratio_and_one_without_peer_has_none(tmp_path: Path) -> None:
    with_peer = row("reading", 40.0, "MB/s", peer=("other", 4.0), runs=3)
    alone = row("reading", 40.0, "MB/s", peer=("other", None), runs=3)
    assert with_peer == Row("reading", 40.0, "MB/s", "other", 4.0, 10.0, 3)
    assert (alone.peer_value, alone.ratio) == (None, None)
    save([with_peer, alone], tmp_path / "state" / "bench.json")
    saved = (tmp_path / "state" / "bench.json").read_text()
    assert saved.count('"ratio": 10.0') == saved.count('"ratio": null') == 1
    assert len(table([with_peer, alone]).splitlines()) == 3


def test_the_table_says_which_promises_were_kept_and_the_file_does_not(tmp_path: Path) -> None:
    kept = row("cost", 10.0, "us", peer=("other", 8.0), runs=5, most=1.25)
    broken = row("cost", 10.1, "us", peer=("other", 8.0), runs=5, most=1.25)
    free = row("cost", 10.1, "us", peer=("other", 8.0), runs=5)
    assert [line.split()[-1] for line in table([kept, broken, free]).splitlines()] == [
        "met", "yes", "NO", "-",
    ]  # fmt: skip
    save([kept], tmp_path / "bench.json")
    assert list(json.loads((tmp_path / "bench.json").read_text())[0]) == [
        "name", "value", "unit", "peer", "peer_value", "ratio", "runs",
    ]  # fmt: skip

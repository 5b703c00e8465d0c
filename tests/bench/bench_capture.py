"""How fast a general log becomes transactions, beside pt-query-digest on the same file."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.made_log import Made, make_log
from tests.bench.measure import Row, Taken, row, run, typical

PEER = "pt-query-digest"
_MB = 1_000_000
_SPEED_BYTES = 60 * _MB
_MEMORY_BYTES = 1000 * _MB
_MEMORY_LIMIT_MB = 150
_RUNS = 3
_DIALECTS = {"mysql": "MySQL", "mariadb": "MariaDB"}


def capture_rows(folder: Path, say: Callable[[str], None]) -> Iterator[Row]:
    """The rows; logs are made in `folder` and removed again."""
    has_peer = shutil.which(PEER) is not None
    if not has_peer:
        say(f"no {PEER}: the ratio is left out. Run: scripts/setup.sh bench")
    for dialect, name in _DIALECTS.items():
        say(f"general log of {name}, {_SPEED_BYTES // _MB} MB, {_RUNS} runs")
        yield _speed(folder / f"bench-{dialect}.log", dialect, has_peer=has_peer)
    say(f"memory for a log of {_MEMORY_BYTES // _MB} MB")
    yield _memory(folder / "bench-large.log")


def _speed(log: Path, dialect: str, *, has_peer: bool) -> Row:
    """Ours and the peer take turns, so that both meet the same machine."""
    made = make_log(log, size_bytes=_SPEED_BYTES, dialect=dialect)
    size_mb = log.stat().st_size / _MB
    ours: list[Taken] = []
    theirs: list[Taken] = []
    try:
        for _ in range(_RUNS):
            ours.append(_read(log, made))
            if has_peer:
                theirs.append(run([PEER, "--type", "genlog", str(log)]))
    finally:
        log.unlink()
    peer_value = size_mb / typical(theirs) if theirs else None
    return row(
        f"capture: general log of {_DIALECTS[dialect]} into transactions",
        size_mb / typical(ours),
        "MB per CPU second",
        peer=(f"{PEER} --type genlog", peer_value),
        runs=_RUNS,
    )


def _memory(log: Path) -> Row:
    try:
        taken = _read(log, make_log(log, size_bytes=_MEMORY_BYTES, dialect="mysql"))
    finally:
        log.unlink(missing_ok=True)
    return row(
        "capture: largest memory for a general log of 1 GB",
        taken.memory_bytes / _MB,
        "MB",
        peer=("limit", _MEMORY_LIMIT_MB),
        runs=1,
    )


def _read(log: Path, made: Made) -> Taken:
    taken = run([sys.executable, "-m", "tests.bench.read_log", str(log)])
    found = json.loads(taken.output)["statements"]
    if found != made.statements:
        raise SystemExit(f"{found} statements were read of {made.statements} written: no bench.")
    return taken

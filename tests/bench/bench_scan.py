"""How fast outputs are searched for 1,000 captured values, beside grep -F and one pass a needle."""

from __future__ import annotations

import os
import random
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.measure import Row, Taken, row, run, typical

from readiness.anonymize.needles import needles_of
from readiness.anonymize.originals import Originals

VALUES = 1000
_MB = 1_000_000
_SIZE_BYTES = 20 * _MB
_SLICE_BYTES = _MB // 2  # for one pass a needle: it would take minutes for all
_RUNS = 3
_SEED = 20261130
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def scan_rows(folder: Path, say: Callable[[str], None]) -> Iterator[Row]:
    """The rows; the text that is searched is made in `folder` and removed again."""
    text, needles = folder / "bench-scan.sql", folder / "bench-scan.needles"
    make_text(text, size_bytes=_SIZE_BYTES)
    held = invented_values(VALUES)
    say(f"leak scan for {VALUES} values, {_SIZE_BYTES // _MB} MB, {_RUNS} runs")
    try:
        count = _write_needles(needles, held)
        peer = _grep(needles, text) if shutil.which("grep") else None
        for way in ("values", "filter"):
            taken = [_scan(way, text) for _ in range(_RUNS)]
            yield row(
                f"scan: {VALUES} values, all encodings, by {way}",
                _speed(taken, _SIZE_BYTES),
                "MB per CPU second",
                peer=(f"grep -i -F -f ({count:,} needles, folding ASCII only)", peer),
                runs=_RUNS,
            )
        yield _before(text, _speed([_scan("values", text)], _SIZE_BYTES))
    finally:
        text.unlink()
        needles.unlink(missing_ok=True)


def _before(text: Path, ours: float) -> Row:
    """Beside one bytes.find a needle, as this suite itself did before."""
    data = text.read_bytes()[:_SLICE_BYTES]
    text.write_bytes(data)
    slow = _speed([_scan("passes", text)], len(data))
    name = f"scan: {VALUES} values beside one pass a needle"
    return row(name, ours, "MB per CPU second", peer=("bytes.find a needle", slow), runs=1)


def _scan(way: str, text: Path) -> Taken:
    """What the search itself took: reading and making needles is left out by the program."""
    taken = run([sys.executable, "-m", "tests.bench.scan_text", way, str(text)])
    return Taken(float(taken.output), taken.memory_bytes, taken.output)


def _grep(needles: Path, text: Path) -> float:
    """Its time to read the needles is in it: it has no other way."""
    os.environ["LC_ALL"] = "C"
    command = ["sh", "-c", f"grep -c -i -F -f '{needles}' '{text}' || true"]
    return _speed([run(command) for _ in range(_RUNS)], _SIZE_BYTES)


def _speed(taken: list[Taken], size_bytes: int) -> float:
    return size_bytes / _MB / typical(taken)


def _write_needles(path: Path, held: Originals) -> int:
    found = {n.proof for n in needles_of(held).needles if b"\n" not in n.proof}
    path.write_bytes(b"\n".join(sorted(found)) + b"\n")
    return len(found)


def invented_values(count: int) -> Originals:
    """Values of eight kinds, by id."""
    chance = random.Random(_SEED)
    kinds = _kinds(chance)
    made = (kinds[n % len(kinds)]() for n in range(count))
    return Originals({f"v{n}/1": value.encode() for n, value in enumerate(made)})


def make_text(path: Path, *, size_bytes: int) -> None:
    """SQL as a workload has it, one line in twenty with letters beyond ASCII, none of the values."""
    chance = random.Random(_SEED + 1)
    mail, _, ident, *_ = _kinds(chance)
    written = 0
    with path.open("wb") as file:
        while written < size_bytes:
            tail = " -- größer → Zoë" if chance.random() < 0.05 else ""
            line = (
                f"INSERT INTO orders (id, ref, email, at, amount) VALUES ({chance.randrange(10**9)},"
                f" '{ident()}', '{mail()}', '2026-11-30 12:{chance.randrange(60):02d}:00',"
                f" {chance.randrange(1000)}.{chance.randrange(100):02d});{tail}\n"
            )
            written += file.write(line.encode())


def _kinds(chance: random.Random) -> list[Callable[[], str]]:
    def word(length: int) -> str:
        return "".join(chance.choice(_LETTERS) for _ in range(length))

    return [
        lambda: f"{word(6)}.{word(8)}@{word(7)}.example",
        lambda: f"{word(5).title()} {word(8).title()}",
        lambda: str(uuid.UUID(int=chance.getrandbits(128))),
        lambda: str(chance.randrange(10**15, 10**16)),
        lambda: f"+1555{chance.randrange(10**7):07d}",
        lambda: str(chance.randrange(10**4, 10**7)),
        lambda: word(6),
        lambda: f"{word(6)} Straße {chance.randrange(1000)}",
    ]

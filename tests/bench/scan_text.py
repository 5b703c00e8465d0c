"""Searches a text for invented values in a process of its own, as a bench measures it.

Usage: python -m tests.bench.scan_text values|filter|passes FILE     prints CPU seconds
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.bench_scan import VALUES, invented_values

from readiness.anonymize.encodings import Edge, fold
from readiness.anonymize.filter import filter_of, read_filter
from readiness.anonymize.hunt import Hunter
from readiness.anonymize.needles import Needles, needles_of

_KEY = b"a key of benches, known to everybody"


def main() -> None:
    """Refuses to call fast what finds something where nothing is, or misses what is there."""
    way, path = sys.argv[1], Path(sys.argv[2])
    held = invented_values(VALUES)
    search = _search(way, needles_of(held))
    data = path.read_bytes()
    began = time.process_time()
    found = search(data)
    took = time.process_time() - began
    planted = search(data[:1000] + next(iter(held.values.values())))
    if found or not planted:
        raise SystemExit(f"{found} found where nothing is, {planted} where one is: no bench.")
    print(took)


def _search(way: str, needles: Needles) -> Callable[[bytes], int]:
    if way == "passes":
        texts = [(n.proof, n.is_folded) for n in needles.needles if n.edge is not Edge.WORD]
        return lambda data: _passes(data, texts)
    if way == "filter":
        made = filter_of(invented_values(VALUES), _KEY)
        needles = read_filter(made, _KEY, path=Path("bench.filter")).needles
    hunter = Hunter(needles)
    return lambda data: len(hunter.hits(data))


def _passes(data: bytes, texts: list[tuple[bytes, bool]]) -> int:
    folded = fold(data)
    return sum((folded if is_folded else data).find(text) >= 0 for text, is_folded in texts)


if __name__ == "__main__":
    main()

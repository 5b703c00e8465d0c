"""Measures the suite beside its peers: `make bench`. Prints a table, writes .local/bench.json.

`make bench ONLY="load copy"` measures some of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.bench_capture import capture_rows
from tests.bench.bench_copy import copy_rows
from tests.bench.bench_lexer import lexer_rows
from tests.bench.bench_load import load_rows
from tests.bench.bench_masking import masking_rows
from tests.bench.bench_scan import scan_rows
from tests.bench.bench_values import value_rows
from tests.bench.measure import Row, save, table

STATE = Path(".local")


def main() -> None:
    """The benches that are named, or all; each row is saved when it is there."""
    folder = STATE / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "lexer": lambda: lexer_rows(_say),
        "values": lambda: value_rows(_say),
        "capture": lambda: capture_rows(folder, _say),
        "scan": lambda: scan_rows(folder, _say),
        "load": lambda: load_rows(folder, _say),
        "masking": lambda: masking_rows(folder, _say),
        "copy": lambda: copy_rows(folder, _say),
    }
    named = sys.argv[1:] or list(parts)
    if unknown := set(named) - set(parts):
        sys.exit(f"bench: no such part: {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    rows: list[Row] = []
    for name in named:
        for row in parts[name]():
            rows.append(row)
            save(rows, STATE / "bench.json")
    print(table(rows))


def _say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

"""Measures the suite beside its peers: `make bench`. Prints a table, writes .local/bench.json."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path

from tests.bench.bench_capture import capture_rows
from tests.bench.bench_copy import copy_rows
from tests.bench.bench_lexer import lexer_rows
from tests.bench.bench_masking import masking_rows
from tests.bench.bench_scan import scan_rows
from tests.bench.bench_values import value_rows
from tests.bench.measure import save, table

STATE = Path(".local")


def main() -> None:
    """All benches; each row is saved when it is there."""
    folder = STATE / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for row in chain(
        lexer_rows(_say),
        value_rows(_say),
        capture_rows(folder, _say),
        scan_rows(folder, _say),
        masking_rows(folder, _say),
        copy_rows(folder, _say),
    ):
        rows.append(row)
        save(rows, STATE / "bench.json")
    print(table(rows))


def _say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

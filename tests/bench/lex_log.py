"""Cuts the statements of a general log into tokens in a process of its own, as a bench measures it.

Usage: python -m tests.bench.lex_log readiness|sqlglot LOG COUNT     prints what it took as JSON

Only the cutting is timed: imports and the reading of the log are not."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TypeVar

from readiness.capture.sessions import read_capture
from readiness.sql.lexer import lex

Text = TypeVar("Text", bytes, str)


def main() -> None:
    """Counts tokens, so that one that finds nothing is not called fast."""
    which, log, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    statements = [s.sql for t in read_capture(log).transactions for s in t.statements]
    texts = list(islice(cycle(statements), count))
    cpu_s, tokens = _timed(lex, texts) if which == "readiness" else _peer(texts)
    print(json.dumps({"cpu_s": cpu_s, "tokens": tokens}))


def _peer(texts: list[bytes]) -> tuple[float, int]:
    """Its tokenizer reads characters: they are decoded before the clock starts."""
    from sqlglot.dialects.mysql import MySQL

    return _timed(MySQL().tokenize, [t.decode("utf-8", "surrogateescape") for t in texts])


def _timed(cut: Callable[[Text], Sequence[object]], texts: list[Text]) -> tuple[float, int]:
    start = time.process_time()
    tokens = sum(len(cut(text)) for text in texts)
    return time.process_time() - start, tokens


if __name__ == "__main__":
    main()

"""How many captured statements a second the lexer cuts into spans, beside sqlglot's tokenizer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator

from tests.bench.made_log import SAMPLE
from tests.bench.measure import Row, Taken, row, run, typical

_RUNS = 3
_STATEMENTS = 60_000
_LIMIT = 20_000


def lexer_rows(say: Callable[[str], None]) -> Iterator[Row]:
    """The rows: spans beside the peer's tokens, and beside the limit."""
    say(f"lexer: {_STATEMENTS} statements of a captured checkout, {_RUNS} runs")
    ours: list[Taken] = []
    theirs: list[Taken] = []
    for _ in range(_RUNS):  # in turns, so that both meet the same machine
        ours.append(_lexed("readiness"))
        theirs.append(_lexed("sqlglot"))
    speed = _speed(ours)
    unit = "statements per CPU second"
    yield row("lexer: spans", speed, unit, peer=("sqlglot tokenizer", _speed(theirs)), runs=_RUNS)
    yield row("lexer: spans, at least", speed, unit, peer=("limit", _LIMIT), runs=_RUNS)


def _lexed(which: str) -> Taken:
    command = [sys.executable, "-m", "tests.bench.lex_log", which, str(SAMPLE), str(_STATEMENTS)]
    taken = run(command)
    found = json.loads(taken.output)
    return Taken(found["cpu_s"], taken.memory_bytes, taken.output)


def _speed(taken: list[Taken]) -> float:
    return _STATEMENTS / typical(taken)

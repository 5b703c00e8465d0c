"""Draws docs/images/freeze.svg from a real freeze: `.venv/bin/python -m tests.bench.draw_freeze`.

The same private server stands still for 5 of 20 s under two loads of 40 requests a second: arrivals that
come when they are due, and eight clients that wait for their reply before they ask again.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot
from tests.bench.load_engine import Bench, open_bench, reads

from readiness.model.histogram import Histogram, merged
from readiness.model.load import LoadOptions, Stage, Tick

PICTURE = Path("docs/images/freeze.svg")
_SHARES = [*(n / 100 for n in range(100)), *(0.99 + n / 1000 for n in range(10)), 0.9999]
_FREEZE_S, _AT_S = 5.0, 5
_CLIENTS, _RATE = 8, 40.0


def main() -> None:
    """Two loads, two freezes, one picture."""
    with tempfile.TemporaryDirectory() as folder, open_bench(Path(folder) / "bench") as bench:
        opened = _open_loop(bench)
        closed = _closed_loop(bench)
    _draw(opened, closed)


def _open_loop(bench: Bench) -> Histogram:
    stage = Stage("open", _RATE, 20)
    result = bench.load(stage, reads(1), LoadOptions(connections="pooled"), _freezing(bench))
    return merged(tick.checkout for tick in result.ticks)


def _closed_loop(bench: Bench) -> Histogram:
    pause_ms = _CLIENTS / _RATE * 1000
    options = LoadOptions(
        connections="pooled", closed_loop_clients=_CLIENTS, transaction_pause_ms=pause_ms
    )
    result = bench.load(Stage("closed", 0, 20), reads(100), options, _freezing(bench))
    return merged(result.statements.values())


def _freezing(bench: Bench) -> Callable[[Tick, int], None]:
    def look(tick: Tick, _pid: int) -> None:
        if tick.second == _AT_S:
            os.kill(bench.server_pid, signal.SIGSTOP)
            threading.Timer(_FREEZE_S, os.kill, (bench.server_pid, signal.SIGCONT)).start()

    return look


def _draw(opened: Histogram, closed: Histogram) -> None:
    mpl.rcParams.update({"svg.hashsalt": "freeze", "svg.fonttype": "none", "font.size": 9})
    figure, axes = pyplot.subplots(figsize=(7.2, 3.4))
    for histogram, label, color in (
        (opened, "arrivals when they are due: what customers waited", "#b3261e"),
        (closed, "8 clients that wait for their reply: what most tools report", "#3b6ea5"),
    ):
        waited_s = [(histogram.percentile(share) or 0) / 1e9 for share in _SHARES]
        axes.plot([100 * share for share in _SHARES], waited_s, label=label, color=color, lw=2)
    axes.set_xlabel("percent of requests that were at least this fast")
    axes.set_ylabel("seconds")
    axes.set_title("A server that stands still for 5 of 20 s, asked 40 times a second", fontsize=10)
    axes.legend(frameon=False, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()

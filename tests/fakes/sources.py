"""Metric sources, a clock and a SQL session that tests drive by hand."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from readiness.errors import MetricsError, StatementFailed
from readiness.ports import Row


class HandClock:
    """A `ports.Clock` that goes only when told."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic_ns(self) -> int:
        return int(self.now_s * 1e9)

    def wall_s(self) -> float:
        return 1_796_000_000.0 + self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


class CountingSource:
    """A `ports.MetricSource` whose Questions grow by 50 between two readings a second apart."""

    def __init__(self, name: str = "performance_schema") -> None:
        self.name = name
        self.readings = 0
        self.is_closed = False
        self.fails = False
        self.may_answer = threading.Event()
        self.may_answer.set()

    def read(self) -> Mapping[str, float]:
        self.may_answer.wait(10)
        if self.fails:
            raise MetricsError(f"{self.name} is gone.")
        self.readings += 1
        return {"monotonic_s": float(self.readings), "Questions": 50.0 * self.readings}

    def close(self) -> None:
        self.is_closed = True
        if self.fails:
            raise MetricsError(f"{self.name} is gone.")


class ScriptedSession:
    """A `ports.Session`: answers by the first fragment that the SQL holds, refuses `refused`."""

    def __init__(
        self, answers: Mapping[str, Sequence[Row]], *, refused: Sequence[str] = ()
    ) -> None:
        self.answers = dict(answers)
        self.refused = tuple(refused)
        self.asked: list[str] = []
        self.is_closed = False

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        self.asked.append(sql)
        if any(fragment in sql for fragment in self.refused):
            raise StatementFailed("refused", 1227)
        return next((list(rows) for f, rows in self.answers.items() if f in sql), [])

    def close(self) -> None:
        self.is_closed = True

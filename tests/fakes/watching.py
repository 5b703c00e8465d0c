"""Who looks on while a stage runs, and a sampler that tells what the host did at each try."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.analysis.validity import FOREIGN_CPU
from readiness.model.load import Stage, StageResult, Tick
from readiness.model.metrics import Sample, unit_of


class HostSampler:
    """`ports.Sampler`: at try n other processes took the n-th of `foreign_cpu` of the cores."""

    def __init__(self, *foreign_cpu: float) -> None:
        self._foreign_cpu = foreign_cpu
        self.tries = 0

    def start_stage(self, stage: str) -> None:
        self.tries += 1

    def sample(self, stage: str) -> list[Sample]:
        value = self._foreign_cpu[self.tries - 1]
        return [Sample(float(self.tries), stage, FOREIGN_CPU, value, unit_of(FOREIGN_CPU), "host")]

    def close(self) -> None:
        pass


class Notes:
    """A watcher, a gate and a launch in one: `said` is what happened, in order."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def begin(self, stage: Stage) -> None:
        self.said.append(f"begin {stage.name}")

    def update(self, tick: Tick, samples: Sequence[Sample] = ()) -> None:
        self.said.append(f"second {tick.second}")

    def end(self, result: StageResult) -> None:
        self.said.append(f"end {result.stage.name}")

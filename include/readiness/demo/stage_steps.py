"""A ramp watched at the demo's terminal: redrawn where a person looks, else a line a stage."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.cli.live import LiveView
from readiness.demo.steps import Steps
from readiness.model.load import Stage, StageResult, Tick
from readiness.model.metrics import Sample
from readiness.report.measured import measure
from readiness.report.numbers import plain, quantity, significant


class StageSteps:
    """A `flow.ramp.Watcher` that also tells each stage that ended as a step."""

    def __init__(self, view: LiveView, steps: Steps) -> None:
        self._view = view
        self._steps = steps

    def begin(self, stage: Stage) -> None:
        """A stage starts."""
        self._view.begin(stage)

    def update(self, tick: Tick, samples: Sequence[Sample] = ()) -> None:
        """One second of it."""
        self._view.update(tick, samples)

    def end(self, result: StageResult) -> None:
        """It is over: a terminal has its row already."""
        self._view.end(result)
        if not self._view.is_terminal:
            seconds = result.ended_at - result.started_at
            self._steps.done(f"load stage {result.stage.name}", seconds, _stage_fact(result))


def _stage_fact(result: StageResult) -> str:
    figures = measure(result, ())
    rate = significant(figures.achieved_per_s or 0.0)
    commit = quantity(figures.commit_p99_ms, "ms")
    stopped = f"  stopped: {result.aborted_by}" if result.aborted_by else ""
    return plain(f"{rate} of {result.stage.rate_per_s:g}/s   commit p99 {commit}{stopped}")

"""`RunView`: all that a report may know of one run, read back from its folder.

It holds ids, counts and figures only; no captured value has a place in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from readiness.model.load import Stage, StageResult
from readiness.model.metrics import Sample
from readiness.model.run import RunRecord
from readiness.model.verdict import Verdict


@dataclass(frozen=True, slots=True)
class RunView:
    """One run: its record, the stages that began, in order, their samples, and the verdict.

    `statement_kinds` maps statement ids to kinds; `folder` is the run folder as the user would type
    it."""

    record: RunRecord
    results: tuple[StageResult, ...]
    samples: tuple[Sample, ...]
    verdict: Verdict
    statement_kinds: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The planned stages."""
        return self.record.stages

    def result(self, stage: str) -> StageResult | None:
        """What a stage did; None when it never began."""
        return next((r for r in self.results if r.stage.name == stage), None)

    def multiplier(self, rate_per_s: float) -> str:
        """A rate as a multiple of the normal one ("5x"); empty where it is no round one."""
        normal = self.record.normal_rate_per_s
        if normal <= 0 or rate_per_s <= 0:
            return ""
        return multiple(rate_per_s / normal)

    def label(self, stage: str) -> str:
        """A stage as people say it: "5x peak", or its name where that says it all."""
        return label(stage, self._times(stage))

    def brief(self, stage: str) -> str:
        """A stage in the least room: "5x", or its name."""
        return self._times(stage) or stage

    def short(self, stage: str) -> str:
        """A stage in half a sentence ("at 5x"): its multiple where no other stage has that."""
        brief = self.brief(stage)
        same = [s for s in self.stages if self.brief(s.name) == brief]
        return brief if len(same) == 1 else self.label(stage)

    def _times(self, stage: str) -> str:
        planned = next((s for s in self.stages if s.name == stage), None)
        return self.multiplier(planned.rate_per_s) if planned else ""


def multiple(times: float) -> str:
    """ "5x"; empty where it is no round one."""
    is_round = math.isfinite(times) and math.isclose(times, round(times, 2), rel_tol=1e-6)
    return f"{round(times, 2):g}x" if is_round else ""


def label(name: str, multiplier: str) -> str:
    """A stage's name with its multiple in front, unless the name begins with it."""
    return f"{multiplier} {name}" if multiplier and not name.startswith(multiplier) else name

"""A generator on a core that others use is no instrument, and says so itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from tests.integration.load.conftest import Run

from readiness.analysis.validity import validity
from readiness.model.load import Stage
from readiness.model.verdict import ValidityLimits

pytestmark = [pytest.mark.mysql, pytest.mark.long]

RIVALS = 4


@pytest.fixture
def busy_core() -> Iterator[None]:
    """This process, and what it starts from now on, shares one core with busy loops."""
    kept = os.sched_getaffinity(0)
    core = max(kept)
    os.sched_setaffinity(0, {core})
    rivals = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(RIVALS)]
    yield
    for rival in rivals:
        rival.kill()
        rival.wait()
    os.sched_setaffinity(0, kept)


def culprits(result_of: Run, stage: Stage) -> set[str]:
    rules = validity([result_of(stage)], [], ValidityLimits())
    return {rule.culprit for rule in rules if not rule.holds and rule.culprit != "metrics"}


def test_a_busy_core_makes_the_stage_invalid(run: Run, busy_core: None) -> None:
    found = culprits(run, Stage("busy", rate_per_s=60, hold_s=8))
    assert found
    assert found <= {"generator", "host"}


def test_the_same_stage_on_free_cores_is_believed(run: Run) -> None:
    assert culprits(run, Stage("free", rate_per_s=60, hold_s=8)) == set()

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from tests.fakes import runs

from readiness.adapters.charts import ramp_chart_png
from readiness.report.view import RunView


@pytest.mark.parametrize("make", [runs.ready_run, runs.aborted_run, runs.first_run, runs.empty_run])
def test_any_run_can_be_drawn(make: Callable[[], RunView]) -> None:
    png = ramp_chart_png(make())
    width, height = struct.unpack(">II", png[16:24])
    assert png.startswith(b"\x89PNG")
    assert width == 1080
    assert height > 100


def test_the_same_run_gives_the_same_bytes() -> None:
    assert ramp_chart_png(runs.first_run()) == ramp_chart_png(runs.first_run())

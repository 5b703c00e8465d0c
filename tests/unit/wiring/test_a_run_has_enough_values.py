"""Before any load: the checkouts of all stages against the values that the target leaves free."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.errors import WorkloadError
from readiness.model.load import Stage
from readiness.model.workload import Form, Variable, VariableKind, Workload
from readiness.wiring.ramps import require_enough_values
from readiness.wiring.targets import LoadSource
from readiness.workload.make.pools import Pools

REF = Variable("order_ref_0", VariableKind.FRESH, "pattern(9999)", "orders.ref", Form.TEXT, "'1'")


@pytest.fixture
def source(tmp_path: Path) -> LoadSource:
    """Order numbers of four digits under a unique key."""
    workload = Workload("checkout", 3, (REF,), (), ())
    pools = Pools((), unique={"orders.ref": ()})
    return LoadSource(workload, tmp_path / "checkout.sql", pools, "run-1", tmp_path)


def test_the_checkouts_of_all_stages_count(source: LoadSource) -> None:
    stage = Stage("peak", rate_per_s=100.0, hold_s=40.0, ramp_s=10.0)  # 500 + 4,000
    assert require_enough_values(source, [stage]) == ()
    (warning,) = require_enough_values(source, [stage, stage])
    assert "9,000" in warning
    with pytest.raises(WorkloadError, match="13,500"):
        require_enough_values(source, [stage, stage, stage])


def test_those_of_the_calibration_count_too(source: LoadSource) -> None:
    stage = Stage("peak", rate_per_s=100.0, hold_s=90.0)
    require_enough_values(source, [stage], before=1000.0)
    with pytest.raises(WorkloadError, match="@order_ref_0"):
        require_enough_values(source, [stage], before=1000.5)

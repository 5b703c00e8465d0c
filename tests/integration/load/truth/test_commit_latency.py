"""The engine's commit latency against MySQL's own histogram of COMMIT: two clocks, one truth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fakes.engines import binary_of
from tests.integration.load.conftest import Run

from readiness.adapters.local_server import LocalServer
from readiness.analysis.figures import latency_ms
from readiness.model.histogram import merged
from readiness.model.load import Stage
from readiness.ports import Session

pytestmark = [pytest.mark.mysql, pytest.mark.long]

_PS_PER_MS = 1e9


@pytest.fixture(scope="module")
def private_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """MySQL alone: MariaDB keeps no histograms of statements."""
    with LocalServer(tmp_path_factory.mktemp("server"), binary=binary_of("mysql")) as server:
        yield server


def commit_buckets(root: Session) -> dict[float, int]:
    """Upper bound in ms to count, over all schemas; a COMMIT outside of any has a NULL one."""
    rows = root.query(
        "SELECT h.bucket_timer_high, SUM(h.count_bucket)"
        " FROM performance_schema.events_statements_histogram_by_digest h"
        " JOIN performance_schema.events_statements_summary_by_digest d"
        " ON d.digest = h.digest AND d.schema_name <=> h.schema_name"
        " WHERE d.digest_text IN ('COMMIT', 'COMMIT WORK') GROUP BY h.bucket_timer_high"
    )
    return {float(str(high)) / _PS_PER_MS: int(str(count)) for high, count in rows}


def percentile_ms(buckets: dict[float, int], quantile: float) -> float:
    wanted, seen = quantile * sum(buckets.values()), 0
    for high_ms in sorted(buckets):
        seen += buckets[high_ms]
        if seen >= wanted:
            return high_ms
    raise ValueError(quantile)


def test_both_clocks_agree_at_moderate_load(run: Run, root: Session) -> None:
    before = commit_buckets(root)
    result = run(Stage("x", rate_per_s=60, hold_s=15), connections="pooled", pool_size=8)
    own = merged(tick.commit for tick in result.ticks)
    server = {high: n - before.get(high, 0) for high, n in commit_buckets(root).items()}
    assert sum(server.values()) == own.count == 900
    for statistic, quantile, more_ms, ratio in (("p50", 0.5, 0.3, 0.1), ("p99", 0.99, 0.5, 0.2)):
        on_server_ms = percentile_ms(server, quantile)
        assert latency_ms(own, statistic) == pytest.approx(
            on_server_ms, abs=more_ms + ratio * on_server_ms
        ), statistic

"""Law: whatever turns statements have, the server sees of each checkout what its count reaches."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fakes.flows import TextFlow
from tests.fakes.playing import play, steady
from tests.fakes.wire import WireServer

turns = st.lists(st.integers(0, 3), min_size=1, max_size=6)
counts = st.lists(st.integers(0, 3), min_size=1, max_size=3)


@given(turns, counts, st.sampled_from(["pooled", "per-checkout"]), st.sampled_from([0.0, 1.0]))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_each_checkout_sends_its_own_statements_in_order(
    turns: list[int], counts: list[int], connections: str, pacing: float
) -> None:
    texts = [f"[{turn}] SELECT {{n}}, {at}" for at, turn in enumerate(turns)]
    server = WireServer()
    flow = TextFlow(texts, counts=counts, gap_ms=1)
    played = play(flow, server.connect, steady(40, 0.15), connections=connections, pacing=pacing)
    expected = {
        n: [f"SELECT {n}, {at}" for at, turn in enumerate(turns) if turn <= counts[n % len(counts)]]
        for n in range(6)
    }
    sent = [query.decode() for query in server.queries]
    for number, statements in expected.items():
        assert [s for s in sent if s.startswith(f"SELECT {number},")] == statements
    assert (played.report.ok, played.report.errors) == (6, {})
    ran = sum(histogram.count for histogram in played.report.statements.values())
    assert ran == len(sent) == sum(map(len, expected.values()))

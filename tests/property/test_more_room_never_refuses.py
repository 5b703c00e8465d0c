"""Preflight: whatever there is more of, a load that fitted still fits, and all is told at once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.errors import LoadRefused
from readiness.flow.asked import Asked
from readiness.flow.preflight import Crew, Host, Server, findings, require
from readiness.model.load import Stage

RATES = st.floats(0.1, 5000.0)
STAGES = st.lists(
    st.builds(Stage, st.just("x"), RATES, st.floats(1.0, 200.0), st.floats(0.01, 30.0)),
    min_size=1,
    max_size=3,
).map(tuple)
ASKED = st.builds(
    Asked,
    stages=STAGES,
    connections=st.integers(1, 3),
    lasts_s=st.floats(0.0, 30.0),
    idle_s=st.floats(0.0, 200.0),
    statement_bytes=st.integers(1, 10**6),
    in_flight_limit=st.integers(1, 20_000),
    is_pooled=st.booleans(),
    cpu_s=st.none() | st.floats(1e-4, 0.05),
)
SERVERS = st.builds(
    Server,
    max_connections=st.integers(10, 20_000),
    connected=st.integers(0, 100),
    max_user_connections=st.integers(1, 20_000),
    wait_timeout_s=st.floats(1.0, 30_000.0),
    max_allowed_packet_bytes=st.integers(1024, 1 << 26),
)
HOSTS = st.builds(
    Host,
    open_files=st.integers(100, 10**6),
    ports=st.integers(100, 60_000),
    port_rests_s=st.sampled_from([1.0, 60.0]),
    cores=st.integers(1, 64),
)
CREWS = st.builds(Crew, workers=st.integers(1, 8), shards=st.integers(1, 4))
MORE_OF_SERVER = ("max_connections", "max_user_connections", "wait_timeout_s")
MORE = st.integers(1, 10_000)


def refused(asked: Asked, server: Server, host: Host, crew: Crew) -> set[str]:
    return {finding.name for finding in findings([asked], server, host, crew) if finding.refuses}


@given(ASKED, SERVERS, HOSTS, CREWS, MORE)
def test_more_of_anything_refuses_nothing_new(
    asked: Asked, server: Server, host: Host, crew: Crew, more: int
) -> None:
    before = refused(asked, server, host, crew)
    for name in (*MORE_OF_SERVER, "max_allowed_packet_bytes"):
        larger = replace(server, **{name: getattr(server, name) + more})
        assert refused(asked, larger, host, crew) <= before, name
    assert refused(asked, replace(server, max_user_connections=0), host, crew) <= before
    for name in ("open_files", "ports", "cores"):
        wider = replace(host, **{name: getattr(host, name) + more})
        assert refused(asked, server, wider, crew) <= before, name
    assert refused(asked, server, replace(host, ports=None), crew) <= before
    assert refused(asked, server, host, replace(crew, workers=crew.workers + more)) <= before


@given(ASKED, SERVERS, HOSTS, CREWS)
def test_what_is_refused_is_told_all_at_once(
    asked: Asked, server: Server, host: Host, crew: Crew
) -> None:
    found = findings([asked], server, host, crew)
    refusals = [finding for finding in found if finding.refuses]
    if not refusals:
        assert len(require(found)) == len(found)
        return
    with pytest.raises(LoadRefused) as caught:
        require(found)
    assert all(f.text in caught.value.message for f in refusals)
    assert caught.value.hint.splitlines() == [f.remedy for f in refusals]


@given(ASKED, SERVERS, HOSTS, CREWS)
def test_what_a_remedy_of_workers_names_is_enough(
    asked: Asked, server: Server, host: Host, crew: Crew
) -> None:
    if "workers" in refused(asked, server, host, crew):
        cost = asked.rate_per_s * (asked.cpu_s or 0.0)
        enough = replace(crew, workers=int(cost / crew.cpu_ratio) + 1, shards=1)
        assert "workers" not in refused(asked, server, host, enough)

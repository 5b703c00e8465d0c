"""The interlock on real servers: production is refused, its clone is let in, a copy of that is not."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from readiness import interlock
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.adapters.server_binary import ServerBinary
from readiness.model.clone import Clone, Key, Snapshot
from readiness.ports import ProductionEndpoint

pytestmark = pytest.mark.mysql


@pytest.fixture
def clone(clones: LocalClones, snapshot: Snapshot) -> Clone:
    return clones.restore(snapshot, run_id="run-1", variant="base", lease_s=3600)


def keys_of(server: LocalServer, *production: ProductionEndpoint) -> dict[str, Key]:
    endpoint = server.running_state().endpoint
    session = server.root_session()
    try:
        keys = interlock.check(
            session,
            endpoint=endpoint,
            production=production,
            now_s=time.time(),
            is_ours=server.status() is not None,
        )
    finally:
        session.close()
    return {key.name: key for key in keys}


def missing(server: LocalServer, *production: ProductionEndpoint) -> set[str]:
    return {name for name, key in keys_of(server, *production).items() if not key.holds}


def production_endpoint(server: LocalServer) -> ProductionEndpoint:
    session = server.root_session()
    identity = interlock.digest_of(interlock.describe(session))
    session.close()
    return ProductionEndpoint(server.running_state().endpoint, identity)


def test_production_is_refused_and_its_clone_is_let_in(
    production: LocalServer, clones: LocalClones, clone: Clone
) -> None:
    with production:
        known = production_endpoint(production)
        assert missing(production, known) == {"marker", "lease", "identity", "production"}
        assert missing(clones.server(clone.name), known) == set()


def test_a_marker_copied_to_another_server_is_refused(
    clones: LocalClones, clone: Clone, server_binary: ServerBinary, tmp_path: Path
) -> None:
    original = clones.server(clone.name)
    original.stop()
    copy = LocalServer(tmp_path / "copy", binary=server_binary)
    shutil.copytree(original.datadir, copy.datadir)
    with copy:
        assert missing(copy) == {"identity"}


def test_a_foreign_session_keeps_load_out_until_it_ends(clones: LocalClones, clone: Clone) -> None:
    server = clones.server(clone.name)
    admin = server.root_session()
    admin.query("CREATE USER shop_app@'127.0.0.1' IDENTIFIED BY 'p'")
    endpoint = clone.endpoint
    foreign = open_session(host=endpoint.host, port=endpoint.port, user="shop_app", password="p")
    assert "shop_app" in keys_of(server)["quiet"].why
    foreign.close()
    deadline = time.monotonic() + 5
    while missing(server) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert missing(server) == set()
    admin.close()


def test_a_replica_is_refused(clones: LocalClones, clone: Clone) -> None:
    admin = clones.admin_session(clone.name)
    if clones.binary.engine == "mariadb":
        admin.query("CHANGE MASTER TO MASTER_HOST='192.0.2.1', MASTER_USER='r'")
    else:
        admin.query("CHANGE REPLICATION SOURCE TO SOURCE_HOST='192.0.2.1', SOURCE_USER='r'")
    admin.close()
    assert "it is a replica" in keys_of(clones.server(clone.name))["quiet"].why


def test_the_load_user_cannot_vouch_for_its_own_target(clones: LocalClones, clone: Clone) -> None:
    session = open_session(**clones.load_login(clone.name))
    keys = interlock.check(
        session, endpoint=clone.endpoint, production=[], now_s=time.time(), is_ours=True
    )
    session.close()
    assert {key.name for key in keys if not key.holds} == {"marker", "lease", "identity", "quiet"}

"""The interlock on real servers: production is refused, its clone is let in, a copy of that is not."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of
from tests.fakes.forwarder import forwarder
from tests.fakes.load_accounts import PASSWORD, load_dsn

from readiness import interlock
from readiness.adapters.addresses import addresses_of
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.adapters.server_binary import ServerBinary
from readiness.adapters.server_command import ServerOptions
from readiness.config.settings import Settings, production_endpoint
from readiness.errors import TargetRefused
from readiness.interlock import Place, Purpose
from readiness.model.clone import Clone, Endpoint, Key, Snapshot
from readiness.ports import ProductionEndpoint
from readiness.wiring.targets import clone_dsn, gate, keys_of, target_of

pytestmark = pytest.mark.mysql
MASKED = "waived: invented data"


@pytest.fixture
def clone(clones: LocalClones, snapshot: Snapshot) -> Clone:
    restored = clones.restore(snapshot, run_id="run-1", variant="base", lease_s=3600)
    return clones.admit(restored.name, masked=MASKED)


def keys_on(server: LocalServer, *production: ProductionEndpoint) -> dict[str, Key]:
    """All keys, asked as root over the socket; what would load is an account that may not exist."""
    place = Place(
        server.running_state().endpoint, production, is_ours=True, load=server.root_session
    )
    with closing(server.root_session()) as session:
        keys = interlock.check(session, place, now_s=time.time(), purpose=Purpose.MASK)
    return {key.name: key for key in keys}


def missing(server: LocalServer, *production: ProductionEndpoint) -> set[str]:
    return {name for name, key in keys_on(server, *production).items() if not key.holds}


def known_by_id(server: LocalServer) -> ProductionEndpoint:
    with closing(server.root_session()) as session:
        identity = interlock.digest_of(interlock.describe(session))
    return ProductionEndpoint(server.running_state().endpoint, identity)


def settings_of(folder: Path, *production: ProductionEndpoint) -> Settings:
    return Settings(folder, folder, None, production)


def refused(dsn: str, clones: LocalClones, *production: ProductionEndpoint) -> dict[str, Key]:
    """The keys that a load by this DSN lacks."""
    target, settings = target_of(dsn, clones), settings_of(clones.root, *production)
    with target.admin_session() as session:
        keys = keys_of(target, session, settings)
    with pytest.raises(TargetRefused):
        gate(target, settings)()
    return {key.name: key for key in keys if not key.holds}


def test_production_is_refused_and_its_clone_is_let_in(
    production: LocalServer, clones: LocalClones, clone: Clone
) -> None:
    with production:
        known = known_by_id(production)
        names = {"marker", "lease", "identity", "production", "nonce"}
        assert missing(production, known) == names
        assert missing(clones.server(clone.name), known) == set()
        gate(target_of(clone_dsn(clones, clone), clones), settings_of(clones.root, known))()


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
    assert "shop_app" in keys_on(server)["quiet"].why
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
    assert "it is a replica" in keys_on(clones.server(clone.name))["quiet"].why


def test_the_load_user_cannot_vouch_for_its_own_target(clones: LocalClones, clone: Clone) -> None:
    with closing(open_session(**clones.load_login(clone.name))) as session:
        place = Place(clone.endpoint, is_ours=True)
        keys = interlock.check(session, place, now_s=time.time(), purpose=Purpose.MASK)
    names = {"marker", "lease", "identity", "nonce", "quiet"}
    assert {key.name for key in keys if not key.holds} == names


def test_a_clone_that_nobody_masked_gets_no_load(clones: LocalClones, snapshot: Snapshot) -> None:
    clone = clones.restore(snapshot, run_id="run-2", variant="base", lease_s=3600)
    dsn = f"mysql://readiness_load@{clone.endpoint}/shop?password_file=/not/made/yet"
    target = target_of(dsn, clones)
    lacking = refused(dsn, clones)
    assert set(lacking) == {"masked", "account"}
    assert "readiness mask" in lacking["masked"].remedy
    gate(target, settings_of(clones.root), Purpose.MASK)()


def test_nobody_loads_a_clone_as_root(clones: LocalClones, clone: Clone) -> None:
    socket = clones.server(clone.name).running_state().socket
    lacking = refused(f"mysql://root@localhost/shop?socket={socket}", clones)
    assert set(lacking) == {"account"}
    assert "readiness clone list" in lacking["account"].remedy


def test_a_lease_that_has_ended_is_refused(clones: LocalClones, clone: Clone) -> None:
    with closing(clones.admin_session(clone.name)) as admin:
        admin.query("UPDATE readiness_marker.marker SET lease_until = %s", (time.time() - 90,))
    assert set(refused(clone_dsn(clones, clone), clones)) == {"lease"}


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def orders(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A server that may stand for production, or for a clone that somebody else made."""
    folder = tmp_path_factory.mktemp(request.param)
    options = ServerOptions(log_bin=True, extra=("--server-id=815",))
    binary = binary_of(request.param)
    with LocalServer(folder / "server", binary=binary, options=options) as server:
        with closing(server.root_session()) as admin:
            admin.query("CREATE DATABASE shop")
            admin.query("CREATE TABLE shop.t (id INT PRIMARY KEY)")
        yield server


@pytest.fixture
def watch_dsn(orders: LocalServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The DSN of an account on `orders` that may do nothing yet."""
    monkeypatch.setenv("WATCH", PASSWORD)
    with closing(orders.root_session()) as admin:
        admin.query("DROP USER IF EXISTS watch@'127.0.0.1'")
        admin.query(f"CREATE USER watch@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'")
    return f"mysql://watch@127.0.0.1:{orders.running_state().port}/?password_env=WATCH"


def let_watch(orders: LocalServer, grant: str) -> None:
    with closing(orders.root_session()) as admin:
        admin.query(rf"GRANT {grant} TO watch@'127.0.0.1'")


def place_watching(dsn: str, server: LocalServer) -> Place:
    return Place(
        Endpoint("clone.internal", 3306),
        [production_endpoint(dsn)],
        ask=lambda known: open_session(
            host=known.endpoint.host, port=known.endpoint.port, user="watch", password=PASSWORD
        ),
        load=server.root_session,
    )


def nonce_of(clones: LocalClones, clone: Clone, dsn: str) -> Key:
    server = clones.server(clone.name)
    with closing(server.root_session()) as session:
        keys = interlock.check(session, place_watching(dsn, server), now_s=time.time())
    return next(key for key in keys if key.name == "nonce")


def test_a_nonce_is_proven_absent_by_whoever_may_look_and_by_nobody_else(
    clones: LocalClones, clone: Clone, orders: LocalServer, watch_dsn: str
) -> None:
    denied = nonce_of(clones, clone, watch_dsn)
    assert not denied.holds
    (grant,) = [line for line in denied.remedy.splitlines() if "GRANT" in line]
    with closing(orders.root_session()) as admin:
        admin.query(grant)
    assert nonce_of(clones, clone, watch_dsn).holds


def test_an_account_that_sees_all_schemas_proves_that_there_is_no_marker(
    clones: LocalClones, clone: Clone, orders: LocalServer, watch_dsn: str
) -> None:
    let_watch(orders, "SHOW DATABASES ON *.*")
    assert nonce_of(clones, clone, watch_dsn).holds
    with closing(orders.root_session()) as admin:
        admin.query("CREATE DATABASE readiness_marker")
        try:
            assert not nonce_of(clones, clone, watch_dsn).holds
        finally:
            admin.query("DROP DATABASE readiness_marker")


def test_a_nonce_that_stands_on_production_too_is_found(
    clones: LocalClones, clone: Clone, orders: LocalServer, watch_dsn: str
) -> None:
    let_watch(orders, r"SELECT ON `readiness\_marker`.*")
    with closing(clones.admin_session(clone.name)) as session:
        marker = interlock.read_marker(session)
    assert marker
    with closing(orders.root_session()) as admin:
        interlock.write_marker(admin, run_id="copied", now_s=time.time(), lease_s=60)
        try:
            assert nonce_of(clones, clone, watch_dsn).holds
            admin.query("UPDATE readiness_marker.marker SET nonce = %s", (marker.nonce,))
            assert "stands on production" in nonce_of(clones, clone, watch_dsn).why
        finally:
            admin.query("DROP DATABASE readiness_marker")


def test_production_that_is_down_closes_the_gate(clones: LocalClones, clone: Clone) -> None:
    down = production_endpoint("mysql://watch@127.0.0.1:1/")
    assert set(refused(clone_dsn(clones, clone), clones, down)) == {"nonce"}


@pytest.fixture
def adopted(
    orders: LocalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LocalClones]:
    """`orders` as a clone that a person adopted."""
    from readiness.cli.main import main

    monkeypatch.setenv("READINESS_STATE", str(tmp_path))
    monkeypatch.delenv("READINESS_PRODUCTION", raising=False)
    socket = orders.running_state().socket
    words = ("--yes", "--masked", "invented for this test")
    assert main(["clone", "adopt", f"mysql://root@localhost/shop?socket={socket}", *words]) == 0
    yield LocalClones(tmp_path)
    with closing(orders.root_session()) as admin:
        admin.query("DROP DATABASE IF EXISTS readiness_marker")


def test_an_adopted_server_is_loaded_by_an_account_of_its_own(
    orders: LocalServer, adopted: LocalClones
) -> None:
    gate(target_of(load_dsn(orders, "shop"), adopted), settings_of(adopted.root))()
    socket = orders.running_state().socket
    lacking = refused(f"mysql://root@localhost/shop?socket={socket}", adopted)
    assert set(lacking) == {"account"}


def test_the_grants_that_a_refusal_names_are_those_that_let_load_in(
    orders: LocalServer, adopted: LocalClones, monkeypatch: pytest.MonkeyPatch
) -> None:
    socket = orders.running_state().socket
    root = f"mysql://root@localhost/shop?socket={socket}"
    remedy = refused(root, adopted)["account"].remedy
    with closing(orders.root_session()) as admin:
        for user in ("localhost", "127.0.0.1"):
            admin.query(f"DROP USER IF EXISTS readiness_load@'{user}'")
        for line in remedy.splitlines()[1:]:
            admin.query(line.strip().replace("…", PASSWORD))
    monkeypatch.setenv("LOAD", PASSWORD)
    dsn = root.replace("root@", "readiness_load@") + "&password_env=LOAD"
    gate(target_of(dsn, adopted), settings_of(adopted.root))()


@pytest.mark.parametrize(
    ("grant", "told"),
    [
        ("REPLICATION SLAVE ON *.*", "REPLICATION SLAVE on *.*"),
        ("INSERT ON mysql.*", "INSERT on mysql.*"),
        ("UPDATE ON readiness_marker.*", "UPDATE on readiness_marker.*"),
        ("ALL ON `%`.*", "on mysql.*"),
        ("hidden_role", "a role"),
    ],
)
def test_an_account_that_reaches_further_is_told_what_it_may_do(
    orders: LocalServer, adopted: LocalClones, grant: str, told: str
) -> None:
    dsn = load_dsn(orders, "shop")
    with closing(orders.root_session()) as admin:
        admin.query("CREATE ROLE IF NOT EXISTS hidden_role")
        admin.query(f"GRANT {grant} TO readiness_load@'127.0.0.1'")
    lacking = refused(dsn, adopted)
    assert set(lacking) == {"account"}
    assert told in lacking["account"].why


def test_a_tunnel_to_production_is_refused_by_whatever_is_known_of_it(
    orders: LocalServer, clones: LocalClones, watch_dsn: str
) -> None:
    """By nothing at all, too: a loopback port that we started nothing on is no clone."""
    let_watch(orders, r"SELECT ON `readiness\_marker`.*")
    dsn = load_dsn(orders, "shop")
    elsewhere = replace(known_by_id(orders), endpoint=Endpoint("db-1.internal", 3306))
    with forwarder(orders.running_state().port) as port:
        tunnel = dsn.replace(f":{orders.running_state().port}/", f":{port}/")
        assert {"marker", "local"} <= set(refused(tunnel, clones))
        assert "production" in refused(tunnel, clones, elsewhere)
        by_account = refused(tunnel, clones, production_endpoint(watch_dsn))
        assert "server id" in by_account["production"].why


def test_a_tunnel_to_an_adopted_server_is_known_by_its_marker(
    orders: LocalServer, adopted: LocalClones
) -> None:
    dsn = load_dsn(orders, "shop")
    with forwarder(orders.running_state().port) as port:
        tunnel = dsn.replace(f":{orders.running_state().port}/", f":{port}/")
        gate(target_of(tunnel, adopted), settings_of(adopted.root))()


@pytest.mark.parametrize("alias", ["localhost", "127.1", "2130706433", os.uname().nodename])
def test_production_by_another_name_is_production(alias: str) -> None:
    """Whatever leads to this machine leads to one place, beside the same port."""
    place = Place(Endpoint(alias, 3306), resolve=addresses_of)
    found = {e.host for e in (place.endpoint, *addresses_of(place.endpoint))}
    if alias == os.uname().nodename and not addresses_of(place.endpoint):
        assert found == {alias}  # a machine whose own name nobody knows
    else:
        assert interlock.is_loopback(place.endpoint, addresses_of)


def test_a_link_to_the_socket_of_production_is_production(
    orders: LocalServer, clones: LocalClones, tmp_path: Path
) -> None:
    real = orders.running_state().socket
    link = tmp_path / "link.sock"
    link.symlink_to(real)
    lacking = refused(
        f"mysql://root@localhost/shop?socket={link}",
        clones,
        ProductionEndpoint(Endpoint(socket=real)),
    )
    assert "address" in lacking["production"].why


def test_a_server_with_a_replica_is_refused(
    orders: LocalServer, adopted: LocalClones, tmp_path: Path
) -> None:
    """The replica's connection shows in the process list as a dump of the binlog."""
    state = orders.running_state()
    replica = LocalServer(tmp_path / "replica", binary=binary_of(state.engine))
    with closing(orders.root_session()) as admin:
        admin.query("DROP USER IF EXISTS readiness_load@'127.0.0.1'")
        admin.query(f"CREATE USER IF NOT EXISTS repl@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'")
        admin.query("GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'")
    with replica:
        follow(replica, state.port, state.engine)
        deadline = time.monotonic() + 20
        while "quiet" not in missing(orders) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert "replica is connected" in keys_on(orders)["quiet"].why


def follow(replica: LocalServer, port: int, engine: str) -> None:
    with closing(replica.root_session()) as session:
        session.query("SET GLOBAL server_id = 4711")
        if engine == "mariadb":
            session.query(
                f"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={port},"
                f" MASTER_USER='repl', MASTER_PASSWORD='{PASSWORD}'"
            )
            session.query("START SLAVE")
        else:
            session.query(
                f"CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={port},"
                f" SOURCE_USER='repl', SOURCE_PASSWORD='{PASSWORD}', GET_SOURCE_PUBLIC_KEY=1"
            )
            session.query("START REPLICA")

"""TLS is what the target says: encrypted replies of any size arrive, and off is really off."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.fakes.certificates import write_certificate
from tests.fakes.flows import TextFlow
from tests.fakes.playing import play

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_connect import connector
from readiness.adapters.server_binary import ServerBinary
from readiness.adapters.server_command import ServerOptions
from readiness.errors import TargetUnavailable
from readiness.load.messages import Target
from readiness.model.load import Stage

pytestmark = pytest.mark.mysql


@dataclass(frozen=True)
class Secured:
    """A running server that offers TLS, and how to reach it."""

    target: Target

    def with_tls(self, tls: str) -> Target:
        return Target("loader", "", host="127.0.0.1", port=self.target.port, tls=tls)


@pytest.fixture(scope="module")
def secured(
    server_binary: ServerBinary, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = write_certificate(folder)
    options = ServerOptions(extra=(f"--ssl-cert={certificate}", f"--ssl-key={key}"))
    with LocalServer(folder / "server", options=options, binary=server_binary) as server:
        session = server.root_session()
        session.query("CREATE USER loader@'127.0.0.1'")
        session.close()
        port = server.running_state().port
        yield Secured(Target("loader", "", host="127.0.0.1", port=port))


@pytest.mark.parametrize("size", [12_000, 5_000_000])
def test_an_encrypted_reply_of_any_size_is_read_to_its_end(secured: Secured, size: int) -> None:
    flow = TextFlow([f"SELECT REPEAT('x', {size})", "SELECT 1"])
    played = play(flow, connector(secured.with_tls("on")), Stage("x", 5, 1))
    assert (played.report.ok, played.report.errors) == (5, {})


def test_tls_is_off_even_where_the_server_offers_it(secured: Secured) -> None:
    opened, _ = connector(secured.with_tls("off"))()
    with opened:
        assert not isinstance(opened, ssl.SSLSocket)


def test_a_certificate_that_nobody_vouches_for_does_not_pass_verify(secured: Secured) -> None:
    with pytest.raises(TargetUnavailable):
        connector(secured.with_tls("verify"))()

"""A fake server for the interlock: it answers, as a real one would, what it is told about itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from readiness.errors import StatementFailed
from readiness.model.clone import Marker
from readiness.ports import Row

_DENIED = 1227
_TABLE_DENIED = 1142
_NO_TABLE = 1146


@dataclass
class DescribedServer:
    """A `ports.Session` over a server with these properties; `processes` are (user, command)."""

    uuid: str = "uid-of-the-clone"
    datadir: str = "/clones/one/data/"
    hostname: str = "box"
    version: str = "10.11.19-MariaDB"
    user: str = "root@localhost"
    marker: Marker | None = None
    may_read_marker: bool = True
    may_see_others: bool = True
    may_see_replication: bool = True
    is_replica: bool = False
    processes: tuple[tuple[str, str], ...] = ()
    written: list[tuple[str, tuple[object, ...]]] = field(default_factory=list)

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """Answers the interlock's questions; keeps what it writes."""
        if sql.startswith(("CREATE", "DELETE", "INSERT", "UPDATE")):
            self.written.append((sql, tuple(parameters)))
            self._keep_marker(sql, tuple(parameters))
            return []
        if "readiness_marker" in sql:
            return self._marker_rows()
        if "STATUS" in sql:
            return self._replication_rows()
        if "user_privileges" in sql:
            return [(1,)] if self.may_see_others else []
        return self._plain(sql)

    def close(self) -> None:
        """Nothing is open."""

    def _plain(self, sql: str) -> list[Row]:
        own = (1, self.user.partition("@")[0], "localhost", None, "Query", 0, None, None)
        others = [(i, u, "h", None, c, 0, None, None) for i, (u, c) in enumerate(self.processes, 2)]
        answers: dict[str, list[Row]] = {
            "SELECT @@version, @@datadir, @@hostname, @@port": [
                (self.version, self.datadir, self.hostname, 3306)
            ],
            "SELECT @@server_uid": [(self.uuid,)],
            "SELECT @@server_uuid": [(self.uuid,)],
            "SELECT CURRENT_USER()": [(self.user,)],
            "SHOW PROCESSLIST": [own, *others],
        }
        return answers[sql]

    def _marker_rows(self) -> list[Row]:
        if not self.may_read_marker:
            raise StatementFailed("denied", _TABLE_DENIED)
        if self.marker is None:
            raise StatementFailed("no such table", _NO_TABLE)
        m = self.marker
        return [(m.run_id, m.nonce, m.server, m.created_at, m.lease_until)]

    def _replication_rows(self) -> list[Row]:
        if not self.may_see_replication:
            raise StatementFailed("denied", _DENIED)
        return [("a", "replica")] if self.is_replica else []

    def _keep_marker(self, sql: str, parameters: tuple[object, ...]) -> None:
        if sql.startswith("INSERT"):
            run_id, nonce, server, created_at, lease_until = parameters
            self.marker = Marker(
                str(run_id),
                str(nonce),
                str(server),
                float(str(created_at)),
                float(str(lease_until)),
            )

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
LOAD_GRANTS = (
    "GRANT USAGE ON *.* TO `readiness_load`@`%` IDENTIFIED BY PASSWORD '*0'",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON `shop`.* TO `readiness_load`@`%`",
)
ALL_GRANTS = ("GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION",)


@dataclass
class DescribedServer:
    """A `ports.Session` over a server with these properties; `processes` are (user, command)."""

    uuid: str = "uid-of-the-clone"
    datadir: str = "/clones/one/data/"
    hostname: str = "box"
    version: str = "10.11.19-MariaDB"
    user: str = "root@localhost"
    database: str | None = "shop"
    marker: Marker | None = None
    may_read_marker: bool = True
    rights: frozenset[str] = frozenset({"PROCESS", "SHOW DATABASES"})
    may_see_replication: bool = True
    is_replica: bool = False
    processes: tuple[tuple[str, str], ...] = ()
    grants: tuple[str, ...] = ALL_GRANTS
    has_marker_schema: bool = True
    written: list[tuple[str, tuple[object, ...]]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """Answers the interlock's questions; keeps what it writes."""
        self.asked.append(sql)
        if sql.startswith(("CREATE", "DELETE", "DROP", "INSERT", "UPDATE")):
            self.written.append((sql, tuple(parameters)))
            self._keep_marker(sql, tuple(parameters))
            return []
        if "readiness_marker.marker" in sql:
            return self._marker_rows(*parameters)
        if sql.endswith("STATUS"):
            return self._replication_rows()
        if "user_privileges" in sql:
            return [(1,)] if parameters[0] in self.rights else []
        if "schemata" in sql:
            return [(1,)] if self.has_marker_schema else []
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
            "SELECT CONNECTION_ID()": [(1,)],
            "SELECT DATABASE()": [(self.database,)],
            "SHOW PROCESSLIST": [own, *others],
            "SHOW GRANTS": [(line,) for line in self.grants],
        }
        return answers[sql]

    def _marker_rows(self, *nonce: object) -> list[Row]:
        if not self.may_read_marker:
            raise StatementFailed("denied", _TABLE_DENIED)
        if self.marker is None:
            raise StatementFailed("no such table", _NO_TABLE)
        m = self.marker
        if nonce:
            return [(int(m.nonce == nonce[0]),)]
        return [(m.run_id, m.nonce, m.server, m.created_at, m.lease_until, m.masked)]

    def _replication_rows(self) -> list[Row]:
        if not self.may_see_replication:
            raise StatementFailed("denied", _DENIED)
        return [("a", "replica")] if self.is_replica else []

    def _keep_marker(self, sql: str, parameters: tuple[object, ...]) -> None:
        if sql.startswith("DROP"):
            self.marker = None
        if sql.startswith("INSERT"):
            run_id, nonce, server, created_at, lease_until, masked = parameters
            self.marker = Marker(
                str(run_id),
                str(nonce),
                str(server),
                float(str(created_at)),
                float(str(lease_until)),
                str(masked),
            )


def load_account(*grants: str, user: str = "readiness_load@%") -> DescribedServer:
    """A session as an account that was granted these lines, by default what load needs."""
    return DescribedServer(user=user, grants=grants or LOAD_GRANTS)

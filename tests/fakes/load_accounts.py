"""Accounts that tests make on servers of their own, as an administrator is told to."""

from __future__ import annotations

from contextlib import closing

from readiness import interlock
from readiness.adapters.local_server import LocalServer

PASSWORD = "for-tests"
_RIGHTS = "SELECT, INSERT, UPDATE, DELETE, EXECUTE, CREATE TEMPORARY TABLES, LOCK TABLES"


def load_dsn(server: LocalServer, database: str) -> str:
    """The DSN of a load account with what load needs on an adopted server; the account is made, or
    made anew. Its password stands in a file beside the server's data."""
    user, state = f"'{interlock.LOAD_USER}'@'127.0.0.1'", server.running_state()
    views = "SLAVE MONITOR" if state.engine == "mariadb" else "REPLICATION CLIENT"
    with closing(server.root_session()) as admin:
        admin.query(f"DROP USER IF EXISTS {user}")
        admin.query(f"CREATE USER {user} IDENTIFIED BY '{PASSWORD}'")
        admin.query(f"GRANT {_RIGHTS} ON `{database}`.* TO {user}")
        admin.query(rf"GRANT SELECT ON `readiness\_marker`.* TO {user}")
        admin.query(f"GRANT SELECT ON performance_schema.* TO {user}")
        admin.query(f"GRANT PROCESS, {views} ON *.* TO {user}")
    file = server.directory / "load-account.password"
    file.write_text(f"{PASSWORD}\n")
    return f"mysql://{interlock.LOAD_USER}@127.0.0.1:{state.port}/{database}?password_file={file}"

"""Who else is on a server: replicas, its own source, sessions of others."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.errors import StatementFailed
from readiness.interlock.account import replication_view
from readiness.interlock.marker import DENIED
from readiness.interlock.rights import may, quoted_user
from readiness.model.clone import Key, ServerIdentity
from readiness.ports import Row, Session

_SERVER_USERS = {"system user", "event_scheduler", "unauthenticated user"}


def quiet_key(session: Session, identity: ServerIdentity, own_users: frozenset[str]) -> Key:
    """Who else is here. What the account may not see counts as somebody."""
    account = quoted_user(session)
    if not may(session, "PROCESS"):
        why = "other sessions: this account lacks PROCESS and cannot see them"
        return Key("quiet", False, why, _let(account, "PROCESS"))
    try:
        replicates = bool(session.query(_replica_statement(identity)))
    except StatementFailed as error:
        if error.code not in DENIED:
            raise
        right = replication_view(identity.engine)
        return Key("quiet", False, f"replication: this account lacks {right}", _let(account, right))
    trouble = ["it is a replica"] if replicates else []
    user = account[1:].partition("'@'")[0]
    trouble += _company(session.query("SHOW PROCESSLIST"), own_users | {user})
    if trouble:
        remedy = "End what uses it, or take a clone that nobody else uses."
        return Key("quiet", False, "quiet: " + "; ".join(trouble), remedy)
    return Key("quiet", True, "no replica, has no replicas, no foreign sessions")


def sessions_of(session: Session) -> dict[str, int]:
    """How many sessions each user has, our own left out; of all users only with PROCESS."""
    (me,) = session.query("SELECT CONNECTION_ID()")[0]
    rows = [row for row in session.query("SHOW PROCESSLIST") if str(row[0]) != str(me)]
    users = sorted(str(row[1]) for row in rows if str(row[1]) not in _SERVER_USERS)
    return {user: users.count(user) for user in users}


def _let(account: str, right: str) -> str:
    return f"Let the account see it. As administrator:\n  GRANT {right} ON *.* TO {account}"


def _company(processes: Sequence[Row], own_users: frozenset[str]) -> list[str]:
    """What the process list says against quiet; columns 1 and 4 are user and command."""
    users = [str(row[1]) for row in processes]
    replicas = sum(str(row[4]).startswith("Binlog Dump") for row in processes)
    foreign = sorted({u for u in users if u not in own_users and u not in _SERVER_USERS})
    are = "replicas are" if replicas > 1 else "replica is"
    said = [f"{replicas} {are} connected"] if replicas else []
    if foreign:
        count = sum(u in foreign for u in users)
        said.append(f"{count} foreign session{'s' * (count != 1)} of {', '.join(foreign)}")
    return said


def _replica_statement(identity: ServerIdentity) -> str:
    if identity.engine == "mariadb":
        return "SHOW ALL SLAVES STATUS"
    numbers = tuple(int(part) for part in identity.version.split(".")[:3] if part.isdigit())
    return "SHOW REPLICA STATUS" if numbers >= (8, 0, 22) else "SHOW SLAVE STATUS"

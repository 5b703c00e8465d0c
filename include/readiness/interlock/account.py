"""What the load's account may do. It may change rows, and nothing that reaches further.

Refused is what reaches beyond the rows of this server, or opens this very lock:
- replication: it could feed another server, or make this one follow production;
- rights on the whole server other than to look (SELECT, PROCESS, SHOW …, the views of replication):
  there they cover the schemas of the accounts and of the marker, files, other servers;
- any right but to look in the schemas `mysql` and `readiness_marker`, also by a pattern;
- roles, PROXY, and whatever cannot be read: a statement could take on more than stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from readiness.errors import ConfigError, TargetError, TargetUnavailable
from readiness.interlock.identity import describe
from readiness.interlock.marker import LOAD_USER, MARKER_GRANT
from readiness.interlock.rights import Account, Grant, account_of
from readiness.model.clone import MARKER_SCHEMA, Key
from readiness.ports import Session

LOAD_RIGHTS = "SELECT, INSERT, UPDATE, DELETE, EXECUTE, CREATE TEMPORARY TABLES, LOCK TABLES"
_LOOKS = {
    "USAGE",
    "SELECT",
    "SHOW VIEW",
    "SHOW DATABASES",
    "SHOW CREATE ROUTINE",
    "SHOW_ROUTINE",
    "PROCESS",
    "REPLICATION CLIENT",
    "BINLOG MONITOR",
    "SLAVE MONITOR",
    "REPLICA MONITOR",
    "CREATE TEMPORARY TABLES",
    "LOCK TABLES",
}
_GUARDED = ("mysql", MARKER_SCHEMA)
_SHOWN = 3


def account_key(open_load: Callable[[], Session] | None, *, is_ours: bool) -> Key:
    """Whether the account that `open_load` logs in as may do no more than it must. `is_ours`: the
    target is a clone of ours, which has a load user. Raises TargetUnavailable."""
    if open_load is None:
        return Key("account", False, "account: nothing here may ask what it may do")
    try:
        with closing(open_load()) as session:
            account = account_of(session)
            beyond = rights_beyond(account)
            remedy = _OURS if is_ours else _grants(session, account)
    except TargetUnavailable:
        raise
    except (TargetError, ConfigError) as error:
        return Key("account", False, f"account: {error.message.rstrip('.')}", error.hint or _LOG_IN)
    if not beyond:
        return Key(
            "account", True, f"{account.user} may change rows and nothing that reaches further"
        )
    return Key(
        "account", False, f"{account.user} may do more than change rows: {_told(beyond)}", remedy
    )


def unmade_account_key() -> Key:
    """The key of a clone of ours that is not masked yet."""
    return Key("account", False, "account: a clone gets its load user once it is masked")


def rights_beyond(account: Account) -> list[str]:
    """What the account may do that load must not, each once; replication first."""
    found = [right for grant in account.grants for right in _beyond(grant)]
    return sorted(dict.fromkeys([*found, *account.others]), key=_gravity)


def _beyond(grant: Grant) -> list[str]:
    guarded = ["*.*"] if grant.schema == "*" else [f"{s}.*" for s in _GUARDED if grant.covers(s)]
    if not guarded:
        return []
    rights = [right for right in grant.rights if right not in _LOOKS]
    rights += ["GRANT OPTION"] if grant.may_hand_on else []
    return [f"{right} on {guarded[0]}" for right in rights]


def _gravity(said: str) -> int:
    grave = ("ALL PRIVILEGES", "REPLICATION", "BINLOG", "SUPER", "CLONE", "GROUP_REPLICATION")
    return 0 if said.startswith(grave) else 1


def _told(beyond: list[str]) -> str:
    more = len(beyond) - _SHOWN
    return ", ".join(beyond[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


_LOG_IN = "Name an account in the DSN that may log in."
_OURS = "Load as the clone's own load user, by the DSN that is printed by:\n  readiness clone list"


def _grants(session: Session, account: Account) -> str:
    """What to type, as administrator of the clone, for an account that may do no more than it must."""
    database = session.query("SELECT DATABASE()")[0][0]
    schema = str(database).replace("`", "``").replace("_", r"\_") if database else "DATABASE"
    host = account.user.rpartition("@")[2]
    load, views = f"'{LOAD_USER}'@{host}", replication_view(describe(session).engine)
    return "\n".join(
        [
            "Load as an account of its own. As administrator of the clone:",
            f"  CREATE USER {load} IDENTIFIED BY '…'",
            f"  GRANT {LOAD_RIGHTS} ON `{schema}`.* TO {load}",
            f"  GRANT SELECT ON {MARKER_GRANT} TO {load}",
            f"  GRANT SELECT ON performance_schema.* TO {load}",
            f"  GRANT PROCESS, {views} ON *.* TO {load}",
        ]
    )


def replication_view(engine: str) -> str:
    """The right to see whether a server replicates."""
    return "SLAVE MONITOR" if engine == "mariadb" else "REPLICATION CLIENT"

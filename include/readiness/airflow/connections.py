"""What Airflow's connections name: a database, and the channel that hears of runs.

A password or token stays in this process: it is in no argument, XCom, log or message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from airflow.sdk import BaseHook, Connection
from airflow.sdk.exceptions import (
    AirflowException,
    AirflowNotFoundException,
    AirflowRuntimeError,
)

from readiness.adapters.mysql_session import Login, login_of
from readiness.config.dsn import Dsn
from readiness.config.settings import Settings
from readiness.errors import ConfigError
from readiness.flow.announce import Desk
from readiness.wiring.messages import desk_of

SLACK_CONN_ID = "slack_default"
_ID = re.compile(r"[A-Za-z0-9_.-]{1,250}")
_TYPES = ("mysql", "mariadb", "generic")
_OPTIONS = ("socket", "tls")


@dataclass(frozen=True, slots=True)
class Database:
    """Where a database is and who logs in. The password is in no `repr`."""

    dsn: Dsn
    password: str = field(repr=False)

    def login(self) -> Login:
        """How to open a session."""
        return Login(**{**login_of(self.dsn), "password": self.password})


def database_of(text: str) -> Database:
    """The database that a DSN or a connection id names. Raises ConfigError, without the text."""
    if "://" in text:
        dsn = Dsn.parse(text)
        return Database(dsn, dsn.password())
    return of_connection(connection(text))


def connection(conn_id: str) -> Connection:
    """The Airflow connection of that id. Raises ConfigError when there is none."""
    if not _ID.fullmatch(conn_id):
        raise ConfigError(
            "This is neither a DSN nor the id of an Airflow connection.",
            hint="mysql://user@host:port/database?password_env=NAME, or an id of Admin > Connections.",
        )
    try:
        return BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        raise ConfigError(
            f"Airflow has no connection {conn_id}.",
            hint=f"Admin > Connections, or the variable AIRFLOW_CONN_{conn_id.upper()}.",
        ) from None


def slack_desk(settings: Settings, *, run_path: str = "") -> Desk:
    """Slack by the connection `slack_default`: its password is the token; extra may hold `channel`
    and `base_url` (of the Web API). Without it: what the variables say, else the outbox.

    Never raises: a channel that cannot be had must not keep a run from its end."""
    try:
        known = BaseHook.get_connection(SLACK_CONN_ID)
        extra = known.extra_dejson
    except (AirflowException, AirflowRuntimeError, OSError, ValueError):
        return desk_of(settings, run_path=run_path)
    return desk_of(
        settings,
        token=known.password or "",
        channel=str(extra.get("channel") or ""),
        api_url=str(extra.get("base_url") or ""),
        run_path=run_path,
    )


def of_connection(known: Connection) -> Database:
    """The database of a connection: host, port, login, schema; extra may hold `tls` and `socket`.

    Raises ConfigError naming the connection and what it lacks."""
    kind = known.conn_type or "generic"
    if kind not in _TYPES:
        raise ConfigError(
            f"The connection {known.conn_id} is of type {kind}.",
            hint=f"Types of a database here: {', '.join(_TYPES)}.",
        )
    if not known.login:
        raise ConfigError(
            f"The connection {known.conn_id} has no login.",
            hint="Admin > Connections: fill in the login, an account of the database.",
        )
    try:
        return Database(Dsn.parse(_text(known)), known.password or "")
    except ConfigError as error:
        raise ConfigError(
            f"The connection {known.conn_id} cannot be used. {error.message}", hint=error.hint
        ) from None


def _text(known: Connection) -> str:
    """The connection as a DSN, without its password."""
    host = f"[{known.host}]" if ":" in (known.host or "") else known.host or ""
    port = f":{known.port}" if known.port else ""
    options = urlencode(_options(known.extra_dejson))
    return f"mysql://{quote(known.login or '', safe='')}@{host}{port}/{_schema(known)}?{options}"


def _schema(known: Connection) -> str:
    return quote(known.schema or "", safe="")


def _options(extra: Mapping[str, object]) -> dict[str, str]:
    return {name: str(extra[name]) for name in _OPTIONS if extra.get(name)}

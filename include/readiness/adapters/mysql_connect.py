"""Opens sockets for the load engine: PyMySQL logs in by any method it knows, then lets go.

TLS is what the target says and nothing else: PyMySQL turns it on by itself where the server offers
it, which costs more CPU than a whole checkout. One TLS context serves all connections.
"""

from __future__ import annotations

import re
import socket
from typing import Any

import pymysql
from pymysql.constants import CLIENT, ER

from readiness.adapters.mysql_session import tls_context
from readiness.errors import TargetError, TargetUnavailable
from readiness.load.messages import Target
from readiness.ports import Capabilities, Connector

TIMEOUT_S = 10.0  # for each step of the login: a frozen server must not hold a thread for ever

_SET_NAMES = re.compile(r"""NAMES\s+['"]?(\w+)['"]?(?:\s+COLLATE\s+['"]?(\w+))?""", re.IGNORECASE)
_ACCESS = {ER.ACCESS_DENIED_ERROR, ER.DBACCESS_DENIED_ERROR, ER.BAD_DB_ERROR}


def connector(target: Target, *, set_names: str = "") -> Connector:
    """`connect() -> (socket, capabilities)` for this target, safe to call from several threads.

    Besides the login a connection costs the server one SET NAMES: the captured one (`set_names`, the
    whole statement), else utf8mb4. Raises ConfigError at once for a `tls` that is not off, on or
    verify; `connect` raises TargetError and TargetUnavailable."""
    context = tls_context(target.tls)
    charset, collation = _charset(set_names)

    def connect() -> tuple[socket.socket, Capabilities]:
        try:
            connection = pymysql.connect(
                host=target.host or "127.0.0.1",
                port=target.port or 3306,
                unix_socket=target.socket or None,
                user=target.user,
                password=target.password,
                database=target.database or None,
                charset=charset,
                collation=collation or None,
                autocommit=True,
                ssl=context,
                ssl_disabled=context is None,
                connect_timeout=TIMEOUT_S,
                read_timeout=TIMEOUT_S,
                write_timeout=TIMEOUT_S,
            )
        except (pymysql.MySQLError, OSError, RuntimeError) as error:
            raise _refusal(error, target) from None
        return _let_go(connection)

    return connect


def _charset(set_names: str) -> tuple[str, str]:
    found = _SET_NAMES.search(set_names)
    return (found[1].lower(), (found[2] or "").lower()) if found else ("utf8mb4", "")


def _let_go(
    connection: pymysql.Connection[pymysql.cursors.Cursor],
) -> tuple[socket.socket, Capabilities]:
    """Takes the socket out of PyMySQL's connection, which from then on counts as closed."""
    held: Any = connection  # no public way leads to the socket
    taken: socket.socket = held._sock
    held._rfile.close()
    held._rfile = held._sock = None
    held._closed = True
    return taken, Capabilities(deprecate_eof=bool(held.client_flag & CLIENT.DEPRECATE_EOF))


def _refusal(error: Exception, target: Target) -> TargetError:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    where = target.socket or f"{target.host}:{target.port}"
    if code in _ACCESS:
        return TargetError(
            f"{where} does not let user {target.user} into database {target.database}"
            f" (error {code}).",
            hint="Give the password by password_file=… or password_env=… in the DSN.",
        )
    return TargetUnavailable(
        f"{where} takes no connection" + (f" (error {code})." if code else "."),
        hint="Is the server up, and is max_connections high enough?",
        code=code,
    )

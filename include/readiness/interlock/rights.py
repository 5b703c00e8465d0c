"""What an account may do, as the server itself says it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from readiness.ports import Session

_NAME = r"(?:`(?:[^`]|``)*`|\"(?:[^\"]|\"\")*\")"
_GRANT = re.compile(
    rf"GRANT (?P<rights>.+?) ON (?:TABLE |FUNCTION |PROCEDURE |PACKAGE BODY |PACKAGE )?"
    rf"(?P<schema>\*|{_NAME})\.(?:\*|{_NAME}) TO .*",
    re.DOTALL,
)
_COLUMNS = re.compile(r"\s*\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Grant:
    """Rights in one place. `schema` is "*" for the whole server, or a pattern in which `_` and `%`
    stand for others unless escaped, as the server takes it."""

    rights: tuple[str, ...]
    schema: str
    may_hand_on: bool = False

    def covers(self, schema: str) -> bool:
        """Whether the rights reach into the schema of that name."""
        return self.schema == "*" or re.fullmatch(_like(self.schema), schema) is not None


@dataclass(frozen=True, slots=True)
class Account:
    """An account with all it was granted. `others` are kinds of grant that are no rights in a place:
    "a role", "PROXY", or "a grant that cannot be read"."""

    user: str  # as a GRANT writes it
    grants: tuple[Grant, ...]
    others: tuple[str, ...]


def may(session: Session, right: str) -> bool:
    """Whether the session's account has the right on the whole server."""
    rows = session.query(
        "SELECT 1 FROM information_schema.user_privileges"
        " WHERE privilege_type = %s AND grantee = %s",
        (right, quoted_user(session)),
    )
    return bool(rows)


def quoted_user(session: Session) -> str:
    """The session's account as a GRANT writes it: `'load'@'10.0.0.%'`."""
    user, _, host = str(session.query("SELECT CURRENT_USER()")[0][0]).rpartition("@")
    return f"'{user}'@'{host}'"


def account_of(session: Session) -> Account:
    """The session's account. What its lines hold beside rights (a password's hash) is not kept."""
    lines = [str(row[0]) for row in session.query("SHOW GRANTS")]
    read = list(_read(lines))
    return Account(
        quoted_user(session),
        tuple(g for g in read if isinstance(g, Grant)),
        tuple(dict.fromkeys(g for g in read if isinstance(g, str))),
    )


def _read(lines: list[str]) -> Iterator[Grant | str]:
    for line in lines:
        found = _GRANT.fullmatch(line)
        if line.startswith(("REVOKE ", "SET DEFAULT ROLE ")):
            continue  # takes away, or repeats
        if line.startswith("GRANT PROXY ON "):
            yield "PROXY"
        elif found:
            yield Grant(
                _rights(found["rights"]),
                _unquoted(found["schema"]),
                may_hand_on=" WITH GRANT OPTION" in line[found.end("schema") :],
            )
        else:
            yield "a role" if line.startswith("GRANT ") else "a grant that cannot be read"


def _rights(text: str) -> tuple[str, ...]:
    """`SELECT (a, b), UPDATE (c)` → SELECT, UPDATE."""
    return tuple(right.strip().upper() for right in _COLUMNS.sub("", text).split(","))


def _unquoted(name: str) -> str:
    if name == "*":
        return name
    return name[1:-1].replace(2 * name[0], name[0])


def _like(pattern: str) -> str:
    """A LIKE pattern as a regular expression."""
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    return "".join(wild.get(p) or re.escape(p[-1]) for p in parts)

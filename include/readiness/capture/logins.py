"""Who a session belongs to, from the text of a Connect or Change user record."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_LOGIN = re.compile(
    r"(?P<user>.*)@(?P<host>[^@]*?)(?: as .*?)? on (?P<schema>.*?)(?: using [^ ]+)?", re.DOTALL
)


class Login(NamedTuple):
    """A user and the schema it starts in ("" for none)."""

    user: str
    schema: str


@lru_cache(maxsize=1024)  # applications log in again and again
def parse_login(argument: bytes) -> Login | None:
    """`app@localhost on checkout using TCP/IP`; None when the server refused the login."""
    found = _LOGIN.fullmatch(argument.decode("utf-8", "replace"))
    return Login(found["user"], found["schema"]) if found else None

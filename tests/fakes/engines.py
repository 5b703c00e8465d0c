"""The database servers that a test of both engines runs on."""

from __future__ import annotations

import os

import pytest

from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.errors import ServerError


def binary_of(engine: str) -> ServerBinary:
    """READINESS_MYSQLD names either engine; the other is looked for without it.

    A MySQL that is nowhere skips with the reason: it is in no Debian suite that the tests may use;
    MariaDB is what set-up installs, so CI fails without it."""
    unnamed = {name: value for name, value in os.environ.items() if name != "READINESS_MYSQLD"}
    missing = ""
    for environ in (None, unnamed):
        try:
            return find_server(engine=engine, environ=environ)
        except ServerError as error:
            missing = error.message
    if engine == "mariadb" and os.environ.get("CI"):
        pytest.fail(f"CI must not skip: {missing}")
    pytest.skip(
        f"not tried on {engine}: set-up installs MariaDB, and no {engine} server can stand beside it from"
        f" the same Debian suite. Tried on both by:  READINESS_MYSQLD=/path/to/mysqld make test. {missing}"
    )

"""The transaction that all generators run: 60 statements, and how a script makes their values.

Needs the standard library alone, since a peer runs it in an environment of its own.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator

INSERTS, READS = 14, 44
STATEMENTS = INSERTS + READS + 2
ITEMS = 10_000
INSERT = "INSERT INTO orders (item, note) VALUES ({}, '{}')"
_number = random.Random(1).randint
READ = "SELECT id, name FROM items WHERE id = {}"


def transaction() -> Iterator[str]:
    """The statements of one checkout, with new values."""
    yield "BEGIN"
    for _ in range(INSERTS):
        yield INSERT.format(_number(1, ITEMS), secrets.token_hex(16))
    for _ in range(READS):
        yield READ.format(_number(1, ITEMS))
    yield "COMMIT"

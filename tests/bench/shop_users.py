"""The demo shop's table of users, filled by an application's order, and the ways to mask it."""

from __future__ import annotations

import hashlib
import random
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from readiness.demo import words
from readiness.flow.looks import LOOKS
from readiness.masking import sql
from readiness.masking.catalogue import read_catalogue
from readiness.masking.plan.derived_check import verified
from readiness.masking.plan.planning import plan_masking
from readiness.masking.plan.sampling import sample_rows
from readiness.masking.run.session import prepare
from readiness.masking.run.tables import mask_tables
from readiness.masking.sql.collisions import settle
from readiness.model.catalogue import Catalogue
from readiness.model.masking import MaskPlan
from readiness.ports import Session

KEY = "ab" * 32
STEP = 2_000
_SCHEMA = Path(__file__).parents[2] / "include/readiness/demo/schema.sql"
_HASH = "SHA2(CONCAT(@readiness_key, {}), 256)"
# What one would write by hand: a hash for each value, cut to length, and no other promise kept.
BARE = {
    "email": f"CONCAT(LEFT({_HASH.format('email')}, CHAR_LENGTH(email) - 12), '@example.com')",
    "email_sha256": "SHA2(email, 256)",  # an UPDATE sets from left to right
    "email_domain": "'example.com'",
    "phone": f"CONCAT('+1', LPAD(CONV(LEFT({_HASH.format('phone')}, 8), 16, 10), 10, '2'))",
    "first_name": f"LEFT({_HASH.format('first_name')}, CHAR_LENGTH(first_name))",
    "last_name": f"LEFT({_HASH.format('last_name')}, CHAR_LENGTH(last_name))",
    "search_name": "UPPER(CONCAT(first_name, ' ', last_name))",
    "date_of_birth": "date_of_birth + INTERVAL MOD(CONV(LEFT(SHA2(CONCAT(@readiness_key,"
    " date_of_birth), 256), 8), 16, 10), 300) DAY",
}


@dataclass(frozen=True, slots=True)
class Planned:
    """What masking decides of the table before it changes anything."""

    catalogue: Catalogue
    plan: MaskPlan


def make_users(session: Session, rows: int) -> None:
    """The table `original`: rows come one by one, so pages of indexes are as full as they become."""
    session.query(definition("original"))
    made = list(_users(rows))
    for at in range(0, rows, STEP):
        part = made[at : at + STEP]
        places = ", ".join(["(" + ", ".join(["%s"] * len(part[0])) + ")"] * len(part))
        session.query(f"INSERT INTO original VALUES {places}", [v for row in part for v in row])


def definition(name: str) -> str:
    """CREATE TABLE as the demo has it."""
    text = _SCHEMA.read_text()
    start = text.index("CREATE TABLE users (")
    return text[start : text.index(";", start)].replace("users (", f"{name} (", 1)


def planned(session: Session) -> Planned:
    """The plan of `users` that no policy helps with, settled."""
    catalogue = read_catalogue(session, "shop")
    plan = plan_masking(catalogue, {}, LOOKS, lambda table: sample_rows(session, catalogue, table))
    own = tuple(c for c in plan.columns if c.table == "users")
    found = MaskPlan(plan.database, plan.policy, own)
    return Planned(catalogue, settle(session, catalogue, verified(session, catalogue, found)))


def mask(server_session: Session, work: Planned) -> None:
    """As `readiness mask` does, between plan and proof."""
    mask_tables(
        lambda: server_session, work.catalogue, work.plan, key_hex=KEY, progress=_quiet, sql=sql
    )


def bare_update(columns: Sequence[str]) -> str:
    """One UPDATE of these columns, all indexes in place. What is made from others comes behind them."""
    return "UPDATE users SET " + ", ".join(f"{c} = {s}" for c, s in BARE.items() if c in columns)


def ready(session: Session) -> None:
    """As a masking session is."""
    prepare(session)
    session.query(*sql.key_statement(KEY))


def hashed(value: object) -> str:
    """A keyed hash made in Python."""
    return hashlib.sha256(f"{KEY}{value}".encode()).hexdigest()


def _users(count: int) -> Iterator[tuple[str, ...]]:
    draw = random.Random(7)
    for n in range(count):
        first, last = draw.choice(words.FIRST_NAMES), draw.choice(words.LAST_NAMES)
        domain = draw.choice(words.EMAIL_DOMAINS)
        email = f"{first.lower()}.{last.lower()}{n}@{domain}"
        at = f"2026-{1 + n * 12 // count:02d}-01 10:00:00.{n % 10**6:06d}"
        yield (
            str(uuid.UUID(int=draw.getrandbits(128), version=4)), f"usr_{draw.getrandbits(64):016x}",
            email, hashlib.sha256(email.encode()).hexdigest(), domain,
            f"+1{draw.randrange(2 * 10**9, 10**10)}", first, last, f"{first} {last}".upper(),
            f"{draw.randrange(1946, 2005)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}",
            "active", "1", at, at,
        )  # fmt: skip


def _quiet(_: str) -> None:
    """Tells nobody."""

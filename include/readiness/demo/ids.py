"""Identifiers as the invented shop makes them, from a seeded random source."""

from __future__ import annotations

import random
import uuid

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SHOP_EPOCH_MS = 1_577_836_800_000  # 2020-01-01
_SEQUENCES_PER_MS = 4096
_WORKERS = 1024


def uuid4(rng: random.Random) -> str:
    """A random UUID in its text form of 36 characters."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def ulid(rng: random.Random, at_ms: int) -> str:
    """A ULID of 26 characters that sorts by its time."""
    head = "".join(CROCKFORD[(at_ms >> shift) & 31] for shift in range(45, -1, -5))
    return head + symbols(rng, 16)


def snowflake(rng: random.Random, at_ms: int) -> int:
    """A 63-bit integer that sorts by its time: milliseconds, worker, sequence."""
    tail = rng.randrange(_WORKERS) * _SEQUENCES_PER_MS + rng.randrange(_SEQUENCES_PER_MS)
    return ((at_ms - _SHOP_EPOCH_MS) << 22) | tail


def symbols(rng: random.Random, length: int) -> str:
    """`length` random Crockford symbols."""
    return "".join(rng.choices(CROCKFORD, k=length))


def hex_text(rng: random.Random, digits: int) -> str:
    """`digits` random lower-case hexadecimal digits."""
    return f"{rng.getrandbits(4 * digits):0{digits}x}"

"""Makes a large general log: one captured checkout again and again, several at a time.

Deterministic for a size and a dialect. Ids differ from checkout to checkout, so that nothing can be
answered from memory; eight checkouts run at once, so that sessions interleave.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SAMPLE = Path(__file__).parents[1] / "samples" / "checkout-captures" / "checkout_general.log"
_RECORD = re.compile(
    rb"^(?:\d{6} [ \d]\d:\d\d:\d\d|\t)\t *(\d+) ([A-Z][A-Za-z ]*)\t(.*)$", re.MULTILINE
)
_ID = re.compile(rb"(?<=')[0-9a-f-]{16,}(?=')|\b\d{9,}\b")
_AT_ONCE = 8
_STEP_US = 700
_BEGAN_S = 43_000  # of the day
_THREADS = 10  # between the connections of one checkout and the next

Record = tuple[int, bytes, bytes]


class Made(NamedTuple):
    """What was written: checkouts, records, and statements (Query and Execute)."""

    checkouts: int
    records: int
    statements: int


def make_log(path: Path, *, size_bytes: int, dialect: str) -> Made:
    """Writes a log of at least this size; `dialect` is mysql or mariadb."""
    shape = [(int(t), c, a) for t, c, a in _RECORD.findall(SAMPLE.read_bytes())]
    render = {"mysql": _mysql, "mariadb": _mariadb}[dialect]
    checkouts = records = statements = written = 0
    running: list[Iterator[Record]] = []
    chance = random.Random(20261130)  # a seed, no secret
    with path.open("wb") as file:
        while running or written < size_bytes:
            while len(running) < _AT_ONCE and written < size_bytes:
                running.append(_checkout(shape, checkouts, chance))
                checkouts += 1
            flow = chance.choice(running)
            record = next(flow, None)
            if record is None:
                running.remove(flow)
                continue
            written += file.write(render(records, record))
            records += 1
            statements += record[1] in (b"Query", b"Execute")
    return Made(checkouts, records, statements)


def _checkout(shape: list[Record], number: int, chance: random.Random) -> Iterator[Record]:
    """The captured records with connections and ids of this checkout's own."""
    swap = bytes.maketrans(b"123456789", bytes(chance.sample(b"123456789", 9)))
    for thread, command, text in shape:
        own = _ID.sub(lambda found: found[0].translate(swap), text)
        yield thread + number * _THREADS, command, own


def _clock(number: int) -> tuple[bytes, int]:
    second, micro = divmod(number * _STEP_US, 1_000_000)
    minute, second = divmod(_BEGAN_S + second, 60)
    return b"%02d:%02d:%02d" % (minute // 60 % 24, minute % 60, second), micro


def _mysql(number: int, record: Record) -> bytes:
    return b"2026-11-30T%s.%06dZ\t%5d %s\t%s\n" % (*_clock(number), *record)


def _mariadb(number: int, record: Record) -> bytes:
    now, _ = _clock(number)
    is_new = number == 0 or now != _clock(number - 1)[0]
    time = b"261130 %s\t" % now if is_new else b"\t\t"
    return b"%s%6d %s\t%s\n" % (time, *record)

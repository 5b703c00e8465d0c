"""Logs as disks, networks and attackers leave them: cut, doubled, spliced, or made to be slow."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Sequence

Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]

# What is hard for a reader of records or of SQL when there is much of it.
FRAGMENTS = (
    b"'", b'"', b"`", b"\\", b"''", b"\\'", b"/*", b"*/", b"/*!", b"/*!50000 ", b"/*+", b"--", b"-- ",
    b"#", b";", b"; ", b"(", b")", b"@", b"@@", b"@`", b"@'", b"_utf8", b"x'", b"0x", b"b'", b"1e",
    b".", b",", b"\t", b"\n", b"\r\n", b"\0", b"\xff", b"\xf0\x9f", b" ", b"$", b"PREPARE s FROM ",
    b"EXECUTE s ", b"BEGIN;", b"COMMIT", b"XA ", b"SET @@sql_mode=", b"'ANSI_QUOTES'", b"readiness:begin ",
    b"\n# Time: ", b"\n# User@Host: ", b"\nuse ", b"\nSET timestamp=", b"# administrator command: ",
    b"\t\t    7 Query\t", b"\n\t\t    7 Query\t", b"261130 11:14:12\t    7 Query\t",
    b"\n2026-11-30T11:12:51.411102Z\t    7 Query\t", b"20261130 11:14:12,", b"\\n", b"\\N", b"\\x", b"\",\"",
)  # fmt: skip


def _lines(raw: bytes) -> list[bytes]:
    return raw.split(b"\n")


def _some(chance: random.Random, lines: Sequence[bytes]) -> slice:
    start = chance.randrange(len(lines))
    return slice(start, start + chance.randrange(1, 9))


def _cut(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    start, end = sorted(chance.choices(range(len(raw) + 1), k=2))
    return raw[start:] if chance.random() < 0.3 else raw[:end]


def _drop_lines(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    lines = _lines(raw)
    del lines[_some(chance, lines)]
    return b"\n".join(lines)


def _double_lines(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    lines = _lines(raw)
    there = chance.randrange(len(lines))
    lines[there:there] = lines[_some(chance, lines)]
    return b"\n".join(lines)


def _swap_lines(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    lines = _lines(raw)
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _splice(chance: random.Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    lines, donor = _lines(raw), _lines(chance.choice(others))
    there = chance.randrange(len(lines))
    lines[there:there] = donor[_some(chance, donor)]
    return b"\n".join(lines)


def _put_fragment(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    there = chance.randrange(len(raw) + 1)
    return raw[:there] + chance.choice(FRAGMENTS) * chance.choice((1, 1, 1, 2, 40)) + raw[there:]


def _change_bytes(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    changed = bytearray(raw)
    for _unused in range(chance.randrange(1, 20) if changed else 0):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _change_number(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    numbers = list(re.finditer(rb"\d+", raw))
    if not numbers:
        return raw
    found = chance.choice(numbers)
    grown = chance.choice((b"", b"0", b"-1", b"99999999999999999999999", b"18446744073709551615.5"))
    return raw[: found.start()] + grown + raw[found.end() :]


def _windows_ends(chance: random.Random, raw: bytes, _: Sequence[bytes]) -> bytes:
    return raw.replace(b"\n", b"\r\n", chance.randrange(1, 50))


MUTATIONS: tuple[Mutation, ...] = (
    _cut,
    _drop_lines,
    _double_lines,
    _swap_lines,
    _splice,
    _put_fragment,
    _change_bytes,
    _change_number,
    _windows_ends,
)


def mutate(chance: random.Random, samples: Sequence[bytes]) -> bytes:
    """One sample after one to six mutations."""
    raw = chance.choice(samples)
    for mutation in chance.choices(MUTATIONS, k=chance.randrange(1, 7)):
        raw = mutation(chance, raw, samples) or b"\n"
    return raw


def packed(chance: random.Random, samples: Sequence[bytes]) -> bytes:
    """A gzip file of one sample, cut or with changed bytes."""
    raw = gzip.compress(chance.choice(samples), 1, mtime=0)
    return chance.choice((_cut, _change_bytes))(chance, raw, samples) or b"\n"


def noise(chance: random.Random, samples: Sequence[bytes]) -> bytes:
    """Random bytes, bare or behind the first lines of a sample, which decide its format."""
    head = b"\n".join(_lines(chance.choice(samples))[: chance.randrange(6)])
    alphabet = chance.choice((bytes(range(256)), b"'\"`\\/*-#;@ \t\n0123456789:.aQ,"))
    return head + bytes(chance.choices(alphabet, k=chance.randrange(2000)))


def _dozens(size: int, unit: bytes) -> int:
    """How often, in dozens: two sizes leave the same quotes open, so they take the same path."""
    return 12 * (size // len(unit) // 12 + 1)


def grown(chance: random.Random, samples: Sequence[bytes], size: int) -> bytes:
    """A log of about `size` bytes in which a few lines, or fragments within a statement, come again
    and again: what takes more than linear time shows in two sizes of the same chance."""
    lines = _lines(chance.choice(samples))
    head, some = lines[:4], lines[_some(chance, lines)]
    if chance.random() < 0.5:
        unit = b"\n".join(mutate(chance, [b"\n".join(some) or b"\n"]).split(b"\n")) + b"\n"
        return b"\n".join([*head, b""]) + unit * _dozens(size, unit)
    pair = b"".join(chance.choices(FRAGMENTS, k=chance.randrange(1, 4)))
    opening = chance.choice(lines)
    return b"\n".join([*head, opening]) + pair * _dozens(size, pair) + b"\n" + b"\n".join(some)

"""The numbers of a shape that no row of the target holds, and the order in which they are used.

A column whose values grow goes on above the largest, block by block, so that the next run finds
free numbers above this one's. A column whose values lie everywhere is used everywhere: in strips
spread over the shape, whose taken numbers were read and are left out.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from array import array
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from readiness.workload.make.code import Code

BLOCK = 1 << 12  # numbers that are mixed before the next ones follow


class Order(StrEnum):
    """How free numbers are used."""

    EVERYWHERE = "everywhere"
    UP = "up"
    DOWN = "down"
    STRIPS = "strips"


@dataclass(frozen=True, slots=True)
class Free:
    """The free numbers of a shape: `length` of them from `start` on, or, in STRIPS, those whose bit
    is not set in `taken`: strips of `strip` numbers, each `every` numbers after the one before."""

    start: int
    length: int
    order: Order = Order.EVERYWHERE
    strip: int = 0
    every: int = 0
    taken: bytes = b""

    @classmethod
    def all(cls, space: int) -> Free:
        """A whole shape."""
        return cls(0, space)

    @property
    def usable(self) -> int:
        """How many numbers are given out before one comes again: what grows is used in blocks."""
        if self.order in (Order.UP, Order.DOWN):
            block = min(BLOCK, self.length)
            return self.length // block * block
        return self.length

    def strips(self) -> array[int]:
        """The free numbers of the strips."""
        free = array("Q")
        for at, byte in enumerate(self.taken):
            for bit in range(8) if byte < 255 else ():
                if not byte >> bit & 1:
                    strip, within = divmod(8 * at + bit, self.strip)
                    free.append(self.start + strip * self.every + within)
        return free

    def to_json(self) -> dict[str, object]:
        """Plain numbers and text."""
        packed = b64encode(zlib.compress(self.taken)).decode() if self.taken else ""
        return {
            "start": self.start,
            "length": self.length,
            "order": str(self.order),
            "strip": self.strip,
            "every": self.every,
            "taken": packed,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Free:
        """The inverse of `to_json`; raises KeyError or ValueError for anything else."""
        start, length, strip, every = (
            int(str(data[name])) for name in ("start", "length", "strip", "every")
        )
        packed = str(data["taken"])
        taken = zlib.decompress(b64decode(packed)) if packed else b""
        return cls(start, length, Order(str(data["order"])), strip, every, taken)


@dataclass(frozen=True, slots=True)
class Lane:
    """One of `stride` variables that share a column: number n of lane k is n * stride + k.

    Lanes of one column share `salt` and hence one permutation: they never meet. `free` tells which
    numbers of the shape may be used; None is all."""

    salt: bytes
    index: int = 0
    stride: int = 1
    free: Free | None = None

    def position(self, code: Code, number: str, space: int) -> str:
        """Source for the number of the shape that a checkout's number gives: a bijection that does
        not visibly count."""
        free = self.free or Free.all(space)
        at = number if self.stride == 1 else f"({number} * {self.stride} + {self.index})"
        if free.order is Order.EVERYWHERE:
            return _plus(free.start, _mixed(self.salt, at, free.length))
        if free.order is Order.STRIPS:
            numbers = code.object(free.strips())
            return f"{numbers}[{_mixed(self.salt, at, free.length)}]"
        return self._grown(code, at, free)

    def _grown(self, code: Code, at: str, free: Free) -> str:
        block = min(BLOCK, free.length)
        place = code.let(f"{at} % {free.usable}")
        within = _mixed(self.salt, f"({place} % {block})", block)
        up = f"{place} // {block} * {block} + {within}"
        if free.order is Order.UP:
            return f"({free.start} + {up})"
        return f"({free.start + free.length - 1} - ({up}))"


def _plus(start: int, source: str) -> str:
    return f"({start} + {source})" if start else source


def _mixed(salt: bytes, at: str, space: int) -> str:
    """Source for a bijection of 0..space-1, applied to a number modulo it."""
    seed = hashlib.blake2b(salt, digest_size=32).digest()
    factor = int.from_bytes(seed[:16], "big") % space or 1
    while math.gcd(factor, space) != 1:
        factor += 1
    offset = int.from_bytes(seed[16:], "big") % space
    return f"(({at} * {factor} + {offset}) % {space})"

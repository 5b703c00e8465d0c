"""Keyed streams of bytes: HMAC-SHA256 in counter mode, one stream for each domain and value."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass

from readiness.model.transactions import Raw


class Draw:
    """An endless keyed stream of bytes for one value."""

    def __init__(self, key: bytes, domain: str, value: bytes, attempt: int) -> None:
        self._key = key
        self._message = f"{domain}|{attempt}|".encode() + value
        self._stream = self._bytes()

    def _bytes(self) -> Iterator[int]:
        block = 0
        while True:
            message = block.to_bytes(4, "big") + self._message
            yield from hmac.digest(self._key, message, "sha256")
            block += 1

    def byte(self) -> int:
        """The next byte."""
        return next(self._stream)

    def bytes(self, count: int) -> bytes:
        """The next `count` bytes."""
        return bytes(self.byte() for _ in range(count))

    def below(self, limit: int) -> int:
        """A number, 0 <= n < `limit`, even to 1 in 2**64."""
        return int.from_bytes(self.bytes((limit.bit_length() + 7) // 8 + 8), "big") % limit

    def pick(self, alphabet: str) -> str:
        """One of the characters."""
        return alphabet[self.below(len(alphabet))]


@dataclass(frozen=True, slots=True, repr=False)
class Draws(Raw):
    """Streams under one key, which is not shown either, for one attempt. `domain` sets the values of a tiny space apart: the same
    four digits of a card and of a postal code get streams of their own."""

    key: bytes
    domain: str
    attempt: int = 0

    def of(self, kind: str, value: str | bytes, attempt: int = 0) -> Draw:
        """The stream of a value in its canonical spelling, so that all spellings share it."""
        raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        return Draw(self.key, f"{self.domain}/{kind}", raw, self.attempt + attempt)

"""Hashes of captured values: a hash that a statement holds is made again from the pseudonym.

A plain hash of an e-mail tells the e-mail to everyone who can guess it; a pseudonym of the hash would
no longer be the hash of anything."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from readiness.model.transactions import Raw

_NAMES = {16: "md5", 20: "sha1", 32: "sha256", 64: "sha512"}
_SHORTEST = 2  # bytes: a hash of less says nothing
_VARIANTS: tuple[Callable[[bytes], bytes], ...] = (bytes, bytes.lower, bytes.upper, bytes.title)


@dataclass(frozen=True, slots=True, repr=False)
class Origin(Raw):
    """What a hash was made of: the value, and how it was spelt before."""

    name: str
    value: bytes
    variant: Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True, repr=False)
class Digests(Raw):
    """The hashes of some values, by their bytes."""

    origins: Mapping[bytes, Origin]

    @classmethod
    def of(cls, values: Iterable[bytes]) -> Digests:
        """All hashes of all values, also in lower case, upper case and with capitals."""
        made: dict[bytes, Origin] = {}
        for value in sorted({v for v in values if len(v) >= _SHORTEST}):
            for variant in _VARIANTS:
                for name in _NAMES.values():
                    digest = hashlib.new(name, variant(value), usedforsecurity=False).digest()
                    made.setdefault(digest, Origin(name, value, variant))
        return cls(made)

    def again(self, value: bytes, pseudonym: Callable[[bytes], bytes]) -> bytes | None:
        """The same hash of the pseudonym of what `value` is a hash of: as bytes, or as hexadecimal
        digits in the case of the original. None for what is no hash of a known value."""
        if len(value) in _NAMES and (origin := self.origins.get(value)):
            return _hash(origin, pseudonym(origin.value))
        if len(value) // 2 not in _NAMES or len(value) % 2 or not _is_hex(value):
            return None
        origin = self.origins.get(bytes.fromhex(value.decode()))
        if origin is None:
            return None
        made = _hash(origin, pseudonym(origin.value)).hex().encode()
        return made.upper() if value.upper() == value else made


def _hash(origin: Origin, value: bytes) -> bytes:
    return hashlib.new(origin.name, origin.variant(value), usedforsecurity=False).digest()


def _is_hex(value: bytes) -> bool:
    return not value.strip(b"0123456789abcdefABCDEF")

"""The keyed filter: what later tasks search for when the captures are gone.

It holds no value and no hash that can be made without the key. For each needle there are a keyed
fingerprint of 28 bits and a keyed hash of 128 bits; both are sealed with the key once more, so
that who has the file alone can try no guess. Who has the file and the key can try guesses, as who
has the key and a workload can.

    readiness-filter 1
    CHECK                 keyed: tells a wrong key from a broken file
    sealed bytes          AES-SIV; inside: header as JSON, then records of 34 bytes
"""

from __future__ import annotations

import hmac
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.anonymize.allowed import value_hash
from readiness.anonymize.encodings import Edge
from readiness.anonymize.needles import Marking, Needle, Needles, needles_of
from readiness.anonymize.originals import Originals
from readiness.errors import ArtifactError, ConfigError, SchemaMismatch

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

VERSION = 1
_SUFFIX = ".filter"
_MAGIC = b"readiness-filter"
_PROOF_BYTES = 16
_CHECK_BYTES = 16
# value, encoding, flags, length, window, fingerprint, proof
_RECORD = struct.Struct(f"<IBBIII{_PROOF_BYTES}s")
_FOLDED, _WIDE, _SMALL_NUMBER = 1, 2, 4
_EDGE_BIT = 3


@dataclass(frozen=True, slots=True)
class Filter:
    """What a filter file says: its needles, and by value id the hash that an allow-list names."""

    needles: Needles
    hashes: Mapping[str, str]


def filter_beside(workload: Path) -> Path:
    """Where a workload's filter lies: `checkout.filter` beside `checkout.sql`."""
    return workload.with_suffix(_SUFFIX)


def filter_of(originals: Originals, key: bytes) -> bytes:
    """The filter file of these values under the project's key. The same values and key give the
    same bytes."""
    needles = needles_of(originals, _marking(key)).needles
    value_ids = list(dict.fromkeys(n.value_id for n in needles))
    encodings = list(dict.fromkeys(n.encoding for n in needles))
    hashes = [value_hash(originals.values[value_id], key) for value_id in value_ids]
    names = {"values": value_ids, "encodings": encodings, "hashes": hashes}
    header = json.dumps(names).encode()
    numbers = ({v: i for i, v in enumerate(value_ids)}, {e: i for i, e in enumerate(encodings)})
    records = sorted(_packed(n, *numbers) for n in needles)
    sealed = _cipher(key).encrypt(header + b"\n" + b"".join(records), [_head(VERSION)])
    return _head(VERSION) + _check(key) + b"\n" + sealed


def read_filter(data: bytes, key: bytes, *, path: Path) -> Filter:
    """The content of a filter file; `path` is named in errors.

    Raises ConfigError for another key than the one it was made with, SchemaMismatch for another
    version, ArtifactError when it is broken."""
    content = _unsealed(_opened(data, key, path), key, path)
    header, _, records = content.partition(b"\n")
    names = json.loads(header)
    found = _RECORD.iter_unpack(records)
    needles = tuple(_unpacked(r, names["values"], names["encodings"]) for r in found)
    hashes = dict(zip(names["values"], names["hashes"], strict=True))
    return Filter(Needles(_marking(key), needles), hashes)


def _opened(data: bytes, key: bytes, path: Path) -> bytes:
    """The sealed part, once version and key are right."""
    first, _, rest = data.partition(b"\n")
    magic, _, version = first.partition(b" ")
    if magic != _MAGIC or not version.isdigit():
        raise _broken(path, "it does not begin as one")
    if int(version) != VERSION:
        raise SchemaMismatch(
            f"{path} is a filter of version {int(version)}; this readiness reads {VERSION}.",
            hint="Read it with the readiness that wrote it, or build the workload again.",
        )
    check, _, sealed = rest.partition(b"\n")
    if len(check) != 2 * _CHECK_BYTES:
        raise _broken(path, "it is cut short")
    if not hmac.compare_digest(check, _check(key)):
        raise ConfigError(
            f"{path} was made with another key.",
            hint="Set READINESS_KEY_FILE to that key. If it is lost, build the workload again: a"
            " filter cannot be read without its key.",
        )
    return sealed


def _unsealed(sealed: bytes, key: bytes, path: Path) -> bytes:
    from cryptography.exceptions import InvalidTag

    try:
        return _cipher(key).decrypt(sealed, [_head(VERSION)])
    except (InvalidTag, ValueError) as error:
        raise _broken(path, "it was changed or cut after it was written") from error


def _broken(path: Path, reason: str) -> ArtifactError:
    return ArtifactError(
        f"{path} is no usable filter: {reason}.",
        hint="Build the workload again: its filter is written beside it.",
    )


def _packed(needle: Needle, values: dict[str, int], encodings: dict[str, int]) -> bytes:
    flags = _FOLDED * needle.is_folded | _WIDE * (needle.width == 8) | needle.edge << _EDGE_BIT
    flags |= _SMALL_NUMBER * needle.is_small_number
    return _RECORD.pack(
        values[needle.value_id],
        encodings[needle.encoding],
        flags,
        needle.length,
        needle.at,
        needle.fingerprint,
        needle.proof,
    )


def _unpacked(
    record: tuple[int, int, int, int, int, int, bytes],
    values: Sequence[str],
    encodings: Sequence[str],
) -> Needle:
    value, encoding, flags, length, at, fingerprint, proof = record
    return Needle(
        values[value],
        encodings[encoding],
        bool(flags & _FOLDED),
        Edge(flags >> _EDGE_BIT),
        bool(flags & _SMALL_NUMBER),
        length,
        8 if flags & _WIDE else 4,
        at,
        fingerprint,
        proof,
    )


def _marking(key: bytes) -> Marking:
    numbers = _derived(key, "fingerprint", 16)
    proving = _derived(key, "proof", 32)
    return Marking(
        mask=int.from_bytes(numbers[:8], "big"),
        multiplier=int.from_bytes(numbers[8:], "big") | 1,
        prove=partial(_prove, proving),
    )


def _prove(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, "sha256")[:_PROOF_BYTES]


def _derived(key: bytes, purpose: str, size: int) -> bytes:
    """A key for one purpose: what one of them tells, tells nothing of the others."""
    blocks = (
        hmac.digest(key, f"readiness filter {VERSION}|{purpose}|{n}".encode(), "sha256")
        for n in range((size + 31) // 32)
    )
    return b"".join(blocks)[:size]


def _head(version: int) -> bytes:
    return _MAGIC + b" %d\n" % version


def _check(key: bytes) -> bytes:
    return _derived(key, "check", _CHECK_BYTES).hex().encode()


def _cipher(key: bytes) -> AESSIV:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    return AESSIV(_derived(key, "seal", 64))

"""Files of any kind searched for captured values: what was found where, and what was allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from readiness.anonymize.allowed import Allowed, value_hash
from readiness.anonymize.captured import captured_values
from readiness.anonymize.filter import Filter
from readiness.anonymize.hunt import Hunter
from readiness.anonymize.needles import Needles, needles_of
from readiness.anonymize.originals import Originals, originals
from readiness.anonymize.parts import with_parts
from readiness.anonymize.scan import Leak
from readiness.artifacts.contents import contents, files_in
from readiness.errors import CaptureError, WorkloadError
from readiness.flow.choosing import Choosing, read_captures
from readiness.model.boundary import values_end_here
from readiness.model.transactions import RawCapture
from readiness.ports import Progress
from readiness.workload.find.parameterize import parameterize
from readiness.workload.schema import Schema

_TOLD_EVERY = 200  # files


@dataclass(frozen=True, slots=True)
class Sought:
    """What is searched for, the hash of each value by its id, and what is to be told of it."""

    needles: Needles
    hash_of: Callable[[str], str]
    values: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """One hit, with the hash an allow-list would name ("" without a key) and why it is allowed."""

    leak: Leak
    hash: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan came to: hits in the order of files and lines."""

    files: int
    bytes: int
    leaks: tuple[Told, ...]
    allowed: tuple[Told, ...]
    unused: tuple[str, ...]


def sought_in_filter(kept: Filter) -> Sought:
    """What a filter file says is to be found."""
    return Sought(kept.needles, lambda value_id: kept.hashes[value_id], len(kept.hashes))


@values_end_here
def sought_in_captures(logs: Sequence[Path], key: bytes | None) -> Sought:
    """What differs between these logs, as far as it can be told without a schema. Raises
    CaptureError."""
    captures = read_captures(logs, Choosing())
    found = captured_values(captures)
    notes = [_lone(len(found.values))] if len(captures) == 1 else []
    values, parts = dict(found.values), dict(found.parts)
    if len(captures) > 1:
        aligned = _aligned(captures)
        notes += [] if aligned else [_APART]
        known = set(values.values())
        for kept in aligned:
            news = {i: v for i, v in kept.values.items() if v not in known}
            values |= news
            parts |= {i: kept.parts[i] for i in news if i in kept.parts}
    held = Originals(values, parts)
    return Sought(
        needles_of(held),
        lambda value_id: value_hash(held.values[value_id], key) if key else "",
        len(values),
        tuple(notes),
    )


@values_end_here
def search(
    paths: Sequence[Path], sought: Sought, *, allowed: Allowed, progress: Progress
) -> Scanned:
    """Searches the files, and folders with all that is in them. Raises ConfigError naming what is
    not there."""
    files, hunter = files_in(paths), Hunter(sought.needles)
    told: list[Told] = []
    size = 0
    for number, file in enumerate(files, 1):
        if number % _TOLD_EVERY == 0 or number == len(files):
            progress(f"scan: {number:,} of {len(files):,} files")
        size += file.stat().st_size
        for leak in _leaks(file, hunter):
            made = sought.hash_of(leak.value_id)
            told.append(Told(leak, made, allowed.reasons.get(made, "")))
    return Scanned(
        len(files),
        size,
        tuple(t for t in told if not t.reason),
        tuple(t for t in told if t.reason),
        allowed.unused(t.hash for t in told),
    )


def _leaks(file: Path, hunter: Hunter) -> Iterator[Leak]:
    """Of the file's name too; then the name is not shown."""
    named = hunter.hits(file.name.encode("utf-8", "surrogateescape"))
    shown = str(file.parent / "(a file's name)") if named else str(file)
    yield from (Leak(shown, *hit) for hit in named)
    for content in contents(file):
        name = content.name.replace(str(file), shown)
        yield from (
            Leak(name, *hit)
            for hit in hunter.hits_in(content.chunks, has_measures=file.suffix != ".sql")
        )


_APART = "the logs could not be aligned; what stands in some and not in all of them is searched for"


def _lone(count: int) -> str:
    return (
        "with one log, a person's value cannot be told from a constant: all"
        f" {count:,} texts that are no plain word, and numbers of 6 digits and more, are searched"
        " for. Give a second log of another persona to narrow this."
    )


def _aligned(captures: Sequence[RawCapture]) -> list[Originals]:
    """What differs at the same place of two logs, though each value may stand in all of them; none
    where they cannot be aligned."""
    try:
        draft = parameterize(captures, schema=Schema("", ""), name="scan")
    except (WorkloadError, CaptureError):
        return []
    return [with_parts(originals(draft), draft)]

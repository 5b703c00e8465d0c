"""Captures → a workload file: parameterized, anonymized, scanned, and only then written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from readiness.anonymize.allowed import Allowed, value_hash, without
from readiness.anonymize.filter import filter_beside, filter_of
from readiness.anonymize.originals import originals
from readiness.anonymize.parts import with_parts
from readiness.anonymize.scan import Leak, scan
from readiness.anonymize.seal import seal
from readiness.artifacts import atomic
from readiness.errors import PrivacyError
from readiness.flow.choosing import Choosing, read_captures
from readiness.model.transactions import RawCapture
from readiness.model.workload import Workload
from readiness.ports import Session
from readiness.workload.file import render
from readiness.workload.parameterize import parameterize
from readiness.workload.schema import Schema
from readiness.workload.source import source_exists, source_rows
from readiness.workload.sql_modes import global_sql_modes, refuse_other_sql_modes


@dataclass(frozen=True, slots=True)
class BuildInputs:
    """What a workload is built from. `users` keeps only their sessions (empty: all); `choosing`
    says which part of each log is a capture, `allowed` which values may stand in outputs. Without
    `keeps_filter` (the key is thrown away) later tasks have nothing to search for."""

    name: str
    captures: tuple[Path, ...]
    users: tuple[str, ...]
    schema: Schema
    choosing: Choosing = field(default_factory=Choosing)
    allowed: Allowed = field(default_factory=Allowed)
    keeps_filter: bool = True


@dataclass(frozen=True, slots=True)
class Built:
    """The workload as written, and what to tell of it; `warnings` hold no captured value."""

    workload: Workload
    path: Path
    warnings: tuple[str, ...]


def build_workload(
    inputs: BuildInputs, *, source: Session | None, key: bytes, output: Path
) -> Built:
    """Writes `output` and its filter when no captured value survives in it. `source` is where the captures were
    taken. Raises CaptureError, WorkloadError, and PrivacyError naming line and encoding."""
    if source:
        refuse_other_sql_modes(global_sql_modes(source), "the source")
    schema = inputs.schema
    captures = read_captures(inputs.captures, inputs.choosing, users=inputs.users, schema=schema)
    draft = parameterize(
        captures,
        schema=schema,
        name=inputs.name,
        exists=source_exists(source, schema) if source else None,
        rows=source_rows(source, schema) if source else None,
    )
    workload = seal(draft, key=key)
    text = render(workload)
    differing = with_parts(originals(draft), draft)
    captured = without(differing, inputs.allowed, key)
    _require_clean(scan({output.name: text}, captured), output)
    if inputs.keeps_filter:  # first: a workload without its filter would be published unsearched
        atomic.write_bytes(filter_beside(output), filter_of(captured, key))
    else:
        filter_beside(output).unlink(missing_ok=True)
    atomic.write_bytes(output, text)
    warnings = [warning for capture in captures for warning in _warnings(capture)]
    unused = inputs.allowed.unused(value_hash(v, key) for v in differing.values.values())
    warnings += [f"the allow-list's entry {entry} allows nothing: remove it" for entry in unused]
    return Built(workload, output, (*warnings, *draft.warnings))


def _require_clean(leaks: Sequence[Leak], output: Path) -> None:
    if not leaks:
        return
    first, count = leaks[0], len({leak.value_id for leak in leaks})
    raise PrivacyError(
        f"{count} captured value{'s' * (count != 1)} would stand in {output.name}; nothing was"
        " written."
        f" The first: line {first.line}, {first.encoding}, value {first.value_id}.",
        hint="Capture once more with a persona that shares nothing with the others, or allow the"
        " value:  readiness scan --help",
    )


def _warnings(capture: RawCapture) -> list[str]:
    return [f"{capture.source}: {warning}" for warning in capture.warnings]

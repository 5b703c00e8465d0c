"""Captures → a workload file: parameterized, anonymized, scanned, and only then written.

Beside it stands why each of its values is what it is, and the overrides in force. All are written,
or none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from readiness.anonymize.allowed import Allowed, value_hash, without
from readiness.anonymize.captured import captured_values
from readiness.anonymize.filter import filter_of
from readiness.anonymize.key import key_check
from readiness.anonymize.originals import NOTHING, Originals
from readiness.anonymize.personal import all_originals, places_of_personal
from readiness.anonymize.policy import NO_POLICY, Policy
from readiness.anonymize.scan import Leak, scan
from readiness.anonymize.seal import seal
from readiness.artifacts import atomic
from readiness.errors import PrivacyError
from readiness.flow.beside import Beside, read_before
from readiness.flow.choosing import Choosing, read_captures
from readiness.flow.policies import deciding, policy_changes, policy_in_force
from readiness.flow.remarks import doubtful, personal, unlike
from readiness.model.boundary import values_end_here
from readiness.model.draft import RawDraft
from readiness.model.explanation import Explanation
from readiness.model.transactions import RawCapture
from readiness.model.workload import Workload
from readiness.ports import Progress, Session
from readiness.workload.explain.changes import Changes, changes_between
from readiness.workload.explain.example import with_examples
from readiness.workload.explain.explained import Origin, confidence_of, explained, vocabulary
from readiness.workload.explain.overrides import InForce
from readiness.workload.find.parameterize import parameterize
from readiness.workload.find.source import source_exists, source_rows
from readiness.workload.find.sql_modes import global_sql_modes, refuse_other_sql_modes
from readiness.workload.make.offer import Offer, offers_of
from readiness.workload.make.pools import read_pools
from readiness.workload.prove.drift import table_fingerprints
from readiness.workload.schema import Schema
from readiness.workload.text.file import render

_FEW = 2  # captures


@dataclass(frozen=True, slots=True)
class BuildInputs:
    """What a workload is built from. `users` keeps only their sessions (empty: all); `choosing`
    says which part of each log is a capture; `overrides` is a file that replaces the one kept beside
    the workload; `keep_previous` keeps what was there as `checkout.sql.previous`, which is always done
    where a person had edited it; `policy` is a file that says how columns are treated. `allowed` says
    which values may stand in outputs. Without `keeps_filter` (the key is thrown away) later tasks have
    nothing to search for."""

    name: str
    captures: tuple[Path, ...]
    users: tuple[str, ...]
    schema: Schema
    choosing: Choosing = field(default_factory=Choosing)
    overrides: Path | None = None
    keep_previous: bool = False
    policy: Path | None = None
    allowed: Allowed = field(default_factory=Allowed)
    keeps_filter: bool = True


@dataclass(frozen=True, slots=True)
class Built:
    """The workload as written, and what to tell of it; nothing here holds a captured value.

    `overrides` is the file they came from (None: none are in force), `kept` where they are kept,
    `overridden` how many entries they have; `changes` compares with the workload that was there
    (None: there was none); `offers` is what the target has for its samples; `policy` is the one in
    force."""

    workload: Workload
    path: Path
    warnings: tuple[str, ...]
    explanation: Path
    kept: Path
    overrides: Path | None = None
    overridden: int = 0
    changes: Changes | None = None
    offers: tuple[Offer, ...] = ()
    policy: Policy = NO_POLICY


@values_end_here
def build_workload(
    inputs: BuildInputs,
    *,
    source: Session | None,
    key: bytes,
    output: Path,
    target: Session | None = None,
    tell: Progress | None = None,
) -> Built:
    """Writes `output` and the files beside it when no captured value survives in them. `source` is
    where the captures were taken, `target` where the workload is to run.

    Raises CaptureError, ConfigError for overrides, WorkloadError, and PrivacyError naming line and
    encoding."""
    building = _Building(inputs, Beside(output), tell or _silent, key)
    return building.build(source, target)


def _silent(_text: str) -> None:
    """Nobody listens."""


class _Building:
    """One build: what is there before, and the overrides in force."""

    def __init__(self, inputs: BuildInputs, beside: Beside, tell: Progress, key: bytes) -> None:
        self._inputs = inputs
        self._beside = beside
        self._tell = tell
        self._before = read_before(beside)
        self._overrides = beside.overrides_in_force(inputs.overrides)
        self._key = key
        asked = inputs.policy
        self._policy = policy_in_force(asked, inputs.schema) if asked else NO_POLICY
        self._schema = deciding(inputs.schema, self._policy)

    def build(self, source: Session | None, target: Session | None) -> Built:
        """Everything in its order; files are written last."""
        if source:
            refuse_other_sql_modes(global_sql_modes(source), "the source")
        captures = self._captures()
        draft = self._draft(captures, source)
        self._tell("replacing captured values")
        given = {v.name for v in draft.variables if v.is_given}
        sealed = seal(draft, key=self._key, policy=self._policy, elsewhere=self._elsewhere())
        workload = with_examples(sealed, given)
        workload = replace(workload, tables=table_fingerprints(workload, self._inputs.schema))
        offers = self._offers(workload, target)
        unused = self._write(workload, draft)
        warnings = [w for c in captures for w in _warnings(c)]
        warnings += [
            f"the allow-list's entry {entry} allows nothing: remove it" for entry in unused
        ]
        warnings += [*draft.warnings, *personal(places_of_personal(draft, self._policy))]
        warnings += self._told(workload, draft.explanation)
        return self._built(workload, warnings, offers)

    def _captures(self) -> list[RawCapture]:
        asked = self._inputs
        self._tell(f"reading {len(asked.captures)} logs")
        return read_captures(asked.captures, asked.choosing, users=asked.users, schema=asked.schema)

    def _elsewhere(self) -> Originals:
        """What other users did in the same logs: `readiness scan` searches for it, too, so no made
        value may be one of theirs by chance. Not where flows are chosen from a log: a day of
        production holds most short numbers there are."""
        asked = self._inputs
        if not (asked.users and asked.choosing.takes_all):
            return NOTHING
        return captured_values(read_captures(asked.captures, asked.choosing, schema=asked.schema))

    def _draft(self, captures: Sequence[RawCapture], source: Session | None) -> RawDraft:
        self._tell(f"comparing {len(captures)} captures, statement by statement")
        schema = self._schema
        overrides = self._overrides
        return parameterize(
            captures,
            schema=schema,
            name=self._inputs.name,
            exists=source_exists(source, schema) if source else None,
            rows=source_rows(source, schema) if source else None,
            in_force=InForce(overrides, self._before.columns or {}) if overrides else None,
        )

    def _offers(self, workload: Workload, target: Session | None) -> tuple[Offer, ...]:
        """What the target has for the samples. Raises WorkloadError for a sample without a row."""
        if target is None:
            return ()
        self._tell("reading the rows of the target that checkouts pick from")
        return tuple(offers_of(read_pools(workload, target)))

    def _write(self, workload: Workload, draft: RawDraft) -> tuple[str, ...]:
        """All files or none; gives the entries of the allow-list that allow nothing."""
        files = self._files(workload, draft.explanation)
        self._tell("searching the new files for captured values")
        key = self._key
        differing = all_originals(draft, self._policy)
        captured = without(differing, self._inputs.allowed, key)
        _require_clean(self._leaks(files, captured))
        self._replace(files, filter_of(captured, key) if self._inputs.keeps_filter else b"")
        return self._inputs.allowed.unused(value_hash(v, key) for v in differing.values.values())

    def _replace(self, files: dict[Path, bytes], searched: bytes) -> None:
        """Puts the files and the filter in place; what they replace is kept where that is asked for,
        or where a person had edited it."""
        beside, before = self._beside, self._before
        if (
            searched
        ):  # first: a workload with the filter of the one before would be searched for less
            files = {beside.filter: searched, **files}
        is_new = before.data != files[beside.workload]
        if before.data and is_new and (self._inputs.keep_previous or before.is_edited):
            files |= beside.kept(before)
        atomic.write_together(files)
        if not searched:
            beside.filter.unlink(missing_ok=True)

    def _files(self, workload: Workload, explanation: Explanation) -> dict[Path, bytes]:
        text = render(workload)
        beside, overrides = self._beside, self._overrides
        files = {beside.workload: text}
        if overrides:
            files[beside.overrides] = overrides.file.text.encode()
        files[beside.explanation] = explained(
            workload,
            explanation,
            file=beside.workload.name,
            sha256=hashlib.sha256(text).hexdigest(),
            origin=self._origin(),
        )
        return files

    def _origin(self) -> Origin:
        policy = self._policy
        named = {"name": policy.name, "sha256": policy.sha256} if policy.sha256 else {}
        return Origin(
            self._beside.overrides.name if self._overrides else "",
            key_check(self._key),
            named,
            {".".join(c): (str(r.treat), r.reason) for c, r in sorted(policy.rules.items())},
        )

    def _leaks(self, files: Mapping[Path, bytes], captured: Originals) -> list[Leak]:
        """Captured values in the workload; in the other files those that are none of our words."""
        tables = self._inputs.schema.tables
        words = {n: [*t.columns, *(i.name for i in t.indexes)] for n, t in tables.items()}
        named = {path.name: data for path, data in files.items()}
        workload = {self._beside.workload.name: named.pop(self._beside.workload.name)}
        return [*scan(workload, captured), *scan(named, captured.beyond(vocabulary(words)))]

    def _told(self, workload: Workload, explanation: Explanation) -> Iterator[str]:
        """What a person must know, beyond what the captures and the rules say."""
        yield from self._before.warnings(self._beside)
        yield from policy_changes(self._before.workload, workload)
        if workload.captures <= _FEW:
            yield (
                f"confidence: {confidence_of(workload.captures)}. A value that both share by accident"
                f" stays as it is: {len(explanation.unsettled)} such places are under unsettled in"
                f" {self._beside.explanation.name}; a third capture settles them"
            )
        if explanation.doubts:
            yield doubtful(explanation, self._beside.explanation.name)
        yield from unlike(workload, self._overrides)

    def _built(
        self, workload: Workload, warnings: Sequence[str], offers: tuple[Offer, ...]
    ) -> Built:
        before, overrides = self._before.workload, self._overrides
        return Built(
            workload,
            self._beside.workload,
            tuple(warnings),
            self._beside.explanation,
            self._beside.overrides,
            overrides.file.path if overrides else None,
            len(overrides.entries) if overrides else 0,
            changes_between(before, workload) if before else None,
            offers,
            self._policy,
        )


def _require_clean(leaks: Sequence[Leak]) -> None:
    if not leaks:
        return
    first, count = leaks[0], len({leak.value_id for leak in leaks})
    raise PrivacyError(
        f"{count} captured value{'s' * (count != 1)} would stand in {first.file}; nothing was"
        " written."
        f" The first: line {first.line}, {first.encoding}, value {first.value_id}.",
        hint="Capture once more with a persona that shares nothing with the others, or allow the"
        " value:  readiness scan --help",
    )


def _warnings(capture: RawCapture) -> list[str]:
    return [f"{capture.source}: {warning}" for warning in capture.warnings]

"""A clone is masked and proven to be; only then it may be loaded.

For each database of the server: what is personal (plan), its figures (before), the masking itself, the
figures again, judged by Great Expectations (proof); then what the server remembers of the statements is
forgotten, and the clone admitted. Plan, policy and a check value of the key stand in the clone's journal
before anything changes: one that was killed goes on with the same, and nothing is masked twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from readiness import interlock
from readiness.anonymize.key import Key, key_check
from readiness.artifacts.masking_file import MASKING_FILE, Proof, write_masking
from readiness.clones.tables import data_schemas
from readiness.errors import ConfigError, MaskingError
from readiness.flow.mask_begun import (
    Begun,
    Part,
    parts_of,
    parts_to_text,
    proofs_of,
    write_plans,
)
from readiness.flow.mask_work import MaskWork, step
from readiness.masking.journal import Journal
from readiness.masking.plan import plan_file
from readiness.masking.prove.patterns import excluded
from readiness.masking.run.session import take_whole
from readiness.model.catalogue import Catalogue
from readiness.model.clone import Marker
from readiness.model.masking import Masked, MaskFact, MaskPlan
from readiness.model.verdict import Check, Outcome
from readiness.ports import Progress, Session

_BEGUN, _BEFORE, _DONE = "begun", "before", "done"
_SHOWN = 5  # failed checks in a message


def mask(work: MaskWork, *, key: bytes, progress: Progress) -> Masked:
    """Masks, proves and admits it; goes on with what was begun. One that is masked already is left as it
    is: then all figures are 0.

    Raises TargetRefused, ConfigError (begun with another policy or key), MaskingError naming the step
    that failed: no load user exists then."""
    work.gate()
    with closing(work.open_session()) as session:
        with step(work, "start"):
            take_whole(session)
        marker = interlock.read_marker(session)
        if marker is None:
            raise MaskingError(
                f"{work.name} has no marker any more: it is no clone of ours.",
                hint="readiness clone list   shows what is",
            )
        if marker.masked:
            return _admitted(work, session, marker)
        return _Masking(work, session, key, marker, progress).run()


def _admitted(work: MaskWork, session: Session, marker: Marker) -> Masked:
    """One whose marker says that it is masked; it was killed, maybe, before load was let in."""
    with step(work, "admission"):
        work.admit(marker.masked, marker.nonce)
        _forget_journal(session)
    return Masked(marker.masked, 0, 0, 0, 0.0, 0)


def is_half_masked(session: Session) -> bool:
    """Whether a masking of the server changed rows, maybe, and has not come to its end."""
    journal = Journal(session)
    return journal.read(_BEFORE) is not None or journal.read(_DONE) is not None


def plans_of(work: MaskWork) -> list[MaskPlan]:
    """What would be masked, by database; nothing is changed. Raises as `mask` does."""
    work.gate()
    with closing(work.open_session()) as session, step(work, "plan"):
        journal = Journal(session)
        begun = journal.read(_BEGUN) if journal.read(_BEFORE) else None
        plans = [plan_file.from_json(Begun.from_text(begun).plan)] if begun else []
        known = {plan.database for plan in plans}
        new = [name for name in data_schemas(session) if name not in known]
        plans += [work.steps.plan(session, work.steps.catalogue(session, name)) for name in new]
    return sorted(plans, key=lambda plan: plan.database)


class _Masking:
    """One masking of one server, with the session that decides and proves."""

    def __init__(
        self, work: MaskWork, session: Session, key: bytes, marker: Marker, progress: Progress
    ) -> None:
        self._work = work
        self._steps = work.steps
        self._session = session
        self._progress = progress
        self._key_check = key_check(key)
        self._nonce = marker.nonce
        self._key_hex = work.steps.run_key(Key(key), marker.run_id)
        self._journal = Journal(session)
        self._parts: list[Part] = []
        self._proofs: list[Proof] = []

    def run(self) -> Masked:
        """All databases that are not done yet."""
        began = time.monotonic()
        with self._step("plan"):
            self._session.query("SET SESSION wait_timeout = 2419200")  # it waits for all tables
            self._journal.open()
            self._steps.set_key(self._session, self._key_hex)
            self._parts = parts = self._done()
            self._proofs = proofs_of(self._work.folder, parts)
            names = data_schemas(self._session)
            if not names:
                raise MaskingError(
                    "The account sees no database that could be masked.",
                    hint="GRANT it the databases that hold data, or mask as another account.",
                )
        for database in names:
            if database not in {part.database for part in parts}:
                parts.append(self._database(database))
                self._journal.write(_DONE, parts_to_text(parts))
                self._journal.keep(_DONE)
        self._forget()
        title = _title(self._work.policy, parts)
        with self._step("admission"):
            self._work.admit(title, self._nonce)
            _forget_journal(self._session)
        return _masked(title, parts, time.monotonic() - began)

    def _done(self) -> list[Part]:
        """The databases that an earlier try has proven. What is left of them in the journal goes."""
        parts = parts_of(self._journal.read(_DONE))
        for part in parts:
            self._require_same(part.policy, part.key)
        begun = self._journal.read(_BEGUN)
        if begun and Begun.from_text(begun).catalogue.database in {p.database for p in parts}:
            self._journal.keep(_DONE)
        return parts

    def _database(self, database: str) -> Part:
        begun = self._begun(database)
        catalogue, plan = begun.catalogue, plan_file.from_json(begun.plan)
        before = self._before(catalogue, plan)
        with self._step("masking"):
            rows = self._steps.tables(
                self._work.open_session,
                catalogue,
                plan,
                key_hex=self._key_hex,
                progress=self._progress,
            )
        checks = self._prove(catalogue, plan, before)
        extent = (len(plan.tables), len(plan.columns), rows)
        return Part(database, *extent, *checks, begun.plan, begun.policy, begun.key)

    def _begun(self, database: str) -> Begun:
        """What was decided for it: by the try before, or now."""
        with self._step("plan"):
            text = self._journal.read(_BEGUN)
            if self._journal.read(_BEFORE) is None:
                text = None  # nothing was changed yet, and policy or tables may have been
            begun = Begun.from_text(text) if text else self._decided(database)
            self._require_same(begun.policy, begun.key)
            if self._work.folder:
                write_plans(self._work.folder, [*(p.plan for p in self._parts), begun.plan])
        if text:
            self._progress(f"{database}: goes on where the try before stopped")
        return begun

    def _decided(self, database: str) -> Begun:
        self._progress(f"{database}: looking for what is personal")
        catalogue = self._steps.catalogue(self._session, database)
        plan = self._steps.settle(
            self._session, catalogue, self._steps.plan(self._session, catalogue)
        )
        begun = Begun(self._work.policy, self._key_check, plan_file.to_json(plan), catalogue)
        self._journal.write(_BEGUN, begun.to_text())
        self._progress(f"{database}: {_extent(len(plan.columns), len(plan.tables))} to mask")
        return begun

    def _require_same(self, policy: str, key: str) -> None:
        if policy != self._work.policy:
            raise ConfigError(
                f"{self._work.name} is half masked, under {policy}; asked for is"
                f" {self._work.policy}. Nothing was changed.",
                hint=f"Go on with the policy it began with, or begin anew:\n  {self._work.anew}",
            )
        if key != self._key_check:
            raise ConfigError(
                f"{self._work.name} is half masked with another key: its check value is {key},"
                f" that of this key {self._key_check}. Nothing was changed.",
                hint=f"Name that key by READINESS_KEY_FILE, or begin anew:\n  {self._work.anew}",
            )

    def _before(self, catalogue: Catalogue, plan: MaskPlan) -> str:
        """The figures before any change; written down before the first one."""
        with self._step("figures before"):
            before = self._journal.read(_BEFORE)
            if before is None:
                self._progress(f"{catalogue.database}: figures before masking")
                before = self._steps.before(self._session, catalogue, plan)
                self._journal.write(_BEFORE, before)
        return before

    def _prove(self, catalogue: Catalogue, plan: MaskPlan, before: str) -> tuple[int, int]:
        """How many checks hold, and how many values of before were looked for. Raises MaskingError
        unless all checks hold."""
        with self._step("proof"):
            self._progress(f"{catalogue.database}: proving it")
            facts = self._steps.compare(self._session, catalogue, plan, before)
            checks = self._steps.judge(self._session, catalogue, plan, facts)
            self._note(plan, facts, checks)
            failed = [check for check in checks if check.outcome is not Outcome.PASSED]
            if failed or not checks:
                raise MaskingError(_refuted(failed, len(checks)), hint=self._after_proof())
            return len(checks), self._steps.values(self._session)

    def _after_proof(self) -> str:
        folder = self._work.folder
        where = f"Each check stands in {folder}/masking.json. " if folder else ""
        return f"{where}Mend the policy, and begin anew:\n  {self._work.anew}"

    def _forget(self) -> None:
        with self._step("traces"):
            for line in self._steps.forget(self._session):
                self._progress(f"traces: {line}")

    def _note(self, plan: MaskPlan, facts: Sequence[MaskFact], checks: Sequence[Check]) -> None:
        """Writes the proof down, whether it holds or not."""
        plan_hash, left_out = plan_file.hash_of(plan), excluded(plan)
        proof = Proof(plan.database, plan_hash, tuple(facts), tuple(checks), left_out)
        self._proofs.append(proof)
        if self._work.folder:
            write_masking(self._work.folder / MASKING_FILE, self._proofs)

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        with step(self._work, name):
            yield


def _forget_journal(session: Session) -> None:
    session.query("DROP TABLE IF EXISTS readiness_marker.originals")
    Journal(session).clear()


def _refuted(failed: Sequence[Check], count: int) -> str:
    if not failed:
        return "Nothing was proven: there was no check."
    shown = "; ".join(check.why or check.expectation for check in failed[:_SHOWN])
    more = f"; and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
    return f"{len(failed)} of {_counted(count, 'check')} failed: {shown}{more}."


def _title(policy: str, parts: Sequence[Part]) -> str:
    extent = _extent(sum(p.columns for p in parts), sum(p.tables for p in parts))
    return f"{policy}: {extent}, proven by {_counted(sum(p.checks for p in parts), 'check')}"


def _extent(columns: int, tables: int) -> str:
    return f"{_counted(columns, 'column')} of {_counted(tables, 'table')}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _masked(title: str, parts: Sequence[Part], seconds: float) -> Masked:
    return Masked(
        title,
        sum(part.tables for part in parts),
        sum(part.columns for part in parts),
        sum(part.rows for part in parts),
        seconds,
        sum(part.checks for part in parts),
        sum(part.values for part in parts),
    )

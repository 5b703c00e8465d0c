"""The steps of a masking, each from the package that promises it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

from readiness.clones.tables import data_schemas
from readiness.flow.looks import LOOKS
from readiness.flow.mask_policy import mask_rules
from readiness.flow.mask_work import MaskSteps
from readiness.masking import sql
from readiness.masking.catalogue import read_catalogue
from readiness.masking.plan.derived_check import verified
from readiness.masking.plan.planning import plan_masking
from readiness.masking.plan.sampling import sample_rows
from readiness.masking.prove.defined import defined_notes
from readiness.masking.prove.foreseen import refuse_foreseen
from readiness.masking.prove.patterns import sample_texts
from readiness.masking.prove.proof import Before, compare, take_before
from readiness.masking.run.hygiene import forget
from readiness.masking.run.session import prepare
from readiness.masking.run.tables import mask_tables
from readiness.masking.sql.collisions import settle
from readiness.model.catalogue import Catalogue
from readiness.model.masking import MaskFact, MaskPlan
from readiness.model.verdict import Check
from readiness.ports import Progress, Session


def steps_of(policy: Path) -> MaskSteps:
    """The steps of a masking by the policy of a file."""
    return MaskSteps(
        run_key=sql.run_key,
        set_key=_set_key,
        catalogue=read_catalogue,
        plan=lambda session, catalogue: _plan(session, catalogue, policy),
        settle=settle,
        before=_before,
        tables=_mask_tables,
        compare=_compare,
        judge=_judge,
        values=_values,
        forget=forget,
    )


def _set_key(session: Session, key_hex: str) -> None:
    """The session that decides and proves computes as those that mask."""
    prepare(session)
    session.query(*sql.key_statement(key_hex))


def _plan(session: Session, catalogue: Catalogue, policy: Path) -> MaskPlan:
    # A policy may name columns of all databases of the server: they are looked up together.
    others = [name for name in data_schemas(session) if name != catalogue.database]
    known = [catalogue, *(read_catalogue(session, name) for name in others)]
    rules = mask_rules(policy, known)
    plan = plan_masking(
        catalogue,
        rules.of(catalogue.database),
        LOOKS,
        lambda table: sample_rows(session, catalogue, table),
    )
    notes = (*plan.notes, *defined_notes(session, catalogue.database))
    return replace(verified(session, catalogue, plan), policy=rules.title, notes=notes)


def _before(session: Session, catalogue: Catalogue, plan: MaskPlan) -> str:
    """What the proof would refuse anyway is told now, while nothing is changed."""
    refuse_foreseen(session, catalogue, plan)
    return take_before(session, catalogue, plan).to_json()


def _values(session: Session) -> int:
    """Those that are compared; rows of short values count for none."""
    ((count,),) = session.query("SELECT COUNT(*) FROM readiness_marker.originals WHERE kind <> 'r'")
    return int(str(count))


def _mask_tables(
    open_session: Callable[[], Session],
    catalogue: Catalogue,
    plan: MaskPlan,
    *,
    key_hex: str,
    progress: Progress,
) -> int:
    return mask_tables(open_session, catalogue, plan, key_hex=key_hex, progress=progress, sql=sql)


def _compare(
    session: Session, catalogue: Catalogue, plan: MaskPlan, before: str
) -> Sequence[MaskFact]:
    # Great Expectations takes 4 to 6 s to import: it comes while the server counts, and not earlier,
    # since it takes 200 MB.
    Thread(target=_import_judge, name="import-judge").start()
    return compare(session, catalogue, plan, Before.from_json(before))


def _import_judge() -> None:
    """Where it cannot be imported, `_judge` says so."""
    with suppress(ImportError):
        import great_expectations.expectations  # noqa: F401


def _judge(
    session: Session, catalogue: Catalogue, plan: MaskPlan, facts: Sequence[MaskFact]
) -> Sequence[Check]:
    # Nothing else of a masking should wait for its import.
    from readiness.adapters.masking_checks import judge_masking

    return judge_masking(facts, sample_texts(session, catalogue, plan))

"""Several captures of one flow become one draft: what differs between them is a variable.

Captures of the same steps with disjoint personas are the evidence; the schema's keys decide where
each value comes from. Nothing here writes SQL from a syntax tree: statements keep their bytes."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.errors import WorkloadError
from readiness.model.draft import RawDraft
from readiness.model.transactions import RawCapture
from readiness.sql.lexer import TokenKind
from readiness.workload.align import Alignment, Place, align
from readiness.workload.classify import Exists, bind_choices, bind_server_ids, classify
from readiness.workload.context import NOWHERE, Context, ContextReader, Meeting, with_prepared
from readiness.workload.derive import derive
from readiness.workload.drafting import Drafting
from readiness.workload.embed import embed
from readiness.workload.groups import Use, group
from readiness.workload.id_doubts import equal_ids, lock_step
from readiness.workload.names import give_names
from readiness.workload.sampling import existing_rows, samples_of
from readiness.workload.schema import Schema
from readiness.workload.source import SourceRows
from readiness.workload.sql_modes import refuse_other_sql_modes
from readiness.workload.statements import Flow, Statement, flatten
from readiness.workload.times import bind_times, hidden_by_the_clock


def parameterize(
    captures: Sequence[RawCapture],
    *,
    schema: Schema,
    name: str,
    exists: Exists | None = None,
    rows: SourceRows | None = None,
) -> RawDraft:
    """The flow of the first capture, with variables found by comparing it with the others.

    `exists` and `rows` ask the source database; without them the statements alone decide which
    existing values belong to one row. Raises WorkloadError for fewer than two captures, captures
    of different flows or in another sql_mode, SqlError for SQL that cannot be read."""
    flows = _flows(captures)
    alignment = align(flows)
    contexts = _contexts(flows[0].statements, schema)
    uses = _uses(alignment.places, contexts, schema)
    groups, guesses = group(uses, schema)
    warnings = [*_alignment_warnings(flows, alignment), *_context_warnings(contexts, guesses)]
    bind_times(groups)
    warnings += bind_server_ids(groups, contexts, schema)
    warnings += equal_ids(_equal_uses(alignment.places, contexts), contexts, schema)
    bind_choices(groups)
    warnings += classify(groups, schema, exists)
    found = existing_rows(groups, schema, rows)
    derive(groups)
    groups += embed(groups)
    warnings += lock_step(groups)
    give_names(groups, _own_variables(flows[0].statements))
    samples = samples_of(found, schema, rows)
    drafting = Drafting(flows, alignment.places, contexts, groups, schema)
    return drafting.draft(name, samples, warnings)


def _flows(captures: Sequence[RawCapture]) -> list[Flow]:
    if len(captures) < 2:
        raise WorkloadError(
            f"{len(captures)} capture was given, at least 2 are needed: one capture cannot tell "
            "what belongs to the person and what to the code",
            hint="Capture the same flow again with another persona, then pass --capture twice.",
        )
    flows = [flatten(c) for c in captures]
    for capture, flow in zip(captures, flows, strict=True):
        if not flow.statements:
            raise WorkloadError(
                f"the capture {capture.source} holds no statement beyond session set-up",
                hint="Check the users that were kept, and that the log covers the whole flow.",
            )
        refuse_other_sql_modes(flow.sql_modes, f"a session of the capture {capture.source}")
    return flows


def _contexts(statements: Sequence[Statement], schema: Schema) -> list[Context]:
    reader = ContextReader(schema)
    return with_prepared(statements, [reader.read(s.sql, s.tokens) for s in statements], reader)


def _meeting(contexts: Sequence[Context], place: Place) -> Meeting:
    meetings = contexts[place.statement].meetings
    return meetings[place.index] if place.index < len(meetings) else NOWHERE


def _uses(places: Sequence[Place], contexts: Sequence[Context], schema: Schema) -> list[Use]:
    """The places that differ between captures, or would if the clock had moved on. A value of an
    ENUM or SET is one of the schema's words and stays that of the first capture."""
    met = [Use(p, _meeting(contexts, p)) for p in places if not p.literal.is_structural]
    uses = [u for u in met if not schema.is_listed(*u.column)]
    hidden = hidden_by_the_clock([u.place for u in uses], [schema.type_of(*u.column) for u in uses])
    return [u for u in uses if not u.place.is_constant or u.place.order in hidden]


def _equal_uses(places: Sequence[Place], contexts: Sequence[Context]) -> list[Use]:
    return [Use(p, _meeting(contexts, p)) for p in places if p.is_constant]


def _own_variables(statements: Sequence[Statement]) -> set[str]:
    """The application's user variables, in lower case without @."""
    return {
        s.sql[t.start + 1 : t.end].strip(b"'`\"").decode(errors="replace").lower()
        for s in statements
        for t in s.tokens
        if t.kind is TokenKind.USER_VARIABLE
    }


def _alignment_warnings(flows: Sequence[Flow], alignment: Alignment) -> list[str]:
    warnings = []
    for number, (missing, extra) in enumerate(alignment.unmatched, 2):
        if missing:
            ids = ", ".join(f"s{i + 1:03d}" for i in missing[:8]) + ", …" * (len(missing) > 8)
            warnings.append(f"capture {number} has no statement for {ids}")
        if extra:
            warnings.append(f"capture {number} has {extra} statements that capture 1 has not")
    if left_out := flows[0].left_out:
        warnings.append(f"{left_out} statements of session set-up were left out")
    return warnings


def _context_warnings(contexts: Sequence[Context], guesses: int) -> list[str]:
    warnings = []
    unread = [i for i, c in enumerate(contexts) if not c.is_parsed and c.meetings]
    if unread:
        ids = ", ".join(f"s{i + 1:03d}" for i in unread)
        warnings.append(f"the columns of {ids} are unknown: the parser cannot read them")
    if guesses:
        warnings.append(
            f"{guesses} places could belong to ids of several tables; the nearest was taken. "
            "Salt the AUTO_INCREMENT ranges before capturing to be sure"
        )
    return warnings

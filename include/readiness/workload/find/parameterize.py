"""Several captures of one flow become one draft: what differs between them is a variable.

Captures of the same steps with disjoint personas are the evidence; the schema's keys decide where
each value comes from. Nothing here writes SQL from a syntax tree: statements keep their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readiness.errors import WorkloadError
from readiness.model.draft import RawDraft
from readiness.model.transactions import RawCapture
from readiness.sql.lexer import TokenKind
from readiness.workload.explain.evidence import Witness
from readiness.workload.explain.overrides import InForce, with_overrides
from readiness.workload.find.align import Alignment, align
from readiness.workload.find.classify import Exists
from readiness.workload.find.context import NOWHERE, Context, ContextReader, Meeting, with_prepared
from readiness.workload.find.drafting import Drafting
from readiness.workload.find.groups import Use
from readiness.workload.find.id_doubts import equal_ids
from readiness.workload.find.implied import told_of, with_implied
from readiness.workload.find.names import give_names, identities
from readiness.workload.find.places import Place
from readiness.workload.find.sampling import samples_of
from readiness.workload.find.source import SourceRows
from readiness.workload.find.sql_modes import refuse_other_sql_modes
from readiness.workload.find.statements import Flow, Statement, flatten
from readiness.workload.find.times import hidden_by_the_clock
from readiness.workload.find.turns import Scope, repeat_names
from readiness.workload.find.variables import Material
from readiness.workload.schema import Schema


def parameterize(
    captures: Sequence[RawCapture],
    *,
    schema: Schema,
    name: str,
    exists: Exists | None = None,
    rows: SourceRows | None = None,
    in_force: InForce | None = None,
) -> RawDraft:
    """The flow of the captures, with variables found by comparing them with one another.

    `exists` and `rows` ask the source database; without them the statements alone decide which
    existing values belong to one row. Overrides that are `in_force` win over all rules.
    Raises WorkloadError for fewer than two captures, captures of different flows or in another
    sql_mode, ConfigMistakes for overrides that cannot be followed, SqlError for SQL that cannot be
    read."""
    schema = with_implied(schema)
    flows = _flows(captures)
    alignment = align(flows)
    reader = ContextReader(schema)
    contexts = _contexts(alignment.statements, reader)
    scope = Scope([one.part.turn for one in alignment.laid], alignment.repeats)
    uses = _uses(alignment.places, contexts, schema)
    material = Material(uses, contexts, scope, schema, exists, rows)
    own = _own_variables(alignment.statements)
    found = material.find()
    give_names(found.groups, own)
    was = {i: g.name for i, g in zip(identities(found.groups), found.groups, strict=True)}
    if in_force:
        found = with_overrides(material, found, in_force, own)
    told = _alignment_warnings(flows, alignment, reader)
    alike = equal_ids(_equal_uses(alignment.places, contexts), contexts, schema)
    by_name = told_of(found.groups, schema)
    warnings = [*told, *_context_warnings(contexts), *found.warnings, *alike, *by_name]
    names = repeat_names(alignment, contexts, own | {g.name for g in found.groups})
    drafting = Drafting(alignment, names, contexts, found.groups, schema)
    draft = drafting.draft(name, len(flows), samples_of(found.rows, schema, rows), warnings)
    witness = Witness(alignment.places, contexts, schema, found.groups, was)
    return replace(draft, explanation=witness.explain(told))


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


def _contexts(statements: Sequence[Statement], reader: ContextReader) -> list[Context]:
    return with_prepared(statements, [reader.read(s.sql, s.tokens) for s in statements], reader)


def _meeting(contexts: Sequence[Context], place: Place) -> Meeting:
    meetings = contexts[place.statement].meetings
    return meetings[place.index] if place.index < len(meetings) else NOWHERE


def _uses(places: Sequence[Place], contexts: Sequence[Context], schema: Schema) -> list[Use]:
    """The places that differ between captures, or would if the clock had moved on. A value of an
    ENUM or SET is one of the schema's words and stays that of the first capture."""
    met = [Use(p, _meeting(contexts, p)) for p in places if not p.literal.is_structural]
    uses = [u for u in met if not schema.is_fixed(*u.column)]
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


def _alignment_warnings(
    flows: Sequence[Flow], alignment: Alignment, reader: ContextReader
) -> list[str]:
    warnings = []
    for number, (missing, extra) in enumerate(alignment.unmatched, 2):
        if missing:
            warnings.append(f"capture {number} has no statement for {_ids(missing)}")
        if extra:
            warnings.append(
                f"capture {number} has {_counted(len(extra))} that capture 1 has not, left out:"
                f" {'; '.join(dict.fromkeys(_spoken(s, reader) for s in extra))}"
            )
    if alignment.nested:
        warnings.append(
            f"a loop at {_ids(alignment.nested)} runs within another: it is written out as often as "
            "one capture runs it, and its length does not vary"
        )
    if alignment.dropped:
        warnings.append(f"failed tries within a loop are left out: {alignment.dropped}")
    if longest := [i for i, one in enumerate(alignment.laid) if one.longest]:
        warnings.append(f"a text of {_ids(longest)} always holds the longest list of the captures")
    if left_out := flows[0].left_out:
        were = "was" if left_out == 1 else "were"
        warnings.append(f"{_counted(left_out)} of session set-up {were} left out")
    return warnings


def _counted(number: int) -> str:
    return f"{number} statement{'s' * (number != 1)}"


def _spoken(statement: Statement, reader: ContextReader) -> str:
    """`insert of audit`: what it does, and the tables that its values meet."""
    context = reader.read(statement.sql, statement.tokens)
    into = [context.insertion.table] if context.insertion else []
    tables = dict.fromkeys(t for t in (*into, *(m.table for m in context.meetings)) if t)
    return " of ".join(filter(None, (statement.kind.value, ", ".join(tables))))


def _ids(statements: Sequence[int]) -> str:
    """The first of the statements by their names."""
    return ", ".join(f"s{i + 1:03d}" for i in statements[:8]) + ", …" * (len(statements) > 8)


def _context_warnings(contexts: Sequence[Context]) -> list[str]:
    warnings = []
    unread = [i for i, c in enumerate(contexts) if not c.is_parsed and c.meetings]
    if unread:
        ids = ", ".join(f"s{i + 1:03d}" for i in unread)
        warnings.append(f"the columns of {ids} are unknown: the parser cannot read them")
    return warnings

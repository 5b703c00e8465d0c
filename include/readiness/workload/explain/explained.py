"""Writes `checkout.variables.yaml`: what a reviewer of a workload reads, and approves or overrides.

One entry for each variable and for each value that became none, in the order of their names, so
that a small change of the captures is a small change of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import yaml

from readiness.config.yaml_file import CoreDumper
from readiness.model.explanation import Doubt, Evidence, Explanation, FixedPlace
from readiness.model.workload import Repeat, Sample, Slot, Step, Variable, VariableKind, Workload
from readiness.workload.explain.funnel import funnel_of
from readiness.workload.explain.words import CONFIDENCE, HEADER, WORDS

EXPLANATION_VERSION = 1
_ENTRY = re.compile(r"\n(?=  \w)")
_WIDTH = 100_000  # nothing is folded: a change of one value is a change of one line


@dataclass(frozen=True, slots=True)
class Origin:
    """What a file tells of its build beside the evidence: the name of the overrides in force, the
    check value of the key, and the policy: its name and hash, and for each column its treatment and
    why. All are "" or empty where there is none."""

    overrides: str = ""
    key: str = ""
    policy: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def explained(
    workload: Workload,
    explanation: Explanation,
    *,
    file: str,
    sha256: str,
    origin: Origin | None = None,
) -> bytes:
    """The file's bytes. `file` is the workload's name, `sha256` that of its bytes."""
    origin = origin or Origin()
    head: dict[str, object] = {
        "version": EXPLANATION_VERSION,
        "workload": file,
        "sha256": sha256,
        "captures": workload.captures,
        "confidence": confidence_of(workload.captures),
    }
    head |= {k: v for k, v in (("key", origin.key), ("overrides", origin.overrides)) if v}
    sections: list[Mapping[str, object]] = [
        head,
        {"policy": _policy(origin)},
        {"funnel": [_Row(step) for step in funnel_of(workload)]},
        {"repeats": {r.name: _repeat(r) for r in workload.repeats}},
        {"variables": dict(_variables(workload, explanation))},
        {"dropped": {e.name: _dropped(e) for e in _sorted(explanation.dropped)}},
        {"fixed": [_fixed(place) for place in explanation.fixed]},
        {"doubts": [_doubt(doubt) for doubt in explanation.doubts]},
        {"alignment": list(explanation.not_aligned)},
        {"unsettled": list(explanation.unsettled)},
    ]
    filled = [_dumped(s) for s in sections if any(s.values())]
    return ("\n".join([HEADER, *filled])).encode("utf-8", "replace")


def _policy(origin: Origin) -> Mapping[str, object]:
    rules = {
        column: _Row({"treat": treat} | ({"reason": reason} if reason else {}))
        for column, (treat, reason) in origin.rules.items()
    }
    return {**origin.policy, "columns": rules} if origin.policy else {}


def vocabulary(tables: Mapping[str, Sequence[str]]) -> bytes:
    """The words of the file that come from us or from the schema (names by table), lower case: a
    captured value that is one of them is not told by their standing there."""
    names = [*tables, *(name for names in tables.values() for name in names)]
    return " ".join((HEADER, WORDS, *names)).lower().encode()


def confidence_of(captures: int) -> str:
    """How far to trust it, in words."""
    return CONFIDENCE.get(captures, f"{captures} captures")


class _Row(dict[str, object]):
    """Written on one line."""


class _List(list[str]):
    """Written on one line."""


class _Dumper(CoreDumper):
    """Short lists and rows on a line; lists stand below their key by two."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Lists are indented, as people write them."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, *_: object) -> bool:
        """Nothing is written as a reference to something above."""
        return True


_Dumper.add_representer(
    _List, lambda d, v: d.represent_sequence("tag:yaml.org,2002:seq", v, flow_style=True)
)
_Dumper.add_representer(
    _Row, lambda d, v: d.represent_mapping("tag:yaml.org,2002:map", v.items(), flow_style=True)
)


def _dumped(section: Mapping[str, object]) -> str:
    """As YAML; an empty line before each of several entries that have a name."""
    text = yaml.dump(
        dict(section), Dumper=_Dumper, sort_keys=False, width=_WIDTH, allow_unicode=True
    )
    return _ENTRY.sub("\n\n", text) if section.keys() & {"variables", "dropped"} else text


def _sorted(evidence: Sequence[Evidence]) -> list[Evidence]:
    return sorted(evidence, key=lambda e: natural(e.name))


def natural(name: str) -> list[tuple[int, str]]:
    """A key that puts `id_2` before `id_10`."""
    return [(int(p), "") if p.isdigit() else (-1, p) for p in re.split(r"(\d+)", name) if p]


def _variables(
    workload: Workload, explanation: Explanation
) -> Iterator[tuple[str, Mapping[str, object]]]:
    used = statements_of(workload.steps)
    sample_of = {name: s for s in workload.samples for name in s.variables}
    for variable in sorted(workload.variables, key=lambda v: natural(v.name)):
        evidence = explanation.of(variable.name)
        made: dict[str, object] = {"class": evidence.kind if evidence else str(variable.kind)}
        if evidence and evidence.is_overridden:
            made["overridden"] = True
        if evidence and evidence.was:
            made["was"] = evidence.was
        made |= _source(variable, sample_of.get(variable.name))
        if variable.column:
            made["column"] = variable.column
        within = evidence.statements if evidence else ()  # of a text that it is a stretch of
        made["statements"] = _List(used.get(variable.name, within))
        made |= _evidence(evidence) if evidence else {"because": WRITTEN_AS[variable.form]}
        yield variable.name, made


WRITTEN_AS = {
    "text": "another variable, written as text",
    "number": "another variable, written as a number",
    "hex": "another variable, written in hexadecimal",
}


def _source(variable: Variable, sample: Sample | None) -> dict[str, object]:
    """Where the value comes from: generator, expression or sample."""
    if variable.kind is VariableKind.FRESH:
        return {"generator": variable.generator}
    if variable.expression:
        return {"expression": variable.expression}
    if sample is None:
        return {}
    column = sample.columns[sample.variables.index(variable.name)]
    made = {"sample": f"{sample.table}.{column}"}
    if sample.weight_by:
        made["weight"] = sample.weight_by
    if sample.where:
        made["where"] = ", ".join(f"{c} = @{v}" for c, v in sample.where)
    others = [f"@{name}" for name in sample.variables if name != variable.name]
    if others:
        made["row_with"] = ", ".join(others)
    return dict(made)


def statements_of(steps: Sequence[Step]) -> dict[str, list[str]]:
    """The ids of the statements that use each variable, in order."""
    found: dict[str, dict[str, None]] = {}
    for step in steps:
        for name in _names(step):
            found.setdefault(name, {})[step.statement_id] = None
    return {name: list(ids) for name, ids in found.items()}


def _names(step: Step) -> Iterator[str]:
    for piece in step.pieces:
        if isinstance(piece, Slot):
            yield piece.variable
        elif not isinstance(piece, bytes):
            yield from (p.variable for p in piece.pieces if isinstance(p, Slot))


def _evidence(evidence: Evidence) -> dict[str, object]:
    found: dict[str, object] = {}
    if evidence.indexes:
        found["index"] = list(evidence.indexes)
    if evidence.foreign_keys:
        found["foreign_keys"] = list(evidence.foreign_keys)
    found["seen"] = list(evidence.facts)
    return {"because": evidence.because, "evidence": found}


def _dropped(evidence: Evidence) -> Mapping[str, object]:
    made: dict[str, object] = {"class": evidence.kind}
    if evidence.is_overridden:
        made["overridden"] = True
    if evidence.column:
        made["column"] = evidence.column
    return {**made, "statements": _List(evidence.statements), **_evidence(evidence)}


def _fixed(place: FixedPlace) -> Mapping[str, object]:
    made = _Row({"class": place.kind, "statement": place.statement, "literal": place.literal})
    if place.column:
        made["column"] = place.column
    made["because"] = place.because
    return made


def _repeat(repeat: Repeat) -> Mapping[str, object]:
    """Counts are no value of a person: how many items the captures have."""
    return _Row({"counts": list(repeat.counts), "says": "one of them is drawn for each checkout"})


def _doubt(doubt: Doubt) -> Mapping[str, object]:
    return {
        "where": doubt.where,
        "taken": doubt.taken,
        "could_be": _List(doubt.others),
        "cure": doubt.cure,
    }

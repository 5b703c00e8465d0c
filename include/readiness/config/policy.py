"""A policy: what a privacy officer says of columns, instead of what the rules say by themselves.

Without one, what differs between captures is replaced, and so is what looks personal. One file serves
both: the treatment of captured values, and the masking of a clone; `look`, `json`, `derive` and
`ordered` are for masking alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from readiness.config.derive_form import derive_fault
from readiness.config.mistakes import Form, in_order, name_of, read_form
from readiness.config.yaml_file import YamlFile, read_yaml
from readiness.errors import Mistake
from readiness.model.masking import Look

WHAT = "The policy"
_NAME = r"[^.\s](?:[^.\n]*[^.\s])?"  # blanks may stand in it
_Column = Annotated[str, AfterValidator(name_of(rf"{_NAME}\.{_NAME}", "table.column", most=140))]


class Treatment(StrEnum):
    """What is done with the captured values of a column."""

    PSEUDONYM = "pseudonym"  # replaced, also where all captures agree
    KEEP = "keep"  # stays as it was captured, also where captures differ
    GENERALIZE = "generalize"  # a coarser value: the five years, the leading digit
    EMPTY = "empty"  # '' or 0


_Look = Literal[
    "email", "domain", "phone", "digits", "name", "text", "token", "hex", "uuid", "bytes", "ip",
    "date", "moment", "number", "blank",
]  # fmt: skip
_Path = Annotated[
    str,
    AfterValidator(
        name_of(
            r"\$(?:\.(?:[A-Za-z_]\w*|\"[^\"\\]+\")|\[(?:\*|\d+)\])*",
            "a path such as $.user.email or $.items[*].name",
            most=300,
        )
    ),
]


class RuleForm(Form):
    """What is said of one column."""

    WHAT: ClassVar[str] = "a column"
    treat: Literal["pseudonym", "keep", "generalize", "empty"]
    reason: str = ""
    look: _Look | None = None
    json_: dict[_Path, _Look] | None = Field(default=None, alias="json")
    derive: str | None = None
    ordered: bool = False


class PolicyForm(Form):
    """A policy file."""

    WHAT: ClassVar[str] = "a policy"
    version: Literal[1] = 1
    columns: dict[_Column, RuleForm]


@dataclass(frozen=True, slots=True)
class Rule:
    """One column's treatment and why; for masking also its look, the looks of the paths in its
    documents, the SQL that makes it from other columns of the row, and whether it is ranged over."""

    treat: Treatment
    reason: str = ""
    look: Look | None = None
    json: Mapping[str, Look] = field(default_factory=dict)
    derive: str = ""
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """The content of one file, by `table.column` as written; `file` tells where each thing stands."""

    file: YamlFile
    rules: Mapping[str, Rule]

    def at(self, column: str, text: str) -> Mistake:
        """A mistake at a column's name."""
        return self.file.at_key(("columns", column), text)


def load_policy(path: Path) -> PolicyFile:
    """The policy in a file. Raises ConfigError when it cannot be read, ConfigMistakes with each
    mistake's line; a column that is kept needs a reason."""
    file = read_yaml(path, what=WHAT)
    form = read_form(file, PolicyForm, what=WHAT)
    mistakes = [m for name, rule in form.columns.items() for m in _mistakes(file, name, rule)]
    if mistakes:
        raise in_order(WHAT, mistakes)
    return PolicyFile(file, {name: _rule(rule) for name, rule in form.columns.items()})


def _rule(form: RuleForm) -> Rule:
    return Rule(
        treat=Treatment(form.treat),
        reason=form.reason,
        look=Look(form.look) if form.look else None,
        json={path: Look(look) for path, look in (form.json_ or {}).items()},
        derive=form.derive or "",
        ordered=form.ordered,
    )


def _mistakes(file: YamlFile, name: str, rule: RuleForm) -> Iterator[Mistake]:
    """What cannot be, whatever the schema."""
    at = ("columns", name)
    if rule.treat == "keep" and not rule.reason.strip():
        yield file.at_value(at, "keep needs a reason: who may know these values, and why")
    said = {"look": rule.look, "json": rule.json_, "derive": rule.derive}
    given = [key for key, value in said.items() if value is not None]
    if rule.treat != "pseudonym":
        yield from (
            file.at_key(
                (*at, key), f"{key} says how values are masked: use it with treat: pseudonym"
            )
            for key in given
        )
    elif len(given) > 1:
        told = f"{given[0]} and {given[1]} cannot both say what becomes of a column: leave one out"
        yield file.at_key((*at, given[1]), told)
    if rule.json_ == {}:
        yield file.at_value((*at, "json"), "at least one path is needed, as $.user.email: email")
    if fault := derive_fault(rule.derive) if rule.derive is not None else "":
        yield file.at_value((*at, "derive"), fault)

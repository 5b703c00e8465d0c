"""A policy: what a privacy officer says of columns, instead of what the rules say by themselves.

Without one, what differs between captures is replaced, and so is what looks personal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator

from readiness.config.mistakes import Form, in_order, name_of, read_form
from readiness.config.yaml_file import YamlFile, read_yaml
from readiness.errors import Mistake

WHAT = "The policy"
_Column = Annotated[str, AfterValidator(name_of(r"[^.\s]+\.[^.\s]+", "table.column", most=140))]


class Treatment(StrEnum):
    """What is done with the captured values of a column."""

    PSEUDONYM = "pseudonym"  # replaced, also where all captures agree
    KEEP = "keep"  # stays as it was captured, also where captures differ
    GENERALIZE = "generalize"  # a coarser value: the five years, the leading digit
    EMPTY = "empty"  # '' or 0


class RuleForm(Form):
    """What is said of one column."""

    WHAT: ClassVar[str] = "a column"
    treat: Literal["pseudonym", "keep", "generalize", "empty"]
    reason: str = ""


class PolicyForm(Form):
    """A policy file."""

    WHAT: ClassVar[str] = "a policy"
    version: Literal[1] = 1
    columns: dict[_Column, RuleForm]


@dataclass(frozen=True, slots=True)
class Rule:
    """One column's treatment and why."""

    treat: Treatment
    reason: str = ""


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
    mistakes = [
        file.at_value(("columns", name), "keep needs a reason: who may know these values, and why")
        for name, rule in form.columns.items()
        if rule.treat == "keep" and not rule.reason.strip()
    ]
    if mistakes:
        raise in_order(WHAT, mistakes)
    rules = {n: Rule(Treatment(r.treat), r.reason) for n, r in form.columns.items()}
    return PolicyFile(file, rules)

"""Overrides: what a reviewer says of a workload's variables instead of what the captures say.

Each entry names a variable of the build, or a value that stayed in the text, as
`checkout.variables.yaml` lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from readiness.config.mistakes import Form, in_order, name_of, read_form
from readiness.config.yaml_file import YamlFile, read_yaml
from readiness.errors import Mistake
from readiness.model.generator import parse_specification

WHAT = "The overrides file"
_SAYS = {"generator": "fresh", "expression": "derived", "sample": "existing", "weight": "existing"}
_Column = Annotated[str, AfterValidator(name_of(r"[^.\s]+\.[^.\s]+", "table.column", most=140))]


def _generator(text: str) -> str:
    parse_specification(text)
    return text


class OverrideForm(Form):
    """What is said of one variable."""

    WHAT: ClassVar[str] = "an override"
    class_: Literal["fresh", "existing", "derived", "time", "inline", "constant"] | None = Field(
        None, alias="class"
    )
    generator: Annotated[str, AfterValidator(_generator)] | None = None
    expression: Annotated[str, Field(min_length=1)] | None = None
    sample: _Column | None = None
    weight: _Column | None = None
    name: (
        Annotated[str, AfterValidator(name_of(r"[A-Za-z_][A-Za-z0-9_]*", "letters, digits and _"))]
        | None
    ) = None
    because: str = ""


class OverridesForm(Form):
    """An overrides file."""

    WHAT: ClassVar[str] = "an overrides file"
    version: Literal[1] = 1
    variables: dict[str, OverrideForm]


@dataclass(frozen=True, slots=True)
class Override:
    """One entry. `kind` is the class it leads to (`fresh`, `existing`, `derived`, `time`,
    `inline`), "" where it only renames or gives a reason."""

    kind: str = ""
    generator: str = ""
    expression: str = ""
    sample: str = ""
    weight: str = ""
    name: str = ""
    because: str = ""


@dataclass(frozen=True, slots=True)
class Overrides:
    """The content of one file, by the variables' names; `file` tells where each thing stands."""

    file: YamlFile
    entries: Mapping[str, Override]

    def at(self, name: str, key: str, text: str) -> Mistake:
        """A mistake at the value of one key of an entry; at the entry's name for key ""."""
        location = ("variables", name, key) if key else ("variables", name)
        return self.file.at_value(location, text) if key else self.file.at_key(location, text)


def load_overrides(path: Path) -> Overrides:
    """The overrides in a file. Raises ConfigError when it cannot be read, ConfigMistakes with each
    mistake's line."""
    file = read_yaml(path, what=WHAT)
    form = read_form(file, OverridesForm, what=WHAT)
    mistakes = [m for name, entry in form.variables.items() for m in _mistakes(file, name, entry)]
    if mistakes:
        raise in_order(WHAT, mistakes)
    return Overrides(file, {name: _override(entry) for name, entry in form.variables.items()})


def _mistakes(file: YamlFile, name: str, entry: OverrideForm) -> Iterator[Mistake]:
    """Keys that contradict each other."""
    at = ("variables", name)
    said = [key for key in ("generator", "expression", "sample") if getattr(entry, key)]
    for key in said[1:]:
        yield file.at_key((*at, key), f"{said[0]} and {key} exclude each other: keep one")
    for key in [*said[:1], *(["weight"] if entry.weight else [])]:
        allowed = ("derived", "time") if key == "expression" else (_SAYS[key],)
        if entry.class_ and entry.class_ not in allowed:
            told = f"{key} belongs to class {' or '.join(allowed)}, not to {entry.class_}"
            yield file.at_key((*at, key), told)
    if entry.weight and entry.weight.partition(".")[0] == (entry.sample or "").partition(".")[0]:
        yield file.at_value((*at, "weight"), "the skew comes from another table than the sample")
    if not any(getattr(entry, key) for key in OverrideForm.model_fields):
        yield file.at_key(at, f"nothing is said of {name}: give class, generator, name or another")


def _override(entry: OverrideForm) -> Override:
    implied = next((kind for key, kind in _SAYS.items() if getattr(entry, key)), "")
    kind: str = entry.class_ or implied
    return Override(
        "inline" if kind == "constant" else kind,
        entry.generator or "",
        entry.expression or "",
        entry.sample or "",
        entry.weight or "",
        entry.name or "",
        entry.because,
    )

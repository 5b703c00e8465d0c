"""Reads a YAML file into a pydantic model, or says all its mistakes at once with their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from readiness.config.nearest import did_you_mean, nearest
from readiness.config.yaml_file import Location, YamlFile
from readiness.errors import ConfigMistakes, Mistake


class Form(BaseModel):
    """A mapping in a file. `WHAT` names it in messages; keys that it does not list are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
    WHAT: ClassVar[str] = "the file"


def name_of(pattern: str, told: str, *, most: int = 60) -> Callable[[str], str]:
    """A validator of names: full match of `pattern`, at most `most` characters; `told` says it."""

    def validate(name: str) -> str:
        if len(name) > most or not re.fullmatch(pattern, name):
            raise ValueError(f"a name holds {told}, at most {most}")
        return name

    return validate


FormT = TypeVar("FormT", bound=Form)


def read_form(file: YamlFile, form: type[FormT], *, what: str) -> FormT:
    """The file as a `form`. Raises ConfigMistakes with every mistake, in the order of lines."""
    mistakes, hints = list(file.duplicates), list[str]()
    made: FormT | None = None
    try:
        made = form.model_validate(dict(file.data), context={"path": file.path})
    except ValidationError as error:
        details = _without_misspelt(form, error.errors(include_url=False))
        mistakes += [_mistake(file, form, d) for d in details]
        hints = [_hint(form, d) for d in details]
    if made is None or mistakes:
        raise in_order(what, mistakes, hints)
    return made


def in_order(what: str, mistakes: list[Mistake], hints: list[str] | None = None) -> ConfigMistakes:
    """The error that shows `mistakes` by line, each hint once."""
    ordered = sorted(mistakes, key=lambda m: (m.line, m.column))
    return ConfigMistakes(what, ordered, hint="\n".join(dict.fromkeys(filter(None, hints or []))))


def _without_misspelt(form: type[Form], details: list[ErrorDetails]) -> list[ErrorDetails]:
    """A misspelt key is one mistake: the missing key that it was meant to be is not told too."""
    meant = {
        (*d["loc"][:-1], nearest(str(d["loc"][-1]), _keys(_form_at(form, d["loc"][:-1]))))
        for d in details
        if d["type"] == "extra_forbidden"
    }
    return [d for d in details if d["type"] != "missing" or d["loc"] not in meant]


def _mistake(file: YamlFile, form: type[Form], detail: ErrorDetails) -> Mistake:
    at = _written(detail["loc"])
    if detail["type"] == "extra_forbidden":
        keys = _keys(_form_at(form, at[:-1]))
        return file.at_key(at, f"unknown key.{did_you_mean(str(at[-1]), keys)}")
    if detail["type"] == "missing":
        return file.at_value(at[:-1], f"{at[-1]} is missing")
    return file.at_value(at, _told(detail))


def _written(location: Location) -> Location:
    """The location without pydantic's marks of union members, which are written `<name>`."""
    return tuple(s for s in location if not (isinstance(s, str) and s.startswith("<")))


def _told(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    if detail["type"] == "value_error":
        return str(context["error"])
    if detail["type"] == "literal_error":
        allowed = str(context["expected"]).replace("'", "").replace(" or ", ", ")
        close = did_you_mean(str(detail["input"]), allowed.split(", "))
        return f"allowed: {allowed}{'.' * bool(close)}{close}"
    return _TOLD.get(detail["type"]) or detail["msg"].replace("Input should be", "should be")


_TOLD = {
    "too_short": "at least one is needed",
    "model_type": "a mapping (`key: value`) is needed here",
    "dict_type": "a mapping (`key: value`) is needed here",
    "list_type": "a list (`- item`) is needed here",
    "string_type": "should be text: put it in quotes",
}


def _hint(form: type[Form], detail: ErrorDetails) -> str:
    if detail["type"] not in {"extra_forbidden", "missing"}:
        return ""
    owner = _form_at(form, detail["loc"][:-1])
    return f"Keys of {owner.WHAT}: {', '.join(_keys(owner))}"


def _keys(form: type[Form]) -> list[str]:
    """The keys as they are written: `from` is no name that Python has."""
    return [field.alias or name for name, field in form.model_fields.items()]


def _form_at(form: type[Form], at: Location) -> type[Form]:
    for step in at:
        field = form.model_fields.get(step) if isinstance(step, str) else None
        if field is not None:
            form = next(_forms(field.annotation), form)
    return form


def _forms(annotation: object) -> Iterator[type[Form]]:
    parts = get_args(annotation)
    if not parts and isinstance(annotation, type) and issubclass(annotation, Form):
        yield annotation
    for part in parts:
        yield from _forms(part)

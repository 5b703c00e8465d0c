"""docs/plan.md has every key of a plan file, with its default: no more and no less."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic.fields import FieldInfo

from readiness.config.mistakes import Form
from readiness.config.plan_form import PlanForm


def forms_in(annotation: Any) -> Iterator[type[Form]]:
    """The forms that a type mentions, however deep."""
    if isinstance(annotation, type) and issubclass(annotation, Form):
        yield annotation
        for field in annotation.model_fields.values():
            yield from forms_in(field.annotation)
            yield from forms_in(tuple(field.metadata))
    for part in annotation if isinstance(annotation, tuple) else get_args(annotation):
        yield from forms_in(part)


FORMS = list(dict.fromkeys(forms_in(PlanForm)))


def default_of(field: FieldInfo) -> str:
    """As the page writes it."""
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, Form):
        return "its defaults"
    if value is None or value in ("", []):
        return "none"
    return (
        str(value).lower()
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def documented(page: str, what: str) -> dict[str, str]:
    """The keys with their defaults in the section of a form."""
    (section,) = re.findall(
        rf"^## {what}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL | re.IGNORECASE
    )
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \| .+ \|$", section, re.MULTILINE))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.WHAT)
def test_every_key_of_a_plan_stands_there_with_its_default(
    form: type[Form], repository: Path
) -> None:
    page = (repository / "docs/plan.md").read_text(encoding="utf-8")
    keys = {field.alias or name: default_of(field) for name, field in form.model_fields.items()}
    assert documented(page, form.WHAT) == keys

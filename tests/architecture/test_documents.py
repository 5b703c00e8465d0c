"""Documents name what the code has, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from readiness import errors
from readiness.model.metrics import CATALOGUE
from readiness.model.verdict import EXIT_CODES


def glossary_rows(repository: Path) -> dict[str, list[str]]:
    text = (repository / "docs/glossary.md").read_text(encoding="utf-8")
    rows = (line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `"))
    return {row[0].strip(" `"): [cell.strip() for cell in row[1:]] for row in rows}


def test_the_glossary_is_the_catalogue(repository: Path) -> None:
    rows = {k: v for k, v in glossary_rows(repository).items() if re.fullmatch("[a-z0-9_]+", k)}
    wanted = {
        m.name: [m.unit, m.better.value, ", ".join(m.statistics), m.meaning]
        for m in CATALOGUE.values()
    }
    assert rows == wanted


def test_the_glossary_has_every_verdict_with_its_exit_code(repository: Path) -> None:
    rows = {k: v[-1] for k, v in glossary_rows(repository).items() if k.isupper()}
    assert rows == {word.value: str(code) for word, code in EXIT_CODES.items()}


def test_the_map_names_every_package(repository: Path) -> None:
    text = (repository / "docs/architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([a-z]+)` \|", text, re.MULTILINE))
    there = {
        p.stem
        for p in (repository / "include/readiness").iterdir()
        if not p.stem.startswith("_") and (p.suffix == ".py" or any(p.glob("*.py")))
    }
    assert named == there


def test_the_tree_of_errors_shows_every_error() -> None:
    drawn = set(re.findall(r"^[│├└─ ]*([A-Z]\w+)", errors.__doc__ or "", re.MULTILINE))
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.ReadinessError)
    }
    assert defined <= drawn


@pytest.mark.parametrize(
    ("page", "limit"), [("README.md", 200), ("docs/architecture.md", 250), ("CONTRIBUTING.md", 250)]
)
def test_pages_stay_short(page: str, limit: int, repository: Path) -> None:
    assert (repository / page).read_text(encoding="utf-8").count("\n") <= limit


def test_links_between_documents_lead_somewhere(repository: Path) -> None:
    pages = [*repository.glob("*.md"), *(repository / "docs").rglob("*.md")]
    dead = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert dead == []

"""The example and the figures in docs/method.md are what is built."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.fakes.captures import alone, capture, paylater_schema, transaction
from tests.fakes.paylater import captures_of

from readiness.anonymize.seal import seal
from readiness.capture.sessions import read_capture
from readiness.model.draft import RawDraft
from readiness.model.transactions import RawCapture
from readiness.workload.find.parameterize import parameterize
from readiness.workload.schema import Column, ForeignKey, Index, Schema, Table
from readiness.workload.text.file import render

ADA = ("5f1c9a52-3f0e-4c59-9d3e-2b7f6a1d8c04", "Ada Weiss", "12900", "20000038")
OTHERS = (
    ("c2d7e0b1-8a44-4f6b-b1a9-90e3c5d2f716", "Ben Okafor", "7450", "20000041"),
    ("09ab4e7d-61c2-4d8e-8f35-7de2b04c19aa", "Cem Aksoy", "21999", "20000057"),
)
PSEUDONYM = "11481"  # the page shows one; another key makes another
NUMBERED = Column("bigint", nullable=False, auto_increment=True)
PRIMARY = Index("PRIMARY", unique=True, columns=("id",))
SCHEMA = Schema(
    "shop",
    "utf8mb4_unicode_ci",
    {
        "users": Table(
            {"id": Column("char"), "name": Column("varchar"), "status": Column("varchar")},
            (PRIMARY, Index("by_name", unique=False, columns=("name",))),
        ),
        "loans": Table(
            {
                "id": NUMBERED,
                "user_id": Column("char"),
                "cents": Column("int"),
                "state": Column("varchar"),
            },
            (PRIMARY, Index("by_user", unique=False, columns=("user_id",))),
            (ForeignKey(("user_id",), "users", ("id",)),),
        ),
    },
)


@pytest.fixture(scope="module")
def blocks(repository: Path) -> list[str]:
    page = (repository / "docs" / "method.md").read_text("utf-8")
    return re.findall(r"```sql\n(.*?)```", page, re.DOTALL)


def recorded(lines: list[str], person: tuple[str, ...]) -> RawCapture:
    text = "\n".join(lines)
    for mine, theirs in zip(ADA, person, strict=True):
        assert mine in text
        text = text.replace(mine, theirs)
    insert_user, insert_loan, *rest = text.splitlines()
    return capture(
        transaction("BEGIN", insert_user, insert_loan, "COMMIT"), *(alone(sql) for sql in rest)
    )


@pytest.fixture(scope="module")
def draft(blocks: list[str]) -> RawDraft:
    lines = blocks[0].splitlines()
    people = [recorded(lines, person) for person in (ADA, *OTHERS)]
    return parameterize(people, schema=SCHEMA, name="checkout")


def test_twelve_literals_are_four_values(draft: RawDraft) -> None:
    counts = draft.counts
    assert (counts["literals"], counts["structural"], counts["constant"]) == (12, 1, 3)
    assert (counts["varying"], counts["groups"]) == (8, 4)


def test_the_file_has_the_lines_of_the_page_in_their_order(
    draft: RawDraft, blocks: list[str]
) -> None:
    lines = [re.escape(line).replace(PSEUDONYM, r"\d+") for line in blocks[1].splitlines()]
    assert "@loan_id_0" in blocks[1]
    text = render(seal(draft, key=b"k" * 32)).decode()
    assert re.search(r"[\s\S]*?".join(lines), text)


@pytest.mark.parametrize(("column", "which"), [(1, "plain"), (2, "salted")])
def test_the_funnel_is_that_of_the_page(column: int, which: str, repository: Path) -> None:
    page = (repository / "docs" / "method.md").read_text("utf-8")
    rows = re.findall(r"^\| \**(\w+)\** \|((?: \**\d+\** \|)+)$", page, re.MULTILINE)
    told = {step: int(figures.split("|")[column].strip(" *")) for step, figures in rows}
    captures = [read_capture(path) for path in captures_of(which)]
    counts = parameterize(captures, schema=paylater_schema(), name="checkout").counts
    assert len(told) == 12
    assert {step: counts[step] for step in told} == told

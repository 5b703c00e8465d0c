"""A plan reads back as it was written, and people read it without seeing a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.errors import ArtifactError
from readiness.masking.plan.plan_file import describe, from_json, hash_of, to_json
from readiness.model.masking import JsonPath, Look, MaskedColumn, MaskPlan, Source

names = st.text(min_size=1, max_size=12)
columns = st.builds(
    MaskedColumn,
    table=names,
    column=names,
    look=st.sampled_from([None, *Look]),
    domain=names,
    source=st.sampled_from(Source),
    why=names,
    derived=st.just("") | names,
    paths=st.lists(st.builds(JsonPath, names, st.sampled_from(Look)), max_size=2).map(tuple),
    is_folded=st.booleans(),
    is_unique=st.booleans(),
)
plans = st.builds(
    MaskPlan,
    database=names,
    policy=names,
    columns=st.lists(columns, max_size=3).map(tuple),
    kept=st.lists(columns, max_size=3).map(tuple),
    attempts=st.none() | st.dictionaries(names, st.integers(0, 16), max_size=2),
    notes=st.lists(names, max_size=2).map(tuple),
)


@given(plans)
def test_a_plan_reads_back(plan: MaskPlan) -> None:
    again = from_json(to_json(plan))
    assert again == plan
    assert hash_of(again) == hash_of(plan)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1}', '{"version": 2}'])
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(ArtifactError):
        from_json(text)


def test_a_plan_is_told_column_by_column() -> None:
    plan = MaskPlan(
        "shop",
        "default 3f2a9c11d0ab",
        (
            MaskedColumn(
                "users", "email", Look.EMAIL, "email", Source.NAME, "its name is of an e-mail"
            ),
        ),
        (MaskedColumn("users", "id", None, "", Source.NOTHING, "it counts rows"),),
        notes=("logs has no primary key: it is masked in one piece",),
    )
    assert describe(plan).splitlines() == [
        "shop: 1 column of 1 table masked under the policy default 3f2a9c11d0ab",
        "",
        "  column       becomes  because",
        "  users.email  email    its name is of an e-mail",
        "",
        "kept",
        "  users.id  stays    it counts rows",
        "",
        "logs has no primary key: it is masked in one piece",
    ]

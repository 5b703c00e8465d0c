"""Foreign keys tie columns into groups, the root first."""

from __future__ import annotations

from tests.fakes.described_tables import catalogue_of

from readiness.masking.plan.references import groups_of


def test_chains_and_siblings_are_one_group_with_the_root_first() -> None:
    groups = groups_of(
        catalogue_of(
            "z(code char(9)!), a(code char(9)! to=z.code), b(id int!, code char(9) to=a.code),"
            " c(id int!, code char(9) to=z.code)"
        )
    )
    group = groups["b", "code"]
    assert group[0] == ("z", "code")
    assert set(group) == {("z", "code"), ("a", "code"), ("b", "code"), ("c", "code")}
    assert groups["z", "code"] is group


def test_a_reference_to_itself_has_its_root() -> None:
    groups = groups_of(catalogue_of("staff(id char(9)!, boss char(9) to=staff.id)"))
    assert groups["staff", "boss"] == (("staff", "id"), ("staff", "boss"))


def test_columns_without_foreign_keys_are_in_no_group() -> None:
    assert groups_of(catalogue_of("a(id int!, email varchar(80))")) == {}


def test_a_circle_of_tables_ends() -> None:
    groups = groups_of(
        catalogue_of("a(id char(9)! to=b.id), b(id char(9)! to=a.id), c(x char(9) to=a.id)")
    )
    assert len(groups["c", "x"]) == 3

"""A policy must fit the schema: unknown columns are errors, and so is what would break a checkout."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.captures import paylater_schema, shop_schema

from readiness.anonymize.policy import Policy
from readiness.errors import ConfigMistakes
from readiness.flow.policies import deciding, policy_in_force


def in_force(folder: Path, columns: str) -> Policy:
    path = folder / "shop.yaml"
    path.write_text(f"columns:\n{columns}\n")
    return policy_in_force(path, shop_schema())


def fault(folder: Path, columns: str) -> str:
    with pytest.raises(ConfigMistakes) as caught:
        in_force(folder, columns)
    (mistake,) = caught.value.mistakes
    assert mistake.path == folder / "shop.yaml"
    assert mistake.line == 2
    return mistake.text


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ("user.email: {treat: pseudonym}", "there is no table user. Did you mean users?"),
        ("users.e_mail: {treat: pseudonym}", "has no column e_mail. Did you mean email?"),
        ("users.email: {treat: keep, reason: x}", "it is unique"),
        ("users.email: {treat: empty}", "it is unique"),
        ("orders.user_id: {treat: generalize}", "it refers to users.id"),
        ("users.born_on: {treat: empty}", "a date has no empty value"),
    ],
)
def test_what_cannot_be_done_is_told_with_its_line(tmp_path: Path, column: str, told: str) -> None:
    assert told in fault(tmp_path, f"  {column}")


def test_names_are_read_whatever_their_case(tmp_path: Path) -> None:
    policy = in_force(tmp_path, "  USERS.Born_On: {treat: generalize}")
    assert list(policy.rules) == [("users", "born_on")]


def test_one_column_in_two_spellings_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(
        "columns:\n  users.name: {treat: empty}\n  users.NAME: {treat: keep, reason: x}\n"
    )
    with pytest.raises(ConfigMistakes) as caught:
        policy_in_force(path, shop_schema())
    assert [m.line for m in caught.value.mistakes] == [3]


def test_its_title_is_its_name_and_hash(tmp_path: Path) -> None:
    policy = in_force(tmp_path, "  users.name: {treat: empty}")
    assert policy.title == f"shop {policy.sha256[:12]}"
    other = in_force(tmp_path, "  users.name: {treat: pseudonym}")
    assert other.sha256 != policy.sha256


def test_kept_columns_are_words_of_the_schema_and_changed_ones_no_variables(tmp_path: Path) -> None:
    columns = "  users.name: {treat: keep, reason: x}\n  users.born_on: {treat: generalize}"
    schema = deciding(shop_schema(), in_force(tmp_path, columns))
    assert schema.is_listed("users", "name")
    assert not schema.is_listed("users", "born_on")
    assert schema.is_fixed("users", "born_on")
    assert not shop_schema().is_fixed("users", "name")


def test_the_default_policy_fits_every_schema(repository: Path) -> None:
    path = repository / "include/policies/default.yaml"
    assert not policy_in_force(path, paylater_schema()).rules

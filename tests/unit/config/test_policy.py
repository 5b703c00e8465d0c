"""A policy file is read whole, or all its mistakes are told with their lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from readiness.config.policy import Rule, Treatment, load_policy
from readiness.errors import ConfigError, ConfigMistakes
from readiness.model.masking import Look


def rules(folder: Path, text: str) -> dict[str, Rule]:
    path = folder / "shop.yaml"
    path.write_text(text)
    return dict(load_policy(path).rules)


def told(folder: Path, text: str) -> list[tuple[int, str]]:
    with pytest.raises(ConfigMistakes) as caught:
        rules(folder, text)
    return [(m.line, m.text) for m in caught.value.mistakes]


def test_each_column_has_its_treatment_and_reason(tmp_path: Path) -> None:
    found = rules(
        tmp_path,
        "columns:\n  orders.status: {treat: keep, reason: a word of the code}\n"
        "  users.email: {treat: pseudonym}\n",
    )
    assert found["orders.status"] == Rule(Treatment.KEEP, "a word of the code")
    assert found["users.email"] == Rule(Treatment.PSEUDONYM)


def test_what_is_kept_needs_a_reason(tmp_path: Path) -> None:
    text = "columns:\n  orders.status: {treat: keep}\n  users.born_on: {treat: keep, reason: ' '}\n"
    found = told(tmp_path, text)
    assert [line for line, _ in found] == [2, 3]
    assert all("keep needs a reason" in text for _, text in found)


def test_mistakes_name_the_nearest_word(tmp_path: Path) -> None:
    text = "columns:\n  users.email: {treat: pseudonim}\n  status: {treat: empty}\n  a.b: {treet: empty}\n"
    found = dict(told(tmp_path, text))
    assert "Did you mean pseudonym?" in found[2]
    assert "table.column" in found[3]
    assert "Did you mean treat?" in found[4]


def test_the_default_policy_documents_itself_and_can_be_read(repository: Path) -> None:
    path = repository / "include/policies/default.yaml"
    assert not load_policy(path).rules
    text = path.read_text()
    assert all(str(treatment) in text for treatment in Treatment)


def test_its_examples_are_valid(repository: Path, tmp_path: Path) -> None:
    lines = (repository / "include/policies/default.yaml").read_text().splitlines()
    begins = [number for number, line in enumerate(lines) if line == "#   columns:"]
    assert len(begins) == 2
    for at in begins:
        example = [line.removeprefix("#   ") for line in lines[at : at + 5]]
        assert len(rules(tmp_path, "\n".join(example))) == 4


def test_it_names_every_look_and_function(repository: Path) -> None:
    text = (repository / "include/policies/default.yaml").read_text()
    assert {str(look) for look in Look} - {"json"} <= set(re.findall(r"\w+", text))


def test_how_a_clone_is_masked_is_read_with_the_treatment(tmp_path: Path) -> None:
    found = rules(
        tmp_path,
        "columns:\n  a.b: {treat: pseudonym, look: phone}\n"
        '  a.c: {treat: pseudonym, json: {"$.who[*].\\"e mail\\"": email}}\n'
        '  a.d: {treat: pseudonym, derive: "SHA1({b})"}\n  a.e: {treat: pseudonym, ordered: true}\n',
    )
    assert found["a.b"].look is Look.PHONE
    assert found["a.c"].json == {'$.who[*]."e mail"': Look.EMAIL}
    assert found["a.d"].derive == "SHA1({b})"
    assert found["a.e"].ordered


def test_what_cannot_be_said_together_is_told_with_its_line(tmp_path: Path) -> None:
    text = (
        "columns:\n  a.b: {treat: keep, reason: ours, look: email}\n"
        '  a.c: {treat: pseudonym, look: hex, derive: "MD5({b})"}\n'
        '  a.d: {treat: pseudonym, derive: "(SELECT 1)"}\n  a.e: {treat: pseudonym, json: {}}\n'
    )
    found = dict(told(tmp_path, text))
    assert "use it with treat: pseudonym" in found[2]
    assert "look and derive cannot both say" in found[3]
    assert "where a value should stand" in found[4]
    assert "at least one path" in found[5]


def test_a_path_that_is_none_is_told(tmp_path: Path) -> None:
    found = dict(
        told(tmp_path, 'columns:\n  a.b: {treat: pseudonym, json: {"user.email": email}}\n')
    )
    assert "$.user.email" in found[2]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_policy(tmp_path / "none.yaml")

"""A plan says how its clone is masked: by the default policy, by another, or that nothing is personal."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.config.masking import Masking, unmasked_words, waiver_of
from readiness.config.plan import load_plan
from readiness.errors import ConfigMistakes


def written(folder: Path, masking: str) -> Path:
    """The demo's plan, its clone masked as said."""
    text = load_plan("demo").source.text
    assert "clone: {snapshot: demo-production, " in text
    path = folder / "mine.yaml"
    path.write_text(text.replace("clone: {", f"clone: {{{masking}, " if masking else "clone: {"))
    return path


def masking_of(path: Path) -> Masking:
    clone = load_plan(path).clone
    assert clone
    return clone.masking


def test_nothing_said_is_the_default_policy(tmp_path: Path) -> None:
    assert masking_of(written(tmp_path, "")).policy.name == "default.yaml"


def test_a_policy_is_found_beside_the_plan(tmp_path: Path) -> None:
    (tmp_path / "ours.yaml").write_text("version: 1\ncolumns: {}\n")
    assert masking_of(written(tmp_path, "masking: ./ours.yaml")).policy == tmp_path / "ours.yaml"


def test_a_waiver_is_a_reason_on_one_line(tmp_path: Path) -> None:
    said = masking_of(written(tmp_path, "masking: {not_needed: 'all   invented'}"))
    assert (said.waiver, said.title) == ("all invented", "waived: all invented")
    assert waiver_of(said.title) == "all invented"
    assert waiver_of("policy default 0123: 3 columns") == ""
    assert unmasked_words({"masked": said.title}) == "the clone was not masked: all invented"
    assert unmasked_words({"masked": "policy default 0123"}) == ""


@pytest.mark.parametrize(
    ("masking", "told"),
    [
        ("masking: defualt", "Did you mean default"),
        ("masking: {not_neded: x}", "Did you mean not_needed"),
        ("masking: {not_needed: ''}", "why the data holds nothing personal"),
        (f"masking: {{not_needed: {'x' * 151}}}", "1 to 150 characters"),
        ("masking: 3", "should be text"),
        ("masking: no", "say {not_needed: WHY}"),
        ("masking: ''", "say {not_needed: WHY}"),
    ],
)
def test_a_wrong_masking_says_what_is_allowed(tmp_path: Path, masking: str, told: str) -> None:
    with pytest.raises(ConfigMistakes) as caught:
        load_plan(written(tmp_path, masking))
    assert told in str(caught.value)


def test_a_wrong_policy_is_told_with_the_plan_in_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "ours.yaml").write_text("version: 1\ncolumns: {users.name: {treat: keep}}\n")
    with pytest.raises(ConfigMistakes) as caught:
        load_plan(written(tmp_path, "masking: ./ours.yaml"))
    (mistake,) = caught.value.mistakes
    assert (mistake.path, mistake.line) == (tmp_path / "ours.yaml", 2)


def test_the_plan_of_a_run_is_read_without_its_policy(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    kept = written(tmp_path, "masking: ./gone.yaml").rename(tmp_path / "plan.yaml")
    assert load_plan(kept).clone is not None

"""Expectations name catalogue metrics with their own units and allowed statistics, or are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.config.expectations import load_expectations
from readiness.errors import ConfigMistakes
from readiness.model.verdict import Severity

ONE = """\
version: 1
expectations:
  - id: commit-p99
    metric: commit_p99_ms
    stages: "*"
    op: "<="
    limit: 50
    unit: ms
    severity: critical
    because: checkouts wait for it
"""


def told(folder: Path, text: str) -> list[tuple[int, str]]:
    path = folder / "limits.yaml"
    path.write_text(text)
    with pytest.raises(ConfigMistakes) as caught:
        load_expectations(path)
    return [(m.line, m.text) for m in caught.value.mistakes]


def test_an_expectation_comes_through(tmp_path: Path) -> None:
    (tmp_path / "limits.yaml").write_text(ONE)
    (found,) = load_expectations(tmp_path / "limits.yaml").expectations
    assert (found.id, found.statistic, found.stages) == ("commit-p99", "value", ("*",))
    assert (found.op, found.limit, found.severity) == ("<=", 50.0, Severity.CRITICAL)
    assert found.because == "checkouts wait for it"


def test_native_expectations_keep_their_arguments(tmp_path: Path) -> None:
    native = (
        "native:\n  - id: aas-whole\n    expectation: expect_column_values_to_be_between\n"
        "    metric: aas\n    stages: [peak]\n    arguments: {min_value: 0}\n    severity: info\n"
    )
    (tmp_path / "limits.yaml").write_text(ONE + native)
    (found,) = load_expectations(tmp_path / "limits.yaml").native
    assert found.expectation == "expect_column_values_to_be_between"
    assert (found.arguments, found.stages) == ({"min_value": 0}, ("peak",))


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ("commit_p99_ms", "comit_p99_ms", 4, "Did you mean commit_p99_ms?"),
        ("commit_p99_ms", "native.x", 4, "native.<source>.<name>"),
        ("stages:", "statistic: p95\n    stages:", 5, "already the figure of the whole stage"),
        ("unit: ms", "unit: s", 8, "commit_p99_ms is measured in ms"),
        ("limit: 50", "limit: .inf", 7, "should be a finite number"),
        ("limit: 50", "limit: .nan", 7, "should be a finite number"),
        ("limit: 50", 'limit: "fast"', 7, "should be a valid number"),
        ('op: "<="', 'op: "=<"', 6, "allowed: <, <=, >, >="),
        ("severity: critical", "severity: critcal", 9, "Did you mean critical?"),
        ("severity: critical", "level: critical", 9, "unknown key."),
        ('stages: "*"', "stages: []", 5, "at least one is needed"),
        ("version: 1", "version: 2", 1, "allowed: 1"),
    ],
)
def test_each_mistake_is_told_at_its_line(
    tmp_path: Path, before: str, after: str, line: int, message: str
) -> None:
    found = told(tmp_path, ONE.replace(before, after))
    assert any(at == line and message in text for at, text in found), found


def test_a_percentile_of_percentiles_is_refused(tmp_path: Path) -> None:
    (only,) = told(tmp_path, ONE.replace("stages:", "statistic: max\n    stages:"))
    assert only[1].startswith("allowed for commit_p99_ms: value")


def test_a_series_names_how_its_seconds_become_one_figure(tmp_path: Path) -> None:
    text = ONE.replace("commit_p99_ms", "aas").replace("unit: ms", "unit: sessions")
    assert [line for line, _ in told(tmp_path, text)] == [3]
    (tmp_path / "limits.yaml").write_text(text.replace("stages:", "statistic: p95\n    stages:"))
    assert load_expectations(tmp_path / "limits.yaml").expectations[0].statistic == "p95"


def test_two_expectations_of_one_id_are_refused(tmp_path: Path) -> None:
    again = ONE + ONE.split("expectations:\n")[1]
    assert told(tmp_path, again) == [(11, "another one is called commit-p99")]


def test_an_empty_list_would_prove_nothing(tmp_path: Path) -> None:
    assert told(tmp_path, "version: 1\nexpectations: []\n") == [(2, "at least one is needed")]

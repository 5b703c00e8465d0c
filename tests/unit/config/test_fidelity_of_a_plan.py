"""A plan that names its fidelity, and the file of production's figures that one is made from."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.config.test_plan import LIMITS, PLAN

from readiness.artifacts.fidelity_file import read_fidelity, write_fidelity
from readiness.config.plan import Plan, load_plan
from readiness.config.production_figures import load_production_figures
from readiness.errors import ConfigError, ConfigMistakes, SchemaMismatch
from readiness.model.fidelity import Compared, Fidelity, Likeness, Trial
from readiness.wiring.fidelities import fidelity_score

COMPARED = (Compared("aas", 0.5, 0.4, 0.2),)
TRIALS = (
    Trial(0.0, "per-checkout", Likeness(0.5, COMPARED, ("read_iops",))),
    Trial(1.0, "per-checkout", Likeness(0.8, COMPARED, ())),
    Trial(1.0, "pooled", Likeness(0.9, COMPARED, ()), doubt="the host was busy"),
)
FIDELITY = Fidelity(12.0, 30.0, "a" * 64, TRIALS)


def plan(folder: Path, *more: str) -> Plan:
    (folder / "weekly.yaml").write_text(PLAN.replace("validity:", "\n".join([*more, "validity:"])))
    (folder / "limits.yaml").write_text(LIMITS)
    return load_plan(folder / "weekly.yaml")


def mistakes(caught: pytest.ExceptionInfo[ConfigMistakes]) -> str:
    return str(caught.value)


def test_the_score_is_that_of_the_plans_own_way_to_load(tmp_path: Path) -> None:
    write_fidelity(tmp_path / "likeness.json", FIDELITY)
    workload = tmp_path / "checkout.sql"
    workload.write_text("SELECT 1;")
    made = plan(tmp_path, "fidelity: likeness.json")
    score, notes = fidelity_score(made, workload)
    assert score == 0.8
    assert "another workload" in notes[0]
    assert fidelity_score(plan(tmp_path), workload) == (None, ())


def test_a_way_that_was_not_tried_or_not_believed_has_no_score(tmp_path: Path) -> None:
    write_fidelity(tmp_path / "likeness.json", FIDELITY)
    made = plan(tmp_path, "fidelity: likeness.json", "connections: pooled")
    with pytest.raises(ConfigError, match="connections pooled") as caught:
        fidelity_score(made, tmp_path / "checkout.sql")
    assert "--rate 12" in caught.value.hint


def test_the_most_alike_that_can_be_believed_is_the_best() -> None:
    assert FIDELITY.best == TRIALS[1]


def test_what_was_written_reads_back_and_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "likeness.json"
    write_fidelity(path, FIDELITY)
    assert read_fidelity(path) == FIDELITY
    path.write_text(path.read_text().replace('"schema_version": 1', '"schema_version": 2'))
    with pytest.raises(SchemaMismatch):
        read_fidelity(path)


def test_a_file_that_is_not_there_is_told_with_what_makes_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigMistakes) as caught:
        plan(tmp_path, "fidelity: lost.json")
    assert "readiness calibrate --like … -o lost.json" in mistakes(caught)


def test_a_least_score_without_a_file_is_a_mistake(tmp_path: Path) -> None:
    text = PLAN.replace("generator_cpu_ratio: 0.5", "fidelity_min: 0.8")
    (tmp_path / "weekly.yaml").write_text(text)
    (tmp_path / "limits.yaml").write_text(LIMITS)
    with pytest.raises(ConfigMistakes) as caught:
        load_plan(tmp_path / "weekly.yaml")
    assert "give the plan a fidelity: FILE" in mistakes(caught)


def test_a_run_folders_plan_needs_the_file_no_more(tmp_path: Path) -> None:
    (tmp_path / "limits.yaml").write_text(LIMITS)
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "plan.yaml").write_text(f"{PLAN}fidelity: lost.json\n")
    assert load_plan(tmp_path / "plan.yaml").fidelity is not None


def test_figures_of_production_are_metrics_of_the_catalogue(tmp_path: Path) -> None:
    path = tmp_path / "production.yaml"
    path.write_text("commits_per_s: 118\nthreads_running: 2.4\n")
    with pytest.raises(ConfigError, match="2 figures; at least 3"):
        load_production_figures(path)
    path.write_text("commits_per_s: 118\nthreads_running: 2.4\naas: 0\n")
    read = load_production_figures(path)
    assert read == {"commits_per_s": 118.0, "threads_running": 2.4, "aas": 0.0}


def test_every_wrong_figure_of_production_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "production.yaml"
    path.write_text("comits_per_s: 1\noffered_rate_per_s: 12\naas: many\nconnections: -1\n")
    with pytest.raises(ConfigMistakes) as caught:
        load_production_figures(path)
    said = [mistake.text for mistake in caught.value.mistakes]
    assert len(said) == 4
    assert "commits_per_s" in said[0]
    assert "no metric to compare by" in said[1]  # what the generator says of itself
    with pytest.raises(ConfigError, match="no file"):
        load_production_figures(tmp_path / "nowhere.yaml")

"""Great Expectations fails what does not hold, sees every figure, and tells no value."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from readiness.adapters import masking_checks
from readiness.adapters.masking_checks import failed, judge_masking
from readiness.artifacts.masking_file import Proof, read_masking, write_masking
from readiness.errors import AnalysisError, ArtifactError, SchemaMismatch
from readiness.masking.prove.facts import KINDS, holds
from readiness.model.masking import MaskFact
from readiness.model.verdict import Outcome

COMPLETE = [MaskFact("rows", "users", 5, 5), MaskFact("columns", "users", 9, 9)]
CANARY = "ziskvogel.qwentin@xylobury.de"

numbers = st.floats(0, 1e6) | st.sampled_from([0.0, 1.0, math.nan, math.inf])
facts = st.builds(
    MaskFact,
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(["users.email", "users", "users.uq_email(2)"]),
    numbers,
    numbers,
    st.sampled_from([0.0, 0.01, 0.15]),
)


# Without shrinking: each try costs Great Expectations a tenth of a second.
@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(facts, min_size=1, max_size=12))
def test_a_check_passes_if_and_only_if_its_figure_holds(made: list[MaskFact]) -> None:
    checks = judge_masking(made)[1:]
    assert len(checks) == len(made)
    by_id = sorted((c.expectation, c.outcome is Outcome.PASSED) for c in checks)
    assert by_id == sorted((f"masking/{f.name}/{f.place}", holds(f)) for f in made)


def test_figures_that_hold_prove_a_masking() -> None:
    checks = judge_masking(COMPLETE, {"email": {"users.note": ["all is well", "a@b.test"]}})
    assert failed(checks) == []
    assert [c.expectation for c in checks] == [
        "masking/complete",
        "masking/rows/users",
        "masking/columns/users",
        "masking/sample_email",
    ]


@pytest.mark.parametrize("made", [[], COMPLETE[:1], COMPLETE[1:]])
def test_a_proof_without_figures_is_none(made: Sequence[MaskFact]) -> None:
    (wrong,) = failed(judge_masking(made))
    assert wrong.expectation == "masking/complete"
    assert wrong.why.startswith("no figures of")


def test_a_failing_check_names_place_and_figure() -> None:
    (wrong,) = failed(judge_masking([*COMPLETE, MaskFact("survivors", "users.email", 0, 3)]))
    assert (wrong.metric, wrong.stage, wrong.value) == ("survivors", "users.email", 3)
    assert wrong.why == "users.email: 3 rows with a value that a row had before masking (at most 0)"


def test_a_missing_figure_is_said_to_be_missing() -> None:
    (wrong,) = failed(judge_masking([*COMPLETE, MaskFact("distinct", "users.email", 3, math.nan)]))
    assert (wrong.outcome, wrong.value) == (Outcome.MISSING, None)
    assert wrong.why == "users.email: the figure is missing"


TEXTS = {
    "email": {"users.note": ["fine", f"write to {CANARY}"], "users.memo": [CANARY] * 3},
    "phone": {"users.note": ["+49 30 12345678"]},
}


def test_a_sampled_text_fails_by_its_place(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = failed(judge_masking(COMPLETE, TEXTS))
    assert [(c.metric, c.value, c.count) for c in wrong] == [
        ("sample_email", 4, 5),
        ("sample_phone", 1, 1),
    ]
    assert wrong[0].why == "users.memo, users.note: rows that hold an e-mail address (of a sample)"
    shown = f"{wrong!r}{caplog.text}{''.join(capfd.readouterr())}"
    assert "ziskvogel" not in shown
    assert "12345678" not in shown


def test_the_results_of_great_expectations_hold_positions_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Mapping[str, object]] = []
    validate = masking_checks._validate

    def watched(*arguments: object) -> object:
        found = validate(*arguments)  # type: ignore[arg-type]
        seen.extend(found)
        return found

    monkeypatch.setattr(masking_checks, "_validate", watched)
    judge_masking(COMPLETE, TEXTS)
    shown = json.dumps(seen, default=repr)
    assert "unexpected_index_list" in shown
    assert "ziskvogel" not in shown
    assert "12345678" not in shown


def test_what_great_expectations_cannot_evaluate_is_no_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its exceptions may quote the frame: only that there was one is told."""
    monkeypatch.setitem(masking_checks.PATTERNS, "email", f"({CANARY}")  # type: ignore[index]
    with pytest.raises(AnalysisError, match="could not evaluate") as raised:
        judge_masking(COMPLETE, TEXTS)
    assert CANARY not in str(raised.value)
    assert raised.value.__cause__ is None


def test_the_proof_reads_back_from_its_file(tmp_path: Path) -> None:
    made = (*COMPLETE, MaskFact("distinct", "users.email", 3, 2, 0.01))
    proof = Proof("shop", "3f2a", made, tuple(judge_masking(made)), {"orders.no": "check digits"})
    path = tmp_path / "masking.json"
    write_masking(path, [proof])
    assert read_masking(path) == (proof,)
    write_masking(path, [Proof("shop", "", (MaskFact("rows", "t", 1, math.nan),), (), {})])
    assert math.isnan(read_masking(path)[0].facts[0].after)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema_version": 1}', '{"schema_version": 1, "databases": [1]}']
)
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "masking.json"
    path.write_text(text)
    with pytest.raises(ArtifactError, match=r"masking\.json"):
        read_masking(path)


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "masking.json"
    path.write_text('{"schema_version": 2, "databases": []}')
    with pytest.raises(SchemaMismatch):
        read_masking(path)

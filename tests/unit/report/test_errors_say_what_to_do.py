from __future__ import annotations

from pathlib import Path

from readiness.errors import Busy, ConfigMistakes, Mistake, ReadinessError, TargetRefused
from readiness.report.terminal import format_error

PLAN = "name: checkout\nstages:\n  - name: peak\n    rate: 5x\n    hold: 480\n"


def test_a_mistake_is_shown_in_its_line_with_a_caret_under_it(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    mistake = Mistake(path, 5, 5, "unknown key. Did you mean hold_s?", width=4)
    error = ConfigMistakes("The plan", [mistake], hint="Keys of a stage: name, rate, hold_s")
    assert format_error(error).splitlines() == [
        "✕ The plan has 1 mistake. Nothing was started.",
        "",
        f"  {path}:5:5",
        "    3 |   - name: peak",
        "    4 |     rate: 5x",
        "    5 |     hold: 480",
        "      |     ^^^^ unknown key. Did you mean hold_s?",
        "",
        "  Keys of a stage: name, rate, hold_s",
        "",
        "(exit 2)",
    ]


def test_all_mistakes_of_a_file_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    mistakes = [Mistake(path, n, 1, f"wrong {n}") for n in (1, 2, 4)]
    text = format_error(ConfigMistakes("The plan", mistakes))
    assert "has 3 mistakes" in text
    assert all(f"^ wrong {n}" in text for n in (1, 2, 4))


def test_a_mistake_in_a_file_that_cannot_be_read_still_names_the_place(tmp_path: Path) -> None:
    missing = tmp_path / "gone.yaml"
    text = format_error(ConfigMistakes("The plan", [Mistake(missing, 3, 1, "no such file")]))
    assert f"  {missing}:3:1\n    no such file" in text


def test_a_refusal_shows_each_key_and_the_way_out() -> None:
    error = TargetRefused(
        "Refused: this target may be production.",
        [("marker", False, "this database was not cloned by this suite"),
         ("identity", True, "differs from all 3 production endpoints")],
        hint="If it is a clone, adopt it:\n  readiness clone adopt DSN",
    )  # fmt: skip
    assert format_error(error).splitlines() == [
        "✕ Refused: this target may be production.",
        "",
        "  marker     missing   this database was not cloned by this suite",
        "  identity   ok        differs from all 3 production endpoints",
        "",
        "  If it is a clone, adopt it:",
        "    readiness clone adopt DSN",
        "",
        "(exit 2)",
    ]


def test_any_other_error_is_its_message_its_hint_and_its_exit_code() -> None:
    text = format_error(Busy("Another demo runs, pid 4711.", hint="Wait for it, or: kill 4711"))
    assert text == ("✕ Another demo runs, pid 4711.\n\n  Wait for it, or: kill 4711\n\n(exit 2)")


def test_an_error_without_a_hint_is_short() -> None:
    assert format_error(ReadinessError("It failed.")) == "✕ It failed.\n\n(exit 3)"


def test_colour_marks_the_cross_only_when_asked() -> None:
    assert format_error(ReadinessError("x"), colour=True).startswith("\x1b[31m✕\x1b[0m x")

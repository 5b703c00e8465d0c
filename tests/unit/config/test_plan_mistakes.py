"""A wrong plan is told whole: every mistake at its place, with the nearest valid word."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.config.plan import load_plan
from readiness.errors import ConfigError, ConfigMistakes

LIMITS = """\
version: 1
expectations:
  - {id: errors, metric: error_ratio, stages: "*", op: "<", limit: 0.1, unit: ratio,
     severity: critical}
"""
GOOD = """\
name: weekly
flows:
  - {name: checkout, normal_rate_per_s: 12}
peak: 10x
stages:
  - name: peak
    rate: 10x
    hold_s: 480
expectations: limits.yaml
"""


def mistakes_of(folder: Path, text: str | bytes) -> ConfigMistakes:
    (folder / "limits.yaml").write_text(LIMITS)
    path = folder / "plan.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigMistakes) as caught:
        load_plan(path)
    return caught.value


def told(folder: Path, text: str | bytes) -> list[tuple[int, int, int, str]]:
    return [(m.line, m.column, m.width, m.text) for m in mistakes_of(folder, text).mistakes]


def test_all_mistakes_come_at_once_each_at_its_place(tmp_path: Path) -> None:
    wrong = GOOD.replace("hold_s", "hold").replace("limits.yaml", "dmo")
    assert told(tmp_path, wrong) == [
        (8, 5, 4, "unknown key. Did you mean hold_s?"),
        (9, 15, 3, "No such file: dmo. Did you mean demo?"),
    ]


def test_the_hint_lists_the_keys_of_what_was_misspelt(tmp_path: Path) -> None:
    error = mistakes_of(tmp_path, GOOD.replace("hold_s", "hold"))
    assert error.hint == "Keys of a stage: name, rate, ramp_s, hold_s, warmup_s, tuned"
    assert error.message == "The plan has 1 mistake."
    assert error.exit_code == 2


def test_a_key_given_twice_is_a_mistake(tmp_path: Path) -> None:
    assert told(tmp_path, GOOD + "peak: 3x\n") == [(10, 1, 4, "peak is given twice")]


def test_a_missing_key_is_told_where_its_mapping_begins(tmp_path: Path) -> None:
    assert (6, 5, 1, "rate is missing") in told(tmp_path, GOOD.replace("    rate: 10x\n", ""))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("rate: 10x", "rate: 10", "write 2x (times the normal rate) or 120/s"),
        ("rate: 10x", "rate: 0x", "write 2x (times the normal rate) or 120/s"),
        ("hold_s: 480", "hold_s: long", "should be a valid number"),
        ("hold_s: 480", "hold_s: .nan", "should be a finite number"),
        ("hold_s: 480", "hold_s: 5\n    warmup_s: 5", "warmup_s 5 leaves nothing of hold_s 5"),
        ("name: weekly", "name: Weekly Run", "a name holds a-z, 0-9 and -, at most 60"),
        ("name: weekly", "name: 2024", "should be text: put it in quotes"),
        ("peak: 10x", "arrivals: poison", "Did you mean poisson?"),
        ("peak: 10x", "pacing: slow", "allowed: none, captured, or a factor above 0"),
        ("peak: 10x", "scope: live", "allowed: demonstration, evidence"),
        ("peak: 10x", "schedule: weekly", "a mapping (`key: value`) is needed here"),
        ("peak: 10x", "schedule: {corn: 0 6 * * 1}", "unknown key. Did you mean cron?"),
        ("peak: 10x", 'schedule: {cron: "0 6 * *"}', "write five fields"),
        ("peak: 10x", "schedule: {cron: 0 6 30 2 *}", "this schedule never runs"),
        ("peak: 10x", "schedule: {timezone: Europe/Berin}", "Did you mean Europe/Berlin?"),
        ("peak: 10x", "clone: {lease_h: 2}", "snapshot is missing"),
        ("peak: 10x", "clone: {snapshot: a, lease_h: 100}", "less than or equal to 72"),
        ("peak: 10x", "owner: a,b", "a name holds letters"),
        ("peak: 10x", "stages: 3", "stages is given twice"),
        (" 12}", " {capacity_share: 9}}", "should be less than or equal to 4"),
        (" 12}", " 0}", "should be greater than 0"),
        ("expectations: lim", "expectations: !x lim", "tags (!name) are not supported"),
    ],
)
def test_each_wrong_value_is_told_in_words(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    assert before in GOOD
    assert any(message in m[3] for m in told(tmp_path, GOOD.replace(before, after)))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('{metric: eror_ratio, op: ">", limit: 1, for_s: 5}', "Did you mean error_ratio?"),
        ("{metric: statement_p99_ms, op: '>', limit: 1, for_s: 5}", "only when a stage has ended"),
        ('{metric: error_ratio, op: "=>", limit: 1, for_s: 5}', "allowed: <, <=, >, >="),
        ('{metric: error_ratio, op: ">", limit: .inf, for_s: 5}', "should be a finite number"),
        ('{metric: error_ratio, op: ">", limit: 1, for_s: 0}', "greater than or equal to 1"),
    ],
)
def test_an_abort_rule_that_could_never_act_is_refused(
    tmp_path: Path, rule: str, message: str
) -> None:
    assert any(message in m[3] for m in told(tmp_path, GOOD + f"abort:\n  - {rule}\n"))


@pytest.mark.parametrize(
    ("freeze", "message"),
    [
        ("{from: 2026-11-23, to: 2026-11-30}", "because is missing"),
        ("{form: 12-18, to: 01-06, because: x}", "unknown key. Did you mean from?"),
        ("{from: 2026-11-31, to: 2026-12-01, because: x}", "there is no such day"),
        ("{from: 23.11., to: 12-01, because: x}", "write 2026-11-23 for once, or 12-18 for each"),
        ("{from: 2026-11-23, to: 12-01, because: x}", "both dates with a year, or both without"),
        ("{from: 2026-12-01, to: 2026-11-23, because: x}", "2026-11-23 is before 2026-12-01"),
        ("{from: 01-01, to: 12-31, because: x}", "this schedule never runs"),
    ],
)
def test_a_freeze_that_cannot_hold_is_refused(tmp_path: Path, freeze: str, message: str) -> None:
    text = GOOD + f"schedule:\n  cron: 0 6 * * 1\n  freeze:\n    - {freeze}\n"
    assert any(message in m[3] for m in told(tmp_path, text))


def test_the_keys_of_a_freeze_are_listed_as_they_are_written(tmp_path: Path) -> None:
    text = GOOD + "schedule:\n  freeze:\n    - {first: 12-18, to: 01-06, because: x}\n"
    assert "Keys of a freeze: from, to, because" in mistakes_of(tmp_path, text).hint


def test_an_error_shows_every_place_where_only_its_text_is_seen(tmp_path: Path) -> None:
    shown = str(mistakes_of(tmp_path, GOOD.replace("hold_s", "hold")))
    assert shown.splitlines() == [
        "The plan has 1 mistake.",
        f"  {tmp_path / 'plan.yaml'}:8:5: unknown key. Did you mean hold_s?",
    ]


def test_two_stages_of_one_name_are_refused(tmp_path: Path) -> None:
    second = "  - {name: peak, rate: 2x, hold_s: 4}\n"
    text = GOOD.replace("expectations", second + "expectations")
    assert told(tmp_path, text) == [(9, 12, 4, "another stage is called peak")]


def test_a_second_flow_is_refused(tmp_path: Path) -> None:
    text = GOOD.replace("peak: 10x", "  - {name: refund, normal_rate_per_s: 1}\npeak: 10x")
    assert [m[0] for m in told(tmp_path, text)] == [4]


def test_relative_rates_need_a_normal_rate(tmp_path: Path) -> None:
    text = GOOD.replace(", normal_rate_per_s: 12", "")
    message = "this is relative: give the flow a normal_rate_per_s"
    assert [(m[0], m[3]) for m in told(tmp_path, text)] == [(4, message), (7, message)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"", 1, "the file is empty"),
        (b"# nothing\n", 1, "the file is empty"),
        (b"- a\n", 1, "a mapping (`key: value`) is needed here"),
        (b"name: [1\nb: 2", 2, "no YAML"),
        (b"a: 1\nop: >= 3\n", 2, "no YAML"),
        (b"name: a\npeak: \xff\n", 2, "this is not UTF-8"),
        (b"name: a\n\0", 2, "a character that YAML does not allow"),
        (b"[" * 5000, 1, "nested too deeply"),
        (b"a: &x 1\nb: *x\n", 1, "aliases (&name, *name) are not supported"),
        (b"a: !!int z\n", 1, "this is no number"),
    ],
)
def test_a_file_that_is_no_plan_says_where(
    tmp_path: Path, text: bytes, line: int, message: str
) -> None:
    assert any(m[0] == line and message in m[3] for m in told(tmp_path, text))


def test_an_expectation_at_a_stage_that_is_not_planned_is_told_before_the_run(
    tmp_path: Path,
) -> None:
    (tmp_path / "far.yaml").write_text(LIMITS.replace('"*"', "[peek, p*]"))
    error = mistakes_of(tmp_path, GOOD.replace("limits.yaml", "far.yaml"))
    (only,) = error.mistakes
    assert (only.path.name, only.line, only.text) == (
        "far.yaml",
        3,
        "the plan has no such stage. Did you mean peak?",
    )


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_bytes(b"#" * (1 << 20) + b"\n")
    with pytest.raises(ConfigError, match="bytes"):
        load_plan(tmp_path / "plan.yaml")


@pytest.mark.parametrize("asked", ["dem", "demo-overlod"])
def test_an_unknown_name_is_told_with_the_nearest(asked: str) -> None:
    with pytest.raises(ConfigError, match="Did you mean demo") as caught:
        load_plan(asked)
    assert "demo, demo-overload" in caught.value.hint


def test_a_folder_is_no_plan(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_plan(tmp_path)


WATCH = """\
production_watch:
  dsn: mysql://watch@orders.internal/?password_file=/etc/watch
  abort:
    - {metric: threads_running, op: ">", limit: 40, for_s: 5}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("threads_running", "error_ratio", "cheap to read"),
        ("threads_running", "thread_running", "Did you mean threads_running?"),
        ("watch@orders", "watch:hunter2@orders", "holds a password"),
        ("  abort:\n    - {", "  x: {", "abort"),
    ],
)
def test_a_watch_on_production_asks_for_what_is_cheap_by_an_account(
    right: str, wrong: str, said: str, tmp_path: Path
) -> None:
    texts = [m.text for m in mistakes_of(tmp_path, GOOD + WATCH.replace(right, wrong)).mistakes]
    assert any(said in text for text in texts), texts
    assert "hunter2" not in "".join(texts)


def test_a_watch_on_production_reads_into_rules(tmp_path: Path) -> None:
    (tmp_path / "limits.yaml").write_text(LIMITS)
    (tmp_path / "plan.yaml").write_text(GOOD + WATCH)
    watch = load_plan(tmp_path / "plan.yaml").production_watch
    assert watch
    assert [rule.text for rule in watch.abort] == ["threads_running > 40 for 5 s"]
    assert watch.silence_s == 10


TUNED = GOOD.replace("    hold_s: 480", "    hold_s: 480\n    tuned: true")


def test_a_rate_by_hand_needs_a_limit(tmp_path: Path) -> None:
    assert told(tmp_path, TUNED.replace("peak: 10x\n", "")) == [
        (8, 12, 4, "say  tuned_max:  the rate that nobody may go beyond by hand, or a peak")
    ]


def test_a_limit_of_rates_by_hand_needs_a_stage_that_is_tuned(tmp_path: Path) -> None:
    assert told(tmp_path, GOOD + "tuned_max: 20x\n") == [
        (10, 12, 3, "no stage is tuned: give one  tuned: true")
    ]


def test_a_relative_limit_needs_a_normal_rate(tmp_path: Path) -> None:
    absolute = TUNED.replace(", normal_rate_per_s: 12", "").replace("10x", "120/s")
    assert told(tmp_path, absolute + "tuned_max: 20x\n") == [
        (11, 12, 3, "this is relative: give the flow a normal_rate_per_s")
    ]

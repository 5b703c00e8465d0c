"""What a person says of a variable wins over every rule, or is refused with its line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.fakes.captures import DATA, paylater_schema, text_of, variables

from readiness.capture.sessions import read_capture
from readiness.config.overrides import load_overrides
from readiness.errors import ConfigMistakes
from readiness.model.draft import RawDraft
from readiness.model.transactions import RawCapture
from readiness.model.workload import VariableKind
from readiness.workload.explain.overrides import InForce
from readiness.workload.find.parameterize import parameterize

USERS = ("checkout_api", "identity", "decision", "ledger_svc")


@pytest.fixture(scope="module")
def captures() -> list[RawCapture]:
    return [read_capture(DATA / f"salted_{n}.log", users=USERS) for n in (1, 2)]


@pytest.fixture(scope="module")
def natural(captures: list[RawCapture]) -> RawDraft:
    return parameterize(captures, schema=paylater_schema(), name="checkout")


class Desk:
    """Where a person writes overrides and builds."""

    def __init__(self, captures: list[RawCapture], folder: Path) -> None:
        self._captures = captures
        self._file = folder / "mine.yaml"

    def build(self, text: str, before: Mapping[str, str] | None = None) -> RawDraft:
        self._file.write_text(f"variables:\n{text}")
        in_force = InForce(load_overrides(self._file), before or {})
        return parameterize(
            self._captures, schema=paylater_schema(), name="checkout", in_force=in_force
        )

    def refused(self, text: str, before: Mapping[str, str] | None = None) -> str:
        with pytest.raises(ConfigMistakes) as caught:
            self.build(text, before)
        return "\n".join(f"{m.line}: {m.text}" for m in caught.value.mistakes)


@pytest.fixture
def desk(captures: list[RawCapture], tmp_path: Path) -> Desk:
    return Desk(captures, tmp_path)


def kinds(draft: RawDraft) -> dict[str, VariableKind]:
    return {v.name: v.kind for v in draft.variables}


def test_nothing_said_changes_nothing(desk: Desk, natural: RawDraft) -> None:
    draft = desk.build("  user_phone_0: {because: we looked}\n")
    assert kinds(draft) == kinds(natural)
    assert draft.counts == natural.counts


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("user_id_0", "{class: inline}"),
        ("loan_id_0", "{sample: loans.id}"),
        ("user_email_1", "{class: inline}"),
        ("offer_id_3", "{class: fresh}"),
        ("checkout_event_created_at_0", "{class: inline}"),
        ("device_user_agent_0", "{class: fresh}"),
    ],
)
def test_a_class_that_is_changed_renames_no_other_variable(
    desk: Desk, natural: RawDraft, name: str, said: str
) -> None:
    draft = desk.build(f"  {name}: {said}\n")
    before = {v.name: v.values for v in natural.variables}
    after = {v.name: v.values for v in draft.variables}
    shared = before.keys() & after.keys()
    assert len(shared) > len(before) - 6  # what was computed from it may be no variable now
    assert [n for n in shared if before[n] != after[n]] == []


def test_what_was_dropped_becomes_a_variable_by_its_name(desk: Desk, natural: RawDraft) -> None:
    assert "device_user_agent_0" not in variables(natural)
    draft = desk.build("  device_user_agent_0: {class: fresh}\n")
    assert any("@device_user_agent_0" in text_of(s) for s in draft.steps)
    assert draft.counts["inline"] == natural.counts["inline"] - 1
    assert draft.counts["groups"] == natural.counts["groups"]


def test_a_choice_can_be_made_a_row_that_exists(desk: Desk) -> None:
    draft = desk.build("  offer_id_3: {sample: offers.id, weight: loans.offer_id}\n")
    (sample,) = [s for s in draft.samples if s.table == "offers"]
    assert (sample.variables, sample.columns, sample.weight_by) == (
        ("offer_id_3",), ("id",), "loans.offer_id",
    )  # fmt: skip


def test_an_expression_reads_variables_and_follows_new_names(desk: Desk) -> None:
    draft = desk.build(
        "  loan_no_0: {expression: \"CONCAT('L-', @checkout_token_0)\"}\n"
        "  checkout_token_0: {name: token}\n"
        "  user_phone_0: {name: phone}\n"
    )
    found = variables(draft)
    assert found["loan_no_0"].expression == "CONCAT('L-', @token)"
    assert found["value_0"].expression == "CONCAT('otp:', @phone)"
    assert "has an expression that gives another value" in " ".join(draft.warnings)


def test_an_expression_that_holds_in_every_capture_is_no_warning(
    desk: Desk, natural: RawDraft
) -> None:
    expression = variables(natural)["loan_no_0"].expression
    draft = desk.build(f'  loan_no_0: {{expression: "{expression}"}}\n')
    assert draft.warnings == natural.warnings


def test_what_an_expression_reads_becomes_a_variable(desk: Desk) -> None:
    draft = desk.build('  device_fingerprint_0: {expression: "SHA1(@device_user_agent_0)"}\n')
    agent = variables(draft)["device_user_agent_0"]
    assert (agent.kind, agent.because) == (VariableKind.FRESH, "feeds a derived value")


def test_the_direction_of_a_derivation_can_be_turned(desk: Desk) -> None:
    draft = desk.build('  user_email_1: {expression: "UPPER(@user_email_0)"}\n')
    found = variables(draft)
    assert found["user_email_0"].kind is VariableKind.FRESH
    assert found["user_email_1"].expression == "UPPER(@user_email_0)"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("  user_emial_0: {class: fresh}\n", "2: these captures give no variable user_emial_0. Did"
         " you mean user_email_0?"),
        ("  credit_application_id_0: {class: fresh}\n", "2: the server numbers"
         " credit_applications.id and no statement inserts it"),
        ("  checkout_amount_cents_0: {generator: uuid4}\n", "2: it makes text, and the statements"
         " write a number here"),
        ("  value_0: {class: existing}\n", "2: no table is known that holds it"),
        ("  user_id_0: {sample: lones.id}\n", "2: there is no table lones. Did you mean loans?"),
        ("  user_id_0: {sample: loans.statte}\n", "2: table loans has no column statte. Did you"
         " mean state?"),
        ("  user_id_0: {sample: users.id, weight: loans.usr_id}\n", "2: table loans has no column"
         " usr_id. Did you mean user_id?"),
        ("  user_id_0: {class: derived}\n", "2: derived needs an expression"),
        ('  user_id_0: {expression: "FOO(1)"}\n', "2: the expression calls FOO"),
        ('  user_id_0: {expression: "LOWER(@user_emial_0)"}\n', "2: there is no variable"
         " @user_emial_0. Did you mean user_email_0?"),
        ('  user_id_0: {expression: "LOWER(@user_id_0)"}\n', "2: @user_id_0 is computed from"
         " @user_id_0: that goes in a circle"),
        ('  user_id_0: {expression: "LOWER(@order_ref_0)"}\n'
         '  order_ref_0: {expression: "LOWER(@user_id_0)"}\n', "3: @user_id_0 is computed from"
         " @order_ref_0: that goes in a circle"),
        ('  user_id_0: {expression: "LOWER(@order_ref_0)"}\n  order_ref_0: {class: inline}\n',
         "2: @order_ref_0 is no variable: this file keeps it inline"),
        ('  checkout_token_0: {expression: "CONCAT(\'x\', @credit_application_id_0)"}\n',
         "2: an id that it reads is known only after s"),
        ("  user_id_0: {name: loan_id_0}\n", "2: another variable has this name"),
        ("  user_id_0: {name: BAL}\n", "2: the application's own statements set a user variable"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_with_its_line(desk: Desk, text: str, told: str) -> None:
    assert told in desk.refused(text)


def test_all_mistakes_are_told_at_once(desk: Desk) -> None:
    told = desk.refused("  value_0: {class: existing}\n  user_id_0: {class: derived}\n")
    assert [line[0] for line in told.splitlines()] == ["2", "3"]


def test_a_name_that_is_gone_is_explained(desk: Desk) -> None:
    told = desk.refused("  user_mail_9: {class: fresh}\n", {"user_mail_9": "users.email"})
    assert "It was users.email; now there: @user_email_0, @user_email_1" in told
    told = desk.refused("  x_0: {class: fresh}\n", {"x_0": "users.nickname"})
    assert "It was users.nickname, where nothing differs any more." in told


def test_a_name_that_this_file_gives_is_told_apart(desk: Desk) -> None:
    told = desk.refused("  user_phone_0: {name: phone}\n  phone: {class: fresh}\n")
    assert "This file renames user_phone_0 to it: write it under user_phone_0." in told


def test_what_will_hurt_is_done_and_told(desk: Desk) -> None:
    draft = desk.build("  user_id_0: {class: inline}\n  merchant_id_0: {class: constant}\n")
    told = " ".join(draft.warnings)
    assert "@user_id_0 is inline now, and users.id is unique" in told
    assert "@merchant_id_0 is inline now: no row has the pseudonym" in told


def test_a_generator_is_taken_as_it_stands_or_learns_its_range(desk: Desk) -> None:
    draft = desk.build(
        "  checkout_amount_cents_0: {generator: integer(100..200)}\n"
        "  credit_report_score_0: {generator: integer}\n"
    )
    found = variables(draft)
    assert found["checkout_amount_cents_0"].is_given
    assert not found["credit_report_score_0"].is_given

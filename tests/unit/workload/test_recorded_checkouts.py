"""Recorded logs of one invented checkout: what is found in them, counted by hand.

The first set ran after each table got its own AUTO_INCREMENT range, the second did not, and its
third capture has a smaller basket and one statement twice."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.fakes.captures import DATA, paylater_schema, text_of, variables

from readiness.capture.sessions import read_capture
from readiness.model.draft import RawDraft, RawVariable
from readiness.model.workload import VariableKind
from readiness.workload.find.parameterize import parameterize

USERS = ("checkout_api", "identity", "decision", "ledger_svc")


def draft(which: str, count: int = 3) -> RawDraft:
    captures = [read_capture(DATA / f"{which}_{n}.log", users=USERS) for n in range(1, count + 1)]
    return parameterize(captures, schema=paylater_schema(), name="checkout")


@pytest.fixture(scope="module")
def salted() -> RawDraft:
    return draft("salted")


@pytest.fixture(scope="module")
def found(salted: RawDraft) -> Mapping[str, RawVariable]:
    return variables(salted)


def named(draft: RawDraft, kind: VariableKind) -> set[str]:
    return {v.name for v in draft.variables if v.kind is kind}


def test_the_funnel_narrows_383_literals_to_few_that_are_generated(salted: RawDraft) -> None:
    counts = salted.counts
    assert counts["literals"] == 383
    assert counts["literals"] == sum(counts[k] for k in ("structural", "constant", "varying"))
    assert counts["constant"] + counts["structural"] >= 140
    assert counts["groups"] == counts["inline"] + sum(counts[kind.value] for kind in VariableKind)
    assert counts["generated"] <= 45
    assert counts["generated"] == counts["fresh"] + counts["existing"]


def test_every_server_id_of_the_flow_is_bound(salted: RawDraft) -> None:
    binds = {b.variable: (s.statement_id, b.offset) for s in salted.steps for b in s.binds}
    assert named(salted, VariableKind.SERVER) == set(binds)
    assert sorted(binds) == [
        "checkout_item_id_0",
        "checkout_item_id_1",
        "checkout_item_id_2",
        "credit_application_id_0",
        "credit_report_id_0",
        "ledger_account_id_0",
        "otp_code_id_0",
        "payment_method_id_0",
    ]
    assert [binds[f"checkout_item_id_{n}"][1] for n in range(3)] == [0, 1, 2]


def test_binds_come_before_the_first_use(salted: RawDraft) -> None:
    bound: set[str] = set()
    for step in salted.steps:
        for name in named(salted, VariableKind.SERVER) - bound:
            assert f"@{name}" not in text_of(step)
        bound |= {b.variable for b in step.binds}


def test_ids_of_rows_that_existed_before_are_sampled(salted: RawDraft) -> None:
    assert named(salted, VariableKind.EXISTING) == {
        "merchant_id_0",
        "ledger_account_id_1",
        *(f"product_{c}_{n}" for c in ("id", "sku") for n in range(3)),
    }


def test_products_are_sampled_jointly_and_differ(salted: RawDraft) -> None:
    products = [s for s in salted.samples if s.table == "products"]
    assert [s.variables for s in products] == [
        (f"product_id_{n}", f"product_sku_{n}") for n in range(3)
    ]
    assert [s.distinct for s in products] == [0, 1, 2]
    assert {s.where for s in products} == {(("merchant_id", "merchant_id_0"),)}


def test_merchants_are_drawn_as_often_as_they_sell(salted: RawDraft) -> None:
    (merchant,) = [s for s in salted.samples if s.table == "merchants"]
    assert merchant.weight_by == "checkouts.merchant_id"


@pytest.mark.parametrize(
    ("name", "generator"),
    [
        ("user_id_0", "uuid4"),
        ("checkout_id_0", "snowflake"),
        ("checkout_token_0", "ulid"),
        ("device_id_0", "binary16"),
        ("device_fingerprint_0", "hex40"),
        ("idempotency_key_idem_key_0", "hex64"),
        ("user_phone_0", "phone"),
        ("user_dob_0", "date"),
        ("user_first_name_0", "first_name"),
        ("user_last_name_0", "last_name"),
        ("device_ip_addr_0", "ipv4"),
        ("order_ref_0", "pattern"),
        ("user_address_postal_code_0", "pattern"),
        ("checkout_amount_cents_0", "integer"),
    ],
)
def test_fresh_values_get_the_generator_of_their_class(
    found: Mapping[str, RawVariable], name: str, generator: str
) -> None:
    assert (found[name].kind, found[name].generator) == (VariableKind.FRESH, generator)


@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("user_email_0", "LOWER(@user_email_1)"),
        ("user_email_sha256_0", "SHA2(@user_email_0, 256)"),
        ("user_email_domain_0", "SUBSTRING_INDEX(@user_email_0, '@', -1)"),
        ("user_email_2", "CONCAT(LEFT(@user_email_0, 10), '%')"),
        ("user_search_name_0", "CONCAT(UPPER(@user_first_name_0), ' ', UPPER(@user_last_name_0))"),
        ("loan_no_0", "CONCAT('LN-202611-', RIGHT(@loan_id_0, 10))"),
        ("loan_id_0_text", "CAST(@loan_id_0 AS CHAR)"),
        ("value_0", "CONCAT('otp:', @user_phone_0)"),
        ("offer_monthly_cents_1", "@checkout_amount_cents_0 DIV 6"),
        ("ledger_entry_amount_cents_0", "-@checkout_amount_cents_0"),
        ("ledger_entry_amount_cents_2", "@checkout_amount_cents_0 * 3 DIV 100"),
        ("offer_id_3", "@offer_id_2"),
        (
            "session_data_0",
            'REPLACE(TO_BASE64(CONCAT(\'{"checkout": "\', @checkout_token_0, \'", "cart": \', '
            "@checkout_id_0, '}')), '\\n', '')",
        ),
        ("audit_log_target_1", "CONCAT('application/', @credit_application_id_0)"),
        ("otp_code_expires_at_0", "NOW(6) + INTERVAL 300000000 MICROSECOND"),
        ("offer_expires_at_0", "NOW() + INTERVAL 86400 SECOND"),
        ("installment_due_on_0", "CURDATE() + INTERVAL 30 DAY"),
    ],
)
def test_derived_values_are_expressions(
    found: Mapping[str, RawVariable], name: str, expression: str
) -> None:
    assert found[name].expression == expression


def test_places_without_a_column_join_the_id_they_repeat(salted: RawDraft) -> None:
    texts = [text_of(s) for s in salted.steps]
    assert any("'$.pm', @payment_method_id_0" in t for t in texts)
    assert any("';app=', @credit_application_id_0" in t for t in texts)


def test_constants_stay_as_they_are(salted: RawDraft) -> None:
    texts = [text_of(s) for s in salted.steps]
    assert any("`status` = 'active' LIMIT 1" in t for t in texts)
    assert not any("traceparent" in t for t in texts)
    assert any("/*+ MAX_EXECUTION_TIME(1500) */" in t for t in texts)


def test_the_applications_own_user_variable_stays(salted: RawDraft) -> None:
    assert any(text_of(s).startswith("SET @bal := (SELECT") for s in salted.steps)
    assert "bal" not in variables(salted)


def test_transactions_and_connections_are_kept(salted: RawDraft) -> None:
    assert len({s.connection for s in salted.steps}) == 5
    assert len({s.transaction for s in salted.steps} - {0}) == 16
    kinds = [s.kind.value for s in salted.steps]
    assert kinds.count("savepoint") == 4
    assert kinds.count("begin") == kinds.count("commit") + kinds.count("rollback") == 16


def test_the_plain_client_is_told_the_collation(salted: RawDraft) -> None:
    assert salted.set_names == "SET NAMES utf8mb4 COLLATE utf8mb4_unicode_ci"


def test_two_captures_find_nearly_the_same() -> None:
    two = draft("salted", count=2)
    assert len(named(two, VariableKind.SERVER)) == 8
    assert two.counts["generated"] <= 45


@pytest.fixture(scope="module")
def plain() -> RawDraft:
    return draft("plain")


def test_two_items_and_a_second_look_up_are_repeats_of_the_same_flow(plain: RawDraft) -> None:
    assert {r.name: r.counts for r in plain.repeats} == {
        "checkout_items_0": (3, 3, 2),
        "otp_codes_0": (1, 1, 2),
    }
    assert not [w for w in plain.warnings if w.startswith("capture ")]
    assert len(named(plain, VariableKind.SERVER)) == 8
    assert plain.counts["generated"] <= 45


def test_the_order_of_the_captures_changes_no_variable(plain: RawDraft) -> None:
    captures = [read_capture(DATA / f"plain_{n}.log", users=USERS) for n in (3, 1, 2)]
    other = parameterize(captures, schema=paylater_schema(), name="checkout")
    assert {(v.name, v.kind) for v in other.variables} == {
        (v.name, v.kind) for v in plain.variables
    }
    assert {r.name: r.counts for r in other.repeats} == {
        "checkout_items_0": (2, 3, 3),
        "otp_codes_0": (2, 1, 1),
    }


def test_the_payload_of_a_smaller_basket_is_explained_too(plain: RawDraft) -> None:
    text = variables(plain)["checkout_payload_0"].expression
    assert all(f"@product_sku_{n}, '" in text for n in range(3))


def test_ids_in_lock_step_are_told_apart_by_their_keys(plain: RawDraft) -> None:
    texts = [text_of(s) for s in plain.steps]
    assert any("WHERE `otp_codes`.`id` = @otp_code_id_0" in t for t in texts)
    assert any("WHERE ca.id = @credit_application_id_0" in t for t in texts)


def test_a_text_embeds_an_id_in_lock_step_by_the_name_of_its_table() -> None:
    target = variables(draft("plain"))["audit_log_target_1"]
    assert target.expression == "CONCAT('application/', @credit_application_id_0)"


def test_nothing_shows_a_captured_value(salted: RawDraft) -> None:
    shown = repr(salted) + str(salted.steps[8]) + " ".join(salted.warnings)
    assert "elowen" not in shown.lower()
    assert "915197455677413650" not in shown

"""Without any policy a plan names every personal column of a database, and keeps ids and words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest
from tests.fakes.engines import binary_of
from tests.fakes.office import BEGINS, PERSONAL, STATEMENTS

from readiness.adapters.local_server import LocalServer
from readiness.demo.recording import capture_checkouts, create_users
from readiness.demo.seed_data import load_shop
from readiness.errors import MaskingError
from readiness.flow.looks import LOOKS
from readiness.masking.catalogue import read_catalogue
from readiness.masking.plan.derived_check import verified
from readiness.masking.plan.plan_file import describe
from readiness.masking.plan.planning import plan_masking
from readiness.masking.plan.sampling import samples_of
from readiness.model.catalogue import Catalogue
from readiness.model.masking import Look, MaskedColumn, MaskPlan, Source
from readiness.ports import Session

pytestmark = pytest.mark.mysql

SHOP_PERSONAL = {  # all that the shop writes of a person, and its secrets
    "users.email", "users.email_sha256", "users.email_domain", "users.phone", "users.first_name",
    "users.last_name", "users.search_name", "users.date_of_birth", "user_addresses.line1",
    "user_addresses.city", "user_addresses.postal_code", "devices.fingerprint", "devices.ip_address",
    "devices.user_agent", "user_sessions.token", "user_sessions.data", "otp_codes.phone", "otp_codes.code",
    "rate_limits.bucket", "payment_methods.card_token", "payment_methods.card_last4",
    "payment_methods.card_hash", "payment_methods.holder", "email_queue.to_address",
    "email_queue.subject", "email_queue.body", "audit_log.actor", "audit_log.details",
    "credit_reports.raw", "credit_applications.decision_hash",
}  # fmt: skip
SHOP_HARMLESS = {"checkouts.token", "outbox.aggregate_id", "idempotency_keys.idem_key", "job_locks.holder",
                 "idempotency_keys.response", "merchant_settings.value"}  # fmt: skip


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    folder = tmp_path_factory.mktemp("s")
    with LocalServer(folder / "s", binary=binary_of(request.param)) as server:
        yield server


@pytest.fixture(scope="module")
def session(server: LocalServer) -> Iterator[Session]:
    session = server.root_session()
    yield session
    session.close()


def planned(session: Session, database: str) -> tuple[Catalogue, MaskPlan]:
    catalogue = read_catalogue(session, database)
    plan = plan_masking(catalogue, {}, LOOKS, lambda table: samples_of(session, catalogue, table))
    return catalogue, verified(session, catalogue, plan)


@pytest.fixture(scope="module")
def shop(
    server: LocalServer, session: Session, tmp_path_factory: pytest.TempPathFactory
) -> MaskPlan:
    session.query("CREATE DATABASE shop")
    state = server.running_state()
    with pymysql.connect(
        unix_socket=state.socket, user="root", database="shop", autocommit=True
    ) as admin:
        load_shop(admin, seed=1, users=1000)
        passwords = create_users(admin, "shop")

        def log_in(user: str) -> pymysql.connections.Connection[pymysql.cursors.Cursor]:
            return pymysql.connect(
                host="127.0.0.1", port=state.port, user=user, password=passwords[user],
                database="shop", autocommit=True, ssl_disabled=True,
            )  # fmt: skip

        capture_checkouts(admin, log_in, directory=tmp_path_factory.mktemp("logs"))
    return planned(session, "shop")[1]


@pytest.fixture(scope="module")
def office(session: Session) -> tuple[Catalogue, MaskPlan]:
    for statement in STATEMENTS:
        session.query(statement)
    return planned(session, "büro")


def by_id(plan: MaskPlan) -> dict[str, MaskedColumn]:
    return {c.id: c for c in plan.columns}


def test_every_personal_column_of_the_shop_is_masked(shop: MaskPlan) -> None:
    assert SHOP_PERSONAL - set(by_id(shop)) == set()


def test_nothing_else_of_the_shop_is_masked_but_what_could_hold_something(shop: MaskPlan) -> None:
    assert set(by_id(shop)) - SHOP_PERSONAL == SHOP_HARMLESS


def test_the_shops_ids_and_words_stay_and_the_plan_says_why(shop: MaskPlan) -> None:
    kept = {c.id: c.why for c in shop.kept}
    for column in (
        "users.id",
        "users.status",
        "devices.id",
        "checkouts.user_id",
        "loans.loan_number",
    ):
        assert kept[column]


def test_hashes_domains_and_full_names_follow_the_masked_columns(shop: MaskPlan) -> None:
    found = by_id(shop)
    assert found["users.email_sha256"].derived == "SHA2({email}, 256)"
    assert found["users.email_domain"].derived == "SUBSTRING_INDEX({email}, '@', -1)"
    assert found["users.search_name"].derived == "UPPER(CONCAT({first_name}, ' ', {last_name}))"


def test_looks_follow_what_the_rows_hold(shop: MaskPlan) -> None:
    looks = {c.id: c.look for c in shop.columns}
    assert looks["users.email"] is looks["email_queue.to_address"] is Look.EMAIL
    assert looks["users.date_of_birth"] is Look.DATE
    assert looks["devices.ip_address"] is Look.IP
    assert looks["user_sessions.token"] is Look.HEX
    assert looks["credit_reports.raw"] is Look.BYTES
    assert looks["email_queue.body"] is Look.BLANK


def test_all_e_mails_are_of_one_domain_which_ignores_case(shop: MaskPlan) -> None:
    emails = [c for c in shop.columns if c.look is Look.EMAIL]
    assert len(emails) > 1
    assert {c.domain for c in emails} == {"email"}
    assert all(c.is_folded for c in emails)


def test_every_personal_column_of_a_foreign_schema_is_masked(
    office: tuple[Catalogue, MaskPlan],
) -> None:
    assert set(by_id(office[1])) == set(PERSONAL)


def test_each_has_the_look_of_what_it_holds(office: tuple[Catalogue, MaskPlan]) -> None:
    looks = {c.id: "derived" if c.derived else str(c.look) for c in office[1].columns}
    assert looks == PERSONAL


def test_natural_keys_are_masked_alike_wherever_they_are_referred_to(
    office: tuple[Catalogue, MaskPlan],
) -> None:
    found = by_id(office[1])
    for root, child in (
        ("Kunden.eMail", "Bestellungen.kundenMail"),
        ("anschluesse.rufnummer", "anrufe.from"),
        ("anschluesse.rufnummer", "anrufe.to"),
    ):
        assert (found[root].look, found[root].domain) == (found[child].look, found[child].domain)
        assert found[root].is_folded == found[child].is_folded


def test_paths_of_documents_are_named_also_in_arrays(office: tuple[Catalogue, MaskPlan]) -> None:
    paths = {p.path: p.look for p in by_id(office[1])["Bestellungen.Nutz daten"].paths}
    assert paths["$.kontakt.eMail"] is Look.EMAIL
    assert paths["$.empfänger[*].vorname" if "$.empfänger[*].vorname" in paths
                 else '$."empfänger"[*].vorname'] is Look.NAME  # fmt: skip
    assert paths["$.notiz"] is Look.BLANK
    assert "$.status" not in paths


def test_a_rare_value_in_a_large_table_is_found(session: Session) -> None:
    session.query("CREATE DATABASE rare")
    session.query("CREATE TABLE rare.t (id INT PRIMARY KEY, label VARCHAR(80), other VARCHAR(80))")
    session.query(
        "INSERT INTO rare.t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<1000)"
        " SELECT i * 7, CONCAT('box ', i), CONCAT('bin ', i) FROM n"
    )
    session.query("UPDATE rare.t SET label = 'of jo.weber@example.test' WHERE id = 1645")
    _, plan = planned(session, "rare")
    assert set(by_id(plan)) == {"t.label"}


def test_a_description_names_columns_and_no_value(office: tuple[Catalogue, MaskPlan]) -> None:
    told = describe(office[1])
    assert "Kunden.eMail" in told
    assert not any(value in told for value in BEGINS)
    assert not any(value in repr(office[1]) for value in BEGINS)


def test_facts_are_told_alike_by_both_engines(office: tuple[Catalogue, MaskPlan]) -> None:
    catalogue = office[0]
    orders = catalogue.tables["Bestellungen"]
    assert orders.columns["Nutz daten"].is_json
    assert orders.columns["betrag_brutto"].generated == "virtual"
    assert orders.foreign_keys[0].referenced_table == "Kunden"
    assert catalogue.tables["anrufe"].is_partitioned is False
    assert catalogue.tables["Kunden"].primary_key == ("eMail",)
    assert ("KundenName", 10) in [p for i in catalogue.tables["Kunden"].indexes for p in i.parts]
    assert catalogue.tables["odd `name` 100%"].columns["a `b` %s"].max_chars == 40
    assert "sicht" not in catalogue.tables
    assert catalogue.tables["Kunden"].triggers == ("kunden_bi",)
    assert catalogue.tables["protokoll"].is_partitioned


def test_tables_that_need_words_get_them(office: tuple[Catalogue, MaskPlan]) -> None:
    assert any("protokoll has no primary key" in note for note in office[1].notes)
    assert any("protokoll is partitioned" in note for note in office[1].notes)
    assert any("Kunden has 1 trigger" in note for note in office[1].notes)


def test_a_derivation_that_some_rows_deny_is_masked_by_itself(session: Session) -> None:
    session.query("CREATE DATABASE half")
    session.query(
        "CREATE TABLE half.users (id INT PRIMARY KEY, email VARCHAR(80), digest CHAR(64), KEY (digest))"
    )
    session.query(
        "INSERT INTO half.users WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<999)"
        " SELECT i, CONCAT('u', i, '@example.test'), SHA2(CONCAT('u', i, '@example.test'), 256) FROM n"
    )
    assert by_id(planned(session, "half")[1])["users.digest"].source is Source.DERIVED
    catalogue = read_catalogue(session, "half")
    plan = plan_masking(catalogue, {}, LOOKS, lambda table: samples_of(session, catalogue, table))
    session.query("UPDATE half.users SET digest = SHA2(id, 256) WHERE id % 3 = 0")
    found = by_id(verified(session, catalogue, plan))["users.digest"]
    assert (found.look, found.derived) == (Look.HEX, "")


def test_a_type_that_no_look_fits_is_refused_with_the_remedy(session: Session) -> None:
    session.query("CREATE DATABASE spots")
    session.query("CREATE TABLE spots.homes (id INT PRIMARY KEY, place POINT)")
    with pytest.raises(MaskingError, match=r"homes\.place is a point") as caught:
        planned(session, "spots")
    assert "homes.place: {treat: keep" in caught.value.hint


def test_history_that_would_keep_the_originals_is_refused(session: Session) -> None:
    session.query("CREATE DATABASE past")
    catalogue = read_catalogue(session, "past")
    if catalogue.engine != "mariadb":
        assert catalogue.tables == {}
        return
    session.query(
        "CREATE TABLE past.users (id INT PRIMARY KEY, email VARCHAR(80)) WITH SYSTEM VERSIONING"
    )
    with pytest.raises(MaskingError, match=r"users keeps its old rows") as caught:
        planned(session, "past")
    assert "DROP SYSTEM VERSIONING" in caught.value.hint


def test_a_database_that_is_not_there_is_named(session: Session, tmp_path: Path) -> None:
    with pytest.raises(MaskingError, match="no database nowhere"):
        read_catalogue(session, "nowhere")


def test_a_hash_that_the_server_cannot_compute_is_masked_by_itself(session: Session) -> None:
    """MySQL 9.7 has no MD5 any more."""
    session.query("CREATE DATABASE olden")
    session.query(
        "CREATE TABLE olden.users (id INT PRIMARY KEY, email VARCHAR(80), digest CHAR(32))"
    )
    rows = ((n, f"u{n}@example.test") for n in range(30))
    for n, email in rows:
        digest = hashlib.md5(email.encode(), usedforsecurity=False).hexdigest()
        session.query("INSERT INTO olden.users VALUES (%s, %s, %s)", (n, email, digest))
    catalogue, plan = planned(session, "olden")
    found = by_id(plan)["users.digest"]
    expected = (None, "MD5({email})") if catalogue.engine == "mariadb" else (Look.HEX, "")
    assert (found.look, found.derived) == expected

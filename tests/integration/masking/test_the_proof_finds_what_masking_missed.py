"""The proof passes a database that is rightly masked, and finds whatever is planted in one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import pytest
from tests.fakes.engines import binary_of
from tests.integration.masking.described import catalogue_of

from readiness.adapters.local_server import LocalServer
from readiness.errors import MaskingError
from readiness.masking.prove.facts import holds, told
from readiness.masking.prove.originals import ORIGINALS
from readiness.masking.prove.patterns import excluded, sample_texts
from readiness.masking.prove.proof import Before, compare, forget_originals, take_before
from readiness.model.catalogue import Catalogue
from readiness.model.masking import JsonPath, Look, MaskedColumn, MaskFact, MaskPlan, Source
from readiness.ports import Session

pytestmark = pytest.mark.mysql

PEOPLE = 400
KEY = "6b" * 32
DATABASE = "people"
TABLES = (
    "CREATE TABLE person (id INT PRIMARY KEY, email VARCHAR(80) NOT NULL, email_hash CHAR(64) NOT NULL,"
    " phone VARCHAR(20) NULL, first_name VARCHAR(40), born DATE, address VARBINARY(16), note TEXT,"
    " status VARCHAR(12) NOT NULL, last4 CHAR(4), profile JSON,"
    " UNIQUE KEY uq_email (email), KEY ix_hash (email_hash), KEY ix_name_born (first_name, born))",
    "CREATE TABLE visit (id INT PRIMARY KEY, person_id INT, email VARCHAR(80), remark VARCHAR(200),"
    " order_no VARCHAR(30), KEY ix_person (person_id),"
    " CONSTRAINT fk_visit FOREIGN KEY (person_id) REFERENCES person (id))",
)
NAMES = ("Ada", "Ben", "Cleopatra", "Dagobert", "Eve", "Friederike", "Gus", "Hannelore")


def column(table: str, name: str, look: Look | None, derived: str = "") -> MaskedColumn:
    domain = look.value if look else ""
    paths = (JsonPath("$.contact.email", Look.EMAIL),) if look is Look.JSON else ()
    return MaskedColumn(table, name, look, domain, Source.NAME, "its name", derived, paths)


PLAN = MaskPlan(
    DATABASE,
    "",
    (
        column("person", "address", Look.IP),
        column("person", "born", Look.DATE),
        column("person", "email", Look.EMAIL),
        column("person", "email_hash", None, "SHA2(LOWER({email}), 256)"),
        column("person", "first_name", Look.NAME),
        column("person", "last4", Look.DIGITS),
        column("person", "note", Look.BLANK),
        column("person", "phone", Look.PHONE),
        column("person", "profile", Look.JSON),
        column("visit", "email", Look.EMAIL),
    ),
)


def email(of: str) -> str:
    """An address of as many characters under .example; one to one."""
    digest = f"SHA2(CONCAT(@readiness_key, LOWER({of})), 256)"
    return f"CONCAT(LEFT({digest}, CHAR_LENGTH({of}) - 15), '@shop-a.example')"


# One value for one value; few of the same room by hand, since there is no library of expressions.
MASKED = {
    "person": {
        "address": "INET6_ATON(CONCAT('198.18.1.', SUBSTRING_INDEX(INET6_NTOA(address), '.', -1)))",
        "born": "MAKEDATE(YEAR(born), 1 + (DAYOFYEAR(born) + 100) % 365)",
        "email": email("email"),
        "email_hash": f"SHA2({email('email')}, 256)",
        "first_name": "CONCAT(UPPER(SUBSTRING('nopqrstuvwxyz', ORD(first_name) - 64, 1)),"
        " LEFT('kkkkkkkkkkkkkkkk', CHAR_LENGTH(first_name) - 1))",
        "last4": "LPAD((last4 + 1234) % 10000, 4, '0')",
        "note": "RPAD('', CHAR_LENGTH(note), 'lorem ')",
        "phone": "CONCAT('+1-', LPAD((REPLACE(SUBSTRING(phone, 4), '-', '') + 7654321) % 10000000000, 10,"
        " '0'), '--')",
        "profile": "JSON_SET(profile, '$.contact.email', "
        + email("JSON_UNQUOTE(JSON_EXTRACT(profile, '$.contact.email'))")
        + ")",
    },
    "visit": {"email": email("email")},
}


@dataclass(frozen=True)
class Clone:
    """A database before masking, as the proof has noted it."""

    session: Session
    catalogue: Catalogue
    before: Before

    def mask(self, *, without: str = "", where: str = "TRUE") -> None:
        """Masks all columns but one; `where` picks the rows of `person`."""
        for table, expressions in MASKED.items():
            sets = [f"{c} = {sql}" for c, sql in _ordered(expressions) if f"{table}.{c}" != without]
            some = where if table == "person" else "TRUE"
            if sets:
                self.session.query(f"UPDATE {DATABASE}.{table} SET {', '.join(sets)} WHERE {some}")

    def facts(self, plan: MaskPlan = PLAN) -> list[MaskFact]:
        noted = Before.from_json(self.before.to_json())
        return compare(self.session, self.catalogue, plan, noted)

    def wrong(self, plan: MaskPlan = PLAN) -> dict[str, float]:
        """What does not hold, as `name place`."""
        return {f"{f.name} {f.place}": f.after for f in self.facts(plan) if not holds(f)}


def _ordered(expressions: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """SET is read from left to right: what reads the e-mail comes before it changes."""
    return sorted(expressions.items(), key=lambda pair: pair[0] == "email")


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    binary = binary_of(request.param)
    with LocalServer(tmp_path_factory.mktemp(request.param), binary=binary) as running:
        yield running


@pytest.fixture
def clone(server: LocalServer) -> Iterator[Clone]:
    with closing(server.root_session()) as session:
        session.query(f"DROP DATABASE IF EXISTS {DATABASE}")
        session.query("CREATE DATABASE IF NOT EXISTS readiness_marker")
        session.query(f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4")
        session.query(f"USE {DATABASE}")
        for table in TABLES:
            session.query(table)
        session.query(f"INSERT INTO person VALUES {', '.join(map(_person, range(PEOPLE)))}")
        session.query(f"INSERT INTO visit VALUES {', '.join(map(_visit, range(PEOPLE)))}")
        session.query("SET @readiness_key = %s", (KEY,))
        catalogue = catalogue_of(session, DATABASE)
        yield Clone(session, catalogue, take_before(session, catalogue, PLAN))


def _email(n: int) -> str:
    return f"{NAMES[n % 8].lower()}.person-number-{n}@mailhouse.de"


def _person(n: int) -> str:
    phone = "NULL" if n % 10 == 0 else f"'+1-{2025550000 + n * 7}--'"
    name = NAMES[n % 8]
    profile = json.dumps({"contact": {"email": _email(n)}, "shade": "dark"})
    return (
        f"({n}, '{_email(n)}', SHA2('{_email(n)}', 256), {phone}, '{name}',"
        f" DATE_ADD('1960-01-01', INTERVAL {n * 37} DAY), INET6_ATON('203.0.113.{n % 250}'),"
        f" 'met {name} at the fair, number {n}', 'active', '{n * 23 % 10000:04d}', '{profile}')"
    )


def _visit(n: int) -> str:
    return f"({n}, {n}, '{_email(n)}', 'came by train', 'A-4{n:05d}')"


def test_a_rightly_masked_database_passes(clone: Clone) -> None:
    clone.mask()
    facts = clone.facts()
    assert [told(f) for f in facts if not holds(f)] == []
    assert {f.name for f in facts} >= {
        *("rows", "distinct", "null_share", "mean_length", "index_bytes", "columns", "indexes"),
        *("foreign_keys", "orphans", "survivors", "skipped", "unchanged", "copies"),
        *("email", "phone", "card"),
    }


def test_nothing_masked_at_all_is_found_in_every_column(clone: Clone) -> None:
    wrong = {place.partition(" ")[2] for place in clone.wrong()}
    assert {c.id for c in PLAN.columns} - {"person.profile"} <= wrong
    assert "person.profile $.contact.email" in wrong


@pytest.mark.parametrize("missed", [c.id for c in PLAN.columns if c.column != "profile"])
def test_one_column_that_was_left_out_is_found(clone: Clone, missed: str) -> None:
    clone.mask(without=missed)
    assert any(name.endswith(missed) for name in clone.wrong())


def test_one_row_that_was_left_out_is_found(clone: Clone) -> None:
    clone.mask(where="id <> 17")
    wrong = clone.wrong()
    assert wrong["survivors person.email"] == 1
    assert wrong["survivors person.profile $.contact.email"] == 1
    assert wrong["survivors person.note"] == 1
    assert wrong["skipped person.first_name"] == 1  # by chance no other row is as short


def test_a_value_under_another_case_is_still_the_value(clone: Clone) -> None:
    clone.mask()
    clone.session.query("UPDATE visit SET email = UPPER(%s) WHERE id = 3", (_email(3),))
    assert clone.wrong()["survivors visit.email"] == 1


def test_an_original_in_a_column_that_is_kept_is_found(clone: Clone) -> None:
    clone.mask()
    clone.session.query("UPDATE visit SET order_no = %s WHERE id = 9", ("+1-2025550007--",))
    assert clone.wrong()["copies visit.order_no"] == 1


def test_values_that_were_lost_are_found(clone: Clone) -> None:
    clone.mask()
    clone.session.query("UPDATE person SET phone = NULL WHERE id = 7")
    clone.session.query("UPDATE person SET born = '1999-09-09'")
    wrong = clone.wrong()
    assert {"null_share person.phone", "distinct person.phone"} <= set(wrong)
    assert wrong["distinct person.born"] == 1
    assert wrong["distinct person.ix_name_born(2)"] == len(NAMES)


def test_rows_lengths_and_orphans_are_compared(clone: Clone) -> None:
    clone.mask()
    clone.session.query("UPDATE person SET note = 'lorem'")
    clone.session.query("SET foreign_key_checks = 0")
    clone.session.query("DELETE FROM person WHERE id = 5")
    clone.session.query("SET foreign_key_checks = 1")
    wrong = clone.wrong()
    assert wrong["rows person"] == PEOPLE - 1
    assert wrong["mean_length person.note"] == 5
    assert wrong["orphans visit.fk_visit"] == 1


def test_a_table_that_lost_an_index_or_a_key_is_found(clone: Clone) -> None:
    clone.mask()
    clone.session.query("ALTER TABLE person DROP KEY uq_email, MODIFY last4 CHAR(5)")
    clone.session.query("ALTER TABLE visit DROP FOREIGN KEY fk_visit")
    wrong = clone.wrong()
    assert {"indexes person", "columns person", "foreign_keys visit"} <= set(wrong)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("write to jo.doe+x@mail-house.co.uk, please", "email"),
        ("JO@HOUSE.DE", "email"),
        ("jo@shop.example.com", "email"),
        ("call +49 (30) 1234-5678", "phone"),
        ("call (212) 555-0123 now", "phone"),
        ("tel. 212-555-0123", "phone"),
        ("card 4111 1111 1111 1111", "card"),
        ("order 4111111111111112, card 5500-0055-5555-5559", "card"),
        ("378282246310005", "card"),
        ("4111-1111-1111-1111-exp", "card"),
    ],
)
@pytest.mark.parametrize("place", ["visit.remark", "person.profile"])
def test_a_personal_text_in_any_column_is_found(
    clone: Clone, text: str, pattern: str, place: str
) -> None:
    clone.mask()
    table, name = place.split(".")
    value = json.dumps({"shade": text}) if name == "profile" else text
    clone.session.query(f"UPDATE {table} SET {name} = %s WHERE id = 11", (value,))
    found = {f.place: f.after for f in clone.facts() if f.name == pattern and f.after}
    assert found == {place: 1}


@pytest.mark.parametrize(
    "text",
    [
        *("to jo@shop.example or ann@mail.test.", "A@B.EXAMPLE", "price@12.50", "@home"),
        *("2026-11-30 12:00:00+00:00", "ORD-2025550123", "4111111111111112", "10.0.0.1"),
        "0b7ce1d4-5255-4155-8155-123456789012",
        *("41111111-1111-1111-a155-123456789012", "id 41111111-1111-1111-8155-123456789012."),
    ],
)
def test_texts_that_only_come_near_are_none(clone: Clone, text: str) -> None:
    clone.mask()
    clone.session.query("UPDATE visit SET remark = %s WHERE id = 11", (text,))
    names = ("email", "phone", "card")
    assert [told(f) for f in clone.facts() if f.name in names and f.after] == []


def test_a_column_that_the_policy_keeps_is_left_out_and_named(clone: Clone) -> None:
    kept = MaskedColumn(
        "visit", "order_no", None, "", Source.POLICY, "order numbers end in a check digit"
    )
    clone.mask()
    clone.session.query("UPDATE visit SET order_no = '4111111111111111' WHERE id = 11")
    assert clone.wrong() == {"card visit.order_no": 1}
    plan = MaskPlan(DATABASE, "", PLAN.columns, kept=(kept,))
    assert clone.wrong(plan) == {}
    assert excluded(plan) == {"visit.order_no": "order numbers end in a check digit"}


def test_what_a_policy_empties_must_be_empty(clone: Clone) -> None:
    own = MaskedColumn(
        "visit", "remark", None, "", Source.POLICY, "", "IF(`remark` IS NULL, NULL, '')"
    )
    plan = MaskPlan(DATABASE, "", (own,))
    before = take_before(clone.session, clone.catalogue, plan)
    clone.session.query("UPDATE visit SET remark = '' WHERE id > 2")
    facts = compare(clone.session, clone.catalogue, plan, before)
    assert [f.after for f in facts if f.place == "visit.remark" and not holds(f)] == [3]
    clone.session.query("UPDATE visit SET remark = ''")
    facts = compare(clone.session, clone.catalogue, plan, before)
    assert all(holds(f) for f in facts if f.place == "visit.remark")


def test_an_index_that_has_grown_is_found(clone: Clone) -> None:
    """Random values in an index split its pages: a rebuilt table has none of that."""
    clone.session.query("CREATE TABLE wide (id INT PRIMARY KEY, token CHAR(64), KEY ix (token))")
    digits = " UNION ALL ".join(f"SELECT {n} AS n" for n in range(10))
    tens = " JOIN ".join(f"({digits}) d{n}" for n in range(4)) + f" JOIN ({digits}) d4"
    number = "d0.n + 10 * d1.n + 100 * d2.n + 1000 * d3.n + 10000 * d4.n"
    clone.session.query(f"INSERT INTO wide SELECT {number}, '' FROM {tens} WHERE d4.n < 5")
    clone.session.query("UPDATE wide SET token = SHA2(id, 256)")
    clone.session.query("ALTER TABLE wide FORCE")
    catalogue = catalogue_of(clone.session, DATABASE)
    plan = MaskPlan(DATABASE, "", (column("wide", "token", Look.HEX),))
    before = take_before(clone.session, catalogue, plan)
    clone.session.query("UPDATE wide SET token = SHA2(CONCAT(token, 'x'), 256)")
    facts = compare(clone.session, catalogue, plan, before)
    assert [f.place for f in facts if "wide" in f.place and not holds(f)] == ["wide.ix"]


def test_dates_that_are_none_may_stay(clone: Clone) -> None:
    clone.session.query("SET sql_mode = 'ALLOW_INVALID_DATES'")
    clone.session.query("CREATE TABLE day (id INT PRIMARY KEY, born DATE, seen DATETIME)")
    clone.session.query(
        "INSERT INTO day VALUES (1, '0000-00-00', '2038-01-19 03:14:07'),"
        " (2, '2024-05-00', '1970-01-01 00:00:01'), (3, '1999-09-09', '1999-09-09 09:09:09')"
    )
    catalogue = catalogue_of(clone.session, DATABASE)
    columns = (column("day", "born", Look.DATE), column("day", "seen", Look.MOMENT))
    plan = MaskPlan(DATABASE, "", columns)
    before = take_before(clone.session, catalogue, plan)
    clone.session.query(
        "UPDATE day SET born = '1999-01-07', seen = '1999-03-04 01:02:03' WHERE id = 3"
    )
    facts = compare(clone.session, catalogue, plan, before)
    assert [told(f) for f in facts if "day" in f.place and not holds(f)] == []
    assert {f.after for f in facts if f.name == "unchanged"} == {0}


def test_before_can_be_taken_again_and_holds_no_value(clone: Clone) -> None:
    again = take_before(clone.session, clone.catalogue, PLAN)
    assert again == clone.before
    text = again.to_json()
    assert not [n for n in (*NAMES, "mailhouse", "202555") if n in text]
    clone.mask()
    assert clone.wrong() == {}
    forget_originals(clone.session)
    assert clone.session.query("SHOW TABLES FROM readiness_marker LIKE 'originals'") == []


def test_the_hashes_depend_on_the_runs_key(clone: Clone) -> None:
    """Who does not know it cannot try values against them."""
    first = set(clone.session.query(f"SELECT h FROM {ORIGINALS}"))
    clone.session.query("SET @readiness_key = %s", ("7c" * 32,))
    take_before(clone.session, clone.catalogue, PLAN)
    assert not first & set(clone.session.query(f"SELECT h FROM {ORIGINALS}"))


def test_without_a_key_nothing_is_hashed(clone: Clone) -> None:
    clone.session.query("SET @readiness_key = NULL")
    with pytest.raises(MaskingError, match="no key"):
        take_before(clone.session, clone.catalogue, PLAN)


def test_a_sample_holds_texts_of_all_that_is_searched(clone: Clone) -> None:
    clone.mask()
    texts = sample_texts(clone.session, clone.catalogue, PLAN, most=5)
    assert texts["phone"]["visit.remark"] == ["came by train"] * 5
    assert "person.phone" in texts["email"]
    assert "person.phone" not in texts["phone"]


@pytest.mark.parametrize("text", ["[]", "{}", "no JSON", '{"figures": {}}'])
def test_another_note_is_refused(text: str) -> None:
    with pytest.raises(MaskingError, match="cannot be read"):
        Before.from_json(text)

"""Schemas as they are found, masked from plan to proof: what is legal is masked, and what is not
personal does not stop it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.masking.shelf import Shelf

from readiness import interlock
from readiness.adapters.local_server import LocalServer
from readiness.errors import MaskingError
from readiness.flow.mask import mask, plans_of
from readiness.flow.mask_work import MaskWork
from readiness.masking.prove.facts import holds, told
from readiness.model.catalogue import Catalogue
from readiness.model.masking import MaskFact, MaskPlan
from readiness.model.verdict import Check, Outcome, Severity
from readiness.ports import Session
from readiness.wiring.mask_steps import steps_of

pytestmark = pytest.mark.mysql

ROWS = 60
PEOPLE = "SELECT seq AS id, CONCAT('u', seq, '.bee@web-mail.de') AS email FROM numbers"


class Clone:
    """A marked server that is masked by a policy, judged without Great Expectations."""

    def __init__(self, server: LocalServer, folder: Path) -> None:
        self._server = server
        self._policy = folder / "policy.yaml"
        self.say("columns: {}")

    def say(self, policy: str) -> None:
        """What the policy says from now on."""
        self._policy.write_text(f"version: 1\n{policy}\n")

    def work(self, title: str = "policy p 0") -> MaskWork:
        with closing(self._server.root_session()) as session:
            interlock.write_marker(session, run_id="odd", now_s=time.time(), lease_s=600.0)
        return MaskWork(
            name="readiness-odd-a",
            policy=title,
            open_session=self._server.root_session,
            gate=lambda: None,
            admit=lambda title, _nonce: None,
            steps=replace(steps_of(self._policy), judge=judged),
            anew="readiness clone reset readiness-odd-a",
        )

    def mask(self, title: str = "policy p 0") -> None:
        mask(self.work(title), key=b"k" * 32, progress=lambda text: None)


def judged(
    session: Session, catalogue: Catalogue, plan: MaskPlan, facts: Sequence[MaskFact]
) -> list[Check]:
    """As Great Expectations judges them; those that do not hold in words."""
    del session, catalogue, plan
    wrong = [told(fact) for fact in facts if not holds(fact)]
    outcome = Outcome.FAILED if wrong else Outcome.PASSED
    why = "; ".join(wrong)
    return [
        Check("all", "", "", "", "==", 0.0, "", Severity.CRITICAL, outcome, 0.0, len(facts), why)
    ]


@pytest.fixture
def clone(server: LocalServer, shelf: Shelf, tmp_path: Path) -> Iterator[Clone]:
    shelf.run("CREATE TABLE numbers (seq INT PRIMARY KEY)")
    values = ", ".join(f"({n})" for n in range(1, ROWS + 1))
    shelf.run(f"INSERT INTO numbers VALUES {values}")
    yield Clone(server, tmp_path)
    with closing(server.root_session()) as session:
        session.query("DROP DATABASE IF EXISTS readiness_marker")


def test_a_foreign_key_without_a_name_keeps_its_index(clone: Clone, shelf: Shelf) -> None:
    shelf.run(
        "CREATE TABLE p (email VARCHAR(40), kind INT, PRIMARY KEY (email, kind))",
        "CREATE TABLE c (id INT PRIMARY KEY, email VARCHAR(40), kind INT, boss INT,"
        " FOREIGN KEY (email, kind) REFERENCES p (email, kind), FOREIGN KEY (boss) REFERENCES c (id))",
        f"INSERT INTO p SELECT email, id FROM ({PEOPLE}) AS x",
        "INSERT INTO c SELECT kind, email, kind, NULL FROM p",
    )
    before = shelf.run("SHOW CREATE TABLE c")
    clone.mask()
    assert shelf.run("SHOW CREATE TABLE c") == before
    assert shelf.run("SELECT COUNT(*) FROM c JOIN p USING (email, kind)") == [(ROWS,)]


def test_log_lines_that_hold_addresses_hold_none_afterwards(clone: Clone, shelf: Shelf) -> None:
    shelf.run(
        "CREATE TABLE audit (id INT PRIMARY KEY, line VARCHAR(200), ref VARCHAR(80))",
        "INSERT INTO audit SELECT id, CONCAT('login of ', email, ' from 10.1.2.3'),"
        f" IF(id = 7, CONCAT('mail to ', email), CONCAT('ORD-', id)) FROM ({PEOPLE}) AS x",
    )
    clone.mask()
    assert shelf.run("SELECT COUNT(*) FROM audit WHERE line LIKE '%@%' OR ref LIKE '%@%'") == [(0,)]


def test_a_path_may_hold_a_text_here_and_more_there(clone: Clone, shelf: Shelf) -> None:
    shelf.run(
        "CREATE TABLE carts (id INT PRIMARY KEY, doc JSON)",
        "INSERT INTO carts SELECT id, JSON_OBJECT('to', JSON_ARRAY(JSON_ARRAY(id, email),"
        " JSON_OBJECT('n', 1, 'email', email)), 'by', IF(id % 2, JSON_OBJECT('email', email), email))"
        f" FROM ({PEOPLE}) AS x",
    )
    if shelf.run("SELECT JSON_TYPE(JSON_EXTRACT(doc, '$.by')) FROM carts WHERE id = 1") == [
        ("STRING",)
    ]:  # MariaDB's IF makes a text of an object
        shelf.run("UPDATE carts SET doc = JSON_SET(doc, '$.by', JSON_OBJECT('email', 'x@y-z.de'))"
                  " WHERE id % 2")  # fmt: skip
    clone.mask()
    left = shelf.run(
        "SELECT COUNT(*) FROM carts WHERE doc LIKE '%web-mail%' OR doc LIKE '%y-z.de%'"
    )
    assert left == [(0,)]
    there = "JSON_EXTRACT(doc, '$.to[1].n') = 1"
    mails = "'$.to[1].email', '$.to[0][1]'"
    kept = f"{there} AND JSON_CONTAINS_PATH(doc, 'all', {mails})"
    assert shelf.run(f"SELECT COUNT(*) FROM carts WHERE {kept}") == [(ROWS,)]
    whole = "JSON_TYPE(JSON_EXTRACT(doc, '$.by.email')) = 'STRING'"
    assert shelf.run(f"SELECT COUNT(*) FROM carts WHERE {whole}") == [(ROWS // 2,)]


def test_numbers_of_articles_and_orders_are_no_cards(clone: Clone, shelf: Shelf) -> None:
    """One in ten passes the check of cards, and nobody has to be woken for that."""
    shelf.run(
        "CREATE TABLE article (id INT PRIMARY KEY, gtin CHAR(13), order_no VARCHAR(20))",
        "INSERT INTO article SELECT seq, 4006381000000 + seq * 7, 4000000000000000 + seq * 13"
        " FROM numbers",
    )
    before = shelf.run("SELECT * FROM article")
    clone.mask()
    assert shelf.run("SELECT * FROM article") == before


def test_places_are_masked_whatever_their_digits_and_names_whatever_their_signs(
    clone: Clone, shelf: Shelf
) -> None:
    shelf.run(
        "CREATE TABLE shops (id INT PRIMARY KEY, lat DOUBLE, lon FLOAT, bday VARCHAR(10), doc JSON)",
        "INSERT INTO shops SELECT seq, 52.5 + seq / 1000, 13.4 + seq / 7, '1980-01-02',"
        " JSON_OBJECT('lat', 48.1 + seq / 1000) FROM numbers",
    )
    shelf.run(
        "CREATE TABLE `my.shops` (id INT PRIMARY KEY, `e.mail` VARCHAR(60), KEY k (`e.mail`, id))",
        f"INSERT INTO `my.shops` {PEOPLE}",
    )
    before = shelf.run("SELECT id, lat FROM shops")
    clone.mask()
    assert not {row[1] for row in before} & {row[0] for row in shelf.run("SELECT lat FROM shops")}
    assert shelf.run("SELECT COUNT(*) FROM shops WHERE bday = '1980-01-02'") == [(0,)]


def test_what_the_proof_would_refuse_is_told_before_anything_changes(
    clone: Clone, shelf: Shelf
) -> None:
    """And a policy that mends it may come without a new copy of the clone."""
    shelf.run(
        "CREATE TABLE sale (id INT PRIMARY KEY, email VARCHAR(60), `order ref` VARCHAR(40))",
        "INSERT INTO sale SELECT (a.seq - 1) * 60 + b.seq, 'a@web-mail.de', CONCAT('ORD-', b.seq)"
        " FROM numbers a JOIN numbers b WHERE a.seq <= 15",
        # No row that is looked at: neither at an end of the key nor at a spot between.
        "UPDATE sale SET `order ref` = 'card 4111111111111111' WHERE id = 470",
    )
    before = shelf.run("SELECT * FROM sale")
    with pytest.raises(MaskingError) as no:
        clone.mask()
    assert "sale.order ref: 1 rows that hold a card number" in no.value.message
    assert "Nothing was changed" in no.value.message
    assert "sale.order ref: {treat: pseudonym}" in str(no.value.hint)
    assert "4111" not in f"{no.value} {no.value.hint}"
    assert shelf.run("SELECT * FROM sale") == before
    clone.say("columns:\n  sale.order ref: {treat: pseudonym}")
    clone.mask("policy p 1")
    assert shelf.run("SELECT COUNT(*) FROM sale WHERE `order ref` LIKE '%4111%'") == [(0,)]


def test_lists_of_partitions_are_refused_before_anything_changes(
    clone: Clone, shelf: Shelf
) -> None:
    shelf.run(
        "CREATE TABLE parts (email VARCHAR(60), v INT) PARTITION BY LIST COLUMNS(email)"
        " (PARTITION a VALUES IN ('a@web-mail.de'), PARTITION b VALUES IN ('b@web-mail.de'))",
        "INSERT INTO parts VALUES ('a@web-mail.de', 1), ('b@web-mail.de', 2)",
    )
    with pytest.raises(MaskingError, match="by lists of values of parts") as no:
        clone.mask()
    assert "ALTER TABLE `shop`.`parts` REMOVE PARTITIONING" in str(no.value.hint)
    shelf.run("ALTER TABLE parts REMOVE PARTITIONING")
    clone.mask()
    assert shelf.run("SELECT COUNT(*) FROM parts WHERE email LIKE '%web-mail%'") == [(0,)]


def test_a_plan_says_which_definitions_name_somebody(clone: Clone, shelf: Shelf) -> None:
    shelf.run(
        "CREATE TABLE t (id INT PRIMARY KEY, kind ENUM('a', 'ann@web-mail.de'),"
        " phone BIGINT COMMENT 'as +49 170 1234567') COMMENT 'ask bob@web-mail.de'",
        "CREATE VIEW v AS SELECT id FROM t WHERE kind = 'ann@web-mail.de'",
        "CREATE PROCEDURE quiet() SELECT 1",
    )
    (plan,) = plans_of(clone.work())
    told_of = {note.partition(" holds ")[0] for note in plan.notes if " holds " in note}
    assert told_of == {
        "the comment of table t",
        "the definition of column t.kind",
        "the definition of column t.phone",
        "view v",
    }
    assert "web-mail" not in str(plan.notes)


def test_a_plan_says_of_every_column_what_becomes_of_it(clone: Clone, shelf: Shelf) -> None:
    shelf.run(
        "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, contact BIGINT, flag TINYINT(1), at DATETIME,"
        " kind ENUM('a'), email VARCHAR(60), small VARCHAR(60) AS (LOWER(email)))",
        "INSERT INTO t (contact, email) SELECT 491700000000 + seq * 7919, 'a@b-c.de' FROM numbers",
    )
    (plan,) = plans_of(clone.work())
    said = {c.column for c in (*plan.columns, *plan.kept) if c.table == "t"}
    assert said == {"id", "contact", "flag", "at", "kind", "email", "small"}
    why = next(c.why for c in plan.kept if c.column == "contact")
    assert "telephones" in why

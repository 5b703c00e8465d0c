"""A masked table keeps all but the values: definition, keys both ways, triggers, views, privileges."""

from __future__ import annotations

import pytest
from tests.integration.masking.shelf import Shelf

from readiness.errors import MaskingError, StatementFailed

pytestmark = pytest.mark.mysql

USERS = """CREATE TABLE users (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  email VARCHAR(120) NOT NULL COMMENT 'where it''s sent, `quoted`',
  email_lower VARCHAR(120) GENERATED ALWAYS AS (LOWER(email)) VIRTUAL,
  email_kept VARCHAR(120) GENERATED ALWAYS AS (CONCAT(email, '!')) STORED,
  age INT NOT NULL DEFAULT 0,
  state ENUM('new','old') NOT NULL DEFAULT 'new',
  born DATE NOT NULL DEFAULT '0000-00-00',
  seen TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  boss BIGINT UNSIGNED NULL,
  note TEXT,
  PRIMARY KEY (id),
  UNIQUE KEY email (email),
  KEY state (state, born),
  KEY kept (email_kept),
  FULLTEXT KEY words (note),
  CONSTRAINT users_boss FOREIGN KEY (boss) REFERENCES users (id) ON DELETE SET NULL,
  CONSTRAINT grown CHECK (age >= 0)
) ENGINE=InnoDB AUTO_INCREMENT=5000 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci ROW_FORMAT=COMPRESSED COMMENT='people'"""
ORDERS = """CREATE TABLE orders (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL, ref VARCHAR(40) NOT NULL,
  UNIQUE KEY ref (ref), CONSTRAINT orders_user FOREIGN KEY (user_id) REFERENCES users (id)
    ON DELETE CASCADE ON UPDATE CASCADE) ENGINE=InnoDB"""


@pytest.fixture
def shop(shelf: Shelf) -> Shelf:
    """Users with all that a table may have, and orders that refer to them."""
    shelf.run(
        "SET SESSION sql_mode = ''",
        USERS,
        ORDERS,
        "INSERT INTO users (id, email, age, seen, boss, note) VALUES"
        " (1, 'Ada@example.com', 36, '2020-01-01 00:00:00', NULL, 'likes engines'),"
        " (2, 'bob@example.com', 41, '2020-01-02 00:00:00', 1, NULL),"
        " (900, 'cy@example.com', 20, '2020-01-03 00:00:00', 2, '')",
        "INSERT INTO orders VALUES (1, 1, 'r-1'), (2, 2, 'r-2'), (7, 900, 'r-7')",
    )
    return shelf


def test_its_definition_is_the_same_to_the_letter(shop: Shelf) -> None:
    before = shop.created("users"), shop.created("orders")
    shop.mask("users.email", "orders.ref")
    assert (shop.created("users"), shop.created("orders")) == before
    assert "AUTO_INCREMENT=5000" in before[0]


def test_values_are_new_and_the_rest_is_as_it_was(shop: Shelf) -> None:
    rest = "SELECT id, age, state, born, seen, boss, note FROM users ORDER BY id"
    before, emails = shop.run(rest), shop.run("SELECT email FROM users")
    assert shop.mask("users.email") == 3
    assert shop.run(rest) == before
    assert not set(emails) & set(shop.run("SELECT email FROM users"))
    assert shop.run(
        "SELECT COUNT(*) FROM users WHERE email_lower = LOWER(email) AND email_kept = CONCAT(email, '!')"
    ) == [(3,)]


def test_keys_hold_in_both_directions_afterwards(shop: Shelf) -> None:
    shop.mask("users.email", "orders.ref")
    for broken in (
        "INSERT INTO orders VALUES (9, 12345, 'r-9')",
        "UPDATE users SET boss = 777 WHERE id = 1",
        "UPDATE users SET age = -1",
        "INSERT INTO users (email) SELECT email FROM users WHERE id = 1",
    ):
        with pytest.raises(StatementFailed):
            shop.run(broken)
    shop.run("DELETE FROM users WHERE id = 1")  # bob's boss
    assert shop.run("SELECT id FROM orders ORDER BY id") == [(2,), (7,)]
    assert shop.run("SELECT boss FROM users ORDER BY id") == [(None,), (2,)]
    shop.run("INSERT INTO users (email) VALUES ('new@example.com')")
    assert shop.run("SELECT MAX(id) >= 5000 FROM users") == [(1,)]


def test_triggers_come_back_and_none_fires_meanwhile(shop: Shelf) -> None:
    shop.run(
        "CREATE TABLE trail (what VARCHAR(200))",
        "SET NAMES latin1",
        "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'",
        "CREATE TRIGGER first_one AFTER UPDATE ON users FOR EACH ROW"
        " INSERT INTO trail VALUES (CONCAT('first\\', NEW.\"email\"))",
        "SET NAMES utf8mb4",
        "SET SESSION sql_mode = ''",
        "CREATE TRIGGER `zero one` AFTER UPDATE ON users FOR EACH ROW PRECEDES first_one"
        " INSERT INTO trail VALUES ('žluťoučký')",
        "CREATE TRIGGER made BEFORE INSERT ON users FOR EACH ROW SET NEW.age = NEW.age + 1",
        "CREATE TRIGGER gone AFTER DELETE ON users FOR EACH ROW BEGIN DECLARE x INT; SET x = 1;"
        " INSERT INTO trail VALUES (OLD.email); END",
        "CREATE TRIGGER noted AFTER UPDATE ON orders FOR EACH ROW INSERT INTO trail VALUES ('order')",
    )
    shown = "SELECT TRIGGER_NAME, ACTION_ORDER, ACTION_STATEMENT, SQL_MODE, DEFINER, CHARACTER_SET_CLIENT, COLLATION_CONNECTION, EVENT_MANIPULATION, ACTION_TIMING FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = 'shop' ORDER BY 1"
    before = shop.run(shown)
    assert len(before) == 5
    shop.mask("users.email", "users.note", "orders.ref")
    assert shop.run(shown) == before
    assert shop.run("SELECT * FROM trail") == []
    assert shop.run("SELECT age FROM users ORDER BY id") == [(36,), (41,), (20,)]
    shop.run("UPDATE users SET email = 'x@example.com' WHERE id = 1")
    assert shop.run("SELECT * FROM trail") == [("žluťoučký",), ("first\\x@example.com",)]


def test_an_update_in_place_fires_no_trigger_and_stamps_no_time(shop: Shelf) -> None:
    shop.run(
        "CREATE TABLE plain (id INT PRIMARY KEY, name VARCHAR(40), seen TIMESTAMP NOT NULL"
        " DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)",
        "INSERT INTO plain VALUES (1, 'Ada', '2020-01-01'), (2, NULL, '2020-01-02'), (3, '', '2020-01-03')",
        "CREATE TRIGGER aged BEFORE UPDATE ON plain FOR EACH ROW SET NEW.id = NEW.id + 10",
    )
    before = shop.run("SELECT id, seen FROM plain")
    assert shop.mask("plain.name") == 3
    assert shop.run("SELECT id, seen FROM plain") == before
    assert shop.run("SELECT CHAR_LENGTH(name) FROM plain") == [(3,), (None,), (0,)]
    assert shop.run("SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE TRIGGER_NAME = 'aged'")[
        0
    ] == (1,)


def test_derived_columns_say_what_their_masked_source_says(shop: Shelf) -> None:
    for extra in ("", ", KEY (name)"):  # in place, and rebuilt
        shop.run(
            "DROP TABLE IF EXISTS told",
            f"CREATE TABLE told (id INT PRIMARY KEY, name VARCHAR(40), a CHAR(64), b VARCHAR(60) {extra})",
            "INSERT INTO told VALUES (1, 'Ada', SHA2('ada', 256), 'xAda'), (2, 'Bob', SHA2('bob', 256), 'xBob')",
            "DROP TABLE IF EXISTS readiness_marker.masking",
        )
        shop.mask(
            "told.name",
            derived={"told.a": "SHA2(LOWER({name}), 256)", "told.b": "CONCAT('x', {name})"},
        )
        assert shop.run(
            "SELECT COUNT(*) FROM told WHERE a = SHA2(LOWER(name), 256) AND b = CONCAT('x', name)"
            " AND name NOT IN ('Ada', 'Bob')"
        ) == [(2,)]


def test_views_and_privileges_keep_working(shop: Shelf) -> None:
    shop.run(
        "CREATE VIEW adults AS SELECT email FROM users WHERE age > 18",
        "DROP USER IF EXISTS reader@localhost",
        "CREATE USER reader@localhost IDENTIFIED BY 'Only-4-a-test'",
        "GRANT SELECT (email) ON shop.users TO reader@localhost",
        "GRANT SELECT ON shop.adults TO reader@localhost",
    )
    before = sorted(shop.run("SHOW GRANTS FOR reader@localhost"))
    shop.mask("users.email")
    assert sorted(shop.run("SHOW GRANTS FOR reader@localhost")) == before
    assert shop.run("SELECT COUNT(*) FROM adults") == [(3,)]


@pytest.mark.parametrize(
    "options",
    [
        "PARTITION BY HASH (id) PARTITIONS 3",
        "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (5), PARTITION p1 VALUES LESS THAN MAXVALUE)",
        "ENGINE=MyISAM COMMENT='old' CHECKSUM=1",
        "ENGINE=InnoDB ROW_FORMAT=DYNAMIC STATS_PERSISTENT=0",
    ],
)
def test_options_and_partitions_stay(shop: Shelf, options: str) -> None:
    if "MyISAM" not in options and "ENGINE" not in options:
        options = f"ENGINE=InnoDB {options}"
    shop.run(
        f"CREATE TABLE odd (id INT NOT NULL, `the ``name` VARCHAR(40), PRIMARY KEY (id), KEY n (`the ``name`(5))) {options}",
        "INSERT INTO odd VALUES (1, 'Ada'), (4, 'Bob'), (99, 'Cy'), (-5, '')",
    )
    before, old = shop.created("odd"), shop.run("SELECT `the ``name` FROM odd")
    assert shop.mask("odd.the `name") == 4
    assert shop.created("odd") == before
    assert not {r for r in old if r[0]} & set(shop.run("SELECT `the ``name` FROM odd"))


def test_what_production_let_in_passes_as_it_is(shop: Shelf) -> None:
    shop.run(
        "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'",
        "CREATE TABLE lax (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(9), d DATE, t DATETIME(3), s TIMESTAMP NULL,"
        " e ENUM('a','b') NOT NULL, c CHAR(4), b VARBINARY(6), f FLOAT, n DECIMAL(6,2), KEY (name))",
        "INSERT INTO lax VALUES (0, 'Ada', '0000-00-00', '2026-00-00', '0000-00-00', 'zzz', 'x', X'0020', 0.1, 1.5),"
        " (1, 'Bob  ', '2026-02-31', '0000-00-00', NULL, 'a', '', '', 1e30, -9999.99)",
    )
    rest = "SELECT id, CAST(d AS CHAR), CAST(t AS CHAR), CAST(s AS CHAR), e + 0, c, HEX(b), f, n FROM lax ORDER BY id"
    before = shop.run(rest)
    shop.mask("lax.name")
    shop.run("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'")
    assert shop.run(rest) == before


def test_empty_tables_and_tables_without_a_key_are_masked(shop: Shelf) -> None:
    shop.run(
        "CREATE TABLE nothing (id INT PRIMARY KEY, name VARCHAR(9), KEY (name))",
        "CREATE TABLE heap (name VARCHAR(9))",
        "INSERT INTO heap VALUES ('Ada'), ('Ada'), (NULL)",
        "CREATE TABLE loose (a INT NULL, name VARCHAR(9), UNIQUE KEY (a)) ENGINE=MyISAM",
        "INSERT INTO loose VALUES (1, 'Ada'), (NULL, 'Bob'), (NULL, 'Bob')",
    )
    assert shop.mask("nothing.name", "heap.name", "loose.name") == 6
    assert shop.run("SELECT COUNT(*), COUNT(DISTINCT name), COUNT(name) FROM heap") == [(3, 1, 2)]
    assert shop.run("SELECT COUNT(*), COUNT(DISTINCT name) FROM loose") == [(3, 2)]
    assert shop.run("SELECT COUNT(*) FROM heap WHERE name = 'Ada'") == [(0,)]


def test_a_masked_primary_key_is_changed_in_every_row_once(shop: Shelf) -> None:
    shop.run(
        "CREATE TABLE mail (email VARCHAR(60) CHARACTER SET latin1 COLLATE latin1_swedish_ci PRIMARY KEY, n INT)",
        "INSERT INTO mail VALUES ('Zoë@x.example', 1), ('ada@x.example', 2), ('b\\'ob@x.example', 3)",
    )
    shop.mask("mail.email")
    assert shop.run("SELECT COUNT(*), SUM(n) FROM mail WHERE email NOT LIKE '%example'") == [(3, 6)]


def test_a_table_with_history_is_refused_with_the_remedy(shelf: Shelf) -> None:
    if shelf.engine == "mysql":
        return  # it keeps no history
    shelf.run("CREATE TABLE kept (id INT PRIMARY KEY, name VARCHAR(9)) WITH SYSTEM VERSIONING")
    catalogue = shelf.catalogue()
    versioned = catalogue.tables["kept"]
    object.__setattr__(versioned, "is_versioned", True)
    with pytest.raises(MaskingError, match="kept keeps old rows") as refused:
        shelf.mask("kept.name", catalogue=catalogue)
    assert "DROP SYSTEM VERSIONING" in refused.value.hint

"""Values inside documents, columns that repeat others, and values that would meet: on both engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.integration.masking.sql_lab import facts, masking_session, through

from readiness.errors import MaskingError
from readiness.masking.sql import expression_of, expressions_of, key_statement, run_key
from readiness.masking.sql.collisions import settle
from readiness.model.catalogue import Catalogue, ColumnFacts, IndexFacts, TableFacts
from readiness.model.masking import JsonPath, Look, MaskedColumn, MaskPlan, Source
from readiness.ports import Session

pytestmark = pytest.mark.mysql


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def session(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with masking_session(engine, tmp_path_factory.mktemp("s")) as session:
        yield session


def json_column(engine: str) -> ColumnFacts:
    if engine == "mysql":
        return facts("json")
    return facts("longtext", collation="utf8mb4_bin", is_json=True)


def column(name: str, look: Look | None, **more: object) -> MaskedColumn:
    domain = look.value if look else "derived"
    told = MaskedColumn("t", name, look, domain, Source.POLICY, "")
    return replace(told, **more)


PATHS = (
    JsonPath("$.email", Look.EMAIL),
    JsonPath("$.n", Look.NUMBER),
    JsonPath("$.items[*].name", Look.NAME),
    JsonPath("$.items[*].tags[*]", Look.TEXT),
)
DOCUMENTS: list[dict[str, object]] = [
    {"email": "anna.lee@gmx.de", "n": 12345, "keep": [1, "x"]},
    {"items": [{"name": "Anna"}, {"name": "Bob", "tags": ["a b", "c"]}, {"q": 1}, 5]},
    {"email": None, "n": -12.5, "items": "text"},
    {"email": {"deep": "anna@gmx.de"}, "n": True, "items": []},
    {"email": 'q"\\ é😀@gmx.de  ', "n": 0},
]


def test_only_the_values_at_the_paths_change(session: Session, engine: str) -> None:
    told = column("v", Look.JSON, paths=PATHS)
    expression = expression_of(told, json_column(engine))
    made = through(
        session, json_column(engine), expression, [json.dumps(d) for d in DOCUMENTS] + [None]
    )
    assert made.pop() is None
    first, second, third, fourth, fifth = (json.loads(str(m)) for m in made)
    assert first["keep"] == [1, "x"]
    assert (len(first["email"]), len(str(first["n"]))) == (15, 5)
    assert first["email"] != "anna.lee@gmx.de"
    items = second["items"]
    assert [len(items[0]["name"]), len(items[1]["name"]), items[2], items[3]] == [4, 3, {"q": 1}, 5]
    assert [len(tag) for tag in items[1]["tags"]] == [3, 1]
    assert items[1]["tags"][0] != "a b"
    assert (third["email"], third["items"], int(third["n"]) // 10) == (None, "text", -2)
    assert (fourth["email"], fourth["n"], fourth["items"]) == ({}, True, [])
    assert (len(fifth["email"]), fifth["n"]) == (15, 0)


def test_a_path_agrees_with_a_column_of_its_look(session: Session, engine: str) -> None:
    told = column("v", Look.JSON, paths=PATHS)
    found = through(
        session,
        json_column(engine),
        expression_of(told, json_column(engine)),
        ['{"email": "Bob@gmx.de"}'],
    )
    text = facts("varchar(60)", collation="utf8mb4_general_ci")
    own = expression_of(column("v", Look.EMAIL, is_folded=True), text)
    assert json.loads(str(found[0]))["email"] == through(session, text, own, ["bob@gmx.de"])[0]


def test_texts_that_are_no_document_stay(session: Session) -> None:
    text = facts("text", collation="latin1_swedish_ci")
    told = column("v", Look.JSON, paths=PATHS)
    values = ["{not json", "", '{"email": "bob@gmx.de"}']
    made = through(session, text, expression_of(told, text), values)
    assert made[:2] == values[:2]
    assert made[2] != values[2]


def test_an_emptied_document_is_one_of_the_same_length(session: Session, engine: str) -> None:
    made = through(
        session,
        json_column(engine),
        expression_of(column("v", Look.BLANK), json_column(engine)),
        ['{"a": 12}', "7", "[]"],
    )
    assert [len(str(m)) for m in made] == [9, 1, 2]
    assert all(json.loads(str(m)) is not None for m in made)


def table(*columns: ColumnFacts, indexes: tuple[IndexFacts, ...] = ()) -> TableFacts:
    return TableFacts("t", "InnoDB", {c.name: c for c in columns}, indexes)


def named(name: str, facts: ColumnFacts) -> ColumnFacts:
    return replace(facts, name=name)


TEXT = facts("varchar(60)", collation="utf8mb4_general_ci")


def test_a_derived_column_is_made_of_what_the_row_will_hold(session: Session) -> None:
    shape = table(
        named("mail", TEXT), named("hash", TEXT), named("both", TEXT), named("kept", TEXT)
    )
    columns = [
        column("hash", None, derived="SHA2(LOWER({mail}), 256)"),
        column("mail", Look.EMAIL, is_folded=True),
        column("both", None, derived="CONCAT(LEFT({hash}, 4), '-', {kept}, `both`)"),
    ]
    made = expressions_of(columns, shape, {})
    session.query("DROP TABLE IF EXISTS t")
    session.query(
        "CREATE TABLE t (id INT, mail VARCHAR(60), hash VARCHAR(64), `both` VARCHAR(60), kept VARCHAR(9))"
    )
    session.query(
        "INSERT INTO t VALUES (1, 'Ann@x.de', '', 'old', 'k'), (2, NULL, NULL, NULL, 'k')"
    )
    sets = ", ".join(f"`{name}` = {sql}" for name, sql in made.items())
    session.query(f"UPDATE t SET {sets}")
    rows = session.query(
        "SELECT hash = SHA2(LOWER(mail), 256), `both` = CONCAT(LEFT(hash, 4), '-kold'), mail, id FROM t"
    )
    assert rows[0][:2] == (1, 1)
    assert rows[0][2] != "Ann@x.de"
    assert rows[1] == (None, None, None, 2)


@pytest.mark.parametrize("order", [("mail", "hash", "again"), ("again", "hash", "mail")])
def test_what_others_are_made_from_is_one_value_whichever_is_computed_first(
    session: Session, order: tuple[str, ...]
) -> None:
    shape = table(named("mail", TEXT), named("hash", TEXT), named("again", TEXT))
    columns = (
        column("mail", Look.EMAIL),
        column("hash", None, derived="SHA2({mail}, 256)"),
        column("again", None, derived="CONCAT({mail}, '')"),
    )
    made = expressions_of(columns, shape, {})
    alone = expression_of(columns[0], shape.columns["mail"])
    session.query("DROP TABLE IF EXISTS t")
    session.query("CREATE TABLE t (id INT, mail VARCHAR(60))")
    session.query("INSERT INTO t VALUES (1, 'a@x.de'), (2, NULL), (3, 'A@x.de '), (4, 'bo@x.de'),"
                  " (5, 'bo@x.de'), (6, 'a@x.de'), (7, '')")  # fmt: skip
    listed = ", ".join(f"{made[name]} AS {name}" for name in order)
    for key in ("1", "2"):
        session.query("SET @saved = @readiness_key, @readiness_key = REPEAT(%s, 64)", (key,))
        try:
            rows = session.query(
                f"SELECT mail <=> alone, again <=> mail, hash <=> SHA2(mail, 256) FROM"
                f" (SELECT {alone} AS alone, {listed} FROM t) AS made"
            )
        finally:
            session.query("SET @readiness_key = @saved")
        assert set(rows) == {(1, 1, 1)}


def test_an_expression_does_not_repeat_itself() -> None:
    """Spelled out where it is used, an e-mail took 16,000 characters and a name 63,000."""
    told = [column("v", look, is_folded=True) for look in (Look.EMAIL, Look.NAME)]
    email, person = (len(expression_of(one, named("v", TEXT))) for one in told)
    assert email < 8_000
    assert person < 30_000


def test_a_circle_of_derived_columns_is_refused() -> None:
    shape = table(named("a", TEXT), named("b", TEXT))
    circle = [column("a", None, derived="{b}"), column("b", None, derived="{a}")]
    with pytest.raises(MaskingError, match="derived from itself"):
        expressions_of(circle, shape, {})


def test_a_type_that_can_hold_no_look_is_refused() -> None:
    with pytest.raises(MaskingError, match="type enum"):
        expression_of(column("v", Look.NAME), facts("enum('a','b')"))


def test_the_key_is_one_for_a_run_and_stands_in_no_expression() -> None:
    key = run_key(b"project", "run-7")
    assert key == run_key(b"project", "run-7") != run_key(b"project", "run-8")
    assert len(bytes.fromhex(key)) == 32
    sql, parameters = key_statement(key)
    assert key not in sql
    assert parameters == (key,)
    assert key not in expression_of(column("v", Look.EMAIL), TEXT)


def unique(session: Session, values: list[str], definition: str = "UNIQUE (v)") -> None:
    session.query("DROP TABLE IF EXISTS t")
    session.query(
        f"CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(60) COLLATE utf8mb4_general_ci, {definition})"
    )
    for number, value in enumerate(values):
        session.query("INSERT INTO t VALUES (%s, %s)", (number, value))


def settled(
    session: Session, engine: str, look: Look, parts: tuple[tuple[str, int], ...]
) -> MaskPlan:
    shape = table(
        named("id", facts("int(11)")), named("v", TEXT),
        indexes=(IndexFacts("PRIMARY", True, (("id", 0),)), IndexFacts("u", True, parts)),
    )  # fmt: skip
    catalogue = Catalogue("shop", engine, "", {"t": shape})
    plan = MaskPlan("shop", "", (column("v", look, is_folded=True, is_unique=True),))
    made = settle(session, catalogue, plan)
    session.query(
        f"UPDATE t SET id = id, v = {expressions_of(made.columns, shape, made.attempts or {})['v']}"
    )
    return made


def test_the_key_is_changed_until_short_values_stay_unique(session: Session, engine: str) -> None:
    # Three characters as tokens: 20 of 46656 rarely meet; two-character ones of 1296 often do.
    values = [f"{a}{b}" for a in "abcdef" for b in "qrstuv"]
    unique(session, values, "KEY (v)")
    made = settled(session, engine, Look.TOKEN, (("v", 0),))
    assert session.query("SELECT COUNT(DISTINCT v) FROM t") == [(36,)]
    assert all(n < 16 for n in (made.attempts or {}).values())


def test_values_too_short_for_any_key_are_named(session: Session, engine: str) -> None:
    unique(session, [*"abcdefghijklmnopqrstuvwxyz0123456789"])
    with pytest.raises(
        MaskingError, match=r"t\.v: the values are too short to stay unique"
    ) as caught:
        settled(session, engine, Look.TOKEN, (("v", 0),))
    assert "policy" in caught.value.hint


def test_a_prefix_that_must_stay_unique_is_looked_at(session: Session, engine: str) -> None:
    unique(session, [f"{n:02d} rather long text" for n in range(25)], "KEY (v)")
    settled(session, engine, Look.TOKEN, (("v", 3),))
    assert session.query("SELECT COUNT(DISTINCT LEFT(v, 3)) FROM t") == [(25,)]


def test_names_that_differ_by_an_accent_alone_get_a_finer_key(
    session: Session, engine: str
) -> None:
    session.query("DROP TABLE IF EXISTS t")
    session.query(
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(60) COLLATE utf8mb4_swedish_ci UNIQUE)"
    )
    session.query("INSERT INTO t VALUES (1, 'Alvander'), (2, 'Älvander')")
    shape = table(
        named("id", facts("int(11)")), named("v", facts("varchar(60)", collation="utf8mb4_swedish_ci")),
        indexes=(IndexFacts("v", True, (("v", 0),)),),
    )  # fmt: skip
    catalogue = Catalogue("shop", engine, "", {"t": shape})
    plan = MaskPlan("shop", "", (column("v", Look.NAME, is_folded=True),))
    assert (settle(session, catalogue, plan).attempts or {})["name"] % 2 == 1


def test_columns_that_others_keep_apart_are_not_asked(session: Session, engine: str) -> None:
    unique(session, ["a", "b"], "KEY (v)")
    made = settled(session, engine, Look.NAME, (("id", 0), ("v", 0)))
    assert not made.attempts


def test_arrays_are_spelled_out_as_long_as_they_are(session: Session, engine: str) -> None:
    kind = json_column(engine)
    many = {"items": [{"name": f"N{n}", "tags": ["x"] * (n % 3)} for n in range(11)]}
    session.query("DROP TABLE IF EXISTS t")
    session.query("CREATE TABLE t (id INT, v JSON)")
    session.query("INSERT INTO t VALUES (1, %s), (2, '[]'), (3, NULL)", (json.dumps(many),))
    catalogue = Catalogue("shop", engine, "", {"t": table(kind)})
    plan = MaskPlan("shop", "", (column("v", Look.JSON, paths=PATHS),))
    (made,) = settle(session, catalogue, plan).columns
    assert sum(p.path.endswith(".name") for p in made.paths) == 11
    session.query(f"UPDATE t SET v = {expression_of(made, kind)} WHERE id = 1")
    (row,) = session.query("SELECT v FROM t WHERE id = 1")
    items = json.loads(str(row[0]))["items"]
    assert [len(i["tags"]) for i in items] == [n % 3 for n in range(11)]
    # A letter and a digit map to themselves now and then, all eleven of them never.
    assert sum(i["name"] == f"N{n}" for n, i in enumerate(items)) < 5

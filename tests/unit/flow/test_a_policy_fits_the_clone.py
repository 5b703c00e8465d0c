"""A policy's lines against the databases of a clone: all that is wrong at once, each at its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.described_tables import catalogue_of

from readiness.errors import ConfigMistakes
from readiness.flow.mask_policy import MaskPolicy, mask_rules

SHOP = catalogue_of(
    "users(id bigint! auto, email varchar(80) unique, first_name varchar(40), hash char(64),"
    " born date, doc json, kind enum, score int, full varchar(90) generated, place point),"
    " people(email varchar(80)!), letters(id int! auto, whom varchar(80) to=people.email),"
    " devices(code char(20)!), visits(id int! auto, device_code char(20)), orders(id int! auto,"
    " user_id bigint to=users.id)"
)
OTHER = catalogue_of("logs(id int! auto, email varchar(80))", "archive")


def read(folder: Path, lines: str) -> MaskPolicy:
    path = folder / "shop.yaml"
    path.write_text("columns:\n" + "".join(f"  {line}\n" for line in lines.splitlines()))
    return mask_rules(path, [SHOP, OTHER])


def told(folder: Path, lines: str) -> str:
    """What is said of the only line."""
    with pytest.raises(ConfigMistakes) as caught:
        read(folder, lines)
    assert {m.line for m in caught.value.mistakes} == {1 + len(lines.splitlines())}
    return " ".join(m.text for m in caught.value.mistakes)


def test_lines_count_in_each_database_in_the_servers_spelling(tmp_path: Path) -> None:
    policy = read(
        tmp_path, "USERS.Email: {treat: pseudonym, look: email}\nlogs.email: {treat: pseudonym}"
    )
    assert set(policy.of("shop")) == {("users", "email")}
    assert set(policy.of("archive")) == {("logs", "email")}
    assert policy.title.startswith("shop ")
    assert policy.of("nowhere") == {}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("user.email: {treat: pseudonym}", "no table user in the clone. Did you mean users?"),
        ("users.emial: {treat: pseudonym}", "no column emial. Did you mean email?"),
        ("users.born: {treat: pseudonym, look: email}", "look email does not fit a date"),
        ("users.doc: {treat: pseudonym, look: text}", "a look at each path"),
        ('users.hash: {treat: pseudonym, json: {"$.a": text}}', "json is for documents"),
        ("users.email: {treat: empty}", "it is unique, and empty gives rows the same value"),
        ("users.email: {treat: pseudonym, look: blank}", "it is unique, and blank"),
        ("users.born: {treat: empty}", "a date has no empty value"),
        ("users.doc: {treat: generalize}", "a json cannot be made coarser"),
        ("users.kind: {treat: pseudonym}", "its words are listed by the schema"),
        ("users.full: {treat: pseudonym}", "the server computes it"),
        ("users.first_name: {treat: pseudonym, ordered: true}", "ordered is for dates and numbers"),
        ('users.hash: {treat: pseudonym, derive: "SHA2({emial}, 256)"}', "Did you mean email?"),
        ('users.hash: {treat: pseudonym, derive: "LOWER({hash})"}', "derive goes in a circle"),
        ("people.email: {treat: generalize}", "a foreign key ties it to letters.whom"),
        (
            "devices.code: {treat: pseudonym}",
            "visits.device_code refers to it without a foreign key",
        ),
        ("orders.user_id: {treat: pseudonym}", "refers to what does, and says nothing"),
    ],
)
def test_what_cannot_be_is_told_at_its_line(tmp_path: Path, line: str, says: str) -> None:
    assert says in told(tmp_path, line)


def test_two_ends_of_a_foreign_key_cannot_be_treated_otherwise(tmp_path: Path) -> None:
    lines = "people.email: {treat: pseudonym}\nletters.whom: {treat: keep, reason: nobody real}"
    assert "ties it to people.email" in told(tmp_path, lines)


def test_a_circle_of_two_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigMistakes) as caught:
        read(
            tmp_path,
            'users.hash: {treat: pseudonym, derive: "LOWER({first_name})"}\n'
            'users.first_name: {treat: pseudonym, derive: "LOWER({hash})"}',
        )
    assert [m.line for m in caught.value.mistakes] == [2, 3]


def test_all_mistakes_are_told_together(tmp_path: Path) -> None:
    with pytest.raises(ConfigMistakes) as caught:
        read(
            tmp_path,
            "a.b: {treat: pseudonym}\nusers.x: {treat: pseudonym}\nusers.born: {treat: empty}",
        )
    assert [m.line for m in caught.value.mistakes] == [2, 3, 4]


@pytest.mark.parametrize(
    "line",
    [
        "users.score: {treat: pseudonym, ordered: true}",
        "users.place: {treat: keep, reason: the town square}",
        'users.doc: {treat: pseudonym, json: {"$.user.email": email, "$.items[*].name": name}}',
        'users.hash: {treat: pseudonym, derive: "SHA2(LOWER({email}), 256)"}',
        "users.first_name: {treat: empty}",
        "users.born: {treat: generalize}",
        "people.email: {treat: pseudonym, look: email}",
    ],
)
def test_what_can_be_is_taken(tmp_path: Path, line: str) -> None:
    assert len(read(tmp_path, line).of("shop")) == 1

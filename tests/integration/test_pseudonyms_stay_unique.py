"""Values that a unique column holds apart stay apart as pseudonyms, whatever its collation knows of
case, accents and blanks at the end."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.anonymize.pseudonym import Pseudonyms
from readiness.model.workload import Form
from readiness.ports import Session

pytestmark = pytest.mark.mysql

WANTED = (
    "utf8mb4_0900_ai_ci", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci",
    "utf8mb4_uca1400_ai_ci", "utf8mb4_german2_ci", "utf8mb4_swedish_ci", "utf8mb4_turkish_ci",
    "utf8mb4_bin",
)  # fmt: skip
LETTERS = "abcdeABCéèÉÈüÜñçzZ019 .-"


@pytest.fixture(scope="module")
def session(private_server: LocalServer) -> Iterator[Session]:
    admin = private_server.root_session()
    admin.query("CREATE DATABASE names CHARACTER SET utf8mb4")
    admin.close()
    session = private_server.root_session("names")
    session.query("SET NAMES utf8mb4")
    yield session
    session.close()


def texts(seed: int) -> list[str]:
    draw = random.Random(seed)
    words = ["".join(draw.choices(LETTERS, k=draw.randint(3, 5))) for _ in range(1500)]
    mails = [f"{word.strip(' .')}@shop.test" for word in words[:300] if " " not in word]
    return words + mails + [f"{draw.randint(0, 99999):05d}" for _ in range(300)]


def test_as_many_different_ones_as_before(session: Session) -> None:
    known = {row[0] for row in session.query("SHOW COLLATION LIKE 'utf8mb4%'")}
    collations = [name for name in WANTED if name in {str(k) for k in known}]
    assert len(collations) > 4
    for number, collation in enumerate(collations):
        table = f"t{number}"
        session.query(
            f"CREATE TABLE {table} (was VARCHAR(60) UNIQUE, made VARCHAR(60) UNIQUE) COLLATE {collation}"
        )
        pseudonyms = Pseudonyms(b"k" * 32)
        for text in dict.fromkeys(texts(number)):
            if not text.strip():
                continue
            taken = session.query(f"SELECT 1 FROM {table} WHERE was = %s", (text,))
            if not taken:
                made = pseudonyms.of(text.encode(), Form.TEXT).decode()
                session.query(f"INSERT INTO {table} VALUES (%s, %s)", (text, made))

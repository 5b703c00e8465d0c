"""Values that stay in the text and follow from one another still do when all are pseudonyms."""

from __future__ import annotations

import base64
import hashlib
import json

from tests.fakes.checkouts import draft, literal, step

from readiness.anonymize.seal import seal
from readiness.model.draft import RawDraft
from readiness.sql.lexer import TokenKind, decode
from readiness.workload.text.file import render

MAIL = b"Ada.Weiss@shop-mail.test"
DIGEST = hashlib.sha256(MAIL.lower()).digest()
PAYLOAD = json.dumps({"mail": MAIL.decode(), "name": "Ada Weiss", "last4": "4242"}).encode()


def flow(varies: bool = True) -> RawDraft:
    """An e-mail, its hash in two notations, names, a search name, and all of it in base64."""
    column = "email" if not varies else "note"
    mail = literal(b"'" + MAIL + b"'", column=column, varies=varies)
    values = [
        b"'" + DIGEST.hex().encode() + b"'",
        b"'Ada'",
        b"'WEISS, ADA'",
        b"'" + base64.b64encode(PAYLOAD) + b"'",
    ]
    rest = [p for v in values for p in (b" -- ", literal(v, varies=varies))]
    return draft(step(b"SELECT -- ", mail, *rest))


def made(raw: RawDraft) -> list[bytes]:
    (piece,) = seal(raw, key=b"k" * 32).steps[0].pieces
    assert isinstance(piece, bytes)
    return [decode(TokenKind.TEXT, part.strip()) for part in piece.split(b" -- ")[1:]]


def test_a_hash_is_that_of_the_new_email() -> None:
    mail, digest, *_ = made(flow())
    assert mail != MAIL
    assert digest == hashlib.sha256(mail.lower()).hexdigest().encode()


def test_names_stay_those_of_the_email_and_of_the_search_name() -> None:
    mail, _, name, search, _ = made(flow())
    first, last = mail.partition(b"@")[0].split(b".")
    assert name == first
    assert search == last.upper() + b", " + first.upper()


def test_json_in_base64_is_about_the_same_person() -> None:
    mail, _, name, _, payload = made(flow())
    found = json.loads(base64.b64decode(payload))
    assert found["mail"].encode() == mail
    assert found["name"].encode().startswith(name + b" ")
    assert found["last4"] != "4242"
    assert base64.b64decode(payload).count(b"4242") == 0


def test_the_hash_of_a_constant_email_is_no_constant_either() -> None:
    mail, digest, *_ = made(flow(varies=False))
    assert digest == hashlib.sha256(mail.lower()).hexdigest().encode()
    assert DIGEST.hex().encode() not in render(seal(flow(varies=False), key=b"k" * 32))

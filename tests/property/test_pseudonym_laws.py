"""Laws: equal stays equal in every spelling, different stays different to every collation, and a key
decides."""

from __future__ import annotations

import base64
import hashlib
import json
import string
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from readiness.anonymize.classes import is_card, is_iban
from readiness.anonymize.digests import Digests
from readiness.anonymize.pseudonym import Pseudonyms
from readiness.model.workload import Form

KEY, OTHER = b"k" * 32, b"o" * 32
NAMES = st.text(alphabet=string.ascii_letters, min_size=4, max_size=14).filter(
    lambda name: name not in ("true", "false", "null")  # words of JSON even in quotes
)
WORDS = st.lists(NAMES, min_size=1, max_size=4).map(" ".join)
MAILS = st.tuples(NAMES, NAMES, st.integers(1, 999)).map(
    lambda parts: f"{parts[0]}.{parts[1]}{parts[2]}@shop-mail.test"
)


def of(text: str, key: bytes = KEY, domain: str = "") -> str:
    return Pseudonyms(key).of(text.encode(), Form.TEXT, domain).decode()


def collated(text: str) -> str:
    """As a collation without case and accents compares."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


@given(WORDS)
def test_case_changes_the_case_alone(text: str) -> None:
    assert of(text.lower()) == of(text).lower()
    assert of(text.upper()) == of(text).upper()


@given(MAILS)
def test_the_case_of_an_email_changes_the_case_alone(text: str) -> None:
    assert of(text.lower()) == of(text).lower()


@given(NAMES, NAMES)
def test_a_word_is_the_same_in_every_text(first: str, last: str) -> None:
    assume(first.lower() != last.lower())
    made, both = Pseudonyms(KEY), f"{first} {last}"
    one, other = (made.of(n.encode(), Form.TEXT).decode() for n in (first, last))
    assert made.of(both.encode(), Form.TEXT).decode() == f"{one} {other}"
    mail = made.of(f"{first}.{last}@shop-mail.test".lower().encode(), Form.TEXT).decode()
    assert mail.startswith(f"{one}.{other}@".lower())


@given(st.uuids(version=4))
def test_all_spellings_of_a_uuid_are_one(value: object) -> None:
    text, made = str(value), Pseudonyms(KEY)
    plain = made.of(text.encode(), Form.TEXT).decode()
    raw = bytes.fromhex(text.replace("-", ""))
    assert made.of(raw, Form.HEX).hex() == plain.replace("-", "")
    assert made.of(raw.hex().encode(), Form.TEXT).decode() == plain.replace("-", "")
    assert made.of(text.upper().encode(), Form.TEXT).decode() == plain.upper()


@given(st.integers(10**6, 10**15))
def test_a_number_is_the_same_in_quotes(number: int) -> None:
    made, raw = Pseudonyms(KEY), str(number).encode()
    assert made.of(raw, Form.TEXT) == made.of(raw, Form.NUMBER)


@given(st.sets(st.text("abcAéÉ0", min_size=3, max_size=5), min_size=20, max_size=60))
def test_different_texts_stay_different_to_every_collation(texts: set[str]) -> None:
    different = {collated(t): t for t in texts}
    made = Pseudonyms(KEY)
    found = {collated(made.of(t.encode(), Form.TEXT).decode()) for t in different.values()}
    assert len(found) == len(different)


@given(st.sets(st.integers(10_000, 10_400), min_size=50, max_size=200))
def test_numbers_of_five_digits_stay_different(numbers: set[int]) -> None:
    made = Pseudonyms(KEY)
    assert len({made.of(str(n).encode(), Form.NUMBER) for n in numbers}) == len(numbers)


@given(st.one_of(WORDS, MAILS, st.uuids().map(str)))
def test_another_key_gives_another_pseudonym(text: str) -> None:
    assert of(text) != of(text, OTHER)


@given(st.one_of(WORDS, MAILS, st.uuids().map(str), st.dates().map(str)))
def test_it_is_never_the_value_and_keeps_its_length(text: str) -> None:
    assert of(text).lower() != text.lower()
    assert len(of(text)) == len(text)


@given(st.integers(0, 9999))
def test_a_tiny_space_has_streams_of_its_own(number: int) -> None:
    """The last four digits of a card say nothing of an equal postal code: over many values, the two
    domains agree as often as chance has it."""
    several = [f"{(number + 37 * k) % 10_000:04d}" for k in range(20)]
    same = [t for t in several if of(t, domain="last4") == of(t, domain="postal")]
    assert len(same) < len(several) // 2


@given(st.lists(st.integers(0, 9), min_size=14, max_size=14))
def test_a_card_stays_one_with_and_without_blanks(digits: list[int]) -> None:
    body = "4" + "".join(map(str, digits))
    number = next(body + str(n) for n in range(10) if is_card(body + str(n)))
    spaced = " ".join(number[i : i + 4] for i in range(0, 16, 4))
    made = of(number)
    assert is_card(made)
    assert of(spaced).replace(" ", "") == made
    assert spaced.index(" ") == of(spaced).index(" ")


@given(st.integers(0, 10**18 - 1))
def test_an_iban_keeps_its_country_and_right_check_digits(number: int) -> None:
    body = f"{number:018d}"
    check = 98 - int(f"{body}131400") % 97
    made = of(f"DE{check:02d}{body}")
    assert is_iban(made)
    assert made[:2] == "DE"


@given(MAILS, st.sampled_from(["md5", "sha1", "sha256", "sha512"]))
def test_a_hash_is_made_again_from_the_pseudonym(mail: str, name: str) -> None:
    made = Pseudonyms(KEY, digests=Digests.of([mail.encode()]))
    hidden = made.of(mail.encode(), Form.TEXT)
    digest = hashlib.new(name, mail.lower().encode())
    again = hashlib.new(name, hidden.lower())
    assert made.of(digest.hexdigest().encode(), Form.TEXT) == again.hexdigest().encode()
    assert made.of(digest.digest(), Form.HEX) == again.digest()


@given(NAMES, MAILS)
def test_json_in_base64_stays_json_about_the_same_person(name: str, mail: str) -> None:
    made = Pseudonyms(KEY)
    text = json.dumps({"name": name, "mail": mail, "amount": 12345})
    hidden = base64.b64decode(made.of(base64.b64encode(text.encode()), Form.TEXT))
    found = json.loads(hidden)
    assert found["name"] == made.of(name.encode(), Form.TEXT).decode()
    assert found["mail"] == made.of(mail.encode(), Form.TEXT).decode()
    assert name not in hidden.decode()


@given(st.dates(), st.times())
def test_a_moment_stays_on_the_day_of_its_date(day: object, moment: object) -> None:
    assert of(f"{day} {moment:%H:%M:%S}")[:10] == of(str(day))  # type: ignore[str-format]


@given(
    st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)), st.sampled_from(Form)
)
def test_every_value_has_a_pseudonym(value: bytes, form: Form) -> None:
    assert isinstance(Pseudonyms(KEY).of(value, form), bytes)


@pytest.mark.parametrize(
    "text",
    ["1" * 5000, "-" + "9" * 5000 + "." + "9" * 5000, "[" * 100_000, "[" + "7" * 5000 + "]",
     '{"a": 1e400}', '{"a": "\\ud800"}', "0" * 40, "+", "@", "a@b.c", "\u0130\u1e9e", "1e5", "",
     "2026-99-99", "0000-00-00", "9999-12-31 24:61:61"],
)  # fmt: skip
@pytest.mark.parametrize("form", [Form.TEXT, Form.NUMBER])
def test_odd_values_have_one_too(text: str, form: Form) -> None:
    made = Pseudonyms(KEY).of(text.encode(), form)
    assert form is Form.NUMBER or not any(map(str.isalnum, text)) or made != text.encode()

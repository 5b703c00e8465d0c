"""What a masked value keeps of the original, on both engines, for any value that a column may hold."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.integration.masking.sql_lab import facts, masked, masking_session

from readiness.masking.sql import expression_of
from readiness.model.masking import Look, MaskedColumn, Source
from readiness.ports import Session

pytestmark = [pytest.mark.mysql, pytest.mark.long]

UTF8 = facts("varchar(300)", collation="utf8mb4_unicode_ci")
BINARY_TEXT = facts("varchar(300)", collation="utf8mb4_bin")
TEXT_LOOKS = [
    Look.EMAIL, Look.DOMAIN, Look.PHONE, Look.DIGITS, Look.NAME, Look.TEXT, Look.TOKEN, Look.HEX,
    Look.UUID, Look.BLANK, Look.DATE, Look.NUMBER, Look.BYTES,
]  # fmt: skip
ODD = [
    "", "a", "Z", "é", "😀", "e\u0301", "a ", "   ", "'", '"', "\\", "a\\'b\";--", "\0", "x\0y", "\t\n",
    "%s {v}", "ÀÉ ü", "ß", "İı", "x" * 300, "😀" * 300, "12" * 150, "1 " * 150, "@", "a@", "@b", "a@b@c.de",
    "+", "-1", "1e5", "2023-02-31", "31.02.2023", "99999999", "00000000", "::1", "日本語 テスト", "\u200b",
]  # fmt: skip
few = settings(
    max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
any_text = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=300),
    st.text("ab1- @.+é", max_size=30),
    st.from_regex(r"[A-Za-z.]{1,12}@[a-z]{1,9}\.[a-z]{2,3}", fullmatch=True),
)
texts = st.lists(any_text, min_size=1, max_size=40)


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def session(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    with masking_session(str(request.param), tmp_path_factory.mktemp("s")) as session:
        yield session


@pytest.mark.parametrize("look", TEXT_LOOKS)
@few
@given(values=texts)
@example(values=ODD)
def test_null_nothing_and_the_length_stay(look: Look, session: Session, values: list[str]) -> None:
    for column, is_folded in ((UTF8, True), (BINARY_TEXT, False)):
        made = masked(session, look, column, [*values, None, *values], is_folded=is_folded)
        assert made[len(values)] is None
        assert made[: len(values)] == made[len(values) + 1 :]
        assert [len(str(m)) for m in made[: len(values)]] == [len(v) for v in values]


@pytest.mark.parametrize("look", [Look.NAME, Look.TEXT, Look.EMAIL, Look.TOKEN, Look.HEX])
@pytest.mark.parametrize("charset", ["latin1_swedish_ci", "utf8mb3_general_ci", "latin1_bin"])
def test_other_character_sets_hold_what_is_made(look: Look, charset: str, session: Session) -> None:
    column = facts("char(60)", collation=charset)
    values = ["Jürgen Maß", "é", "a@b.de", "", "x" * 60, "Ångström 12", 'O\'Brien \\ "x"']
    made = masked(session, look, column, values, is_folded=charset.endswith("_ci"))
    assert [len(str(m)) for m in made] == [len(v) for v in values]


@pytest.mark.parametrize("look", [Look.NAME, Look.TEXT])
@few
@given(values=texts)
@example(values=ODD)
def test_signs_stay_and_letters_and_digits_stand_where_such_stood(
    look: Look, session: Session, values: list[str]
) -> None:
    for was, made in zip(values, masked(session, look, UTF8, values), strict=True):
        for old, new in zip(was, str(made), strict=True):
            if re.fullmatch(r"[0-9]", old):
                assert re.fullmatch(r"[0-9]", new)
            elif old.isascii() and not old.isalnum() and old.isprintable():
                assert new == ("_" if old == "@" else old)  # no address may come out
            elif old not in "\t\n\r":
                assert re.fullmatch(r"[A-Za-z]", new)


@pytest.mark.parametrize("collation", ["utf8mb4_general_ci", "utf8mb4_unicode_ci"])
@pytest.mark.parametrize("look", [Look.NAME, Look.TEXT, Look.TOKEN, Look.EMAIL, Look.HEX])
def test_what_a_collation_holds_equal_stays_equal(
    look: Look, collation: str, session: Session
) -> None:
    column = facts("varchar(60)", collation=collation)
    groups = [
        ["Anna", "anna", "ANNA", "Anna  "], ["José", "jose", "JOSÉ"], ["Müller-Lü", "muller-lu"],
        ["a.b@C.de", "A.B@c.DE"], ["ab12", "AB12"], ["Ünal 😀", "ünal 😀"], ["Çağ", "cağ"],
    ]  # fmt: skip
    made = masked(session, look, column, [v for g in groups for v in g], is_folded=True)
    at = 0
    for group in groups:
        ids = ",".join(str(at + n) for n in range(len(group)))
        rows = session.query(f"SELECT COUNT(DISTINCT v) FROM m WHERE id IN ({ids})")
        assert rows == [(1,)], (group, made[at : at + len(group)])
        at += len(group)


def distinct(session: Session, table: str) -> object:
    return session.query(f"SELECT COUNT(DISTINCT v) FROM {table}")[0][0]


@pytest.mark.parametrize(
    ("look", "length"),
    [(Look.DIGITS, n) for n in (1, 2, 3, 5, 13, 16, 19)]
    + [(Look.PHONE, n) for n in (2, 3, 12, 19)],
)
def test_digits_map_one_to_one(look: Look, length: int, session: Session) -> None:
    most = min(10**length, 4000)
    step = max(1, 10**length // most)
    values = [str(n * step).zfill(length) for n in range(most)]
    made = masked(session, look, UTF8, values, is_folded=True)
    assert len(set(made)) == len(values)
    if look is Look.PHONE:
        assert [str(m)[0] for m in made] == [v[0] for v in values]
    if length <= 3:
        assert set(made) == set(values) or look is Look.PHONE


@pytest.mark.parametrize("is_folded", [True, False])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 12])
def test_short_words_map_one_to_one(length: int, is_folded: bool, session: Session) -> None:
    draw = random.Random(length)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = {"".join(draw.choices(letters, k=length)) for _ in range(min(26**length * 3, 4000))}
    values = [*sorted(words), *(sorted(w.capitalize() for w in words) if not is_folded else [])]
    made = masked(session, Look.NAME, UTF8, values, is_folded=is_folded)
    assert len(set(made)) == len(values)
    assert all(str(m)[0].isupper() == v[0].isupper() for m, v in zip(made, values, strict=True))


@pytest.mark.parametrize(
    "look", [Look.EMAIL, Look.TEXT, Look.NAME, Look.TOKEN, Look.HEX, Look.UUID, Look.PHONE]
)
def test_wide_values_stay_different(look: Look, session: Session) -> None:
    draw = random.Random(3)
    values = [f"{draw.choice(['Ann', 'Bo'])}.{n} {n % 7}@mail{n % 40}.example" for n in range(5000)]
    masked(session, look, UTF8, values, is_folded=True)
    assert distinct(session, "m") == distinct(session, "t") == len(set(values))


def test_signs_of_a_phone_stay_and_the_spelling_does_not_matter(session: Session) -> None:
    one, two, three = masked(
        session, Look.PHONE, UTF8, ["+49 170-1234567", "+491701234567", "(0170) 12/34"]
    )
    assert re.fullmatch(r"\+4\d \d{3}-\d{7}", str(one))
    assert str(two)[1:] == re.sub(r"\D", "", str(one))
    assert re.fullmatch(r"\(0\d{3}\) \d\d/\d\d", str(three))


def test_a_card_becomes_none_that_an_issuer_gave(session: Session) -> None:
    cards = [f"{first}{n:015d}" for first in "23456" for n in range(200)]
    made = masked(session, Look.DIGITS, UTF8, cards)
    assert {str(m)[0] for m in made} == set("78901")
    assert len(set(made)) == len(cards)


def test_a_domain_is_the_same_behind_an_at_sign_and_in_its_own_column(session: Session) -> None:
    domains = [
        "gmx.de",
        "mail.example.com",
        "GMX.de",
        "web.de",
        "a.b",
        "x.io",
        "sub.mail.shop.example.org",
    ]
    own = masked(session, Look.DOMAIN, UTF8, domains, is_folded=True, attempt=0)
    mails = masked(
        session, Look.EMAIL, UTF8, [f"anna.lee@{d}" for d in domains], is_folded=True, attempt=3
    )
    assert [str(m).rpartition("@")[2] for m in mails] == own
    for was, made in zip(domains, own, strict=True):
        ending = ".example" if len(was) >= 12 else ".test" if len(was) >= 6 else ".z"
        assert str(made).lower().endswith(ending)


def test_uuids_keep_version_and_variant_in_every_form(session: Session) -> None:
    value = "2f0c1e5a-0c6b-4f0e-9d38-3f9b1d3a0001"
    texts = masked(session, Look.UUID, UTF8, [value, value.upper(), value.replace("-", "")])
    raw = bytes.fromhex(value.replace("-", ""))
    (packed,) = masked(session, Look.UUID, facts("binary(16)"), [raw])
    assert isinstance(packed, bytes)
    assert re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", str(texts[0])
    )
    assert texts[1] == str(texts[0]).upper()
    assert texts[2] == str(texts[0]).replace("-", "") == packed.hex()


@few
@given(values=st.lists(st.binary(max_size=300), min_size=1, max_size=40))
@example(values=[b"", b"\0", b"\\", b"'", b"\xff" * 300, b"x" * 65])
def test_bytes_keep_their_length(session: Session, values: list[bytes]) -> None:
    for look in (Look.BYTES, Look.TOKEN, Look.HEX, Look.TEXT, Look.BLANK, Look.UUID):
        made = masked(session, look, facts("varbinary(300)"), [*values, None])
        assert made.pop() is None
        assert [len(m) for m in made if isinstance(m, bytes)] == [len(v) for v in values]


def test_addresses_are_of_ranges_that_nobody_has(session: Session) -> None:
    made = masked(
        session, Look.IP, UTF8, ["10.0.0.1", "8.8.8.8", "2001:4860::8888", "::ffff:1.2.3.4"]
    )
    assert all(re.match(r"198\.1[89]\.", str(m)) for m in made[:2])
    assert all(str(m).startswith("2001:db8:") for m in made[2:])
    numbers = masked(session, Look.IP, facts("int(10) unsigned"), [1, 2**32 - 1])
    assert all(int(str(n)) >> 17 == 3323068416 >> 17 for n in numbers)
    four, sixteen = masked(session, Look.IP, facts("varbinary(16)"), [b"\n\0\0\1", b"\0" * 16])
    assert isinstance(four, bytes)
    assert isinstance(sixteen, bytes)
    assert (four[:1], sixteen[:4]) == (b"\xc6", b"\x20\x01\x0d\xb8")


INTEGERS = {
    "tinyint(4)": (-(2**7), 2**7 - 1), "tinyint(3) unsigned": (0, 2**8 - 1),
    "smallint(6)": (-(2**15), 2**15 - 1), "smallint(5) unsigned": (0, 2**16 - 1),
    "mediumint(9)": (-(2**23), 2**23 - 1), "int(11)": (-(2**31), 2**31 - 1),
    "int(10) unsigned": (0, 2**32 - 1), "bigint(20)": (-(2**63), 2**63 - 1),
    "bigint(20) unsigned": (0, 2**64 - 1),
}  # fmt: skip


@pytest.mark.parametrize("column_type", INTEGERS)
@few
@given(data=st.data())
def test_numbers_keep_sign_digits_and_first_digit(
    column_type: str, session: Session, data: st.DataObject
) -> None:
    low, high = INTEGERS[column_type]
    anywhere = st.lists(st.integers(low, high), min_size=1, max_size=40)
    values = [low + 1 if low else low, high, high - 1, 0, *data.draw(anywhere)]
    values = sorted({v for v in values if v != low or not low})
    made = [int(str(m)) for m in masked(session, Look.NUMBER, facts(column_type), values)]
    assert [shape(m) for m in made] == [shape(v) for v in values]
    assert len(set(made)) == len(values)


def shape(number: int) -> tuple[bool, int, str]:
    text = str(abs(number))
    return number < 0, len(text), text[0]


def test_the_smallest_number_of_a_type_does_not_leave_it(session: Session) -> None:
    for column_type, (low, _) in INTEGERS.items():
        (made,) = masked(session, Look.NUMBER, facts(column_type), [low])
        assert int(str(made)) in ((low + 1,) if low else (0,))


@few
@given(
    st.lists(
        st.decimals(-(10**8) + 1, 10**8 - 1, places=2, allow_nan=False), min_size=1, max_size=40
    )
)
def test_amounts_keep_scale_and_magnitude(session: Session, values: list[Decimal]) -> None:
    made = masked(session, Look.NUMBER, facts("decimal(10,2)"), values)
    for was, now in zip(values, made, strict=True):
        assert shape(int(was * 100)) == shape(int(Decimal(str(now)) * 100)) or was == 0


@few
@given(st.lists(st.floats(-1e300, 1e300, allow_subnormal=False), min_size=1, max_size=40))
def test_floats_keep_sign_and_magnitude(session: Session, values: list[float]) -> None:
    for was, now in zip(values, masked(session, Look.NUMBER, facts("double"), values), strict=True):
        made = float(str(now))
        assert (made < 0) == (was < 0)
        assert abs(was) / 10.001 <= abs(made) <= abs(was) * 10.001 or abs(was) < 1e-300


@pytest.mark.parametrize("year", [1, 1900, 1970, 2023, 2024, 9999])
def test_each_day_becomes_another_day_of_its_year(year: int, session: Session) -> None:
    first = datetime.date(year, 1, 1).toordinal()
    days = 366 if year == 2024 else 365
    dates = [datetime.date.fromordinal(first + n) for n in range(days)]
    made = masked(session, Look.DATE, facts("date"), dates)
    assert {str(m) for m in made} == {str(d) for d in dates}
    assert all(str(m) != str(d) for m, d in zip(made, dates, strict=True))
    if year > 1000:
        texts = masked(session, Look.DATE, UTF8, [str(d) for d in dates])
        assert texts == [str(m) for m in made]


def test_dates_that_name_no_day_stay(session: Session) -> None:
    nothing = ["0000-00-00", "2024-05-00", "2024-00-00"]
    assert [str(m) for m in masked(session, Look.DATE, facts("date"), nothing)] == nothing
    moments = [f"{n} 00:00:00" for n in nothing]
    assert [str(m) for m in masked(session, Look.MOMENT, facts("datetime"), moments)] == moments


@pytest.mark.parametrize("column_type", ["datetime(6)", "datetime(3)", "datetime", "timestamp(6)"])
def test_moments_keep_their_year_and_become_another_time(
    column_type: str, session: Session
) -> None:
    draw = random.Random(7)
    most = datetime.datetime(2037, 12, 31)  # noqa: DTZ001 - as the column has it, without a zone
    values: Sequence[datetime.datetime] = [
        most - datetime.timedelta(seconds=draw.randrange(68 * 365 * 86400 - 86400))
        for _ in range(500)
    ]
    made = masked(session, Look.MOMENT, facts(column_type), values)
    days = masked(session, Look.DATE, facts(column_type), values)
    for was, now, day in zip(values, made, days, strict=True):
        assert isinstance(now, datetime.datetime)
        assert isinstance(day, datetime.datetime)
        assert (now.year, now.date() != was.date(), now.time() != was.time()) == (
            was.year,
            True,
            True,
        )
        assert day.time() == was.time()
    assert len(set(made)) == len(set(values))


def test_another_attempt_and_another_key_give_other_values(session: Session) -> None:
    values = ["Anna Maria Lee", "Bob", "x@y.example"]
    first = masked(session, Look.TEXT, UTF8, values)
    assert masked(session, Look.TEXT, UTF8, values, attempt=1) != first
    session.query("SET @saved = @readiness_key, @readiness_key = REPEAT('0', 64)")
    try:
        assert masked(session, Look.TEXT, UTF8, values) != first
    finally:
        session.query("SET @readiness_key = @saved")
    assert masked(session, Look.TEXT, UTF8, values) == first


@pytest.mark.parametrize("mode", ["", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ANSI", "TRADITIONAL"])
def test_no_sql_mode_changes_a_value(mode: str, session: Session) -> None:
    values = ["Anna Maria 12", "a\\b", "+49 170 1234567", "x@mail.example", ""]
    looks = (Look.TEXT, Look.PHONE, Look.EMAIL, Look.HEX, Look.UUID)
    wanted = [masked(session, look, UTF8, values) for look in looks]
    session.query("SET @mode = @@sql_mode")
    try:
        made = []
        for look in looks:
            masked(session, look, UTF8, values)
            session.query(f"SET SESSION sql_mode = '{mode}'")
            made.append(remade(session, look))
            session.query("SET SESSION sql_mode = @mode")
    finally:
        session.query("SET SESSION sql_mode = @mode")
    assert made == wanted


def remade(session: Session, look: Look) -> list[object]:
    told = MaskedColumn("t", "v", look, look.value, Source.POLICY, "")
    return [
        row[0] for row in session.query(f"SELECT {expression_of(told, UTF8)} FROM t ORDER BY id")
    ]

"""What a column of texts is: by the form of its values, its name, what they speak of, its type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readiness.masking.data_types import LONG_TEXTS
from readiness.masking.plan.contents import Contents
from readiness.masking.plan.decision import (
    NEARLY_ALL,
    Decision,
    Place,
    kept,
    look_by_name,
    told_of_name,
)
from readiness.masking.plan.vocabulary import (
    is_area_name,
    is_code_name,
    is_id_name,
    tiny_domain_of_name,
)
from readiness.model.catalogue import ColumnFacts
from readiness.model.masking import Look, Source

_MOST = 0.5  # of values that are of one form
_MUCH = 0.3  # of texts that are sentences
_SOME = 0.1
_LONG_VARCHAR = 256  # characters


def decide_text(place: Place) -> Decision:
    """What becomes of a column of texts of which no policy speaks."""
    return next(iter(_texts(place)))


def _texts(place: Place) -> Iterator[Decision]:
    """The reasons in order; the first counts."""
    seen, column = place.contents, place.column
    form, named = form_of(seen), look_by_name(place)
    is_long = column.data_type in LONG_TEXTS or seen.prose > _MUCH
    if named is Look.HEX and not form:
        yield _hashes(place, Source.NAME, "its name is of a hash")
    if form and form is not Look.UUID:
        yield _formed(place, form)
    if seen.are_ids and named is not Look.TOKEN:
        yield kept("ids that mean nothing")
    if seen.holding > 0 and not is_long:
        look = Look.TEXT if seen.emails == 0 else Look.EMAIL
        yield Decision(look, Source.CONTENT, "some of its values hold something personal", look)
    if named is not None and not (named is Look.NAME and seen.prose > _MUCH):
        yield _by_its_name(place, named)
    if seen.hashes > _MOST and not is_id_name(column.name) and not place.is_tied:
        yield _hashes(place, Source.CONTENT, "its values may be hashes of something personal")
    yield from _words(place)
    if is_long or (column.max_chars >= _LONG_VARCHAR and not seen.values):
        why = "free text that nobody has described"
        yield Decision(Look.BLANK, Source.TYPE, why, Look.BLANK)
    yield kept(_why_kept(place))


def _words(place: Place) -> Iterator[Decision]:
    """Short texts of which the name may be that of a person."""
    seen, column = place.contents, place.column
    if place.is_tied and not seen.persons:
        yield kept("it is, or refers to, a key that says nothing")
    if seen.is_words:
        yield kept("words of a program")
    is_plain_name = column.name.lower() == "name"
    if seen.persons > (_MOST if is_plain_name else _SOME) and not is_area_name(column.name):
        yield Decision(Look.NAME, Source.CONTENT, "its values hold names of people", Look.NAME)
    if seen.naming > _SOME and not is_plain_name:
        yield Decision(Look.TEXT, Source.CONTENT, "its values speak of people", Look.TEXT)
    if (
        place.looks.may_name_a_person(column.name)
        and not is_plain_name
        and not _ends_in_name(column)
    ):
        if seen.values and seen.random > _MOST:
            yield Decision(Look.TOKEN, Source.NAME, "its name may be of a person", Look.TOKEN)
        yield Decision(Look.NAME, Source.NAME, "its name may be of a person", Look.NAME)


def _ends_in_name(column: ColumnFacts) -> bool:
    """`file_name`: those of people are told by what stands before."""
    return bool(re.search(r"(?i)name$", column.name))


def _why_kept(place: Place) -> str:
    name, seen = place.column.name, place.contents
    if is_area_name(name):
        return "few values that many people share"
    if is_code_name(name):
        return "an id, a reference or a code"
    if not seen.values:
        return "no row holds a value, and its name says nothing"
    return "neither its name nor its rows look personal"


def form_of(seen: Contents) -> Look | None:
    """The look of values that are of one form."""
    forms = (
        (seen.emails, Look.EMAIL),
        (seen.phones, Look.PHONE),
        (seen.ips, Look.IP),
        (seen.ibans, Look.TEXT),
    )
    found = next((look for share, look in forms if share > _SOME), None)
    if found or seen.cards <= _MOST:
        return found
    return Look.DIGITS if seen.digits > _MOST else Look.PHONE


def _formed(place: Place, look: Look) -> Decision:
    told = {
        Look.EMAIL: "its values are e-mail addresses",
        Look.PHONE: "its values are numbers of phones or cards",
        Look.IP: "its values are addresses of machines",
        Look.TEXT: "its values are account numbers",
        Look.DIGITS: "its values are numbers of cards",
    }
    return Decision(look, Source.CONTENT, told[look], _domain(place, look))


def _hashes(place: Place, source: Source, why: str) -> Decision:
    seen = place.contents
    look = Look.TOKEN if seen.values and seen.hashes < _MOST else Look.HEX
    if look is Look.TOKEN and seen.uuids > NEARLY_ALL:
        look = Look.UUID
    return Decision(look, source, why, look)


def _by_its_name(place: Place, named: Look) -> Decision:
    look = _refined(place, named)
    return Decision(look, Source.NAME, told_of_name(named), _domain(place, look))


def _refined(place: Place, named: Look) -> Look:
    """The name's look where the rows do not speak against it."""
    seen = place.contents
    if named in (Look.DIGITS, Look.PHONE):
        return _digits(seen, named)
    if named is Look.TOKEN and seen.values:
        return _token(seen)
    is_no_mail = seen.values and not seen.emails and not seen.holding
    if (named is Look.EMAIL and is_no_mail) or (named is Look.IP and seen.values):
        return Look.TEXT
    return Look.TEXT if named in (Look.DATE, Look.NUMBER) else named


def _digits(seen: Contents, named: Look) -> Look:
    """Where signs stand between the digits, those looks that leave them."""
    if not seen.values or seen.digits > NEARLY_ALL:
        return named
    return Look.PHONE if seen.signed_digits > NEARLY_ALL else Look.TEXT


def _token(seen: Contents) -> Look:
    if seen.hashes > _MOST:
        return Look.HEX
    if seen.uuids > NEARLY_ALL:
        return Look.UUID
    return Look.DIGITS if seen.digits > NEARLY_ALL else Look.TOKEN


def _domain(place: Place, look: Look) -> str:
    return tiny_domain_of_name(place.table.name, place.column.name) or look

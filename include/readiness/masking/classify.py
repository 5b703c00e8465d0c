"""What one column is: kept, or masked with a look; by its type, its rows, its name, in this order.

Deny by default: what nobody has described and what could hold something personal is masked. Kept are
ids that mean nothing, words of a program, amounts, flags and the moments that a program writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from readiness.masking.contents import Contents, are_binary_hashes, contents_of
from readiness.masking.looks import Looks
from readiness.masking.vocabulary import (
    is_area_name,
    is_code_name,
    is_id_name,
    look_of_name,
    tiny_domain_of_name,
)
from readiness.model.catalogue import ColumnFacts, TableFacts
from readiness.model.masking import Look, Source

CHARS = {"char", "varchar"}
LONG_TEXTS = {"tinytext", "text", "mediumtext", "longtext"}
BINARIES = {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}
NUMBERS = {"tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double"}
MOMENTS = {"datetime", "timestamp"}
WORDS = {"enum", "set"}
ADDRESSES = {"inet4", "inet6"}
PLAIN = {"bit", "time", "year", "uuid"}
KNOWN = {
    *CHARS,
    *LONG_TEXTS,
    *BINARIES,
    *NUMBERS,
    *MOMENTS,
    *WORDS,
    *ADDRESSES,
    *PLAIN,
    "date",
    "json",
}

_MOST = 0.5  # of values that are of one form
_MUCH = 0.3  # of texts that are sentences
_SOME = 0.1
_NEARLY_ALL = 0.9
_LONG_VARCHAR = 256  # characters
_SHORT_NUMBER = 4  # digits
_IP_BYTES = {4, 16}


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a column; `look` None: it is kept."""

    look: Look | None
    source: Source
    why: str
    domain: str = ""
    is_asked_about: bool = False  # of a kept one: somebody might ask why

    @property
    def is_masked(self) -> bool:
        """Whether its values are replaced."""
        return self.look is not None


@dataclass(frozen=True, slots=True)
class Place:
    """One column with its table and what its rows look like."""

    table: TableFacts
    column: ColumnFacts
    contents: Contents
    looks: Looks
    is_tied: bool = False  # a foreign key ties it to others
    are_hashes: bool = False  # binary values as long as a hash


def place_of(
    table: TableFacts,
    column: ColumnFacts,
    values: Sequence[bytes | None],
    looks: Looks,
    *,
    is_tied: bool = False,
) -> Place:
    """A column with what its values look like."""
    is_binary = column.data_type in BINARIES
    contents = (
        Contents(values=len([v for v in values if v])) if is_binary else contents_of(values, looks)
    )
    return Place(table, column, contents, looks, is_tied, is_binary and are_binary_hashes(values))


def decide(place: Place) -> Decision:
    """What becomes of a column of which no policy speaks. JSON columns are decided elsewhere."""
    kind = place.column.data_type
    if place.column.generated:
        return _kept("the server computes it from other columns")
    if place.column.is_auto_increment:
        return _kept("it counts rows")
    decided = _DECIDERS.get(kind)
    return decided(place) if decided else _plain(place)


def _plain(place: Place) -> Decision:
    kind = place.column.data_type
    if kind in WORDS:
        return _kept("the schema lists its words")
    if kind in ADDRESSES:
        return Decision(Look.IP, Source.TYPE, "its type is the address of a machine", Look.IP)
    return _kept(f"a {kind} says nothing of a person", is_asked_about=kind == "uuid")


def forced(place: Place) -> Decision:
    """The look of a column that is masked because a policy or a reference says so."""
    found = decide(place)
    if found.is_masked:
        return found
    look = type_look(place.column)
    if look is Look.TEXT:
        form = Look.UUID if place.contents.uuids > _NEARLY_ALL else _form(place.contents)
        look = form or _by_name(place) or Look.TEXT
    return Decision(look, Source.POLICY, found.why, look)


def type_look(column: ColumnFacts) -> Look:
    """The look that fits a type, whatever it holds."""
    kind = column.data_type
    if kind == "date":
        return Look.DATE
    if kind in MOMENTS:
        return Look.MOMENT
    if kind in NUMBERS:
        return Look.NUMBER
    if kind in ADDRESSES:
        return Look.IP
    if kind == "uuid":
        return Look.UUID
    return Look.BYTES if kind in BINARIES else Look.TEXT


def fits(look: Look, column: ColumnFacts) -> bool:
    """Whether a look can be written into a column of its type."""
    own = type_look(column)
    if column.is_json:
        return look is Look.JSON
    if own is Look.TEXT:
        return look not in (Look.BYTES, Look.JSON)
    if own is Look.BYTES:
        return look in (Look.BYTES, Look.IP, Look.UUID)
    if own is Look.NUMBER:
        return look in (Look.NUMBER, Look.IP)
    return look in ((Look.DATE, Look.MOMENT) if own in (Look.DATE, Look.MOMENT) else (own,))


def _kept(why: str, *, is_asked_about: bool = False) -> Decision:
    return Decision(None, Source.NOTHING, why, is_asked_about=is_asked_about)


def _day(place: Place) -> Decision:
    look = type_look(place.column)
    if _by_name(place) is Look.DATE or tiny_domain_of_name("", place.column.name) == "birth":
        return Decision(look, Source.NAME, "its name says a day of somebody's life", "birth")
    if place.looks.is_personal_name(place.table.name, place.column.name):
        return Decision(look, Source.NAME, "its name is of something personal", "birth")
    if place.contents.births > _NEARLY_ALL:
        return Decision(look, Source.CONTENT, "its days look like dates of birth", "birth")
    return _kept("a moment that a program writes", is_asked_about=place.column.data_type == "date")


def _number(place: Place) -> Decision:
    if place.is_tied:
        return _kept("it is, or refers to, a key that says nothing", is_asked_about=True)
    named = look_of_name(place.table.name, place.column.name)
    is_named = named in (Look.PHONE, Look.DIGITS, Look.NUMBER)
    if place.column.column_type.startswith("tinyint(1)"):
        return _kept("a flag")
    if named is Look.IP:
        return Decision(Look.IP, Source.NAME, "its name is of an address of a machine", Look.IP)
    if is_named:
        domain = tiny_domain_of_name(place.table.name, place.column.name) or Look.NUMBER
        return Decision(
            Look.NUMBER, Source.NAME, "its name is of a number that is somebody's", domain
        )
    if place.contents.cards > _NEARLY_ALL and not is_id_name(place.column.name):
        return Decision(Look.NUMBER, Source.CONTENT, "its numbers are those of cards", Look.NUMBER)
    return _kept("an amount, a count or an id", is_asked_about=is_id_name(place.column.name))


def _binary(place: Place) -> Decision:
    named = _by_name(place)
    if named is Look.IP:
        return Decision(Look.IP, Source.NAME, "its name is of an address of a machine", Look.IP)
    if named is None and (place.is_tied or is_id_name(place.column.name)) and not place.are_hashes:
        return _kept("an id in bytes", is_asked_about=True)
    if named is not None:
        return Decision(Look.BYTES, Source.NAME, _named(named), Look.BYTES)
    if place.are_hashes:
        why = "its bytes may be a hash of something personal"
        return Decision(Look.BYTES, Source.CONTENT, why, Look.BYTES)
    return Decision(Look.BYTES, Source.TYPE, "bytes that nobody has described", Look.BYTES)


def _text(place: Place) -> Decision:
    return next(iter(_texts(place)))


def _texts(place: Place) -> Iterator[Decision]:
    """The reasons in order; the first counts."""
    seen, column = place.contents, place.column
    form, named = _form(seen), _by_name(place)
    is_long = column.data_type in LONG_TEXTS or seen.prose > _MUCH
    if named is Look.HEX and not form:
        yield _hashes(place, Source.NAME, "its name is of a hash")
    if form and form is not Look.UUID:
        yield _formed(place, form)
    if seen.are_ids and named is not Look.TOKEN:
        yield _kept("ids that mean nothing", is_asked_about=True)
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
    yield _kept(_why_kept(place), is_asked_about=True)


def _words(place: Place) -> Iterator[Decision]:
    """Short texts of which the name may be that of a person."""
    seen, column = place.contents, place.column
    if place.is_tied and not seen.persons:
        yield _kept("it is, or refers to, a key that says nothing", is_asked_about=True)
    if seen.is_words:
        yield _kept("words of a program", is_asked_about=True)
    is_plain_name = column.name.lower() == "name"
    if seen.persons > (_MOST if is_plain_name else _SOME) and not is_area_name(column.name):
        yield Decision(Look.NAME, Source.CONTENT, "its values hold names of people", Look.NAME)
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


def _form(seen: Contents) -> Look | None:
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
    if look is Look.TOKEN and seen.uuids > _NEARLY_ALL:
        look = Look.UUID
    return Decision(look, source, why, look)


def _by_its_name(place: Place, named: Look) -> Decision:
    look = _refined(place, named)
    return Decision(look, Source.NAME, _named(named), _domain(place, look))


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
    if not seen.values or seen.digits > _NEARLY_ALL:
        return named
    return Look.PHONE if seen.signed_digits > _NEARLY_ALL else Look.TEXT


def _token(seen: Contents) -> Look:
    if seen.hashes > _MOST:
        return Look.HEX
    if seen.uuids > _NEARLY_ALL:
        return Look.UUID
    return Look.DIGITS if seen.digits > _NEARLY_ALL else Look.TOKEN


def _domain(place: Place, look: Look) -> str:
    return tiny_domain_of_name(place.table.name, place.column.name) or look


def _by_name(place: Place) -> Look | None:
    """The vocabulary first, then the rules of captures, which know no looks."""
    found = look_of_name(place.table.name, place.column.name)
    if found is None and place.looks.is_personal_name(place.table.name, place.column.name):
        is_name = place.column.name.lower().endswith("name")
        return Look.NAME if is_name else Look.TEXT
    return found


def _named(look: Look) -> str:
    told = {
        Look.EMAIL: "an e-mail address",
        Look.DOMAIN: "the domain of an e-mail address",
        Look.PHONE: "a phone number",
        Look.NAME: "somebody's name",
        Look.TOKEN: "something secret",
        Look.HEX: "a hash",
        Look.IP: "an address of a machine",
        Look.DIGITS: "a number that is somebody's",
        Look.BLANK: "free text",
    }
    return f"its name is of {told.get(look, 'something personal')}"


_DECIDERS: dict[str, Callable[[Place], Decision]] = {
    "date": _day,
    **dict.fromkeys(MOMENTS, _day),
    **dict.fromkeys(NUMBERS, _number),
    **dict.fromkeys(BINARIES, _binary),
    **dict.fromkeys((*CHARS, *LONG_TEXTS), _text),
}

"""What one column is: kept, or masked with a look; by its type, its rows, its name, in this order.

Deny by default: what nobody has described and what could hold something personal is masked. Kept are
ids that mean nothing, words of a program, amounts, flags and the moments that a program writes.
"""

from __future__ import annotations

from collections.abc import Callable

from readiness.masking.data_types import (
    ADDRESSES,
    BINARIES,
    CHARS,
    LONG_TEXTS,
    MOMENTS,
    NUMBERS,
    WORDS,
)
from readiness.masking.plan.decision import (
    NEARLY_ALL,
    Decision,
    Place,
    kept,
    look_by_name,
    told_of_name,
    type_look,
)
from readiness.masking.plan.text_columns import decide_text, form_of
from readiness.masking.plan.vocabulary import is_id_name, look_of_name, tiny_domain_of_name
from readiness.model.masking import Look, Source


def decide(place: Place) -> Decision:
    """What becomes of a column of which no policy speaks. JSON columns are decided elsewhere."""
    kind = place.column.data_type
    if place.column.generated:
        return kept("the server computes it from other columns")
    if place.column.is_auto_increment:
        return kept("it counts rows")
    decided = _DECIDERS.get(kind)
    return decided(place) if decided else _plain(place)


def _plain(place: Place) -> Decision:
    kind = place.column.data_type
    if kind in WORDS:
        return kept("the schema lists its words")
    if kind in ADDRESSES:
        return Decision(Look.IP, Source.TYPE, "its type is the address of a machine", Look.IP)
    return kept(f"a {kind} says nothing of a person")


def forced(place: Place) -> Decision:
    """The look of a column that is masked because a policy or a reference says so."""
    found = decide(place)
    if found.is_masked:
        return found
    look = type_look(place.column)
    if look is Look.TEXT:
        form = Look.UUID if place.contents.uuids > NEARLY_ALL else form_of(place.contents)
        look = form or look_by_name(place) or Look.TEXT
    return Decision(look, Source.POLICY, found.why, look)


def _day(place: Place) -> Decision:
    look = type_look(place.column)
    if look_by_name(place) is Look.DATE or tiny_domain_of_name("", place.column.name) == "birth":
        return Decision(look, Source.NAME, "its name says a day of somebody's life", "birth")
    if place.looks.is_personal_name(place.table.name, place.column.name):
        return Decision(look, Source.NAME, "its name is of something personal", "birth")
    if place.contents.births > NEARLY_ALL:
        return Decision(look, Source.CONTENT, "its days look like dates of birth", "birth")
    return kept("a moment that a program writes")


def _number(place: Place) -> Decision:
    if place.is_tied:
        return kept("it is, or refers to, a key that says nothing")
    named = look_of_name(place.table.name, place.column.name)
    is_named = named in (Look.PHONE, Look.DIGITS, Look.NUMBER)
    if place.column.column_type.startswith("tinyint(1)"):
        return kept("a flag")
    if named is Look.IP:
        return Decision(Look.IP, Source.NAME, "its name is of an address of a machine", Look.IP)
    if is_named:
        domain = tiny_domain_of_name(place.table.name, place.column.name) or Look.NUMBER
        return Decision(
            Look.NUMBER, Source.NAME, "its name is of a number that is somebody's", domain
        )
    if place.contents.cards > NEARLY_ALL and not is_id_name(place.column.name):
        return Decision(Look.NUMBER, Source.CONTENT, "its numbers are those of cards", Look.NUMBER)
    return kept(_why_kept(place))


def _why_kept(place: Place) -> str:
    if place.contents.long_numbers > NEARLY_ALL and not is_id_name(place.column.name):
        return "numbers as long as those of telephones: say in the policy if they are"
    return "an amount, a count or an id"


def _binary(place: Place) -> Decision:
    named = look_by_name(place)
    if named is Look.IP:
        return Decision(Look.IP, Source.NAME, "its name is of an address of a machine", Look.IP)
    if named is None and (place.is_tied or is_id_name(place.column.name)) and not place.are_hashes:
        return kept("an id in bytes")
    if named is not None:
        return Decision(Look.BYTES, Source.NAME, told_of_name(named), Look.BYTES)
    if place.are_hashes:
        why = "its bytes may be a hash of something personal"
        return Decision(Look.BYTES, Source.CONTENT, why, Look.BYTES)
    return Decision(Look.BYTES, Source.TYPE, "bytes that nobody has described", Look.BYTES)


_DECIDERS: dict[str, Callable[[Place], Decision]] = {
    "date": _day,
    **dict.fromkeys(MOMENTS, _day),
    **dict.fromkeys(NUMBERS, _number),
    **dict.fromkeys(BINARIES, _binary),
    **dict.fromkeys((*CHARS, *LONG_TEXTS), decide_text),
}

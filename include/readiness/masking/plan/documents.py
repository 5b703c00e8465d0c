"""Where personal values stand in the JSON documents of a column, by those that were looked at.

A document beyond them may have paths that none of them has: the proof searches all rows for e-mails,
phones and cards afterwards, and says which column still holds one.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from readiness.masking.plan.classify import decide
from readiness.masking.plan.decision import (
    Decision,
    place_of,
)
from readiness.masking.plan.looks import Looks
from readiness.masking.plan.vocabulary import look_of_name, snake
from readiness.model.catalogue import ColumnFacts, TableFacts
from readiness.model.masking import JsonPath, Look, Source

_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_MOST_PATHS = 200
_LONG_TEXT = 80  # characters of a text that is no word


@dataclass(frozen=True, slots=True)
class Documents:
    """What the documents of a column hold: `paths` to mask; `fault` says why paths cannot be told,
    "" where they can; `seen` documents were read."""

    paths: tuple[JsonPath, ...]
    seen: int
    fault: str = ""


def documents_of(table: TableFacts, values: Sequence[bytes | None], looks: Looks) -> Documents:
    """The personal paths of a column's documents."""
    found, seen, fault = _read(values, looks)
    if fault:
        return Documents((), seen, fault)
    ids = _ids(table)
    looked = {path: _look(path, held, looks, table, ids) for path, held in found.items()}
    masked = tuple(JsonPath(p, look) for p, look in sorted(looked.items()) if look is not None)
    return Documents(masked, seen)


def all_texts_of(table: TableFacts, values: Sequence[bytes | None], looks: Looks) -> Documents:
    """Every path of a text, for documents of which a policy says that they are personal."""
    found, seen, fault = _read(values, looks)
    texts = {p: held for p, held in found.items() if any(isinstance(v, str) for v in held)}
    looked = {path: _look(path, held, looks, table, ()) for path, held in texts.items()}
    made = tuple(JsonPath(path, look or Look.TEXT) for path, look in sorted(looked.items()))
    return Documents(() if fault else made, seen, fault)


def _read(
    values: Sequence[bytes | None], looks: Looks
) -> tuple[Mapping[str, list[object]], int, str]:
    """The values at each path, the number of documents, and why they have no paths."""
    found: dict[str, list[object]] = defaultdict(list)
    held = [v for v in values if v]
    try:
        for value in held:
            for path, leaf in _leaves(json.loads(value), "$"):
                found[path].append(leaf)
    except (ValueError, RecursionError):
        return found, len(held), "some of its documents are too large to be looked at"
    return found, len(held), _fault(found, looks)


def decide_document(
    table: TableFacts, values: Sequence[bytes | None], looks: Looks
) -> tuple[Decision, Documents]:
    """What becomes of a JSON column."""
    documents = documents_of(table, values, looks)
    if documents.paths:
        why = f"{_counted(len(documents.paths), 'path')} of its documents look personal"
        return Decision(Look.JSON, Source.CONTENT, why, Look.JSON), documents
    if documents.fault:
        return Decision(Look.JSON, Source.CONTENT, documents.fault, Look.JSON), documents
    why = (
        f"no path of the {_counted(documents.seen, 'document')} that were looked at looks personal"
    )
    return Decision(None, Source.NOTHING, why), documents


def path_step(key: str) -> str:
    """One step of a path: `.user`, `."e mail"`."""
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f".{json.dumps(key, ensure_ascii=False)}"


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, held in value.items():
            yield from _leaves(held, path + path_step(key))
    elif isinstance(value, list):
        for held in value:
            yield from _leaves(held, f"{path}[*]")
    elif value is not None:
        yield path, value


def _fault(found: Mapping[str, object], looks: Looks) -> str:
    """Why the documents have no paths that a plan could list."""
    if len(found) > _MOST_PATHS:
        return f"its documents have more than {_MOST_PATHS} paths: no form that a plan could list"
    if any(_names_somebody(path, looks) for path in found):
        return "keys of its documents look personal themselves"
    return ""


def _names_somebody(path: str, looks: Looks) -> bool:
    return next(looks.numbered(path.replace('"', " ")), None) is not None


def _ids(table: TableFacts) -> frozenset[str]:
    """`user`, `device` where the table refers to one by `user_id`, `device_id`: their ids are kept."""
    tied = {snake(c) for key in table.foreign_keys for c in key.columns}
    return frozenset(tied | {name.removesuffix("_id") for name in tied})


def _look(
    path: str, leaves: Sequence[object], looks: Looks, table: TableFacts, ids: Collection[str]
) -> Look | None:
    """What a path's values become; None where they stay."""
    key = _key(path)
    texts = [leaf.encode("utf-8", "replace") for leaf in leaves if isinstance(leaf, str)]
    if not texts:
        return _number(key, leaves, looks)
    if snake(key) in ids:
        return None
    facts = TableFacts(table.name, "", {})
    column = ColumnFacts(key, "varchar", "varchar(255)", max_chars=255)
    place = place_of(facts, column, texts, looks)
    decision = decide(place)
    if decision.look in (Look.HEX, None) and max(map(len, texts)) > _LONG_TEXT:
        return Look.HEX if place.contents.hashes else Look.BLANK
    return decision.look


def _number(key: str, leaves: Sequence[object], looks: Looks) -> Look | None:
    """Numbers stay, unless the key says that they are somebody's."""
    is_number = any(isinstance(v, int | float) and not isinstance(v, bool) for v in leaves)
    named = look_of_name("", key) in (Look.PHONE, Look.DIGITS, Look.NUMBER)
    return Look.NUMBER if is_number and (named or looks.is_personal_name("", key)) else None


def _key(path: str) -> str:
    """The last key of a path: `name` of `$.items[*].name`, also of `$.tags[*]`; "" of `$`."""
    steps = re.findall(r'\.("(?:[^"\\]|\\.)*"|\w+)', path)
    return (
        str(json.loads(steps[-1])) if steps and steps[-1].startswith('"') else (steps or [""])[-1]
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"

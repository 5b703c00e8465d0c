"""Values that may stand in an output although a capture holds them: by keyed hash, with a reason.

key: 1f0e…            which project key the hashes were made with
allow:
  - hash: 5b3c…       as `readiness scan --json` prints it beside each hit
    reason: the shop's own support address, on every page
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AfterValidator

from readiness.anonymize.encodings import fold
from readiness.anonymize.originals import Originals
from readiness.config.mistakes import Form, in_order, read_form
from readiness.config.yaml_file import YamlFile, read_yaml
from readiness.errors import ConfigError

_WHAT = "The list of allowed values"
_HASH_CHARACTERS = 24
_KEY_CHARACTERS = 8


def _as_hash(text: str) -> str:
    if not re.fullmatch(rf"[0-9a-f]{{{_HASH_CHARACTERS}}}", text):
        raise ValueError(
            f"a hash has {_HASH_CHARACTERS} hexadecimal digits, as readiness scan --json prints it"
        )
    return text


def _as_reason(text: str) -> str:
    if not text.strip():
        raise ValueError("a reason is needed: why may this value stand in an output?")
    return text


class _Entry(Form):
    WHAT: ClassVar[str] = "an allowed value"
    hash: Annotated[str, AfterValidator(_as_hash)]
    reason: Annotated[str, AfterValidator(_as_reason)]


class _List(Form):
    WHAT: ClassVar[str] = "the list of allowed values"
    key: str
    allow: list[_Entry]


@dataclass(frozen=True, slots=True)
class Allowed:
    """The reasons by hash."""

    reasons: Mapping[str, str] = field(default_factory=dict)

    def unused(self, hashes: Iterable[str]) -> tuple[str, ...]:
        """The entries that allow none of these."""
        return tuple(sorted(set(self.reasons) - set(hashes)))


def key_name(key: bytes) -> str:
    """Eight hexadecimal digits that tell which key a list was made with, and no more."""
    return hmac.digest(key, b"readiness allow 1|key", "sha256").hex()[:_KEY_CHARACTERS]


def value_hash(value: bytes, key: bytes) -> str:
    """The keyed hash of a value in any case, 24 hexadecimal digits."""
    made = hmac.digest(key, b"readiness allow 1|value|" + fold(value), "sha256")
    return made.hex()[:_HASH_CHARACTERS]


def without(held: Originals, allowed: Allowed, key: bytes) -> Originals:
    """The values that are not allowed."""
    if not allowed.reasons:
        return held
    kept = {i: v for i, v in held.values.items() if value_hash(v, key) not in allowed.reasons}
    return Originals(kept, {i: parts for i, parts in held.parts.items() if i in kept})


def read_allowed(path: Path, key: bytes) -> Allowed:
    """The list of a file. Raises ConfigMistakes with every mistake (an entry without a reason, one
    given twice), ConfigError for a list made with another key."""
    file = read_yaml(path, what=_WHAT)
    form = read_form(file, _List, what=_WHAT)
    if form.key != key_name(key):
        raise ConfigError(
            f"{path} was made with another key: it names {form.key}, this key is {key_name(key)}.",
            hint="Name that key by --key-file. If it is lost, make the list again from the hashes"
            " that readiness scan --json prints.",
        )
    _refuse_twice(file, form)
    return Allowed({entry.hash: entry.reason for entry in form.allow})


def _refuse_twice(file: YamlFile, form: _List) -> None:
    seen: set[str] = set()
    mistakes = []
    for number, entry in enumerate(form.allow):
        if entry.hash in seen:
            mistakes.append(file.at_value(("allow", number, "hash"), "this hash is given twice"))
        seen.add(entry.hash)
    if mistakes:
        raise in_order(_WHAT, mistakes)

"""A YAML mapping in which every key and value knows its line and column.

Scalars follow YAML 1.2: only true and false are booleans, so `on`, `off`, `no` and `1:30` stay
text. Anchors and aliases are refused: they hide what a file says and can blow up its size.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from readiness.errors import ConfigError, ConfigMistakes, Mistake

Location = tuple[str | int, ...]
_LIMIT_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key or value stands; line and column count from 1, `width` in characters."""

    line: int
    column: int
    width: int


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A file's data and the places of its keys and values, by location (`("stages", 0, "hold")`)."""

    path: Path
    text: str
    data: Mapping[str, object]
    keys: Mapping[Location, Place]
    values: Mapping[Location, Place]
    duplicates: tuple[Mistake, ...]

    @property
    def sha256(self) -> str:
        """The hash that freezes the file: hex of its UTF-8 bytes."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def at_key(self, location: Location, text: str) -> Mistake:
        """A mistake at a key; at its nearest written parent when the key is not there."""
        return self._mistake(self.keys.get(location) or self._value_place(location), text)

    def at_value(self, location: Location, text: str) -> Mistake:
        """A mistake at a value; at its nearest written parent when the value is not there."""
        return self._mistake(self._value_place(location), text)

    def _value_place(self, location: Location) -> Place:
        for length in range(len(location), -1, -1):
            place = self.values.get(location[:length])
            if place:
                return place
        return Place(1, 1, 1)

    def _mistake(self, place: Place, text: str) -> Mistake:
        return Mistake(self.path, place.line, place.column, text, width=place.width)


def read_yaml(path: Path, *, what: str) -> YamlFile:
    """The file at `path`; `what` names it in messages ("The plan").

    Raises ConfigError when it cannot be read, ConfigMistakes when it is no YAML mapping.
    Duplicate keys are collected in `duplicates`, for the caller to show with its own mistakes."""
    text = _read_text(path, what=what)
    node = _compose(path, text, what=what)
    if not isinstance(node, yaml.MappingNode):
        place = _place(node) if node else Place(1, 1, 1)
        told = "the file is empty" if node is None else "a mapping (`key: value`) is needed here"
        mistake = Mistake(path, place.line, place.column, told, width=place.width)
        raise ConfigMistakes(what, [mistake])
    reader = _Reader(path)
    data = reader.mapping(node, ())
    return YamlFile(path, text, data, reader.keys, reader.values, tuple(reader.mistakes))


def _read_text(path: Path, *, what: str) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{what} {path} cannot be read: {error.strerror}.") from error
    if len(raw) > _LIMIT_BYTES:
        raise ConfigError(f"{what} {path} has {len(raw):,} bytes; {_LIMIT_BYTES:,} are allowed.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        mistake = Mistake(path, before.count(b"\n") + 1, column, "this is not UTF-8")
        raise ConfigMistakes(what, [mistake], hint="Save the file as UTF-8.") from error


def _compose(path: Path, text: str, *, what: str) -> yaml.Node | None:
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=_CoreLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        mistake = Mistake(path, line, column, f"no YAML: {error.problem or error.context}")
        raise ConfigMistakes(what, [mistake], hint=_SYNTAX_HINT) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        mistake = Mistake(path, line, 1, "a character that YAML does not allow")
        raise ConfigMistakes(what, [mistake]) from error
    except RecursionError as error:
        raise ConfigMistakes(what, [Mistake(path, 1, 1, "nested too deeply")]) from error
    return node


_SYNTAX_HINT = 'Quote what begins with > * & ! % @ or a backquote, for example op: ">=".'


class _CoreLoader(yaml.SafeLoader):
    """Scalars of YAML 1.2's core schema; YAML 1.1 reads `no` as false and 1:30 as 90."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


class CoreDumper(yaml.SafeDumper):
    """Writes what `read_yaml` reads back: a text such as 47e55927 is a number to it, and is quoted."""


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+."),
    ("null", r"~|null|Null|NULL|", "~nN\0"),
):
    for _class in (_CoreLoader, CoreDumper):
        _class.add_implicit_resolver(
            f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first)
        )


def _integer(text: str) -> int:
    return int(text, 16) if text.lower().startswith("0x") else int(text)


_SCALARS: dict[str, Callable[[str], object]] = {
    "tag:yaml.org,2002:str": str,
    "tag:yaml.org,2002:bool": lambda text: text.lower() == "true",
    "tag:yaml.org,2002:int": _integer,
    "tag:yaml.org,2002:float": lambda t: float(
        t.lower().replace(".inf", "inf").replace(".nan", "nan")
    ),
    "tag:yaml.org,2002:null": lambda _text: None,
}


class _Reader:
    """Turns nodes into plain data, noting places and mistakes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keys: dict[Location, Place] = {}
        self.values: dict[Location, Place] = {}
        self.mistakes: list[Mistake] = []
        self._seen: set[int] = set()

    def mapping(self, node: yaml.MappingNode, at: Location) -> dict[str, object]:
        self.values[at] = _place(node)
        data: dict[str, object] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else "?"
            place = _place(key_node)
            if key in data:
                self._note(place, f"{key} is given twice")
            self.keys[(*at, key)] = place
            data[key] = self._value(value_node, (*at, key))
        return data

    def _value(self, node: yaml.Node, at: Location) -> object:
        place = self.values[at] = _place(node)
        if id(node) in self._seen:
            self._note(place, "anchors and aliases (&name, *name) are not supported")
            return None
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, at)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*at, i)) for i, item in enumerate(node.value)]
        return self._scalar(node, place)

    def _scalar(self, node: yaml.Node, place: Place) -> object:
        convert = _SCALARS.get(node.tag)
        if convert is None:
            self._note(place, "tags (!name) are not supported: write text or a number")
            return None
        try:
            return convert(str(node.value))
        except ValueError:
            self._note(place, "this is no number")
            return None

    def _note(self, place: Place, text: str) -> None:
        self.mistakes.append(Mistake(self.path, place.line, place.column, text, width=place.width))


def _place(node: yaml.Node) -> Place:
    start, end = node.start_mark, node.end_mark
    one_line = start.line == end.line and isinstance(node, yaml.ScalarNode)
    width = max(1, end.column - start.column) if one_line else 1
    return Place(start.line + 1, start.column + 1, width)

"""What a workload file says of itself: its title, its figures, its repeats and its tables."""

from __future__ import annotations

import re

from readiness.model.workload import WORKLOAD_SCHEMA_VERSION, Repeat
from readiness.workload.text.annotations import POLICY, REPEAT, TITLE, Note, Source, figures

_TITLE_FORM = f"-- @workload NAME  schema_version: {WORKLOAD_SCHEMA_VERSION}  captures: 3"
_REPEAT_FORM = "-- @repeat order_items_0  counts: 1 2 5"
_TABLES_FORM = "-- @tables loans: 3f2a9c11"
_POLICY_FORM = "-- @policy checkout 3f2a9c11d0ab"
_TABLE = re.compile(
    r"\s*(?:`(?P<quoted>(?:[^`]|``)+)`|(?P<bare>[^\s:`]+)):\s*(?P<print>[0-9a-f]{8})\b"
)
_BARE = re.compile(r"[^\s:`]+")


def table_text(name: str, fingerprint: str) -> str:
    """One table of an `@tables` line."""
    shown = name if _BARE.fullmatch(name) else "`" + name.replace("`", "``") + "`"
    return f"{shown}: {fingerprint}"


class Header:
    """Takes the annotations that describe the whole file; each may stand anywhere in it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._title: tuple[str, int] | None = None
        self.counts: dict[str, int] = {}
        self.repeats: dict[str, Repeat] = {}
        self.repeats_at: dict[str, int] = {}
        self.tables: dict[str, str] = {}
        self.policy = ""

    @property
    def title(self) -> tuple[str, int]:
        """The flow's name and its number of captures."""
        if not self._title:
            self._source.fail(0, "there is no line -- @workload", f"Begin with: {_TITLE_FORM}")
        return self._title

    def take(self, note: Note) -> bool:
        """False for an annotation that describes a statement."""
        if note.name == "counts":
            self.counts = figures(note.text)
        elif note.name == "workload":
            self._read_title(note)
        elif note.name == "repeat":
            self._read_repeat(note)
        elif note.name == "tables":
            self._read_tables(note)
        elif note.name == "policy":
            self.policy = self._source.matched(POLICY, note, _POLICY_FORM)[0]
        else:
            return False
        return True

    def _read_title(self, note: Note) -> None:
        match = self._source.matched(TITLE, note, _TITLE_FORM)
        stated = figures(match["figures"])
        version = stated.get("schema_version")
        if version is None:
            self._source.fail(note.at, "schema_version is missing", f"Write: {_TITLE_FORM}")
        if version != WORKLOAD_SCHEMA_VERSION:
            self._source.fail(
                note.at,
                f"the file has schema_version {version}; this release reads "
                f"{WORKLOAD_SCHEMA_VERSION}",
                "Use the release that wrote it, or build the workload again.",
            )
        if self._title:
            self._source.fail(note.at, "a second line @workload", "Keep one flow in one file.")
        self._title = (match["name"], stated.get("captures", 0))

    def _read_repeat(self, note: Note) -> None:
        match = self._source.matched(REPEAT, note, _REPEAT_FORM)
        name, counts = match["name"], match["counts"].split()
        if not all(re.fullmatch(r"[0-9]+", count) for count in counts):
            self._source.fail(
                note.at,
                f"a count of {name} is no whole number from 0",
                f"Write how often each capture did it: {_REPEAT_FORM}",
            )
        if name in self.repeats:
            self._source.fail(
                note.at, f"a second line @repeat {name}", "Give each repeat its own name."
            )
        self.repeats[name] = Repeat(name, tuple(map(int, counts)))
        self.repeats_at[name] = note.at

    def _read_tables(self, note: Note) -> None:
        at = 0
        while at < len(note.text):
            match = _TABLE.match(note.text, at)
            if not match:
                self._source.fail(
                    note.at,
                    "@tables does not give each table 8 hexadecimal digits",
                    f"Write: {_TABLES_FORM}; or remove the line, and nothing is compared.",
                )
            name = (match["quoted"] or "").replace("``", "`") or match["bare"]
            if name in self.tables:
                self._source.fail(
                    note.at, f"@tables names {name} twice", "Keep the one of the last build."
                )
            self.tables[name] = match["print"]
            at = match.end()

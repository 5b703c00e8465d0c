"""The files beside a workload: why its values are what they are, the overrides, the one before."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from readiness.anonymize.filter import filter_beside
from readiness.config.overrides import Overrides, load_overrides
from readiness.config.yaml_file import read_yaml
from readiness.errors import ConfigError, WorkloadError
from readiness.model.workload import Workload
from readiness.workload.text.file import parse


@dataclass(frozen=True, slots=True)
class Beside:
    """Where things stand: `workload` is checkout.sql."""

    workload: Path

    @property
    def explanation(self) -> Path:
        """`checkout.variables.yaml`."""
        return self.workload.with_name(f"{self.workload.stem}.variables.yaml")

    @property
    def overrides(self) -> Path:
        """`checkout.overrides.yaml`: those in force."""
        return self.workload.with_name(f"{self.workload.stem}.overrides.yaml")

    @property
    def previous(self) -> Path:
        """`checkout.sql.previous`."""
        return self.workload.with_name(f"{self.workload.name}.previous")

    @property
    def filter(self) -> Path:
        """`checkout.filter`: by which later tasks search what they publish."""
        return filter_beside(self.workload)

    def kept(self, before: Before) -> dict[Path, bytes]:
        """The workload that is replaced, and its filter, under the names that keep them."""
        files = {self.previous: before.data}
        if self.filter.is_file():
            path = self.filter.with_name(f"{self.filter.name}.previous")
            files[path] = self.filter.read_bytes()
        return files

    def overrides_in_force(self, given: Path | None) -> Overrides | None:
        """Those of the file that is given, else those kept beside the workload, else None. Raises
        ConfigError, ConfigMistakes."""
        path = given or (self.overrides if self.overrides.exists() else None)
        return load_overrides(path) if path else None


@dataclass(frozen=True, slots=True)
class Before:
    """The workload that is there before a rebuild. `data` is b"" where there is none; `workload` is
    None where it cannot be read; `columns` maps what it named to table.column; `is_edited` says that
    a person changed the file after it was built; `key` is the check value of the key that made it, ""
    where that is not known."""

    data: bytes = b""
    workload: Workload | None = None
    columns: Mapping[str, str] | None = None
    is_edited: bool = False
    key: str = ""

    def warnings(self, beside: Beside) -> list[str]:
        """What a person must know who replaces it."""
        if self.data and self.workload is None:
            return [f"{beside.workload.name} cannot be read any more: nothing is compared with it"]
        if self.is_edited:
            return [
                f"{beside.workload.name} was changed by hand after it was built. The changes are not"
                f" in the new file; the one with them is {beside.previous.name}"
            ]
        return []


def read_before(beside: Beside) -> Before:
    """What is there now; a broken file is as good as none."""
    if not beside.workload.is_file():
        return Before(columns=_columns(_explanation(beside)))
    data = beside.workload.read_bytes()
    known = _explanation(beside)
    sha256 = known.get("sha256")
    is_edited = sha256 is not None and sha256 != hashlib.sha256(data).hexdigest()
    try:
        workload = parse(data, path=beside.workload)
    except WorkloadError:
        workload = None
    return Before(data, workload, _columns(known), is_edited, str(known.get("key", "")))


def _explanation(beside: Beside) -> Mapping[str, object]:
    try:
        return read_yaml(beside.explanation, what="The explanation").data
    except ConfigError:
        return {}


def _columns(explanation: Mapping[str, object]) -> dict[str, str]:
    """Each name that it lists, also the one before an override renamed it, and its column."""
    found: dict[str, str] = {}
    for section in ("variables", "dropped"):
        entries = explanation.get(section)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            if isinstance(entry, dict):
                column = str(entry.get("column", ""))
                found |= {str(name): column, str(entry.get("was", name)): column}
    return found

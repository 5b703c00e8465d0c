"""Captures whose every value is a canary: what sings anywhere outside has leaked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path

from tests.fakes.lending_logs import Borrower, write_logs

from readiness.anonymize.originals import Originals
from readiness.anonymize.scan import Searcher

BIRDS = (
    Borrower("0b7ce1d4-52f3-4e8a-9d16-c0ffee5ca401", "Ziskvogel Qwentin", "Xylobury", 880451739,
             771940253, "blinddarmzeisig-4417"),
    Borrower("7e19ab52-c3d8-4b6f-8a27-c0ffee5ca402", "Jubeltrud Ymirsson", "Vexmoor", 880991264,
             560318847, "goldammerich-9925"),
    Borrower("a44d0f83-1b9e-47c5-b3f0-c0ffee5ca403", "Wopke Brisvaldur", "Nyquist-on-Sea",
             881602215, 915502666, "pirolinchen-3308"),
)  # fmt: skip


class Cage:
    """A folder with the captures, and the search for their values in every encoding."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.logs = write_logs(folder, BIRDS)
        self.schema = folder / "schema.json"
        self._searcher = Searcher(Originals(_values()))

    def escaped(self, outputs: Mapping[str, bytes]) -> list[str]:
        """Where a canary sings, by output, encoding and value id."""
        leaks = [
            leak for name, data in outputs.items() for leak in self._searcher.leaks(name, data)
        ]
        return [f"{leak.file}: {leak.encoding} of {leak.value_id}" for leak in leaks]

    def files(self) -> dict[str, bytes]:
        """All files of the folder but the captures."""
        found = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in found
            if path not in self.logs
        }


def _values() -> dict[str, bytes]:
    return {
        f"{number}/{place}": str(value).encode()
        for number, bird in enumerate(BIRDS, 1)
        for place, value in enumerate(astuple(bird), 1)
    }

"""Runs a program and says what it took; what a bench gives, as a table and as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True)
class Row:
    """One measured value beside its peer's, in one unit; `ratio` is value / peer_value.

    `peer` is another program, or a limit; "" and None where there is none to compare with. `most` is
    the ratio that was promised, None where nothing was: the table says whether it was met, the file
    does not."""

    name: str
    value: float
    unit: str
    peer: str
    peer_value: float | None
    ratio: float | None
    runs: int
    most: float | None = None

    @property
    def met(self) -> str:
        """Whether the promise was kept, for people."""
        if self.most is None or not self.peer_value:
            return "-"
        return "yes" if self.value / self.peer_value <= self.most else "NO"


@dataclass(frozen=True, slots=True)
class Taken:
    """What a process took: processor time, its largest memory, and what it printed.

    Not the wall clock: what else the machine does would be in it, and in one more than the other."""

    cpu_s: float
    memory_bytes: int
    output: str


def row(
    name: str,
    value: float,
    unit: str,
    *,
    peer: tuple[str, float | None],
    runs: int,
    most: float | None = None,
) -> Row:
    """A row with its ratio; `peer` is (name, value), the value None where it could not run."""
    ratio = round(value / peer[1], 2) if peer[1] else None
    shown = None if peer[1] is None else round(peer[1], 2)
    return Row(name, round(value, 2), unit, peer[0], shown, ratio, runs, most)


def run(command: Sequence[str]) -> Taken:
    """Runs the program to its end. Raises CalledProcessError where it fails.

    Python keeps its bytecode, as an installed program has it, outside the sources."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(Path(tempfile.gettempdir()) / "readiness-bench-bytecode")
    with tempfile.TemporaryFile("w+") as output:
        with subprocess.Popen(command, stdout=output, env=env) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, command)
        output.seek(0)
        return Taken(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output.read())


def typical(taken: Sequence[Taken]) -> float:
    """The median of the processor times, in seconds."""
    return median(t.cpu_s for t in taken)


def save(rows: Sequence[Row], path: Path) -> None:
    """Writes the rows as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([_fields(r) for r in rows], indent=1) + "\n")


def table(rows: Sequence[Row]) -> str:
    """The rows for people."""
    head = ("measured", "value", "unit", "peer", "peer value", "ratio", "runs", "met")
    cells: list[tuple[str, ...]] = [head]
    for each in rows:
        shown = (*_fields(each).values(), each.met)
        cells.append(tuple("-" if v is None else str(v) for v in shown))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip()
                     for line in cells)  # fmt: skip


def _fields(each: Row) -> dict[str, object]:
    fields = asdict(each)
    del fields["most"]
    return fields

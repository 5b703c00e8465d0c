"""What a slow log lacks or holds beyond statements, said once at its end."""

from __future__ import annotations

from dataclasses import dataclass, field

from readiness.capture.slow_header import SLOW_MARIADB, Header

_MOST_LINES_SAID = 5
_FEWEST_TO_JUDGE = 20
_SURELY_SLOW_NS = 1_000_000  # a server has statements below: SET, COMMIT without changes


@dataclass(slots=True)
class SlowNotes:
    """Counts of one log. `lookalikes` are lines like a header's within statements, `places` the first
    lines of the first records that hold one."""

    records: int = 0
    inner: int = 0
    foreign: int = 0
    is_converted: bool = False
    lookalikes: int = 0
    places: list[int] = field(default_factory=list)
    samplings: set[str] = field(default_factory=set)
    fastest_ns: int = 1 << 63

    def see(self, header: Header) -> None:
        """One more record."""
        self.records += 1
        self.inner += header.is_inner
        if header.sampling:
            self.samplings.add(header.sampling)
        if header.latency_ns is not None and header.latency_ns < self.fastest_ns:
            self.fastest_ns = header.latency_ns

    def see_lookalike(self, line: int) -> None:
        """A line within the record that begins at `line` looks like a header's."""
        self.lookalikes += 1
        if line not in self.places and len(self.places) <= _MOST_LINES_SAID:
            self.places.append(line)

    def warnings(self, dialect: str, overflowed: int) -> list[str]:
        """What a reader of the transactions has to know."""
        said = []
        if self.foreign:
            said.append(f"line 1: {_lines(self.foreign)} before the first record left out")
        if self.is_converted:
            said.append(
                "the file has CR LF line ends, which no server writes: line ends within statements"
                " may have changed too"
            )
        said += [
            f"the log is sampled, {sampling}: its transactions are not whole"
            for sampling in sorted(self.samplings)
        ]
        if self.records >= _FEWEST_TO_JUDGE and self.fastest_ns >= _SURELY_SLOW_NS:
            said.append(
                f"the fastest of {self.records} statements took {self.fastest_ns / 1e6:.3g} ms:"
                " long_query_time was not 0, so statements are missing"
            )
        if self.lookalikes:
            said.append(self._lookalikes())
        if self.inner:
            plural = "s" * (self.inner != 1)
            said.append(
                f"{self.inner} statement{plural} within stored routines left out: their CALL counts"
            )
        if overflowed:
            plural = "s have" if overflowed != 1 else " has"
            said.append(f"{overflowed} record{plural} no possible query time: no latency")
        if dialect == SLOW_MARIADB:
            said.append(
                "a slow log of MariaDB does not show logins, resets and disconnects, nor whether"
                " log_slow_rate_limit or log_slow_filter left statements out"
            )
        return said

    def _lookalikes(self) -> str:
        places = ", ".join(map(str, self.places[:_MOST_LINES_SAID]))
        more = ", …" if len(self.places) > _MOST_LINES_SAID else ""
        return (
            f"{_lines(self.lookalikes)} within statements look like a record's and were not"
            f" taken for one: records of line {places}{more}"
        )


def _lines(count: int) -> str:
    return f"{count} line{'s' * (count != 1)}"

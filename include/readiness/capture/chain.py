"""Several files that a server wrote one after the other, as one log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readiness.capture.events import EventSource, LogEvent


class Chain:
    """The events of several sources of one dialect, in the order given; lines count on."""

    def __init__(self, sources: Sequence[EventSource]) -> None:
        self.name = ", ".join(source.name for source in sources)
        self.lines = 0
        self.warnings: list[str] = []
        self._sources = sources
        self._current = sources[0]

    @property
    def dialect(self) -> str:
        """Of the file that is read now; final at the end."""
        return self._current.dialect

    @property
    def has_exact_times(self) -> bool:
        """Of the file that is read now; final at the end."""
        return self._current.has_exact_times

    def __iter__(self) -> Iterator[LogEvent]:
        for source in self._sources:
            self._current = source
            for event in source:
                event.line += self.lines
                yield event
            self.warnings += [f"{source.name}: {warning}" for warning in source.warnings]
            self.lines += source.lines

"""Flows for the load engine that need no workload file: fixed statements with the checkout's number.

`{n}` in a statement is the checkout's number, `{id}` the last insert id that was bound. A statement
that begins with `[2] ` is the second turn of a repeat: checkout n draws `counts[n % len(counts)]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from readiness.model.workload import StatementKind

_KINDS = {kind.value: kind for kind in StatementKind}
_TEXT = re.compile(r"(?:(\d+): )?(?:\[(\d+)\] )?(.*)", re.DOTALL)


def kind_of(sql: str) -> StatementKind:
    return _KINDS.get(sql.split(maxsplit=1)[0].rstrip(";").lower(), StatementKind.OTHER)


@dataclass
class TextFlow:
    """`ports.CheckoutFlow` over plain texts; each may say its connection and turn: `1: [2] COMMIT`."""

    texts: Sequence[str]
    gap_ms: float = 0.0
    counts: Sequence[int] = (1,)
    started: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        parts = [found.groups() for text in self.texts if (found := _TEXT.fullmatch(text))]
        self.connections: Sequence[int] = [int(part[0] or 0) for part in parts]
        self.turns = [int(part[1] or 0) for part in parts]
        self.sql = [part[2] for part in parts]
        self.statement_ids: Sequence[str] = [f"s{k:03}" for k in range(1, len(parts) + 1)]
        self.may_skip: Sequence[bool] = [turn > min(self.counts) for turn in self.turns]
        self.kinds: Sequence[StatementKind] = [kind_of(sql) for sql in self.sql]
        self.binds: Sequence[bool] = [kind is StatementKind.INSERT for kind in self.kinds]
        self.pauses_ms: Sequence[float] = [self.gap_ms] * len(parts)
        self.transactions: Sequence[int] = self._transactions()

    def _transactions(self) -> list[int]:
        numbers, count = [], 0
        current = dict.fromkeys(self.connections, 0)
        for connection, kind in zip(self.connections, self.kinds, strict=True):
            if kind is StatementKind.BEGIN:
                count += 1
                current[connection] = count
            numbers.append(current[connection])
            if kind in {StatementKind.COMMIT, StatementKind.ROLLBACK}:
                current[connection] = 0
        return numbers

    def new_values(self, number: int) -> list[bytes]:
        self.started.append(number)
        return [str(number).encode(), b"0"]

    def following(self, step: int, values: list[bytes]) -> int:
        drawn = self.counts[int(values[0]) % len(self.counts)]
        while step < len(self.turns) and self.turns[step] > drawn:
            step += 1
        return step

    def render(self, step: int, values: list[bytes]) -> bytes:
        text = self.sql[step].replace("{n}", values[0].decode())
        return text.replace("{id}", values[1].decode()).encode()

    def bind(self, step: int, values: list[bytes], insert_id: int) -> None:
        values[1] = str(insert_id).encode()

"""A parameterized capture before anonymization: still raw, so it redacts itself.

`workload.find.parameterize` makes a `RawDraft`; `anonymize.seal` turns it into a `Workload`.
Values are decoded literals: text as its characters in the connection's bytes, numbers as
digits, binary as bytes. Pieces of a statement, joined in order with the captured literals,
are the captured statement byte for byte, comments left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from readiness.model.explanation import Explanation
from readiness.model.transactions import Outcome, Raw
from readiness.model.workload import (
    Bind,
    Form,
    Repeat,
    Sample,
    Slot,
    StatementKind,
    Turn,
    VariableKind,
)


@dataclass(frozen=True, slots=True, repr=False)
class RawLiteral(Raw):
    """A literal that stays in the statement: its text without comments, and the column it meets,
    if known. `is_structural` marks LIMIT, INTERVAL, JSON paths and the like.
    `varies` says that captures differ here (so it is personal until shown otherwise). The text is
    from `capture` (from 0), `others` are the decoded values of all others in order (None: not
    observed there)."""

    text: bytes
    form: Form
    table: str
    column: str
    is_structural: bool = False
    varies: bool = False
    others: tuple[bytes | None, ...] = ()
    capture: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class RawRow(Raw):
    """A part of a statement that belongs to one turn of a repeat; see `model.workload.Row`."""

    turn: Turn
    pieces: tuple[bytes | RawLiteral | Slot, ...]


RawPiece = bytes | RawLiteral | Slot | RawRow


@dataclass(frozen=True, slots=True, repr=False)
class RawVariable(Raw):
    """One variable and its decoded value in each capture (None: not observed there).

    `expression` is SQL over other variables (`SHA2(LOWER(@user_email_0), 256)`) for derived and
    time variables, else empty; text constants inside it were equal in every capture. Texts in
    `values` may hold longer lists than the captured ones, which are then in `captured`."""

    name: str
    kind: VariableKind
    generator: str
    table: str
    column: str
    form: Form
    values: tuple[bytes | None, ...]
    expression: str = ""
    because: str = ""
    is_given: bool = False  # a person gave the generator: it is taken as it stands
    captured: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class RawStep(Raw):
    """One statement of the flow, in order."""

    statement_id: str
    connection: int
    transaction: int
    kind: StatementKind
    pause_ms: float
    pieces: tuple[RawPiece, ...]
    binds: tuple[Bind, ...] = ()
    turn: Turn | None = None
    shape: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class RawDraft(Raw):
    """The whole flow, and in `counts` the funnel from literals to generated values.

    Places of all that is written out: `literals` = `structural` + `constant` + `varying`; `distinct` values stand
    in them. Places that vary together are one of `groups` = fresh + existing + server + derived +
    time + `inline` (pseudonyms in the text); `generated` = fresh + existing."""

    name: str
    captures: int
    variables: tuple[RawVariable, ...]
    samples: tuple[Sample, ...]
    steps: tuple[RawStep, ...]
    outcomes: tuple[Outcome, ...]
    counts: dict[str, int]
    set_names: str = ""
    warnings: tuple[str, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    explanation: Explanation = field(default_factory=Explanation)

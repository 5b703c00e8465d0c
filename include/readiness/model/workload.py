"""The workload: one flow as steps over variables. The only form of captured SQL that leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

WORKLOAD_SCHEMA_VERSION = 1
SET_STATEMENT = "set"  # the statement_id of what sends values ahead with binding: uservar


class VariableKind(StrEnum):
    """Where a variable's value comes from, for each checkout."""

    FRESH = "fresh"  # a new similar value
    EXISTING = "existing"  # one row that exists on the target, skewed as production is
    SERVER = "server"  # AUTO_INCREMENT id, taken from the OK packet
    DERIVED = "derived"  # an expression over other variables
    TIME = "time"  # relative to now


class Form(StrEnum):
    """How a value is written as a literal."""

    TEXT = "text"  # 'quoted'
    NUMBER = "number"  # bare
    HEX = "hex"  # x'00ff'


class StatementKind(StrEnum):
    """What a statement is to the engine; commits are measured apart."""

    SELECT = "select"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    BEGIN = "begin"
    COMMIT = "commit"
    ROLLBACK = "rollback"
    SAVEPOINT = "savepoint"
    SET = "set"
    CALL = "call"
    PREPARE = "prepare"
    EXECUTE = "execute"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a statement where a variable's literal goes."""

    variable: str


@dataclass(frozen=True, slots=True)
class Bind:
    """After the step, `variable` = the OK packet's insert id + `offset`."""

    variable: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable. `example` is the SQL literal a plain client uses; `expression` (SQL over
    other variables) is set for derived and time variables and takes its place."""

    name: str
    kind: VariableKind
    generator: str
    column: str  # "users.id", or "" where no column is known
    form: Form
    example: str = ""
    expression: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """Variables that come from one existing row: `columns[i]` of `table` fills `variables[i]`.

    `weight_by` ("loans.merchant_id", or "") names a child column whose rows carry the skew.
    `where` maps columns of `table` to variables that must match (the product of the sampled
    merchant); `distinct` numbers rows that must differ from their predecessors (0 first)."""

    variables: tuple[str, ...]
    table: str
    columns: tuple[str, ...]
    weight_by: str = ""
    where: tuple[tuple[str, str], ...] = ()
    distinct: int = 0


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part of the flow that runs once for each item of a basket, or each try of a retry.

    `counts` are those of the captures, one each: a checkout draws one of them evenly. The file holds
    the part written out as often as the largest of them says. Parts with equal counts in every
    capture share one Repeat: they count the same thing."""

    name: str
    counts: tuple[int, ...]

    @property
    def most(self) -> int:
        """How often the part is written out."""
        return max(self.counts)


@dataclass(frozen=True, slots=True)
class Turn:
    """The `number`-th time (from 1) of a repeat: done where the checkout drew at least `number`."""

    repeat: str
    number: int


@dataclass(frozen=True, slots=True)
class Row:
    """A part of a statement that belongs to one turn: `, (@sku_1, 2)` of a multi-row INSERT."""

    turn: Turn
    pieces: tuple[bytes | Slot, ...]


Piece = bytes | Slot | Row


@dataclass(frozen=True, slots=True)
class Step:
    """One statement: its text as static bytes, slots and rows; `pause_ms` is the captured gap before
    it; a step with a `turn` is left out where the checkout drew fewer.

    Connections and transactions are numbered from 1; transaction 0 is outside any (autocommit).
    `shape` is the fingerprint of the captured statement's shape (`sql.shape.fingerprint`), "" for a
    statement that was added by hand."""

    statement_id: str
    connection: int
    transaction: int
    kind: StatementKind
    pause_ms: float
    pieces: tuple[Piece, ...]
    binds: tuple[Bind, ...] = ()
    turn: Turn | None = None
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Workload:
    """One flow, readable as `checkout.sql` (see `workload.text.file`).

    `tables` maps each table that the flow uses to the fingerprint of its definition when the
    workload was built ({} where it is not known); `policy` is the name and hash of the privacy policy
    that was in force, "" where the rules alone decided."""

    name: str
    captures: int
    variables: tuple[Variable, ...]
    samples: tuple[Sample, ...]
    steps: tuple[Step, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    set_names: str = ""
    repeats: tuple[Repeat, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    policy: str = ""

    @property
    def transactions(self) -> int:
        """Transactions of a checkout that leaves none out, autocommit statements as one each."""
        inside = {s.transaction for s in self.steps if s.transaction}
        alone = sum(1 for s in self.steps if not s.transaction)
        return len(inside) + alone

    @property
    def connections(self) -> tuple[int, ...]:
        """The connection numbers in the order they are first used."""
        return tuple(dict.fromkeys(s.connection for s in self.steps))

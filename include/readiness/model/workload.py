"""The workload: one flow as steps over variables. The only form of captured SQL that leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

WORKLOAD_SCHEMA_VERSION = 1


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


Piece = bytes | Slot


@dataclass(frozen=True, slots=True)
class Step:
    """One statement: its text as static bytes and slots; `pause_ms` is the captured gap before it.

    Connections and transactions are numbered from 1; transaction 0 is outside any (autocommit)."""

    statement_id: str
    connection: int
    transaction: int
    kind: StatementKind
    pause_ms: float
    pieces: tuple[Piece, ...]
    binds: tuple[Bind, ...] = ()


@dataclass(frozen=True, slots=True)
class Workload:
    """One flow, readable as `checkout.sql` (see `workload.file`)."""

    name: str
    captures: int
    variables: tuple[Variable, ...]
    samples: tuple[Sample, ...]
    steps: tuple[Step, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    set_names: str = ""

    @property
    def transactions(self) -> int:
        """Transactions of one checkout, autocommit statements counted as one each."""
        inside = {s.transaction for s in self.steps if s.transaction}
        alone = sum(1 for s in self.steps if not s.transaction)
        return len(inside) + alone

    @property
    def connections(self) -> tuple[int, ...]:
        """The connection numbers in the order they are first used."""
        return tuple(dict.fromkeys(s.connection for s in self.steps))

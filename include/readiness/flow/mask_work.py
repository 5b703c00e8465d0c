"""What masking brings together, and how its failures are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from readiness.anonymize.key import Key
from readiness.errors import Busy, ConfigError, MaskingError, ReadinessError, TargetRefused
from readiness.model.catalogue import Catalogue
from readiness.model.masking import MaskFact, MaskPlan
from readiness.model.verdict import Check
from readiness.ports import Progress, Session


class MaskTables(Protocol):
    """Masks all tables of a plan, or goes on where it was killed; how many rows were changed."""

    def __call__(
        self,
        open_session: Callable[[], Session],
        catalogue: Catalogue,
        plan: MaskPlan,
        *,
        key_hex: str,
        progress: Progress,
    ) -> int:
        """`catalogue` and `plan` are those of the beginning, also when it goes on."""
        ...


@dataclass(frozen=True, slots=True)
class MaskSteps:
    """What `mask` brings together. The sessions that `settle`, `before`, `compare` and `judge` are given
    have the run's key set; `before` gives JSON text, and may be asked again until it has answered; `values` is how
    many values of before the proof knows."""

    run_key: Callable[[Key, str], str]
    set_key: Callable[[Session, str], object]
    catalogue: Callable[[Session, str], Catalogue]
    plan: Callable[[Session, Catalogue], MaskPlan]
    settle: Callable[[Session, Catalogue, MaskPlan], MaskPlan]
    before: Callable[[Session, Catalogue, MaskPlan], str]
    tables: MaskTables
    compare: Callable[[Session, Catalogue, MaskPlan, str], Sequence[MaskFact]]
    judge: Callable[[Session, Catalogue, MaskPlan, Sequence[MaskFact]], Sequence[Check]]
    values: Callable[[Session], int]
    forget: Callable[[Session], Sequence[str]]


@dataclass(frozen=True, slots=True)
class MaskWork:
    """What is masked. `name` is how a person calls it and `anew` what they type to begin anew; `policy`
    is the policy's title ("rules" without one); `gate` raises TargetRefused; `admit(title, nonce)` notes
    the end in the marker of that nonce and lets load in; what was decided and found is written to `folder`, where there is one."""

    name: str
    policy: str
    open_session: Callable[[], Session]
    gate: Callable[[], None]
    admit: Callable[[str, str], object]
    steps: MaskSteps
    anew: str
    folder: Path | None = None


@contextmanager
def step(work: MaskWork, name: str) -> Iterator[None]:
    """What fails inside is told with the step's name, and what to do."""
    try:
        yield
    except (TargetRefused, ConfigError, Busy):
        raise  # it says all by itself
    except ReadinessError as error:
        onward = f"Run it again: it goes on where it stopped. Or begin anew:\n  {work.anew}"
        failed = MaskingError(
            f"{work.name} is not masked and gets no load: {name} failed. {error.message}",
            hint=error.hint or onward,
        )
        failed.transient = error.transient
        raise failed from error

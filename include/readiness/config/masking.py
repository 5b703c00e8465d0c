"""How personal data leaves a clone, as a plan or a person says it: by a policy, or it held none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from readiness.config.policy import load_policy
from readiness.errors import ConfigMistakes, Mistake

WAIVED = "waived: "
_LONGEST = 150  # what stands before it included, marker and records hold 190


@dataclass(frozen=True, slots=True)
class Masking:
    """By the policy of a file; or, where `waiver` is not "", not at all and why."""

    policy: Path = Path()
    waiver: str = ""

    @property
    def title(self) -> str:
        """What marker, records and reports say of a clone for which this is a waiver."""
        return f"{WAIVED}{self.waiver}"


def waiver_reason(text: str) -> str:
    """The reason on one line. Raises ValueError for none, or a long one."""
    reason = " ".join(text.split())
    if not reason or len(reason) > _LONGEST or not reason.isprintable():
        raise ValueError(f"say in 1 to {_LONGEST} characters why the data holds nothing personal")
    return reason


def waiver_of(masked: str) -> str:
    """The reason of a waiver, "" where `masked` (of a clone, a marker or a run) says something else."""
    return masked.removeprefix(WAIVED) if masked.startswith(WAIVED) else ""


def unmasked_words(lineage: Mapping[str, str]) -> str:
    """What a run's report and verdict say of a clone that nobody masked; "" for one that was. `lineage`
    is where the run's target came from."""
    reason = waiver_of(lineage.get("masked", ""))
    return f"the clone was not masked: {reason}" if reason else ""


def policy_mistakes(masking: Masking) -> list[Mistake]:
    """The mistakes of the policy's own file. Raises ConfigError when it cannot be read."""
    if masking.waiver or not masking.policy.is_file():
        return []
    try:
        load_policy(masking.policy)
    except ConfigMistakes as error:
        return list(error.mistakes)
    return []

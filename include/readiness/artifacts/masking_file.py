"""`masking.json`: what proves that a clone is masked, beside its plan. Names and figures, no value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from readiness.artifacts.forms import check_from_json, check_to_json, reading
from readiness.artifacts.json_files import read_json, write_json
from readiness.model.masking import MaskFact
from readiness.model.verdict import Check

MASKING_FILE = "masking.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Proof:
    """`plan` is the hash of the plan. `left_out` says of columns (`table.column`) why no pattern was
    searched in them: the policy's reason."""

    database: str
    plan: str
    facts: tuple[MaskFact, ...]
    checks: tuple[Check, ...]
    left_out: Mapping[str, str]


def write_masking(path: Path, proofs: Sequence[Proof]) -> None:
    """Writes the proofs of the databases of one clone, into a folder that is there: that of a clone
    which was destroyed meanwhile must not come again. Raises ArtifactError."""
    content = {"databases": [_to_json(proof) for proof in proofs]}
    write_json(path, content, version=VERSION, makes_folder=False)


def read_masking(path: Path) -> tuple[Proof, ...]:
    """The inverse of `write_masking`. Raises ArtifactError, SchemaMismatch."""
    content = read_json(path, version=VERSION)
    with reading(path):
        return tuple(_from_json(proof) for proof in content["databases"])


def _to_json(proof: Proof) -> dict[str, Any]:
    return {
        "database": proof.database,
        "plan": proof.plan,
        "left_out": dict(proof.left_out),
        "facts": [{k: _finite(v) for k, v in asdict(fact).items()} for fact in proof.facts],
        "checks": [check_to_json(check) for check in proof.checks],
    }


def _finite(value: object) -> object:
    """JSON has no NaN: a figure that is missing is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _from_json(content: Mapping[str, Any]) -> Proof:
    facts = [_fact(fact) for fact in content["facts"]]
    checks = tuple(check_from_json(check) for check in content["checks"])
    return Proof(
        content["database"], content["plan"], tuple(facts), checks, dict(content["left_out"])
    )


def _fact(content: Mapping[str, Any]) -> MaskFact:
    figures: dict[str, Any] = {k: math.nan if v is None else v for k, v in content.items()}
    return MaskFact(**figures)

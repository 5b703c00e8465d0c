"""What a person is told where a key is missing: every key, and what to type next."""

from __future__ import annotations

from collections.abc import Sequence

from readiness.errors import TargetRefused
from readiness.interlock.purpose import Purpose
from readiness.model.clone import Key

RUNBOOK = "docs/runbooks/refused-target.md"
_MAY_BE_PRODUCTION = ("marker", "identity", "production", "nonce", "local")
_ALONE = ("production", "nonce")  # nothing else is to be mended on what may be production
_HEADLINES = {
    "lease": "Refused: the lease of this clone has ended.",
    "masked": "Refused: this clone may hold personal data.",
    "quiet": "Refused: this clone is not ours alone.",
    "account": "Refused: the account of this load may do more than change rows.",
}
_NOT_DONE = {
    Purpose.LOAD: "No statement was sent to it as load.",
    Purpose.MASK: "Nothing was changed on it.",
}


def require(
    keys: Sequence[Key], *, target: str, purpose: Purpose = Purpose.LOAD, where: str = ""
) -> None:
    """Raises TargetRefused unless all keys hold; `target` is the DSN as the user typed it, `where`
    says in words what it names."""
    missing = [key for key in keys if not key.holds]
    if not missing:
        return
    raise TargetRefused(
        f"{_headline({key.name for key in missing})} {_NOT_DONE[purpose]}",
        [(key.name, key.holds, key.why) for key in keys],
        hint=remedy_of(missing, target),
        where=where,
    )


def remedy_of(missing: Sequence[Key], target: str) -> str:
    """What to do for the missing keys, in their order, each remedy once; and where to read more."""
    alone = [key for key in missing if key.name in _ALONE and key.remedy]
    remedies = dict.fromkeys(key.remedy for key in alone[:1] or missing if key.remedy)
    said = [remedy.replace("{target}", target) for remedy in remedies]
    return "\n\n".join([*said, f"More: {RUNBOOK}"])


def _headline(missing: set[str]) -> str:
    if missing & set(_MAY_BE_PRODUCTION):
        return "Refused: this target may be production."
    return next(words for name, words in _HEADLINES.items() if name in missing)

"""What a build tells a person in a sentence: doubts, what looked personal, generators not to be had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readiness.config.overrides import Overrides
from readiness.model.explanation import Explanation
from readiness.model.workload import Workload

_SHOWN = 4  # doubts


def doubtful(explanation: Explanation, file: str) -> str:
    """How many, the first few by place, and what settles most of them."""
    doubts = explanation.doubts
    places = "; ".join(d.where for d in doubts[:_SHOWN]) + "; …" * (len(doubts) > _SHOWN)
    cures = " or ".join(dict.fromkeys(d.cure for d in doubts))
    one = len(doubts) == 1
    return (
        f"{len(doubts)} place{'s' * (not one)} could mean another value as well ({places}): see doubts"
        f" in {file}. What settles {'it' if one else 'them'}: {cures}"
    )


def personal(places: Sequence[str]) -> Iterator[str]:
    """What to tell of constants that were replaced because they look personal."""
    if places:
        shown = ", ".join(places[:_SHOWN]) + ", …" * (len(places) > _SHOWN)
        yield (
            f"{len(places)} constant{'s' * (len(places) != 1)} looked personal and became pseudonyms:"
            f" {shown}. Where one is a word of the code, let a policy keep its column"
        )


def unlike(workload: Workload, overrides: Overrides | None) -> Iterator[str]:
    """Generators that were asked for by name and could not be learnt from what was captured."""
    by_name = {v.name: v.generator for v in workload.variables}
    for name, entry in overrides.entries.items() if overrides else ():
        made = by_name.get(entry.name or name, "")
        if entry.generator and not made.startswith(entry.generator):
            yield (
                f"@{entry.name or name} does not look like {entry.generator}: {made} was learnt. Write"
                " its range or shape in parentheses to have it all the same"
            )

"""The proof of a masked clone judged by Great Expectations, with its own expectations.

The figures are a frame for each law (`masking.facts`), a sample of texts one for each pattern. Great
Expectations lets missing data pass, so figures that are no numbers fail before it sees them, every
answer is counted, and each must agree with `facts.holds`. A check names table, column and figure: of
the sampled texts no result holds any, since only positions are asked for, and nothing of an
exception is told but that there was one. Importing it takes 4 to 6 s and 200 MB: only while judging.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readiness.errors import AnalysisError
from readiness.masking.prove.facts import KINDS, Law, excess, holds, rounded, told
from readiness.masking.prove.patterns import PATTERNS
from readiness.model.masking import MaskFact
from readiness.model.verdict import Check, Outcome, Severity

Texts = Mapping[str, Mapping[str, Sequence[str]]]  # by pattern, by table.column
_REQUIRED = ("rows", "columns")
_SUITE = "readiness masking"
# Where a value fails, and never the value.
_RESULTS = {"result_format": "COMPLETE", "exclude_unexpected_values": True}
# A candidate is a card number only by its check digit, which the server has looked at.
_SAMPLED = ("email", "phone")


def judge_masking(facts: Sequence[MaskFact], texts: Texts | None = None) -> list[Check]:
    """One check for each figure, one for their completeness, one for each pattern in the sample.

    No figure at all fails. Raises AnalysisError when Great Expectations answers less than it was
    asked, or otherwise than the figures say."""
    checks = [_completeness(facts)]
    for law in _Law.of(facts):
        checks += law.judged()
    for pattern in _SAMPLED:
        checks += _sampled(pattern, (texts or {}).get(pattern, {}))
    return checks


def failed(checks: Sequence[Check]) -> list[Check]:
    """Those that did not pass: without them a clone is proven."""
    return [check for check in checks if check.outcome is not Outcome.PASSED]


class _Law:
    """The figures that one native expectation can judge, in one frame."""

    def __init__(self, kind: str, facts: Sequence[MaskFact]) -> None:
        self._kind = kind
        self._facts = facts

    @staticmethod
    def of(facts: Sequence[MaskFact]) -> Iterator[_Law]:
        """The groups that are not empty; figures that are no numbers are one of their own."""
        groups: dict[str, list[MaskFact]] = {}
        for fact in facts:
            groups.setdefault(_group(fact), []).append(fact)
        return (_Law(kind, group) for kind, group in groups.items())

    def judged(self) -> list[Check]:
        """One check for each figure, in their order."""
        if self._kind == "missing":
            return [_check(fact, Outcome.MISSING, "the figure is missing") for fact in self._facts]
        wrong = self._wrong()
        return [self._one(n, fact, wrong) for n, fact in enumerate(self._facts)]

    def _one(self, number: int, fact: MaskFact, wrong: set[int]) -> Check:
        is_right = number not in wrong
        if is_right is not holds(fact):
            message = f"Great Expectations and the proof of {fact.name} of {fact.place} disagree."
            raise AnalysisError(message, hint="This is a fault of readiness: please report it.")
        return _check(
            fact, Outcome.PASSED if is_right else Outcome.FAILED, "" if is_right else told(fact)
        )

    def _wrong(self) -> set[int]:
        import great_expectations.expectations as gxe
        import pandas as pd

        frame = pd.DataFrame(
            {
                "before": [rounded(f.before) for f in self._facts],
                "after": [rounded(f.after) for f in self._facts],
                "excess": [excess(f) for f in self._facts],
            }
        )
        pair = {"column_A": "before", "column_B": "after"}
        expectation = {
            "equal": lambda: gxe.ExpectColumnPairValuesToBeEqual(**pair),
            "at most": lambda: gxe.ExpectColumnPairValuesAToBeGreaterThanB(**pair, or_equal=True),
            "within": lambda: gxe.ExpectColumnValuesToBeBetween(column="excess", max_value=0.0),
        }[self._kind]()
        counted = gxe.ExpectTableRowCountToEqual(value=len(self._facts))
        rows, result = _validate(frame, [counted, expectation])
        if not rows["success"]:
            raise AnalysisError("Great Expectations did not see every figure of the masking.")
        return _positions(result)


def _group(fact: MaskFact) -> str:
    if not (math.isfinite(fact.before) and math.isfinite(fact.after)):
        return "missing"
    if KINDS[fact.name].law is Law.AT_MOST:
        return "at most"
    return "within" if fact.tolerance_ratio else "equal"


def _check(fact: MaskFact, outcome: Outcome, why: str) -> Check:
    is_missing = outcome is Outcome.MISSING
    limit = fact.before if math.isfinite(fact.before) else None
    return Check(
        expectation=f"masking/{fact.name}/{fact.place}",
        stage=fact.place,
        metric=fact.name,
        statistic="",
        op="<=" if KINDS[fact.name].law is Law.AT_MOST else "==",
        limit=limit,
        unit="",
        severity=Severity.CRITICAL,
        outcome=outcome,
        value=None if is_missing else fact.after,
        count=1,
        why=f"{fact.place}: {why}" if is_missing else why,
    )


def _completeness(facts: Sequence[MaskFact]) -> Check:
    """Whether every kind of figure is there that a proof has; nothing at all is a failure."""
    missing = sorted(set(_REQUIRED) - {fact.name for fact in facts})
    if facts:
        import great_expectations.expectations as gxe
        import pandas as pd

        frame = pd.DataFrame({"name": [fact.name for fact in facts]})
        asked = gxe.ExpectColumnDistinctValuesToContainSet(column="name", value_set=list(_REQUIRED))
        (result,) = _validate(frame, [asked])
        if result["success"] is bool(missing):
            raise AnalysisError("Great Expectations did not see every figure of the masking.")
    return _summary(
        "complete", len(facts), 1.0, ">=", f"no figures of {', '.join(missing)}" if missing else ""
    )


def _sampled(pattern: str, texts: Mapping[str, Sequence[str]]) -> list[Check]:
    """One check for the sampled texts of a pattern; none where nothing was sampled."""
    rows = [(place, text) for place, found in texts.items() for text in found]
    if not rows:
        return []
    import great_expectations.expectations as gxe
    import pandas as pd

    frame = pd.DataFrame({"text": [text for _, text in rows]}, dtype="object")
    asked = gxe.ExpectColumnValuesToNotMatchRegex(column="text", regex=PATTERNS[pattern])
    counted = gxe.ExpectTableRowCountToEqual(value=len(rows))
    _, result = _validate(frame, [counted, asked])
    wrong = _positions(result)
    places = sorted({rows[n][0] for n in wrong})
    why = f"{', '.join(places)}: {KINDS[pattern].text} (of a sample)" if places else ""
    return [_summary(f"sample_{pattern}", len(wrong), 0.0, "<=", why, count=len(rows))]


def _summary(name: str, value: float, limit: float, op: str, why: str, *, count: int = 1) -> Check:
    return Check(
        expectation=f"masking/{name}",
        stage="",
        metric=name,
        statistic="",
        op=op,
        limit=limit,
        unit="",
        severity=Severity.CRITICAL,
        outcome=Outcome.FAILED if why else Outcome.PASSED,
        value=float(value),
        count=count,
        why=why,
    )


def _positions(result: Mapping[str, Any]) -> set[int]:
    """Where a row fails. Raises AnalysisError when Great Expectations could not tell."""
    wrong = result["result"].get("unexpected_index_list")
    if wrong is None or result["success"] is bool(wrong):
        raise AnalysisError("Great Expectations could not evaluate an expectation of the masking.")
    return {int(position) for position in wrong}


def _validate(frame: Any, expectations: Sequence[Any]) -> list[dict[str, Any]]:
    """Success and result of each, in the order asked; what an exception said is left behind."""
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    # A context of its own: a shared one is not safe between threads.
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
    asset = context.data_sources.add_pandas("clone").add_dataframe_asset("figures")
    batch = asset.add_batch_definition_whole_dataframe("all").get_batch(
        batch_parameters={"dataframe": frame}
    )
    suite = gx.ExpectationSuite(_SUITE, expectations=list(expectations))
    results = batch.validate(suite, result_format=_RESULTS).results
    if len(results) != len(expectations):
        asked, given = len(expectations), len(results)
        raise AnalysisError(f"Great Expectations was asked {asked} things and answered {given}.")
    return [{"success": bool(r.success), "result": dict(r.result or {})} for r in results]

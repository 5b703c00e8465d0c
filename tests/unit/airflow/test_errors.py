"""What a retry may mend is retried, the rest fails at once; both say what to do next."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import NoReturn

import pytest
from airflow.sdk.exceptions import (
    AirflowException,
    AirflowFailException,
    AirflowSkipException,
    AirflowTaskTimeout,
)

from readiness.airflow.errors import translated
from readiness.errors import CloneError, TargetUnavailable


def fails_with(error: BaseException) -> Callable[[], NoReturn]:
    def work() -> NoReturn:
        raise error

    return work


def test_what_the_work_returns_is_returned() -> None:
    assert translated(lambda: "runs/a") == "runs/a"


def test_a_lasting_error_is_not_retried() -> None:
    error = CloneError("There is no such snapshot.", hint="readiness clone create")
    with pytest.raises(AirflowFailException, match=r"(?s)no such snapshot.*readiness clone"):
        translated(fails_with(error))


def test_a_passing_error_may_be_retried() -> None:
    with pytest.raises(AirflowException) as caught:
        translated(fails_with(TargetUnavailable("Nobody answers.")))
    assert not isinstance(caught.value, AirflowFailException)


def test_what_must_end_well_is_tried_again_after_any_error() -> None:
    with pytest.raises(AirflowException) as caught:
        translated(fails_with(CloneError("The folder cannot be removed.")), retries_all=True)
    assert not isinstance(caught.value, AirflowFailException)


def test_an_error_that_nobody_foresaw_is_told_by_its_type_alone() -> None:
    work = fails_with(KeyError("jane@example.com"))
    with pytest.raises(AirflowFailException) as caught:
        translated(work)
    assert "KeyError at " in str(caught.value)
    assert "jane" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("error", [AirflowSkipException("closed"), AirflowTaskTimeout("10 min")])
def test_what_airflow_itself_raises_stays_what_it_is(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        translated(fails_with(error))
    assert caught.value is error

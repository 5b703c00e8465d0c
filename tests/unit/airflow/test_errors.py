"""What a retry may mend is retried, the rest fails at once; both say what to do next."""

from __future__ import annotations

import pytest
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from readiness.airflow.errors import translated
from readiness.errors import CloneError, TargetUnavailable


def test_a_lasting_error_is_not_retried() -> None:
    with (
        pytest.raises(AirflowFailException, match=r"(?s)no such snapshot.*readiness clone"),
        translated(),
    ):
        raise CloneError("There is no such snapshot.", hint="readiness clone create")


def test_a_passing_error_may_be_retried() -> None:
    with pytest.raises(AirflowException) as caught, translated():
        raise TargetUnavailable("Nobody answers.")
    assert not isinstance(caught.value, AirflowFailException)


def test_what_must_end_well_is_tried_again_after_any_error() -> None:
    with pytest.raises(AirflowException) as caught, translated(retries_all=True):
        raise CloneError("The folder cannot be removed.")
    assert not isinstance(caught.value, AirflowFailException)


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(ZeroDivisionError), translated():
        raise ZeroDivisionError

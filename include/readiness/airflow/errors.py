"""The one place where an error of ours becomes one of Airflow's, which decides about a retry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airflow.sdk.exceptions import AirflowException, AirflowFailException

from readiness.errors import ReadinessError
from readiness.report.terminal import format_error


@contextmanager
def translated(*, retries_all: bool = False) -> Iterator[None]:
    """Inside, a ReadinessError becomes AirflowException (the task may be retried) when it is
    transient or `retries_all` is set, else AirflowFailException; the text is the message and what
    to do next."""
    try:
        yield
    except ReadinessError as error:
        kind = AirflowException if error.transient or retries_all else AirflowFailException
        raise kind(format_error(error, colour=False)) from error

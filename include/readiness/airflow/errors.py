"""The one place where an error of ours becomes one of Airflow's, which decides about a retry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from airflow.sdk.exceptions import AirflowException, AirflowFailException

from readiness.errors import ReadinessError
from readiness.model.boundary import without_values
from readiness.report.terminal import format_error

T = TypeVar("T")


def translated(work: Callable[[], T], *, retries_all: bool = False) -> T:
    """What `work` returns. Its ReadinessError becomes AirflowException (the task may be retried) when
    it is transient or `retries_all` is set, else AirflowFailException; the text is the message and
    what to do next. So does an error that nobody foresaw, told by type and place alone.

    Airflow prints tracebacks, some of them with local variables: none of ours is in them."""
    try:
        return work()
    except BaseException as error:  # noqa: BLE001 - all of them may hold values
        failure = _as_airflow(error, retries_all=retries_all)
    raise failure  # behind the handler: it has no context


def _as_airflow(error: BaseException, *, retries_all: bool) -> BaseException:
    if isinstance(error, AirflowException):
        error.__cause__ = error.__context__ = None
        return error.with_traceback(None)
    plain = without_values(error)
    if isinstance(plain, OSError):
        return AirflowException(f"{plain.strerror}: {plain.filename}")
    if not isinstance(plain, ReadinessError):
        return plain
    kind = AirflowException if plain.transient or retries_all else AirflowFailException
    return kind(format_error(plain, colour=False))

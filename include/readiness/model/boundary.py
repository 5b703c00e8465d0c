"""Where captured values end: no exception that comes out of here holds one.

An exception can hold values in its message, in what it names (`UnicodeDecodeError.object`), in its
cause, and in the local variables of each frame of its traceback, which some log formatters print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from types import TracebackType
from typing import ParamSpec, TypeVar

from readiness.errors import ReadinessError, Unexpected

P = ParamSpec("P")
T = TypeVar("T")
_PACKAGE = "readiness"
_MOST_PLACES = 4
_HINT = """\
This is a fault of readiness, not of your files. Report it with these two lines and the output of
readiness --version. Send no log and no capture: they hold personal data."""


def values_end_here(function: Callable[P, T]) -> Callable[P, T]:
    """Lets out only exceptions as `without_values` makes them, with no frame from inside."""

    @wraps(function)
    def bounded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001 - all of them may hold values
            failure = without_values(error)
        del args, kwargs
        raise failure  # behind the handler: it has no context

    return bounded


def without_values(error: BaseException) -> BaseException:
    """The same error without cause and traceback where its message is known to hold no value (ours,
    the system's with its number, an interrupt); else Unexpected, with type and places."""
    if isinstance(error, OSError) and error.errno:
        return OSError(error.errno, error.strerror, error.filename)
    if isinstance(error, Exception) and not isinstance(error, ReadinessError):
        return unexpected(error)
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def unexpected(error: BaseException) -> Unexpected:
    """What no code of ours has foreseen: its type, and where it came from."""
    places = list(_places(error.__traceback__))
    trail = " < ".join(reversed(places[-_MOST_PLACES:])) or "an unknown place"
    return Unexpected(f"{type(error).__name__} at {trail}.", hint=_HINT)


def _places(trace: TracebackType | None) -> Iterator[str]:
    """Our own code's lines, the innermost last."""
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if module.split(".")[0] == _PACKAGE and module != __name__:
            yield f"{module.removeprefix('readiness.')}:{trace.tb_lineno}"
        trace = trace.tb_next

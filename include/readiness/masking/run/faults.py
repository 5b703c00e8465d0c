"""What a server's refusal means to whoever masks: the table, the cause, and what to do. No value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from readiness.errors import MaskingError, StatementFailed, TargetUnavailable

AGAIN = "Run it again: it goes on where it stopped."
_FULL = {1021, 1030, 1114, 1041, 3675, 1878, 1712}
_NOT_MADE = {1004, 1005}
_LOCKED = {1205, 1213, 3572, 1099}
_DENIED = {1044, 1045, 1142, 1143, 1227, 1370, 1410, 1419, 1449, 1698, 3619}
_UNFIT = {1264, 1265, 1292, 1366, 1406, 1411, 1048, 1690, 1365, 3140, 3141, 4079, 1977, 1918}
_TWICE = {1062, 1586, 1169, 1022}
_CHECKED = {3819, 4025}
_NO_PARTITION = {1526, 1591, 1748}


@contextmanager
def told_of(what: str) -> Iterator[None]:
    """Turns what a server says into a MaskingError that names `what`; a lost connection stays
    TargetUnavailable."""
    try:
        yield
    except StatementFailed as error:
        cause, hint = _meaning(error)
        raise MaskingError(f"{what} could not be masked: {cause}", hint=hint) from None
    except TargetUnavailable as error:
        raise TargetUnavailable(f"{error.message} {what} is half masked.", hint=AGAIN) from None


def _meaning(error: StatementFailed) -> tuple[str, str]:
    code = error.code
    for codes, cause, hint in _KNOWN:
        if code in codes:
            return cause.format(code=code), hint
    return f"the server answered with error {code}.", f"See the server's error log. {AGAIN}"


_KNOWN = (
    (
        _FULL,
        "the server's disk is full (error {code}).",
        f"A rebuilt table needs room for a second copy of it. Make room. {AGAIN}",
    ),
    (
        _NOT_MADE,
        "the server could not create a table (error {code}): its disk may be full.",
        f"See the server's error log, and make room. {AGAIN}",
    ),
    (
        _LOCKED,
        "another session holds a lock on it (error {code}).",
        f"See SHOW PROCESSLIST, and end that session. {AGAIN}",
    ),
    (
        _DENIED,
        "the account lacks a right (error {code}).",
        "Masking needs SELECT, INSERT, UPDATE, CREATE, DROP, ALTER, INDEX, REFERENCES and TRIGGER on the"
        f" database, and SUPER (SET USER) for triggers of other definers. {AGAIN}",
    ),
    (
        _UNFIT,
        "a masked value does not fit its column (error {code}).",
        "Give the column another look in the policy, or treat: empty.",
    ),
    (
        _TWICE,
        "two masked values met in a unique index (error {code}).",
        "Give the column a look of more room in the policy, or treat: keep with a reason.",
    ),
    (
        _CHECKED,
        "a masked value breaks a CHECK of the table (error {code}).",
        "Give the column another look in the policy, or drop the CHECK on the clone.",
    ),
    (
        _NO_PARTITION,
        "no partition takes a masked value (error {code}).",
        "Give the partitioning column treat: keep with a reason in the policy.",
    ),
)

"""Statements that stand twice in a log, or once without their text: which record counts.

A statement of the binary protocol counts once: its Execute, which holds the values. One prepared
in SQL counts as what was sent, PREPARE and EXECUTE; their Prepare and Execute twins do not. Slow
logs have what was executed in place of EXECUTE, MariaDB's EXECUTE IMMEDIATE beside it. MySQL writes
`PREPARE s FROM ...`, and the text in the Prepare behind it; in its slow log the text is lost.
"""

from __future__ import annotations

import re

from readiness.capture.effects import MAY_BE_PREPARED
from readiness.capture.events import LogEvent
from readiness.capture.session import Session
from readiness.model.workload import Form
from readiness.sql.lexer import encode

_ELIDED = b" FROM ..."
_BLANKS = rb"(?>\s++|/\*.*?\*/|(?:\#|--\s)[^\n]*+)*+"
_PREPARED = re.compile(
    _BLANKS + rb"(?:(?P<prepare>prepare)\s++(?P<name>[^\s]++)|execute\b(?P<now>\s++immediate\b)?"
    rb"|(?:deallocate|drop)\s++prepare\s++(?P<dropped>[^\s;]++))",
    re.DOTALL | re.IGNORECASE,
)


class Twins:
    """Decides for one log. `textless` counts PREPARE whose text the log has not."""

    def __init__(self, *, is_slow: bool) -> None:
        self.textless = 0
        self._is_slow = is_slow

    def sent(self, event: LogEvent, session: Session) -> bytes | None:
        """What the client sent with this event; None where another event stands for it."""
        sql = event.argument
        if session.elided is not None:
            elided = session.elided
            if event.command == "Prepare":  # stands between EXECUTE IMMEDIATE and its twin too
                session.elided = None
                return _restored(elided, event, session)
            self.drop_elided(session)
        if event.command == "Query":
            session.awaits_twin = False
            found = _PREPARED.match(sql) if sql[:1] in MAY_BE_PREPARED else None
            return self._prepared(event, session, found) if found else sql
        if event.command == "Prepare":
            return None
        awaits_twin, session.awaits_twin = session.awaits_twin, False
        return None if awaits_twin else sql

    def drop_elided(self, session: Session) -> None:
        """The text that a PREPARE waited for did not come."""
        if session.elided is not None:
            session.elided = None
            self.textless += 1

    def _prepared(self, event: LogEvent, session: Session, found: re.Match[bytes]) -> bytes | None:
        """A PREPARE, EXECUTE or DEALLOCATE in SQL."""
        sql = event.argument
        if found["prepare"] and sql.endswith(_ELIDED):
            if self._is_slow:
                session.textless.add(found["name"])
                self.textless += 1
            else:
                session.elided = event
            return None
        if found["dropped"] in session.textless:
            session.textless.discard(found["dropped"])
            return None
        if found["prepare"] or found["dropped"]:
            return sql
        session.awaits_twin = not self._is_slow
        return None if self._is_slow and found["now"] and not event.errno else sql


def _restored(elided: LogEvent, prepare: LogEvent, session: Session) -> bytes:
    """`PREPARE s FROM ...` with the text that the Prepare event holds."""
    plain = session.has_plain_backslashes
    text = encode(Form.TEXT, prepare.argument, no_backslash_escapes=plain)
    return elided.argument.removesuffix(b"...") + text

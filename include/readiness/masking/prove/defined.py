"""Definitions that name somebody: comments, defaults, listed words, partitions, bodies of views, routines,
triggers and events. Masking leaves them as they are, since plans depend on some; a plan says where."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readiness.masking.names import text
from readiness.masking.prove.patterns import EMAIL, PHONE
from readiness.ports import Session

_TELLING = {"an e-mail address": re.compile(EMAIL), "a telephone number": re.compile(PHONE)}
_OF = "information_schema"
_TEXTS = (  # what it is called, its name, its text
    ("the comment of table", f"SELECT TABLE_NAME, TABLE_COMMENT FROM {_OF}.TABLES WHERE TABLE_SCHEMA = %s"),
    ("the definition of column", "SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME), CONCAT_WS('\n', COLUMN_TYPE,"
     f" COLUMN_DEFAULT, COLUMN_COMMENT) FROM {_OF}.COLUMNS JOIN {_OF}.TABLES USING"
        " (TABLE_SCHEMA, TABLE_NAME) WHERE TABLE_TYPE <> 'VIEW' AND TABLE_SCHEMA = %s"),
    ("a partition of table", "SELECT TABLE_NAME, CONCAT_WS('\n', PARTITION_DESCRIPTION, PARTITION_COMMENT)"
     f" FROM {_OF}.PARTITIONS WHERE PARTITION_NAME IS NOT NULL AND TABLE_SCHEMA = %s"),
    ("view", f"SELECT TABLE_NAME, VIEW_DEFINITION FROM {_OF}.VIEWS WHERE TABLE_SCHEMA = %s"),
    ("routine", "SELECT ROUTINE_NAME, CONCAT_WS('\n', ROUTINE_DEFINITION, ROUTINE_COMMENT)"
     f" FROM {_OF}.ROUTINES WHERE ROUTINE_SCHEMA = %s"),
    ("trigger", f"SELECT TRIGGER_NAME, ACTION_STATEMENT FROM {_OF}.TRIGGERS WHERE TRIGGER_SCHEMA = %s"),
    ("event", "SELECT EVENT_NAME, CONCAT_WS('\n', EVENT_DEFINITION, EVENT_COMMENT)"
     f" FROM {_OF}.EVENTS WHERE EVENT_SCHEMA = %s"),
)  # fmt: skip


def defined_notes(session: Session, database: str) -> list[str]:
    """One line for each definition that holds an e-mail address or a telephone number; no value."""
    return list(dict.fromkeys(_notes(session, database)))


def _notes(session: Session, database: str) -> Iterator[str]:
    for kind, sql in _TEXTS:
        for name, said in sorted(
            (text(n), text(s or "")) for n, s in session.query(sql, (database,))
        ):
            for what, pattern in _TELLING.items():
                if pattern.search(said):
                    yield f"{kind} {name} holds {what}: masking leaves definitions as they are"

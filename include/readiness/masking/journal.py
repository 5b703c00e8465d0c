"""What a masking has decided and done, kept in the clone itself, so that a killed one goes on.

It stands beside the marker, in a schema that the load user may not read. It holds no key, and of rows
only the primary key at which a range ended; all of it goes when masking is proven.
"""

from __future__ import annotations

from readiness.errors import StatementFailed
from readiness.model.clone import MARKER_SCHEMA
from readiness.ports import Session

_ABSENT = {1049, 1146}  # unknown database, no such table


class Journal:
    """Texts by name in `readiness_marker.masking`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def read(self, name: str) -> str | None:
        """The text of that name, None where none was written."""
        try:
            rows = self._session.query(
                "SELECT body FROM readiness_marker.masking WHERE name = %s", (name,)
            )
        except StatementFailed as error:
            if error.code in _ABSENT:
                return None
            raise
        return str(rows[0][0]) if rows else None

    def write(self, name: str, text: str) -> None:
        """Sets it, in the transaction that is open, if one is."""
        self._session.query(
            "INSERT INTO readiness_marker.masking (name, body) VALUES (%s, %s)"
            " ON DUPLICATE KEY UPDATE body = VALUES(body)",
            (name, text),
        )

    def open(self) -> None:
        """Makes the table once. DDL: it ends a transaction."""
        self._session.query(f"CREATE DATABASE IF NOT EXISTS {MARKER_SCHEMA}")
        self._session.query(
            "CREATE TABLE IF NOT EXISTS readiness_marker.masking"
            " (name VARCHAR(190) NOT NULL PRIMARY KEY, body LONGTEXT NOT NULL) ENGINE=InnoDB"
            " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        )

    def keep(self, name: str) -> None:
        """Forgets all but the text of that name, at once."""
        self._session.query("DELETE FROM readiness_marker.masking WHERE name <> %s", (name,))

    def clear(self) -> None:
        """Forgets all."""
        self._session.query("DROP TABLE IF EXISTS readiness_marker.masking")

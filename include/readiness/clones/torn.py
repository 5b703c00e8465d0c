"""Tells from what a server logs at its first start whether the datadir it got is one moment's.

A copy of a live datadir opens, and CHECK TABLE calls it good, though rows of one transaction are
missing. Three things give it away; each is what the servers really log (MariaDB 10.11, MySQL 9.7):

damage      a page is newer than the end of the redo log, or unreadable. MySQL finds most of them
            when it reads the page: ask again after all tables were read.
recovery    the source was not stopped in order, though its method says "stopped". A server killed
            with -9 is consistent, but its log looks just like that of a live copy: both are refused.
died        the server did not live through its start: its own errors say why.

A server that was stopped in order logs none of it, nor does a prepared backup; a CLONE recovers
at its first start by design. MySQL must log notes (--log-error-verbosity=3) for `recovery`.
"""

from __future__ import annotations

import re

STOPPED = "stopped"
BACKUP = "mariadb-backup"
CLONE = "clone-plugin"

_DAMAGE = re.compile(
    r"MY-012562|MY-011971|MY-011972"  # MySQL: the log ends before a page, a page in the future
    r"|is in the future!"  # MariaDB, and MySQL before 8.0
    r"|\[ERROR\].*\bcorrupt"
    r"|Missing (FILE_CHECKPOINT|MLOG_CHECKPOINT)"
    r"|Assertion failure",
    re.IGNORECASE,
)
_RECOVERY = {
    # "Crash recovery finished in InnoDB engine" (MY-013911) stands in every MySQL log.
    "mysql": re.compile(r"MY-012551|MY-012552|Database was not shut ?down normally"),
    "mariadb": re.compile(r"InnoDB: Starting crash recovery|Aria engine: starting recovery"),
}


def refusal(log_text: str, engine: str, method: str) -> str:
    """Why the datadir that logged this at its first start must not be used; "" when it may be.

    `log_text` is the error log of that one start: a later start after a kill recovers, too."""
    if _DAMAGE.search(log_text):
        return "The copied data is torn: pages are newer than the redo log, or damaged."
    if method == STOPPED and _RECOVERY[engine].search(log_text):
        return (
            "The source of this snapshot was not stopped in order: its first start had to recover,"
            " so it may be a copy of a running server, of no single moment."
        )
    return ""


def remedy(method: str) -> str:
    """What to do about it."""
    if method == STOPPED:
        return (
            "Start the source, stop it in order (SIGTERM, or SHUTDOWN), and take the snapshot again;\n"
            "or take it of the running server:  --source 'mysql://user@localhost/?socket=/path'"
        )
    return "Take the snapshot again."

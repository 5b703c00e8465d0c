"""What servers really log at the first start of good and of torn copies (MariaDB 10.11, MySQL 9.7)."""

from __future__ import annotations

import pytest

from readiness.clones import torn

CLEAN_MARIADB = """\
2026-12-01  0:06:26 0 [Note] InnoDB: End of log at LSN=4133783
2026-12-01  0:06:26 0 [Note] InnoDB: log sequence number 4133783; transaction id 41
2026-12-01  0:06:26 0 [Note] InnoDB: Loading buffer pool(s) from /srv/corrupt_shop/data/ib_buffer_pool
2026-12-01  0:06:26 0 [Note] /usr/sbin/mariadbd: ready for connections.
"""
PREPARED_BACKUP = """\
2026-12-01  0:06:51 0 [Note] InnoDB: End of log at LSN=39005768
2026-12-01  0:06:51 0 [Note] InnoDB: 6 transaction(s) which must be rolled back or cleaned up in total 12 row operations to undo
2026-12-01  0:06:51 0 [Note] InnoDB: Resizing redo log from 12.016KiB to 96.000MiB; LSN=39005768
2026-12-01  0:06:51 0 [Note] InnoDB: Rolled back recovered transaction 141806
"""
CLEAN_MYSQL = """\
2026-12-01T00:10:39.386833Z 1 [Note] [MY-013883] [InnoDB] The latest found checkpoint is at lsn = 23772966 in redo log file ./#innodb_redo/#ib_redo7.
2026-12-01T00:10:39.386960Z 1 [Note] [MY-012532] [InnoDB] Applying a batch of 0 redo log records ...
2026-12-01T00:10:39.671315Z 0 [Note] [MY-013911] [Server] Crash recovery finished in InnoDB engine. No attempts to commit, rollback or prepare any transactions.
2026-12-01T00:10:39.674029Z 0 [Note] [MY-012487] [InnoDB] DDL log recovery : begin
"""
RECOVERED_MARIADB = """\
2026-12-01  0:06:33 0 [Note] InnoDB: Starting crash recovery from checkpoint LSN=12126559
2026-12-01  0:06:33 0 [Note] InnoDB: End of log at LSN=16354759
2026-12-01  0:06:33 0 [Note] InnoDB: To recover: 372 pages
"""
RECOVERED_MYSQL = """\
2026-12-01T00:10:53.865953Z 1 [Note] [MY-012560] [InnoDB] The log sequence number 23772966 in the system tablespace does not match the log sequence number 28466122 in the redo log files!
2026-12-01T00:10:53.865968Z 1 [Note] [MY-012551] [InnoDB] Database was not shutdown normally!
2026-12-01T00:10:53.865972Z 1 [Note] [MY-012552] [InnoDB] Starting crash recovery.
"""
TORN_MYSQL = """\
2026-12-01T00:07:15.620450Z 1 [ERROR] [MY-012562] [InnoDB] We scanned the log up to 39060407. A checkpoint was at 34234736 and the maximum LSN on a database page was 39617401. It is possible that the database is now corrupt!
"""
TORN_PAGES_MYSQL = """\
2026-12-01T00:07:15.824771Z 0 [ERROR] [MY-011971] [InnoDB] Tablespace 'shop/orders' Page [page id: space=3, page number=29] log sequence number 50467648 is in the future! Current system log sequence number 49992337.
"""
TORN_MARIADB = """\
2026-12-01  0:06:33 0 [ERROR] InnoDB: Page [page id: space=3, page number=29] log sequence number 50467648 is in the future! Current system log sequence number 49992337.
2026-12-01  0:06:33 0 [ERROR] InnoDB: Your database may be corrupt or you may have copied the InnoDB tablespace but not the InnoDB log files.
"""


@pytest.mark.parametrize(
    ("log", "engine", "method"),
    [
        (CLEAN_MARIADB, "mariadb", torn.STOPPED),
        (PREPARED_BACKUP, "mariadb", torn.BACKUP),
        (CLEAN_MYSQL, "mysql", torn.STOPPED),
        (RECOVERED_MYSQL, "mysql", torn.CLONE),
        ("", "mysql", torn.STOPPED),
    ],
)
def test_a_good_copy_is_never_refused(log: str, engine: str, method: str) -> None:
    assert torn.refusal(log, engine, method) == ""


@pytest.mark.parametrize(
    ("log", "engine"), [(RECOVERED_MARIADB, "mariadb"), (RECOVERED_MYSQL, "mysql")]
)
def test_a_stopped_source_that_has_to_recover_was_not_stopped_in_order(
    log: str, engine: str
) -> None:
    assert "not stopped in order" in torn.refusal(log, engine, torn.STOPPED)
    assert "stop it in order" in torn.remedy(torn.STOPPED)


@pytest.mark.parametrize("method", [torn.STOPPED, torn.BACKUP, torn.CLONE])
@pytest.mark.parametrize(
    ("log", "engine"),
    [(TORN_MYSQL, "mysql"), (TORN_PAGES_MYSQL, "mysql"), (TORN_MARIADB, "mariadb")],
)
def test_pages_newer_than_the_log_are_refused_however_they_were_copied(
    log: str, engine: str, method: str
) -> None:
    assert "torn" in torn.refusal(log, engine, method)
    assert torn.remedy(method)

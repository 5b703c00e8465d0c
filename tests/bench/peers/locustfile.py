"""Locust with PyMySQL, as its users write it: a client per user, an event per statement.

The login stands in BENCH_LOGIN as JSON. Prints {"cpu_s": …, "statements": …} of the loaded part."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pymysql
from locust import User, constant, events, task

sys.path.insert(0, str(Path(__file__).parent))
from transaction import transaction

LOGIN = json.loads(os.environ["BENCH_LOGIN"])
counted = {"cpu_s": 0.0, "statements": 0}


class Shopper(User):
    """One connection, one transaction after the other."""

    wait_time = constant(0)

    def on_start(self) -> None:
        """Logs in."""
        self.connection = pymysql.connect(**LOGIN, ssl_disabled=True, autocommit=True)
        self.cursor = self.connection.cursor()

    @task
    def checkout(self) -> None:
        """One transaction; each statement is an event of its own, or Locust would show none."""
        for sql in transaction():
            begun = time.perf_counter()
            self.cursor.execute(sql)
            rows = self.cursor.fetchall()
            events.request.fire(
                request_type="sql", name=sql[:6], response_length=len(rows), exception=None,
                response_time=(time.perf_counter() - begun) * 1000, context={},
            )  # fmt: skip


@events.request.add_listener
def count(**_: object) -> None:
    """One statement more."""
    counted["statements"] += 1


@events.test_start.add_listener
def begin(**_: object) -> None:
    """The loaded part begins."""
    counted["cpu_s"] = -time.process_time()


@events.test_stop.add_listener
def end(**_: object) -> None:
    """The loaded part ends."""
    counted["cpu_s"] += time.process_time()
    print(json.dumps(counted), flush=True)

"""Locust with PyMySQL, as its users write it: a client per user, an event per statement.

The login stands in BENCH_LOGIN as JSON, the length in BENCH_SECONDS: Locust's own --run-time counts
from its start, imports included. Prints {"cpu_s": …, "statements": …} of the loaded part."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import gevent
import pymysql
from locust import User, constant, events, task
from locust.env import Environment

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
def begin(environment: Environment, **_: object) -> None:
    """The loaded part begins, and its end is set."""
    counted["cpu_s"] = -time.process_time()
    gevent.get_hub().loop.update_now()
    gevent.spawn_later(float(os.environ["BENCH_SECONDS"]), environment.runner.quit)


@events.test_stop.add_listener
def end(**_: object) -> None:
    """The loaded part ends."""
    counted["cpu_s"] += time.process_time()
    print(json.dumps(counted), flush=True)

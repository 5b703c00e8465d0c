"""PyMySQL cursors in threads, as scripts do it: `HOST PORT USER PASSWORD DATABASE THREADS SECONDS`.

Each statement is timed and kept. Prints {"cpu_s": …, "statements": …} of the loaded part."""

from __future__ import annotations

import json
import sys
import threading
import time

import pymysql

from transaction import transaction  # isort: skip


def client(login: list[str], until_s: float, took_s: list[float]) -> None:
    """One connection, one transaction after the other."""
    host, port, user, password, database = login
    connection = pymysql.connect(
        host=host, port=int(port), user=user, password=password, database=database,
        ssl_disabled=True, autocommit=True,
    )  # fmt: skip
    with connection, connection.cursor() as cursor:
        while time.monotonic() < until_s:
            for sql in transaction():
                begun = time.perf_counter()
                cursor.execute(sql)
                cursor.fetchall()
                took_s.append(time.perf_counter() - begun)


def main() -> None:
    """Runs for SECONDS and says what it took."""
    *login, threads, seconds = sys.argv[1:]
    until_s, took_s = time.monotonic() + float(seconds), list[float]()
    begun_s = time.process_time()
    clients = [
        threading.Thread(target=client, args=(login, until_s, took_s)) for _ in range(int(threads))
    ]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    print(json.dumps({"cpu_s": time.process_time() - begun_s, "statements": len(took_s)}))


if __name__ == "__main__":
    main()

"""A private server that a person adopted, and `readiness load` and `ramp` on it as real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.fakes.load_accounts import load_dsn

from readiness.adapters.local_server import LocalServer

WORKLOAD = """\
-- @workload checkout  schema_version: 1  captures: 1  statements: 4  transactions: 1

-- @statement s001  -- @transaction 1
BEGIN;
-- @statement s002  -- @transaction 1
INSERT INTO orders (item) VALUES (7);
-- @statement s003  -- @transaction 1
INSERT INTO orders (item) VALUES (8);
-- @statement s004  -- @transaction 1
COMMIT;
"""
ROWS_A_CHECKOUT = 2
SLOW = WORKLOAD.replace("INSERT INTO orders (item) VALUES (8)", "SELECT SLEEP(60)")
_COMMAND = str(Path(sys.executable).with_name("readiness"))


class LoadCommands:
    """`readiness …` in `folder` against a shop of one table on `server`."""

    def __init__(self, server: LocalServer, folder: Path) -> None:
        self._server = server
        self.folder = folder
        with closing(server.root_session("")) as admin:
            admin.query("CREATE DATABASE shop")
            admin.query("CREATE TABLE shop.orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, item INT)")
        (folder / "checkout.sql").write_text(WORKLOAD)
        (folder / "slow.sql").write_text(SLOW)
        socket = server.running_state().socket
        root = f"mysql://root@localhost/shop?socket={socket}"
        self.done("clone", "adopt", root, "--yes", "--masked", "an invented shop")
        self.target = load_dsn(server, "shop")

    def start(self, *words: object, terminal: int | None = None) -> subprocess.Popen[str]:
        """A command that goes on; it speaks to the descriptor of a terminal where there is one."""
        return subprocess.Popen(
            [_COMMAND, *map(str, words)],
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if terminal is None else terminal,
            stderr=subprocess.PIPE if terminal is None else terminal,
            text=True,
            # Whoever runs tests in the background has them ignore Ctrl-C, and their children, too.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def said(self, *words: object) -> tuple[int, str, str]:
        """Exit code, output and what was said beside it, of a command that ends by itself."""
        process = self.start(*words)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def done(self, *words: object) -> str:
        code, out, err = self.said(*words)
        assert code == 0, out + err
        return out

    def rows(self) -> int:
        return int(self._ask("SELECT COUNT(*) FROM shop.orders"))

    def rows_come(self, process: subprocess.Popen[str], *, above: int) -> None:
        """Waits until the load of `process` has written more rows than `above`."""
        workers_start(process)
        until(lambda: self.rows() > above, "the load writes rows")

    def connections(self) -> int:
        """Those of the account that loads."""
        return int(
            self._ask(
                "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'readiness_load'"
            )
        )

    def statements(self) -> int:
        """Those of the account that loads which run just now."""
        return int(
            self._ask(
                "SELECT COUNT(*) FROM information_schema.processlist"
                " WHERE user = 'readiness_load' AND command <> 'Sleep'"
            )
        )

    def open_transactions(self) -> int:
        return int(self._ask("SELECT COUNT(*) FROM information_schema.innodb_trx"))

    def _ask(self, sql: str) -> str:
        with closing(self._server.root_session("")) as admin:
            ((value,),) = admin.query(sql)
            return str(value)

    def _environment(self) -> dict[str, str]:
        plain = {k: v for k, v in os.environ.items() if not k.startswith("READINESS_")}
        return {**plain, "READINESS_STATE": str(self.folder / ".local")}


def until(holds: Callable[[], bool], what: str, *, within_s: float = 20.0) -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.02)


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The load workers among the children of a command."""
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    children = [int(pid) for pid in path.read_text().split()] if path.exists() else []
    return [p for p in children if b"readiness.worker" in Path(f"/proc/{p}/cmdline").read_bytes()]


def workers_start(process: subprocess.Popen[str]) -> None:
    """Waits for the first load worker. A question to the server before would be a foreign session, which
    the interlock refuses."""
    until(lambda: workers_of(process) != [], "a worker starts")


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def end(process: subprocess.Popen[str]) -> None:
    """However the test ended, its command does not go on; what a killed one said is shown."""
    if process.poll() is None:
        process.kill()
        sys.stderr.write("".join(filter(None, process.communicate(timeout=10))))

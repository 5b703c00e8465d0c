"""The command lines of a private server: how it is started, and how its datadir is made."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from readiness.adapters.server_binary import ServerBinary, bootstrap_files

_MIB = 1 << 20
_CLONE_PLUGIN = "mysql_clone.so"
_PLUGIN_FOLDERS = (Path("/usr/lib/mysql/plugin"), Path("/usr/lib64/mysql/plugin"))


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a private server runs; the defaults keep it below 350 MB and commits durable.

    `port` 0 takes a free one. `is_attached` servers die with the process that started them;
    detached ones stay until they are stopped. `extra` goes to the server as it stands."""

    port: int = 0
    buffer_pool_bytes: int = 128 * _MIB
    max_connections: int = 512
    performance_schema: bool = True
    durable_commits: bool = True
    log_bin: bool = False
    is_attached: bool = True
    extra: tuple[str, ...] = ()


def start_command(
    binary: ServerBinary, options: ServerOptions, *, directory: Path, socket: Path, port: int
) -> list[str]:
    """The argument list that starts the server of `directory` on `port`."""
    lines = [
        *_first(binary, directory / "data"),
        f"--socket={socket}",
        f"--pid-file={socket.with_name('mysql.pid')}",
        f"--port={port}",
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        f"--log-error={directory / 'error.log'}",
        f"--general-log-file={directory / 'general.log'}",
        f"--slow-query-log-file={directory / 'slow.log'}",
        f"--tmpdir={directory / 'tmp'}",
        "--character-set-server=utf8mb4",
        "--local-infile=OFF",
        "--event-scheduler=OFF",
        f"--innodb-buffer-pool-size={options.buffer_pool_bytes}",
        f"--innodb-flush-log-at-trx-commit={1 if options.durable_commits else 2}",
        f"--sync-binlog={1 if options.durable_commits else 0}",
        f"--max-connections={options.max_connections}",
        "--table-open-cache=400",
        "--log-bin=binlog" if options.log_bin else "--skip-log-bin",
        "--server-id=1",
        *_memory(options),
        *options.extra,
    ]
    if binary.engine == "mariadb":
        return [*lines, "--skip-slave-start"]
    return [
        *lines,
        "--skip-replica-start",
        "--mysqlx=OFF",
        "--secure-file-priv=NULL",
        "--log-error-verbosity=3",  # less hides that a start had to recover (clones.torn)
        *_clone_plugin(binary),
    ]


def initialise_command(binary: ServerBinary, datadir: Path) -> list[str]:
    """The argument list that makes a datadir; MariaDB reads `bootstrap_sql` on its input.

    Temporary tables go beside it: a server that starts removes those of others from /tmp, and the
    other dies of it."""
    first = [*_first(binary, datadir), f"--tmpdir={datadir.parent}"]
    if binary.engine == "mysql":
        return [*first, "--initialize-insecure", "--secure-file-priv=NULL"]
    return [
        *first,
        "--bootstrap",
        "--skip-log-bin",
        "--log-warnings=0",
        "--enforce-storage-engine=",
        "--max-allowed-packet=8M",
        "--net-buffer-length=16K",
    ]


def bootstrap_sql(binary: ServerBinary) -> bytes:
    """What MariaDB reads to make its system tables; b"" for MySQL, which knows them itself.

    Of the accounts only root on the socket stays, without a password: the socket's folder is
    closed to other users, and over TCP root gets no answer."""
    if binary.engine == "mysql":
        return b""
    before = b"create database if not exists mysql;\nuse mysql;\nset @auth_root_socket=null;\n"
    after = (
        b"use mysql;\n"
        b"delete from global_priv where Host <> 'localhost';\n"
        b"delete from proxies_priv where Host <> 'localhost';\n"
    )
    return before + b"\n".join(f.read_bytes() for f in bootstrap_files(binary)) + b"\n" + after


def _first(binary: ServerBinary, datadir: Path) -> list[str]:
    """What must come first: no option file of this machine, and never as root by accident."""
    as_root = ["--user=root"] if os.geteuid() == 0 else []
    return [
        str(binary.path),
        "--no-defaults",
        *binary.prefix_options,
        *as_root,
        f"--datadir={datadir}",
    ]


def _clone_plugin(binary: ServerBinary) -> list[str]:
    """Loads MySQL's CLONE plugin, with which a running server is copied, where it is installed."""
    named = [o.partition("=")[2] for o in binary.prefix_options if o.startswith("--plugin-dir=")]
    base = binary.path.resolve().parent.parent
    folders = [*map(Path, named), base / "lib/mysql/plugin", base / "lib/plugin", *_PLUGIN_FOLDERS]
    there = any((folder / _CLONE_PLUGIN).is_file() for folder in folders)
    return [f"--plugin-load-add={_CLONE_PLUGIN}"] if there else []


def _memory(options: ServerOptions) -> list[str]:
    """performance_schema reserves memory by its limits: these take 60 MB less (10.11)."""
    if not options.performance_schema:
        return ["--performance-schema=OFF"]
    histories = ("waits", "statements", "stages", "transactions")
    return [
        "--performance-schema=ON",
        "--performance-schema-digests-size=2000",
        *(f"--performance-schema-{who}-size=100" for who in ("accounts", "hosts", "users")),
        *(f"--performance-schema-events-{h}-history-long-size=100" for h in histories),
    ]

"""What a DSN names, and the adapters that reach it.

A target that is a clone of ours is administered as root over its own socket; any other target with
the account its DSN names.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from readiness import interlock
from readiness.adapters.addresses import addresses_of
from readiness.adapters.clock import SystemClock
from readiness.adapters.host import Host, fsync_probe_ms
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.mysql_session import Login, login_of, open_session
from readiness.adapters.performance_schema import PerformanceSchema
from readiness.adapters.worker_process import ChildWorker
from readiness.analysis.validity import FSYNC_PROBE
from readiness.config.dsn import Dsn
from readiness.config.settings import Settings
from readiness.errors import ConfigError, StatementFailed, TargetError
from readiness.flow.ramp import Launch
from readiness.interlock import Purpose
from readiness.load.messages import Assignment
from readiness.load.messages import Target as LoadTarget
from readiness.metrics.sampler import StageSampler
from readiness.model.clone import Clone, Endpoint, Key
from readiness.model.load import LoadOptions, Stage
from readiness.model.workload import Workload
from readiness.ports import ProductionEndpoint, Session, WorkerProcess
from readiness.workload.make.pools import Pools, read_pools
from readiness.workload.text.file import parse

LEASE_S = 4 * 3600.0
_LEFT_WITHIN_S = 1.0
_RUNNING = (
    "SELECT id FROM information_schema.processlist"
    " WHERE user = %s AND command <> 'Sleep' AND id <> CONNECTION_ID()"
)
_PRODUCTION_WITHIN_S = 3.0  # to connect, and for each of a few cheap reads


@dataclass(frozen=True, slots=True)
class Target:
    """A database that a command names. `clone` is set when it is one of ours; `admin` is the login
    for the interlock and the sampler, `load` the account that the load uses. `renew(seconds)` moves
    the lease of a clone of ours; an adoption is for as long as the person said."""

    dsn: Dsn
    text: str
    load: LoadTarget
    admin: Login
    clone: Clone | None
    renew: Callable[[float], object]

    @property
    def endpoint(self) -> Endpoint:
        """Where it listens."""
        return self.dsn.endpoint

    @property
    def where(self) -> str:
        """What it is in words, without an account."""
        database = f", database {self.dsn.database}" if self.dsn.database else ""
        return f"{self.endpoint}{database}"

    @contextmanager
    def admin_session(self) -> Iterator[Session]:
        """A session with the admin login."""
        session = open_session(**self.admin)
        try:
            yield session
        finally:
            session.close()

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session with the account of the DSN."""
        session = open_session(**login_of(self.dsn))
        try:
            yield session
        finally:
            session.close()


@dataclass(frozen=True, slots=True)
class LoadSource:
    """What every worker of a run shares: the workload and its file, the pools read for it, the
    run's own namespace, and the folder of the workers' logs."""

    workload: Workload
    path: Path
    pools: Pools
    namespace: str
    logs: Path


def target_of(text: str, clones: LocalClones) -> Target:
    """The target that a DSN names. Raises ConfigError; connects to nothing."""
    dsn = Dsn.parse(text)
    clone = _clone_at(dsn.endpoint, clones)
    load = LoadTarget(
        user=dsn.user,
        database=dsn.database,
        host=dsn.host,
        port=dsn.port,
        socket=dsn.socket,
        # A clone that is not masked has no load user yet; the interlock says so, not a missing file.
        password=dsn.password() if clone is None or clone.masked else "",
        tls=dsn.tls,
    )
    admin = clones.server(clone.name).root_login() if clone else login_of(dsn)
    return Target(dsn, text, load, admin, clone, _renewal(clone, clones))


def workload_at(path: Path) -> Workload:
    """The workload of a file. Raises ConfigError when there is none, WorkloadFileError."""
    if not path.is_file():
        raise ConfigError(
            f"There is no workload file {path}.",
            hint="Build one:  readiness workload build --capture LOG … --source DSN -o checkout.sql",
        )
    return parse(path.read_bytes(), path=path)


def source_at(target: Target, path: Path, logs: Path) -> LoadSource:
    """The workload of a file and its pools, read now as the account that will load; values made from
    it meet those of no other source. Raises as `workload_at` does, WorkloadError, TargetError."""
    workload = workload_at(path)
    with target.session() as session:
        pools = read_pools(workload, session)
    return LoadSource(workload, path, pools, secrets.token_hex(8), logs)


def clone_dsn(clones: LocalClones, clone: Clone) -> str:
    """The DSN of a clone's load user, as a person types it."""
    file = clones.load_password_file(clone.name)
    return f"mysql://{interlock.LOAD_USER}@{clone.endpoint}/{clone.database}?password_file={file}"


def keys_of(
    target: Target, session: Session, settings: Settings, purpose: Purpose = Purpose.LOAD
) -> list[Key]:
    """Whether each key of the interlock holds, asked in an `admin_session` of the target."""
    now_s = SystemClock().wall_s()
    return interlock.check(session, place_of(target, settings), now_s=now_s, purpose=purpose)


def place_of(target: Target, settings: Settings) -> interlock.Place:
    """Where the target stands, and how the interlock may ask others of it."""
    return interlock.Place(
        target.endpoint,
        settings.production,
        is_ours=target.clone is not None,
        own_users=frozenset({interlock.LOAD_USER, target.dsn.user}),
        ask=production_session,
        load=lambda: open_session(**login_of(target.dsn)),
        resolve=addresses_of,
    )


def production_session(known: ProductionEndpoint) -> Session:
    """A session on a production endpoint with the account that its DSN names, which gives up soon.
    Raises TargetError, ConfigError (the password)."""
    login = login_of(Dsn.parse(known.dsn))
    login["connect_timeout_s"] = login["read_timeout_s"] = _PRODUCTION_WITHIN_S
    return open_session(**login)


def gate(target: Target, settings: Settings, purpose: Purpose = Purpose.LOAD) -> Callable[[], None]:
    """Asks the interlock for all keys; raises TargetRefused, TargetUnavailable."""

    def ask() -> None:
        with target.admin_session() as session:
            keys = keys_of(target, session, settings, purpose)
        interlock.require(keys, target=target.text, purpose=purpose, where=target.where)

    return ask


def hold(
    target: Target, settings: Settings, *, for_s: float, purpose: Purpose = Purpose.LOAD
) -> Callable[[], None]:
    """Like `gate`; and then the lease lasts for `for_s` seconds, so that it does not end midway."""
    ask = gate(target, settings, purpose)

    def ask_and_renew() -> None:
        ask()
        target.renew(for_s)

    return ask_and_renew


def sampler(target: Target, *, shard_pids: Callable[[], Iterable[int]] = tuple) -> StageSampler:
    """The metric sources of a target: the server over SQL, and for a clone of ours its host, where
    `shard_pids` may give more processes that make this run's load."""
    server = PerformanceSchema(open_session(**target.admin))
    clone = target.clone
    if clone is None:
        return StageSampler([server], SystemClock())
    folder = Path(clone.directory)
    return StageSampler(
        [server, Host([os.getpid(), clone.pid], found_roots=shard_pids)],
        SystemClock(),
        idle_probe=lambda: {FSYNC_PROBE: fsync_probe_ms(folder)},
    )


def end_statements(targets: Iterable[Target]) -> None:
    """Ends what the load's accounts still run there, once their workers have ended. The server rolls an
    idle transaction back as its connection closes, but a statement that waits for a lock would only
    see that when its wait is over. A server that does not answer is left alone."""
    for target in targets:
        login = target.admin.copy()
        login["connect_timeout_s"] = login["read_timeout_s"] = _LEFT_WITHIN_S
        with suppress(TargetError), closing(open_session(**login)) as session:
            for (number,) in session.query(_RUNNING, (target.load.user,)):
                with suppress(StatementFailed):  # it has just ended by itself
                    session.query("KILL %s", (number,))


def launcher(target: Target, source: LoadSource) -> Launch:
    """Starts worker processes of the load engine."""
    start_one = starter(target, source)

    def launch(
        stage: Stage, options: LoadOptions, first_number: int
    ) -> Callable[[int], WorkerProcess]:
        def start(worker: int) -> WorkerProcess:
            return start_one(Assignment(source.namespace, stage, options, worker, first_number))

        return start

    return launch


def starter(target: Target, source: LoadSource) -> Callable[[Assignment], WorkerProcess]:
    """Starts one worker process for what it is told to do."""
    pools = source.pools.to_json()

    def start(told: Assignment) -> WorkerProcess:
        job = told.job(target.load, str(source.path), pools)
        return ChildWorker(job, log=worker_log(source.logs, told.worker))

    return start


def worker_log(logs: Path, worker: int) -> Path:
    """The file that holds the stderr of a stage's worker."""
    return logs / f"worker-{worker}.log"


def _renewal(clone: Clone | None, clones: LocalClones) -> Callable[[float], object]:
    if clone is None:
        return lambda _seconds: None
    return lambda seconds: clones.renew(clone.name, seconds)


def _clone_at(endpoint: Endpoint, clones: LocalClones) -> Clone | None:
    for clone in clones.list():
        if clone.pid and _same_place(endpoint, clone, clones):
            return clone
    return None


def _same_place(endpoint: Endpoint, clone: Clone, clones: LocalClones) -> bool:
    if endpoint.socket:
        return endpoint.socket == clones.server(clone.name).running_state().socket
    return interlock.is_loopback(endpoint) and endpoint.port == clone.endpoint.port

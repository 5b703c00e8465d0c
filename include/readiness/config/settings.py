"""Settings of a machine: READINESS_* variables and STATE/production.json, read once.

READINESS_STATE        folder of clones, snapshots, locks and private servers (default .local)
READINESS_STORE        folder that holds `runs/` (default: the state folder)
READINESS_KEY_FILE     key of the pseudonyms (default ~/.config/readiness/key)
READINESS_PRODUCTION   endpoints that must never be loaded: host:port, /path.sock or a DSN with an
                       account that may look there (mysql://watch@host/?password_file=…), with commas
READINESS_CLONE_LIFETIME  "attached": clones of DAG tasks die with their process (default: detached)
READINESS_CAPTURES        folder of raw logs, which are deleted in time (default STATE/captures)
READINESS_RAW_LOG_DAYS    days that raw logs stay until `readiness prune` deletes them (default 14)
READINESS_RUN_DAYS        days that run folders stay (default: for ever)
READINESS_SLACK_CHANNEL   id of the channel that is told of runs, such as C0123456789
READINESS_SLACK_GROUP     id of the user group that is paged, such as S0123456789
READINESS_BASE_URL        where Airflow's pages are, for links in messages: https://airflow.example.com

READINESS_MYSQLD, the server program, is read where programs are looked for
(`adapters.server_binary`).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from readiness.config.dsn import Dsn
from readiness.errors import ConfigError
from readiness.model.clone import Endpoint
from readiness.ports import ProductionEndpoint

DEFAULT_STATE = Path(".local")
RAW_LOG_DAYS = 14.0
_HINT = (
    "Write host:port, an absolute socket path, or mysql://user@host:port/?password_file=FILE;"
    " separate several with commas."
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What this machine is told. None: not set, the adapter's default counts."""

    state: Path
    store: Path
    key_file: Path | None
    production: tuple[ProductionEndpoint, ...]
    is_clone_attached: bool = False
    slack_channel: str = ""
    slack_group: str = ""
    base_url: str = ""
    captures_folder: Path | None = None
    raw_log_days: float = RAW_LOG_DAYS
    run_days: float | None = None

    @property
    def runs(self) -> Path:
        """The folder of run folders."""
        return self.store / "runs"

    @property
    def captures(self) -> Path:
        """The folder of raw logs."""
        return self.captures_folder or self.state / "captures"

    @property
    def workloads(self) -> Path:
        """The folder of built workloads, FLOW.sql each."""
        return self.state / "workloads"


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of `environ` (this process's by default) and of its state folder.

    Raises ConfigError naming the variable or file that is wrong."""
    env = os.environ if environ is None else environ
    state = _path(env.get("READINESS_STATE", "")) or DEFAULT_STATE
    return Settings(
        state=state,
        store=_store(env.get("READINESS_STORE", ""), state),
        key_file=_path(env.get("READINESS_KEY_FILE", "")),
        production=(
            *_from_variable(env.get("READINESS_PRODUCTION", "")),
            *_from_file(state / "production.json"),
        ),
        is_clone_attached=_is_attached(env.get("READINESS_CLONE_LIFETIME", "")),
        slack_channel=env.get("READINESS_SLACK_CHANNEL", "").strip(),
        slack_group=env.get("READINESS_SLACK_GROUP", "").strip(),
        base_url=env.get("READINESS_BASE_URL", "").strip().rstrip("/"),
        captures_folder=_path(env.get("READINESS_CAPTURES", "")),
        raw_log_days=_days(env, "READINESS_RAW_LOG_DAYS", RAW_LOG_DAYS) or 0.0,
        run_days=_days(env, "READINESS_RUN_DAYS", None),
    )


def _store(text: str, state: Path) -> Path:
    if "://" in text:
        raise ConfigError("READINESS_STORE is a folder; other stores are not supported.")
    return _path(text) or state


def _is_attached(text: str) -> bool:
    if text not in {"", "attached", "detached"}:
        raise ConfigError("READINESS_CLONE_LIFETIME is attached or detached.")
    return text == "attached"


def _days(env: Mapping[str, str], name: str, default: float | None) -> float | None:
    text = env.get(name, "").strip()
    if not text:
        return default
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days < math.inf:
        raise ConfigError(
            f"{name} is {text!r}; allowed is a number of days from 0 up.", hint=f"{name}=14"
        )
    return days


def _path(text: str) -> Path | None:
    return Path(text).expanduser() if text else None


def _from_variable(text: str) -> list[ProductionEndpoint]:
    parts = [p.strip() for p in text.split(",")]
    return [production_endpoint(p) for p in parts if p]


def production_endpoint(text: str, identity: str = "") -> ProductionEndpoint:
    """The endpoint that `host:port`, `/path.sock` or a DSN names. Raises ConfigError."""
    if "://" in text:
        return ProductionEndpoint(Dsn.parse(text).endpoint, identity, text)
    return ProductionEndpoint(parse_endpoint(text), identity)


def parse_endpoint(text: str) -> Endpoint:
    """`host:port` (`[::1]:3306`; the port may be left out: 3306) or `/path.sock`."""
    if text.startswith("/"):
        return Endpoint(socket=text)
    host, has_port, port = text.rpartition(":")
    if not has_port or text.endswith("]"):
        host, port = text, "3306"
    host = host.strip("[]")
    if "@" in text:  # a DSN that lost its scheme may hold a password
        raise ConfigError("A production endpoint with a user begins with mysql://.", hint=_HINT)
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ConfigError(f"{text!r} is no production endpoint.", hint=_HINT)
    return Endpoint(host=host, port=int(port))


def _from_file(path: Path) -> list[ProductionEndpoint]:
    if not path.exists():
        return []
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(written, list):
            raise TypeError("not a list")
        return [known for e in written for known in _written_endpoints(e)]
    except ConfigError:
        raise
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigError(
            f"{path} is no list of production endpoints.",
            hint='It reads [{"endpoint": "host:port", "identity": "…"}, {"dsn": "mysql://…"}].',
        ) from error


def _written_endpoints(written: Mapping[str, object]) -> list[ProductionEndpoint]:
    """One entry: an endpoint, a DSN, or both, which may lead there by different ways."""
    identity = str(written.get("identity", ""))
    if "dsn" not in written:
        return [ProductionEndpoint(parse_endpoint(str(written["endpoint"])), identity)]
    asked = production_endpoint(str(written["dsn"]), identity)
    named = parse_endpoint(str(written.get("endpoint", asked.endpoint)))
    return [asked] if named == asked.endpoint else [ProductionEndpoint(named, identity), asked]

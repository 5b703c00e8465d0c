"""Where the Airflow of `make up` lives and what it is told: folders, secrets, environment.

Everything is under STATE/airflow. Settings come from the repository's config/*.env; settings of
another Airflow in the caller's environment (AIRFLOW_HOME, AIRFLOW__…) are not passed on, so that
`make up` never touches another Airflow's database. Connections (AIRFLOW_CONN_…) are.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import readiness
from readiness.errors import ConfigError

MARK = "READINESS_UP"
AUTHS = ("open", "users")
REPOSITORY = Path(readiness.__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class UiOptions:
    """What `make up` is asked for. `auth` is one of AUTHS; `dags` the folder of DAG files."""

    port: int = 8080
    parallelism: int = 4
    auth: str = "open"
    dags: Path = REPOSITORY / "dags"

    @property
    def url(self) -> str:
        """Where the UI answers."""
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True, slots=True)
class UiHome:
    """The files of the Airflow that runs for the state folder `state` (absolute)."""

    state: Path

    @property
    def home(self) -> Path:
        """AIRFLOW_HOME."""
        return self.state / "airflow"

    @property
    def log(self) -> Path:
        """What all components print."""
        return self.home / "standalone.log"

    @property
    def record(self) -> Path:
        """Which process runs, and where it answers."""
        return self.state / "ui.json"

    @property
    def passwords(self) -> Path:
        """User → password, where there are users (mode 0600)."""
        return self.home / "passwords.json"

    def make(self, users: tuple[str, ...]) -> None:
        """Makes the folder (mode 0700), the secrets and a password per user, those not there yet."""
        self.home.mkdir(parents=True, exist_ok=True)
        self.home.chmod(0o700)
        _add(self.home / "secrets.json", ("jwt", "fernet", "session"))
        _add(self.passwords, users)
        shim = self.home / "bin" / "airflow"
        shim.parent.mkdir(exist_ok=True)
        shim.unlink(missing_ok=True)
        shim.symlink_to(REPOSITORY / "scripts" / "airflow-without-log-servers")


def environment(ui: UiHome, options: UiOptions, inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment of every process of this Airflow. Raises ConfigError without the repository's
    config/, and makes what `UiHome.make` makes."""
    files = ("airflow.env", f"auth-{options.auth}.env")
    settings = {k: v for name in files for k, v in read_env(REPOSITORY / "config" / name).items()}
    ui.make(_users(settings))
    return {
        **{k: v for k, v in inherited.items() if _is_passed_on(k)},
        **settings,
        **_places(ui, options),
        **_secrets(ui),
    }


def read_env(path: Path) -> dict[str, str]:
    """NAME=value lines; empty lines and those that begin with # are skipped."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        raise ConfigError(
            f"There is no {path}: the Airflow UI needs a checkout of the repository.",
            hint="Install the package with pip install -e in the repository.",
        ) from None
    pairs = (line.partition("=") for line in lines if line.strip() and not line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def passwords(ui: UiHome) -> dict[str, str]:
    """User → password; empty where nobody has to log in."""
    return _load(ui.passwords)


def _is_passed_on(name: str) -> bool:
    if name.startswith("AIRFLOW"):
        return name.startswith("AIRFLOW_CONN_")
    return name != "READINESS_CLONE_LIFETIME"  # clones live as long as their lease here


def _places(ui: UiHome, options: UiOptions) -> dict[str, str]:
    programs = Path(sys.executable).parent
    path = [str(ui.home / "bin"), str(programs), os.environ.get("PATH", os.defpath)]
    return {
        "PATH": os.pathsep.join(path),
        MARK: str(ui.state),
        "SPT_NOENV": "1",  # process titles must not overwrite the mark
        "NO_PROXY": "127.0.0.1,localhost",
        "PYTHONUNBUFFERED": "1",
        "READINESS_AIRFLOW": str(programs / "airflow"),
        "READINESS_STATE": str(ui.state),
        "READINESS_STORE": str(ui.state),
        "AIRFLOW_HOME": str(ui.home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(options.dags.resolve()),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(REPOSITORY / "plugins"),
        "AIRFLOW__CORE__PARALLELISM": str(options.parallelism),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{options.url}/execution/",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(ui.passwords),
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(options.port),
        "AIRFLOW__API__BASE_URL": options.url,
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{ui.home / 'airflow.db'}",
        # A page of the UI asks for much at once; with Airflow's 5 + 10 requests waited for each other.
        "AIRFLOW__DATABASE__SQL_ALCHEMY_POOL_SIZE": "20",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_MAX_OVERFLOW": "100",
        "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(ui.home / "logs"),
    }


def _secrets(ui: UiHome) -> dict[str, str]:
    known = _load(ui.home / "secrets.json")
    fernet = base64.urlsafe_b64encode(bytes.fromhex(known["fernet"])[:32]).decode()
    return {
        "AIRFLOW__API_AUTH__JWT_SECRET": known["jwt"],
        "AIRFLOW__CORE__FERNET_KEY": fernet,
        "AIRFLOW__API__SECRET_KEY": known["session"],
    }


def _users(settings: Mapping[str, str]) -> tuple[str, ...]:
    listed = settings.get("AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS", "")
    return tuple(user.partition(":")[0].strip() for user in listed.split(",") if user.strip())


def _add(path: Path, names: tuple[str, ...]) -> None:
    """Gives each name a secret of its own in the file (mode 0600); what is there stays."""
    known = _load(path)
    known |= {
        name: secrets.token_hex(64 if path.stem == "secrets" else 12) for name in names
    } | known
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        json.dump(known, out, indent=1)


def _load(path: Path) -> dict[str, str]:
    try:
        read = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise ConfigError(f"{path} is broken.", hint=f"Remove it:  rm {path}") from None
    return dict(read)

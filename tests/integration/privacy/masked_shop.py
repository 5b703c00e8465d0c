"""The demo's shop with three captured checkouts, and a masked copy of its server."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.integration.workload.databases import Database, build, capture_shop

from readiness import interlock
from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_binary import ServerBinary
from readiness.demo.seed_data import load_shop
from readiness.flow.build import Built
from readiness.flow.mask import mask
from readiness.flow.mask_work import MaskWork
from readiness.model.masking import Masked
from readiness.wiring.mask_steps import steps_of

DATABASE = "shop"
POLICY = Path(__file__).parents[3] / "include/policies/default.yaml"
USERS = 600
RUN_ID = "test-of-the-proof"
LEASE_S = 3600.0


@dataclass(frozen=True)
class MaskedShop:
    """`production` is not masked, `clone` is; both run. `folder` holds what masking wrote."""

    production: Database
    clone: Database
    built: Built
    masked: Masked
    folder: Path


@contextmanager
def masked_shop(binary: ServerBinary, folder: Path) -> Iterator[MaskedShop]:
    """Fills the shop, copies its stopped server, and masks the copy as the command does."""
    production = Database(LocalServer(folder / "production", binary=binary), DATABASE)
    clone = Database(LocalServer(folder / "clone", binary=binary), DATABASE)
    with production.server:
        built = _filled(production, folder)
    _copy(production.server, clone.server)
    with production.server, clone.server:
        masked = _mask(clone.server, folder / "told")
        yield MaskedShop(production, clone, built, masked, folder / "told")


def _filled(production: Database, folder: Path) -> Built:
    production.make()
    with production.admin() as admin:
        load_shop(admin, seed=1, users=USERS)
    captures = capture_shop(production, folder / "logs")
    with production.admin() as admin, admin.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop'"
        )
        tables = [str(name) for (name,) in cursor.fetchall()]
        cursor.execute(f"ANALYZE TABLE {', '.join(tables)}")
    return build(captures, production, folder / "checkout.sql")


def _copy(source: LocalServer, target: LocalServer) -> None:
    target.directory.mkdir(parents=True)
    shutil.copytree(source.datadir, target.datadir)
    (target.datadir / "auto.cnf").unlink(missing_ok=True)


def _mask(server: LocalServer, folder: Path) -> Masked:
    folder.mkdir()
    with closing(server.root_session()) as session:
        interlock.write_marker(session, run_id=RUN_ID, now_s=time.time(), lease_s=LEASE_S)
    work = MaskWork(
        name="clone",
        policy="policy default",
        open_session=server.root_session,
        gate=lambda: None,
        admit=lambda title, nonce: None,
        steps=steps_of(POLICY),
        anew="readiness clone reset clone",
        folder=folder,
    )
    return mask(work, key=b"k" * 32, progress=print)

"""The demo's "production": a private server with the invented shop, always from the same start.

Loading the shop takes seconds, so the loaded datadir is kept as a snapshot named after everything
it depends on; each demo copies it, since capturing checkouts changes it.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import pymysql
from pymysql.constants import ER

from readiness import interlock
from readiness.adapters.cold_copy import copy_tree
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import translated
from readiness.adapters.server_room import disk_full, require_free_space
from readiness.clones.lifecycle import restore_need_bytes
from readiness.demo.recording import capture_checkouts, create_users
from readiness.demo.seed_data import load_shop
from readiness.errors import CloneError
from readiness.model.clone import Snapshot
from readiness.ports import ProductionEndpoint, Progress

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

DATABASE = "shop"
SEED = 20261130
LOADED_BYTES = 900 << 20  # empty datadir, shop, redo log, and room while it loads
_DISK_FULL = {ER.DISK_FULL, ER.RECORD_FILE_FULL, ER.ERROR_ON_WRITE}
_FULL_BYTES = 32 << 20  # with less free, whatever failed failed for want of room
_SOURCES = ("schema.sql", "seed_data.py", "seed_rows.py", "seed_world.py", "words.py", "ids.py")


class Production:
    """The server under `root`/production; snapshots of it go where `clones` keeps them."""

    def __init__(self, root: Path, clones: LocalClones) -> None:
        self._root = root
        self._clones = clones
        self.server = LocalServer(root / "production")
        self._passwords: dict[str, str] = {}

    def ensure_loaded(self, progress: Progress) -> tuple[Snapshot, bool]:
        """The snapshot of the freshly loaded shop, and whether it was there already."""
        name = self.name_of_loaded()
        try:
            return self._clones.snapshots.named(name), True
        except CloneError:
            return self._load(name, progress), False

    def start(self, loaded: Snapshot) -> None:
        """Starts production from the loaded shop, with the application's users."""
        self.remove()
        folder = self.server.directory
        folder.mkdir(parents=True)
        require_free_space(folder, restore_need_bytes(loaded), what="the shop's server")
        copy_tree(Path(loaded.path) / "data", folder / "data.partial", log=folder / "copy.log")
        (folder / "data.partial").rename(self.server.datadir)
        self.server.start()
        with self._answers(), closing(self._connect("root")) as admin:
            self._passwords = create_users(admin, DATABASE)

    def capture(self, directory: Path, progress: Progress) -> list[Path]:
        """Three checkouts by three personas, one general log each."""
        with self._answers(), closing(self._connect("root")) as admin:
            return capture_checkouts(
                admin, self._connect, directory=directory, seed=SEED, progress=progress
            )

    def dsn(self) -> str:
        """How a person would name it on the command line."""
        state = self.server.running_state()
        return f"mysql://root@localhost/{DATABASE}?socket={state.socket}"

    def endpoints(self) -> tuple[ProductionEndpoint, ...]:
        """What the interlock must know of it: address and socket, with its identity."""
        with closing(self.server.root_session()) as session:
            identity = interlock.digest_of(interlock.describe(session))
        state = self.server.running_state()
        socket = type(state.endpoint)(socket=state.socket)
        return tuple(ProductionEndpoint(e, identity) for e in (state.endpoint, socket))

    def remove(self) -> None:
        """Stops the server and removes its folder."""
        self.server.kill()
        shutil.rmtree(self.server.directory, ignore_errors=True)

    def _load(self, name: str, progress: Progress) -> Snapshot:
        seeding = LocalServer(self._root / "seeding")
        try:
            seeding.initialise(needed_bytes=LOADED_BYTES)
            with seeding, self._answers():
                socket = seeding.running_state().socket
                with closing(pymysql.connect(unix_socket=socket, user="root")) as connection:
                    with connection.cursor() as cursor:
                        cursor.execute(f"CREATE DATABASE {DATABASE}")
                    connection.select_db(DATABASE)
                    load_shop(connection, seed=SEED, progress=progress)
            return self._clones.snapshot(str(seeding.directory), name)
        finally:
            seeding.kill()
            shutil.rmtree(seeding.directory, ignore_errors=True)

    @contextmanager
    def _answers(self) -> Iterator[None]:
        """What the shop's server refuses inside is an error of ours, told without its text."""
        try:
            yield
        except pymysql.MySQLError as error:
            is_full = shutil.disk_usage(self._root).free < _FULL_BYTES
            if is_full or (error.args[:1] and error.args[0] in _DISK_FULL):
                raise disk_full(self._root, LOADED_BYTES, what="the shop") from None
            raise translated(error, "The shop's server") from None

    def _connect(self, user: str) -> Connection[Cursor]:
        state = self.server.running_state()
        if user == "root":
            return pymysql.connect(
                unix_socket=state.socket, user="root", database=DATABASE, autocommit=True
            )
        return pymysql.connect(
            host="127.0.0.1",
            port=state.port,
            user=user,
            password=self._passwords[user],
            database=DATABASE,
            autocommit=True,
            ssl_disabled=True,
        )

    def name_of_loaded(self) -> str:
        """`shop-` and a digest of what the loaded data depends on."""
        digest = hashlib.sha256(f"{SEED}".encode())
        for source in _SOURCES:
            digest.update(resources.files("readiness.demo").joinpath(source).read_bytes())
        binary = self._clones.binary
        digest.update(f"{binary.engine} {binary.version}".encode())
        return f"shop-{digest.hexdigest()[:16]}"

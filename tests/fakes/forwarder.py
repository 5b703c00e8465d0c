"""A TCP forwarder on a loopback port, as an ssh tunnel to production makes one."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def forwarder(port: int) -> Iterator[int]:
    """A port of 127.0.0.1 that leads to `port`, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_accept, args=(listening, port), daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def _accept(listening: socket.socket, port: int) -> None:
    with contextlib.suppress(OSError):
        while True:
            near, _ = listening.accept()
            far = socket.create_connection(("127.0.0.1", port))
            threading.Thread(target=_carry, args=(near, far), daemon=True).start()


def _carry(near: socket.socket, far: socket.socket) -> None:
    with near, far, selectors.DefaultSelector() as both:
        both.register(near, selectors.EVENT_READ, far)
        both.register(far, selectors.EVENT_READ, near)
        with contextlib.suppress(OSError):
            while True:
                for key, _ in both.select():
                    data = key.fileobj.recv(65536)  # type: ignore[union-attr]  # a socket
                    if not data:
                        return
                    key.data.sendall(data)

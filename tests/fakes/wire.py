"""MySQL replies as bytes, and a small server that speaks them over socket pairs."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable

from readiness.ports import Capabilities

MORE_RESULTS = 0x0008


def packet(payload: bytes, sequence: int = 1) -> bytes:
    return len(payload).to_bytes(3, "little") + bytes([sequence & 255]) + payload


def integer(value: int) -> bytes:
    if value < 0xFB:
        return bytes([value])
    for mark, width in ((0xFC, 2), (0xFD, 3), (0xFE, 8)):
        if value < 1 << (8 * width):
            return bytes([mark]) + value.to_bytes(width, "little")
    raise ValueError(value)


def ok(insert_id: int = 0, *, affected: int = 1, status: int = 2, head: int = 0) -> bytes:
    return packet(
        bytes([head])
        + integer(affected)
        + integer(insert_id)
        + status.to_bytes(2, "little")
        + b"\0\0"
        + b"info text"
    )


def eof(status: int = 2) -> bytes:
    return packet(b"\xfe\0\0" + status.to_bytes(2, "little"))


def error(code: int) -> bytes:
    return packet(b"\xff" + code.to_bytes(2, "little") + b"#42000something failed")


def row(*values: bytes | None) -> bytes:
    """One row; 16 MiB and more becomes several packets."""
    payload = b"".join(
        b"\xfb" if value is None else integer(len(value)) + value for value in values
    )
    pieces = [payload[at : at + 0xFFFFFF] for at in range(0, len(payload) + 1, 0xFFFFFF)]
    return b"".join(packet(piece) for piece in pieces)


def result_set(
    rows: list[bytes], *, columns: int = 2, deprecate_eof: bool = False, status: int = 2
) -> bytes:
    definitions = [packet(b"\x03def" + b"\x04shop" * 5) for _ in range(columns)]
    middle = b"" if deprecate_eof else eof()
    end = ok(affected=0, status=status, head=0xFE) if deprecate_eof else eof(status)
    return packet(integer(columns)) + b"".join(definitions) + middle + b"".join(rows) + end


Answer = Callable[[bytes], bytes | None]


class WireServer:
    """Answers each query of each connection; `answer` gives the reply, or None to hang up.

    `connect` is a `ports.Connector`; `before_connect` may wait or raise."""

    def __init__(
        self, answer: Answer = lambda _: ok(), *, before_connect: Callable[[], None] = lambda: None
    ) -> None:
        self.answer = answer
        self.before_connect = before_connect
        self.queries: list[bytes] = []
        self.goodbyes = 0
        self.connections = 0
        self._threads: list[threading.Thread] = []

    def connect(self) -> tuple[socket.socket, Capabilities]:
        self.before_connect()
        client, server = socket.socketpair()
        self.connections += 1
        thread = threading.Thread(target=self._serve, args=(server,), daemon=True)
        self._threads.append(thread)
        thread.start()
        return client, Capabilities()

    def wait_closed(self) -> None:
        for thread in self._threads:
            thread.join(timeout=5)

    def _serve(self, server: socket.socket) -> None:
        with server, server.makefile("rb") as stream:
            while len(head := stream.read(4)) == 4:
                payload = stream.read(int.from_bytes(head[:3], "little"))
                if payload[:1] == b"\x01":
                    self.goodbyes += 1
                    return
                self.queries.append(payload[1:])
                reply = self.answer(payload[1:])
                if reply is None:
                    return
                try:
                    server.sendall(reply)
                except OSError:
                    return


def slowly(seconds: float, reply: Answer = lambda _: ok()) -> Answer:
    """An answer that takes its time."""

    def answer(sql: bytes) -> bytes | None:
        time.sleep(seconds)
        return reply(sql)

    return answer

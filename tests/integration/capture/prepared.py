"""One statement of the binary protocol, which PyMySQL does not speak: prepare, execute, close."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

_PREPARE, _EXECUTE, _CLOSE = 0x16, 0x17, 0x19
_LONGLONG, _VAR_STRING = 0x08, 0xFD


def execute_prepared(connection: Any, sql: bytes, values: Sequence[int | bytes]) -> None:
    """Prepares `sql`, executes it once with `values`, reads the rows, closes it."""
    connection._execute_command(_PREPARE, sql)
    ok = connection._read_packet()
    statement, columns, parameters = struct.unpack("<IHH", ok.get_all_data()[1:9])
    assert parameters == len(values)
    for count in (parameters, columns):
        _skip(connection, count)
    types = b"".join(struct.pack("<H", _type(value)) for value in values)
    null_map = bytes((len(values) + 7) // 8)
    body = b"".join(_encoded(value) for value in values)
    head = struct.pack("<IBI", statement, 0, 1) + null_map + b"\x01"
    connection._execute_command(_EXECUTE, head + types + body)
    count = connection._read_packet().get_all_data()[0]
    _skip(connection, count)
    while not connection._read_packet().is_eof_packet():
        pass
    connection._execute_command(_CLOSE, struct.pack("<I", statement))
    connection._result = None


def _skip(connection: Any, definitions: int) -> None:
    """Definitions of parameters or columns, and the EOF packet behind them."""
    for _ in range(definitions + bool(definitions)):
        connection._read_packet()


def _type(value: int | bytes) -> int:
    return _LONGLONG if isinstance(value, int) else _VAR_STRING


def _encoded(value: int | bytes) -> bytes:
    if isinstance(value, int):
        return struct.pack("<q", value)
    return bytes([len(value)]) + value

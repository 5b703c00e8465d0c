"""The MySQL wire format as far as a load engine needs it: queries out, replies walked by headers.

Rows are never decoded: of each packet only length and first byte are looked at, so a reply of any
size costs no memory. Every packet is walked, so the end of a reply is never guessed.
"""

from __future__ import annotations

QUIT = b"\x01\x00\x00\x00\x01"  # COM_QUIT
LOCAL_INFILE_REFUSED = 2068  # the client library's code for the same refusal

_MAX = 0xFFFFFF  # the payload of a packet that goes on in the next one
_QUERY = b"\x03"
_MORE_RESULTS = 0x0008
_EOF_LENGTH = 5
_SHORT = 0xFA  # up to here a length-encoded integer is one byte

_FIRST, _COLUMNS, _COLUMNS_END, _ROWS = range(4)
_OK, _LOCAL_INFILE, _END, _ERROR = 0x00, 0xFB, 0xFE, 0xFF


def query_packet(sql: bytes) -> bytes:
    """COM_QUERY with this text; a text of 16 MiB or more becomes several packets."""
    length = len(sql) + 1
    if length < _MAX:
        return length.to_bytes(3, "little") + b"\x00\x03" + sql
    payload = _QUERY + sql
    parts = []
    for sequence, start in enumerate(range(0, length + 1, _MAX)):
        piece = payload[start : start + _MAX]
        parts.append(len(piece).to_bytes(3, "little") + bytes([sequence & 0xFF]) + piece)
    return b"".join(parts)


def _integer(data: bytes, at: int) -> tuple[int, int]:
    """A length-encoded integer and where the next field begins."""
    first = data[at]
    if first < 0xFB:
        return first, at + 1
    width = {0xFC: 2, 0xFD: 3, 0xFE: 8}[first]
    return int.from_bytes(data[at + 1 : at + 1 + width], "little"), at + 1 + width


class ReplyReader:
    """Finds the end of one reply after the other in the bytes of one connection.

    After `feed` returned True: `error_code` is 0 or the server's code; `insert_id` comes from the
    last OK packet that had one, else 0; `excess` counts bytes after the end of the reply, which a
    server sends only when it gives the connection up."""

    __slots__ = (
        "_busy",
        "_columns",
        "_deprecate_eof",
        "_goes_on",
        "_phase",
        "_skip",
        "_tail",
        "error_code",
        "excess",
        "insert_id",
    )

    def __init__(self, *, deprecate_eof: bool = False) -> None:
        self._deprecate_eof = deprecate_eof
        self._busy = False  # inside a reply
        self._phase = _FIRST
        self._columns = 0  # column definitions still to come
        self._skip = 0  # bytes of the current packet still to come
        self._tail = b""  # the beginning of a packet that must be seen whole
        self._goes_on = False  # the next packet continues the one before
        self.error_code = 0
        self.insert_id = 0
        self.excess = 0

    def feed(self, data: bytes) -> bool:
        """Takes what the socket gave (one byte or more); True when it ends a reply."""
        if not self._busy:
            self.error_code = self.insert_id = self.excess = 0
            if self._is_whole(data):
                return True
            self._busy = True
        elif self._tail:
            data = self._tail + data
            self._tail = b""
        return self._walk(data)

    def _is_whole(self, data: bytes) -> bool:
        """Whether `data` is one reply from its first byte to its last, of the two kinds that nearly all
        are: an OK packet, or one set of rows. What is not, or not yet, is walked packet by packet.

        Runs once for each statement: few calls, and what is rare is left to the walk."""
        try:
            if data[1] or data[2]:
                return False
            if data[4] == _OK:
                return self._is_ok(data)
            return data[0] == 1 and data[4] <= _SHORT and self._is_rows(data)
        except IndexError:
            return False

    def _is_ok(self, data: bytes) -> bool:
        if data[5] > _SHORT or data[0] + 4 != len(data):
            return False
        self.insert_id, at = (data[6], 7) if data[6] <= _SHORT else _integer(data, 6)
        return not data[at] & _MORE_RESULTS

    def _is_rows(self, data: bytes) -> bool:
        at = 5
        for _ in range(data[4]):  # column definitions
            at += 4 + (data[at] | data[at + 1] << 8 | data[at + 2] << 16)
        if not self._deprecate_eof:
            if data[at] != _EOF_LENGTH or data[at + 4] != _END:
                return False
            at += 4 + _EOF_LENGTH
        while data[at + 4] < _END:
            at += 4 + (data[at] | data[at + 1] << 8 | data[at + 2] << 16)
        length = data[at] | data[at + 1] << 8 | data[at + 2] << 16
        # An EOF packet has its warnings there, an OK packet affected rows and insert id.
        is_short = (data[at + 5] | data[at + 6]) <= _SHORT
        is_end = data[at + 4] == _END and at + 4 + length == len(data)
        return is_end and is_short and not data[at + 7] & _MORE_RESULTS

    def _walk(self, data: bytes) -> bool:
        """One pass over the packets in `data`. Long on purpose: it is the inner loop of every
        result set, and a call per packet would double its cost."""
        size = len(data)
        at = self._skip
        while at + 4 <= size:
            length = data[at] | data[at + 1] << 8 | data[at + 2] << 16
            begin = at + 4
            end = begin + length
            if self._goes_on:
                self._goes_on = length == _MAX
            elif begin == size and length:
                break  # the first byte decides, and it is not here yet
            else:
                first = data[begin] if length else _OK
                if self._phase == _ROWS and first < _END:
                    self._goes_on = length == _MAX
                elif end > size and length < _MAX:
                    break  # control packets are short: wait for the whole
                elif self._control(data, begin, length):
                    return self._ended(end, size)
            at = end
        self._skip = max(at - size, 0)
        self._tail = data[at:]
        return False

    def _control(self, data: bytes, at: int, length: int) -> bool:
        """Handles one packet that is not a plain row; True when it ends the reply."""
        first = data[at] if length else _OK
        if first == _ERROR:
            self.error_code = int.from_bytes(data[at + 1 : at + 3], "little")
            return True
        if self._phase == _FIRST:
            return self._first(data, at, first)
        if self._phase == _COLUMNS:
            self._columns -= 1
            if not self._columns:
                self._phase = _ROWS if self._deprecate_eof else _COLUMNS_END
            return False
        if self._phase == _COLUMNS_END:
            self._phase = _ROWS
            return False
        return self._row_or_end(data, at, length)

    def _first(self, data: bytes, at: int, first: int) -> bool:
        if first == _OK:
            return self._ok(data, at)
        if first == _LOCAL_INFILE:
            self.error_code = LOCAL_INFILE_REFUSED
            return True
        self._columns, _ = _integer(data, at)
        self._phase = _COLUMNS
        return False

    def _row_or_end(self, data: bytes, at: int, length: int) -> bool:
        if self._deprecate_eof and length < _MAX:
            return self._ok(data, at)
        if length < 9:  # an EOF packet: header, warnings, status
            return self._last(int.from_bytes(data[at + 3 : at + 5], "little"))
        self._goes_on = length == _MAX  # a row whose first value is longer than 16 MiB
        return False

    def _ok(self, data: bytes, at: int) -> bool:
        _, at = _integer(data, at + 1)
        insert_id, at = _integer(data, at)
        self.insert_id = insert_id or self.insert_id
        return self._last(data[at] | data[at + 1] << 8)

    def _last(self, status: int) -> bool:
        self._phase = _FIRST
        return not status & _MORE_RESULTS

    def _ended(self, end: int, size: int) -> bool:
        self._busy = False
        self._phase = _FIRST
        self._skip = 0
        self.excess = size - end
        return True

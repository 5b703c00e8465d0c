"""Takes one audit record apart: ten fields, the statement quoted, whatever it holds.

  time,server,user,host,connection,query,operation,schema,object,code
server_audit has written three forms: newlines as they are or as `\\n`, and further fields behind the
code (`SSL/TLS`). The records of table events leave the code empty.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass

from readiness.capture.files import LogFile
from readiness.errors import LogFormatError
from readiness.model.transactions import Raw

_HEAD = re.compile(
    rb"(\d{8} [ \d]\d:\d\d:\d\d|\d{16}),"  # time
    rb"[^,\n]*,(.*?),([^,\n]*),"  # server, user, host
    rb"(\d+),(\d+),([A-Z][A-Z_]*),"  # connection, query, operation
)
_OPENING = re.compile(rb"(.*?),'")
_QUOTED = re.compile(rb"(?:[^'\\]++|\\.)*+", re.DOTALL)
_BARE = re.compile(rb"([^,\n]*),([^,\n]*)")
_TAIL = re.compile(rb",(\d*)(?:,[^,'\n]*)*\r?\n")
_ESCAPE = re.compile(rb"\\([ntrbf'\\])")
_MEANS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}


@dataclass(frozen=True, slots=True, repr=False)
class AuditRecord(Raw):
    """One record. `at_us` are microseconds from the epoch as the server's clock showed them;
    `written_bytes` is how long the statement stands in the file, escapes included."""

    line: int
    at_us: int
    user: bytes
    host: bytes
    thread_id: int
    query_id: int
    operation: str
    schema: bytes
    text: bytes
    errno: int
    written_bytes: int


class AuditFile:
    """The records of one file; `cut_line` is set at the end where its last record has no end.

    Raises CaptureError for a file that cannot be read, LogFormatError for a line that is none."""

    def __init__(self, file: LogFile) -> None:
        self.cut_line = 0
        self._file = file
        self._time = (b"", 0)  # the latest: seconds repeat

    def __iter__(self) -> Iterator[AuditRecord]:
        numbered = enumerate(self._file.text_lines(), start=1)
        for number, text in numbered:
            if not text.strip():
                continue
            head = _HEAD.match(text)
            if head is None:
                if not text.endswith(b"\n"):
                    self.cut_line = number
                    return
                raise self._wrong(number)
            opening = _OPENING.match(text, head.end())
            if opening is None or (head[6] != b"QUERY" and text.count(b"'", head.end()) < 2):
                record = self._bare(number, text, head)
            else:
                record = self._quoted(number, text, (head, opening), numbered)
            if record is None:
                self.cut_line = number
                return
            yield record

    def _bare(self, number: int, text: bytes, head: re.Match[bytes]) -> AuditRecord | None:
        """A record whose object is a name or nothing."""
        found = _BARE.match(text, head.end())
        tail = _TAIL.fullmatch(text, found.end()) if found else None
        if found and tail:
            return self._record(number, head, found[1], (found[2], tail[1]))
        if not text.endswith(b"\n"):
            return None
        raise self._wrong(number)

    def _quoted(
        self,
        number: int,
        text: bytes,
        found: tuple[re.Match[bytes], re.Match[bytes]],
        more: Iterator[tuple[int, bytes]],
    ) -> AuditRecord | None:
        """A record whose statement may go on over further lines; None where the file ends first."""
        head, opening = found
        parts: list[bytes] = []
        at = opening.end()
        while True:
            quoted = _QUOTED.match(text, at)
            end = quoted.end() if quoted else at
            parts.append(text[at:end])
            if end < len(text):
                break
            at, (_, text) = 0, next(more, (0, b""))
            if not text:
                return None
        tail = _TAIL.fullmatch(text, end + 1)
        if tail:
            return self._record(number, head, opening[1], (b"".join(parts), tail[1]))
        if not text.endswith(b"\n"):
            return None
        raise self._wrong(number)

    def _record(
        self, number: int, head: re.Match[bytes], schema: bytes, rest: tuple[bytes, bytes]
    ) -> AuditRecord:
        written, code = rest
        time, user, host, thread_id, query_id, operation = head.groups()
        if time != self._time[0]:
            self._time = (time, self._microseconds(time.decode(), number))
        return AuditRecord(
            number,
            self._time[1],
            user,
            host,
            int(thread_id),
            int(query_id),
            operation.decode(),
            schema,
            _plain(written),
            int(code or b"0"),
            len(written),
        )

    def _microseconds(self, text: str, number: int) -> int:
        if text.isdigit():
            return int(text)
        try:
            at = dt.datetime.strptime(f"{text} +0000", "%Y%m%d %H:%M:%S %z")
        except ValueError as e:
            raise LogFormatError(
                self._file.path,
                number,
                "the record's time does not exist",
                hint="The log is damaged there: copy it again.",
            ) from e
        return int(at.timestamp()) * 1_000_000

    def _wrong(self, number: int) -> LogFormatError:
        return LogFormatError(
            self._file.path,
            number,
            "expected an audit record (time,server,user,host,id,id,operation,schema,'text',code)",
            hint="Is this the audit log as the server wrote it, unchanged?",
        )


def is_aurora(head: bytes) -> bool:
    """Whether its times are microseconds: Aurora's form."""
    return head.lstrip(b"\n")[:16].isdigit()


def _plain(written: bytes) -> bytes:
    return (
        _ESCAPE.sub(lambda found: _MEANS.get(found[1], found[1]), written)
        if b"\\" in written
        else written
    )

"""Which transactions of a log are looked at: by session, time, comment tag or marker statements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import unquote_to_bytes

from readiness.errors import CaptureError
from readiness.model.transactions import RawStatement, RawTransaction

OTHER_SESSION = "of another session"
OTHER_TIME = "at another time"
OTHER_TAG = "without the tag"
OUTSIDE = "outside the markers"
MARKERS = "marker statements"

# Comments, as group 1, and what only looks as if it held some: text, names, what never ends.
_COMMENT = re.compile(
    rb"'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'|\"[^\"\\]*+(?:(?:\\.|\"\")[^\"\\]*+)*+\"|`[^`]*+`"
    rb"|(?:\#|--(?=\s|\Z))[^\n]*+|/\*(?:M?!|\+)|/\*((?>.*?(?=\*/)))\*/|(?:['\"`]|/\*).*+",
    re.DOTALL,
)
_PAIR = re.compile(
    rb"(?<![\w.%-])([\w.%-]++)\s*+[=:]\s*+(?:'((?:[^'\\]|\\.)*+)'|([^\s,'*]++))", re.DOTALL
)
_MARKER = re.compile(
    rb"\s*(?:SELECT|DO)\s+'readiness:(begin|end)(?: ([\w.-]+))?'\s*;?\s*", re.IGNORECASE
)
_CONTROL = re.compile(
    rb"\s*(?:BEGIN|START\s+TRANSACTION|COMMIT|ROLLBACK)(?:\s+WORK)?\s*;?\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Selection:
    """What to keep; each empty criterion keeps all.

    `from_ns` and `to_ns` bound when a transaction began, to_ns excluded. `tags` are pairs that the
    comments of one statement must hold (sqlcommenter). `marker` keeps what was logged between
    `SELECT 'readiness:begin NAME'` and `SELECT 'readiness:end NAME'`, on any connection, for each
    NAME that is the marker or begins with it and a dash."""

    threads: frozenset[int] = frozenset()
    users: frozenset[str] = frozenset()
    from_ns: int | None = None
    to_ns: int | None = None
    tags: tuple[tuple[str, str], ...] = ()
    marker: str = ""

    @property
    def is_all(self) -> bool:
        """Nothing is asked for, so all is kept."""
        return self == Selection()


@dataclass(slots=True)
class _Span:
    """From a begin to its end, as places in the log; the end is 0 until it comes."""

    name: str
    begin: int
    end: int = 0


class Picker:
    """Applies a selection to the transactions of one log, and counts what it leaves out."""

    def __init__(self, selection: Selection) -> None:
        self.left_out: Counter[str] = Counter()
        self._asked = selection
        self._marks: list[tuple[int, bool, str]] = []
        self._ended: list[_Span] | None = None

    def keep(self, place: int, transaction: RawTransaction) -> RawTransaction | None:
        """The transaction without markers, None when it is not asked for; `place` is where it began
        in the log.

        With autocommit off, a marker stands within a transaction."""
        held = [s for s in transaction.statements if b"readiness:" in s.sql]
        marks = [s for s in held if self._mark(s, place)]
        if marks:
            rest = tuple(s for s in transaction.statements if s not in marks)
            transaction = replace(transaction, statements=() if _is_control(rest) else rest)
        reason = self._reason(transaction)
        if reason:
            self.left_out[reason] += 1
        return None if reason else transaction

    def group_of(self, place: int) -> str | None:
        """The marker under which a kept transaction stands, "" where none is asked for; None where
        it is outside. To be asked when the whole log was seen.

        Places decide, since a marker may stand on another connection."""
        if not self._asked.marker:
            return ""
        if self._ended is None:
            self._ended = self._named_spans()
        span = next((s for s in self._ended if s.begin <= place <= s.end), None)
        if span is None:
            self.left_out[OUTSIDE] += 1
        return span.name if span else None

    def _reason(self, transaction: RawTransaction) -> str:
        """Why the transaction is left out; "" for one that is kept."""
        asked = self._asked
        if not transaction.statements:
            return MARKERS
        if asked.threads and transaction.thread_id not in asked.threads:
            return OTHER_SESSION
        if asked.users and transaction.user not in asked.users:
            return OTHER_SESSION
        if not _is_within(transaction.began_ns, asked.from_ns, asked.to_ns):
            return OTHER_TIME
        if asked.tags and not _has_tags(transaction.statements, asked.tags):
            return OTHER_TAG
        return ""

    def _mark(self, statement: RawStatement, place: int) -> bool:
        """Whether the statement is a marker; one that is, is noted."""
        found = _MARKER.fullmatch(statement.sql)
        if found is None:
            return False
        name = (found[2] or b"").decode()
        self._marks.append((place, found[1].lower() == b"begin", name))
        return True

    def _spans(self) -> list[_Span]:
        """Each begin with the next end of its name."""
        spans: list[_Span] = []
        for place, begins, name in sorted(self._marks):
            if begins:
                spans.append(_Span(name, place))
            for span in () if begins else spans:
                if span.name == name and not span.end:
                    span.end = place
        return spans

    def _named_spans(self) -> list[_Span]:
        """The spans asked for; a name that was used again gets a number. Raises CaptureError for a
        marker that the log has not."""
        wanted = self._asked.marker
        named = [s for s in self._spans() if f"{s.name}-".startswith(f"{wanted}-")]
        spans = [span for span in named if span.end]
        if not spans:
            what = "begins and never ends" if named else "does not stand in the log"
            raise CaptureError(
                f"the marker {wanted!r} {what}",
                hint=f"Send  SELECT 'readiness:begin {wanted}'  before the flow and"
                f"  SELECT 'readiness:end {wanted}'  behind it, on any connection.",
            )
        uses = Counter(span.name for span in spans)
        seen: Counter[str] = Counter()
        for span in spans:
            seen[span.name] += 1
            if uses[span.name] > 1:
                span.name = f"{span.name} #{seen[span.name]}"
        return spans


def _is_control(statements: Iterable[RawStatement]) -> bool:
    """Nothing but what begins and ends a transaction: it was there for the marker."""
    return all(_CONTROL.fullmatch(s.sql) for s in statements)


def _is_within(at_ns: int | None, from_ns: int | None, to_ns: int | None) -> bool:
    if from_ns is None and to_ns is None:
        return True
    if at_ns is None:
        return False
    return (from_ns is None or at_ns >= from_ns) and (to_ns is None or at_ns < to_ns)


def _has_tags(statements: Iterable[RawStatement], tags: Iterable[tuple[str, str]]) -> bool:
    return any(set(tags) <= set(tags_of(s.sql)) for s in statements)


def tags_of(sql: bytes) -> list[tuple[str, str]]:
    """The `key='value'` pairs in the comments of a statement, URL-decoded."""
    if b"/*" not in sql:
        return []
    comments = (found[1] for found in _COMMENT.finditer(sql) if found[1])
    pairs = (pair for comment in comments for pair in _PAIR.findall(comment))
    return [(_text(key), _text(quoted or bare)) for key, quoted, bare in pairs]


def _text(raw: bytes) -> str:
    return unquote_to_bytes(raw).decode("utf-8", "replace")

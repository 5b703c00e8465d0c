"""The new text of each literal: pseudonym, what the policy says, or what the second net leaves."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator

from readiness.anonymize.net import disjoint, personal_spans
from readiness.anonymize.originals import literal_tokens, literal_value
from readiness.anonymize.personal import is_personal, is_telling
from readiness.anonymize.policy import Policy, emptied, generalized
from readiness.anonymize.pseudonym import Pseudonyms
from readiness.anonymize.sensitive import tiny_domain_of
from readiness.config.policy import Treatment
from readiness.model.draft import RawLiteral
from readiness.model.workload import Form
from readiness.sql.lexer import TokenKind, decode, encode, form_of, lex

_INTRODUCER_END = re.compile(rb"[A-Za-z0-9_$\x80-\xff]\Z")
_HEX_START = re.compile(rb"[xX]'")
_HINT = re.compile(rb"/\*\+.*?\*/", re.DOTALL)


class Replacing:
    """Replaces under one policy; `personal` are the constants that are replaced wherever they stand."""

    def __init__(self, pseudonyms: Pseudonyms, policy: Policy, personal: Collection[bytes]) -> None:
        self._pseudonyms = pseudonyms
        self._policy = policy
        self._personal = frozenset(personal)
        words = sorted((_text(p) for p in personal if is_telling(p)), key=len, reverse=True)
        self._known = re.compile(
            "|".join(rf"(?<!\w){re.escape(w)}(?!\w)" for w in words) or r"\Z(?!\Z)"
        )

    def literal(self, raw: RawLiteral, *, is_secret: bool = False) -> bytes:
        """A literal's new text; what precedes its quote or digits (an introducer) stays. Adjacent
        texts ('a' 'b') are one value. Of structure, texts other than JSON paths are replaced too:
        the words of a full-text search are the person's."""
        tokens = literal_tokens(raw)
        value = literal_value(raw)
        form = form_of(tokens[0].kind) if tokens else Form.NUMBER
        is_path = raw.is_structural and value.startswith(b"$")
        if not tokens or is_path or (raw.is_structural and form is not Form.TEXT):
            return raw.text
        made = self._value(raw, value, form, is_secret=is_secret)
        before, after = raw.text[: tokens[0].start], raw.text[tokens[-1].end :]
        if form is Form.TEXT and not _is_printable(made):
            form = Form.HEX  # `_binary'…'` with any bytes: a file that editors can open
        elif made == value:
            return raw.text
        return apart(before, encode(form, made)) + after

    def static(self, sql: bytes) -> bytes:
        """A statement's own bytes: optimizer hints, which comments are not, pass the net."""
        if b"/*+" not in sql:
            return sql
        return _HINT.sub(lambda match: self.net(match[0]), sql)

    def sql(self, sql: bytes) -> bytes:
        """SQL whose text literals went through the net."""
        made, at = b"", 0
        for token in lex(sql):
            if token.kind is TokenKind.TEXT:
                text = sql[token.start : token.end]
                value = decode(token.kind, text)
                netted = self.net(value)
                made += sql[at : token.start]
                made += text if netted == value else encode(Form.TEXT, netted)
                at = token.end
        return made + sql[at:]

    def _value(self, raw: RawLiteral, value: bytes, form: Form, *, is_secret: bool) -> bytes:
        treat = None if raw.is_structural else self._policy.of(raw.table, raw.column)
        if treat is Treatment.KEEP:
            return value
        if treat is Treatment.EMPTY:
            return emptied(form)
        if treat is Treatment.GENERALIZE:
            return generalized(value, form)
        if raw.varies or is_secret or self._is_personal(raw, value):
            return self._pseudonyms.of(value, form, tiny_domain_of(raw.column))
        return self.net(value) if form is Form.TEXT else value

    def _is_personal(self, raw: RawLiteral, value: bytes) -> bool:
        if is_personal(raw, value, self._policy) or value in self._personal:
            return True
        return raw.form is not Form.NUMBER and self._pseudonyms.knows_digest(value)

    def net(self, value: bytes) -> bytes:
        """A text with its personal-looking parts replaced, and those known from elsewhere."""
        text = _text(value)
        made, at = "", 0
        for start, end in self._spans(text):
            made += text[at:start] + self._part(text, start, end)
            at = end
        return (made + text[at:]).encode("utf-8", "surrogateescape")

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        known = (match.span() for match in self._known.finditer(text))
        return disjoint((*personal_spans(text), *known))

    def _part(self, text: str, start: int, end: int) -> str:
        """The pseudonym of a span; within a JSON text that has escapes, as JSON."""
        part = text[start:end]
        is_json = "\\" in part and text[start - 1 : start] == '"' == text[end : end + 1]
        raw = (json.loads(f'"{part}"') if is_json else part).encode("utf-8", "surrogateescape")
        made = _text(self._pseudonyms.of(raw, Form.TEXT))
        return json.dumps(made)[1:-1] if is_json else made


def apart(before: bytes, after: bytes) -> bytes:
    """An introducer and the hexadecimal literal that took the place of its text (`_binary'…'`)."""
    is_word = _INTRODUCER_END.search(before) and _HEX_START.match(after)
    return before + (b" " if is_word else b"") + after


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _is_printable(value: bytes) -> bool:
    """Whether a value is text without control characters that no text holds."""
    try:
        return "\0" not in value.decode()
    except UnicodeDecodeError:
        return False

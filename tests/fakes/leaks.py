"""Invented values and the ways in which they may get out; a filter file made of them."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

from readiness.anonymize.encodings import fold
from readiness.anonymize.originals import Originals
from readiness.anonymize.parts import with_pieces
from readiness.model.workload import Form
from readiness.sql.lexer import encode

KEY = b"a key of tests, known to everybody"
VALUES = {
    "user_email_0/1": "ana-zoë.o'brannigan@mail.example",
    "user_name_0/1": 'Ana "Zoë" O\'Brannigan',
    "card_number_0/1": "4012888888881881",
    "user_phone_0/1": "+1 (555) 013-8846",
    "user_ssn_0/1": "539-48-7722",
    "account_iban_0/1": "DE89370400440532013000",
    "user_id_0/1": "5a38614a-ba1d-479b-9659-bcb7c97e1440",
    "s017/3/1": "Rue du Bac 12 <3ème & 4ème>",
    "s018/1/1": "Quillfeather",
}
Encoding = Callable[[str], str]


def _hashed(name: str, change: Encoding = str) -> Encoding:
    return lambda value: hashlib.new(name, change(value).encode()).hexdigest()


def _base64(before: str, encoder: Callable[[bytes], bytes]) -> Encoding:
    return lambda value: encoder((before + value + "z").encode()).decode()


ENCODINGS: dict[str, Encoding] = {
    "raw": str,
    "upper case": str.upper,
    "lower case": str.lower,
    "hex": lambda v: v.encode().hex(),
    "upper-case hex": lambda v: v.encode().hex().upper(),
    "url": lambda v: quote(v, safe=""),
    "form": quote_plus,
    "json": lambda v: json.dumps(v)[1:-1],
    "html": html.escape,
    "html of Jinja": lambda v: html.escape(v).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
    "reversed": lambda v: v[::-1],
    "base64": _base64("", base64.b64encode),
    "base64 after 1": _base64("x", base64.b64encode),
    "base64 after 2": _base64("xy", base64.b64encode),
    "base64 url": _base64("", base64.urlsafe_b64encode),
    "base64 url after 1": _base64("x", base64.urlsafe_b64encode),
    "base64 url after 2": _base64("xy", base64.urlsafe_b64encode),
    **{name: _hashed(name) for name in ("md5", "sha1", "sha256", "sha512")},
    **{f"{n} of lower case": _hashed(n, str.lower) for n in ("md5", "sha1", "sha256", "sha512")},
}


def in_workload(text: str) -> bytes:
    """A workload file in which the text stands as a literal."""
    literal = encode(Form.TEXT, text.encode())
    return b"-- @statement s001\nBEGIN;\n-- @statement s002\nSELECT " + literal + b";\n"


def in_report(text: str) -> bytes:
    """A page that shows the text."""
    return f"<html>\n<body><p title=''>{html.escape(text)}</p></body></html>\n".encode()


def in_slack(text: str) -> bytes:
    """A message as Slack's Web API takes it."""
    escaped = html.escape(text, quote=False)
    block = {"type": "section", "text": {"type": "mrkdwn", "text": f"note: {escaped}"}}
    return json.dumps({"text": "x", "blocks": [block]}, ensure_ascii=False).encode()


PLACES = {
    "checkout.sql": in_workload,
    "report.html": in_report,
    "slack/01-report.json": in_slack,
}


def held() -> Originals:
    """The values as a scan holds them, with their pieces."""
    return with_pieces(Originals({i: v.encode() for i, v in VALUES.items()}), fold(b"checkout"))

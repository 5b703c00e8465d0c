"""Blocks of a chat message: texts escaped, lengths kept, and `faults` to prove it before sending.

What is put into a block is data: nothing in it can mention people, make a link or break a row.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from readiness.model.message import Block
from readiness.report.numbers import plain

MOST_BLOCKS = 50
TEXT_CHARACTERS = 3_000
HEADER_CHARACTERS = 150
FIELD_CHARACTERS = 2_000
MOST_FIELDS = 10
ROW_CHARACTERS = 38  # what a phone shows without breaking the line
TABLE_ROWS = 100
TABLE_COLUMNS = 20
TABLE_CHARACTERS = 10_000
NOTIFICATION_CHARACTERS = 3_000
_PIECE = 300
_CELL = 80
_FENCE, _NO_FENCE = "```", "'''"
_GROUP = re.compile(r"S[A-Z0-9]{2,30}")
_URL = re.compile(r"https?://[^\s<>|]{1,2000}")
_MARKUP = re.compile(r"<(?:https?://[^\s<>|]+\|[^<>|]+|!subteam\^S[A-Z0-9]+)>")
_ENTITIES = re.compile(r"&(?:amp|lt|gt);")


def one_line(text: str, most: int = _PIECE) -> str:
    """The text on one line of at most `most` characters; what is cut off shows as "…"."""
    joined = " ".join("".join(c if c.isprintable() else " " for c in text).split(" ")).strip()
    return joined if len(joined) <= most else f"{joined[: most - 1]}…"


def escape(text: str, most: int = _PIECE) -> str:
    """Data for any place in a message: one line, and no `& < >` or fence that means something."""
    return html.escape(one_line(text, most).replace(_FENCE, _NO_FENCE), quote=False)


def code(text: str) -> str:
    """Data as inline code."""
    return f"`{escape(text).replace('`', chr(39))}`"


def link(url: str, words: str) -> str:
    """A link, or "" where `url` is none."""
    if not _URL.fullmatch(url):
        return ""
    return f"<{html.escape(url, quote=False)}|{escape(words).replace('|', '/')}>"


def mention(group: str) -> str:
    """A mention of a user group by its id, or "" where `group` is none."""
    return f"<!subteam^{group}>" if _GROUP.fullmatch(group) else ""


def header(text: str, emoji: str) -> Block:
    """The headline, with an emoji by its short name."""
    room = HEADER_CHARACTERS - len(emoji) - 3
    said = next(e for n in range(room, 0, -1) if len(e := escape(text, n)) <= room)
    words = {"type": "plain_text", "text": f":{emoji}: {said}", "emoji": True}
    return {"type": "header", "text": words}


def section(*lines: str) -> Block:
    """A paragraph of lines that are escaped already; those that do not fit are counted."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": fitted(lines) or " "}}


def fields(pairs: Iterable[tuple[str, str]]) -> Block:
    """Names with escaped values, two beside each other."""
    shown = [f"*{escape(name, 60)}*\n{value}" for name, value in pairs][:MOST_FIELDS]
    return {"type": "section", "fields": [{"type": "mrkdwn", "text": text} for text in shown]}


def context(*parts: str) -> Block:
    """Small print: the parts that are not empty, on one line."""
    text = fitted([" · ".join(part for part in parts if part)])
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text or " "}]}


def rows(lines: Sequence[str]) -> Block:
    """Lines of a fixed-width font, none longer than a phone is wide."""
    cut = [_row(line) for line in lines]
    room = TEXT_CHARACTERS - 2 * len(_FENCE)
    return section(f"{_FENCE}{fitted(cut, room)}{_FENCE}")


def table(head: Sequence[str], body: Sequence[Sequence[str]], right: frozenset[int]) -> Block:
    """A table; `right` are the columns of figures. Rows that do not fit are left out."""
    shown = [_cells(head)]
    size = sum(len(str(cell["text"])) for cell in shown[0])
    for row in body[: TABLE_ROWS - 1]:
        cells = _cells(row)
        size += sum(len(str(cell["text"])) for cell in cells)
        if size > TABLE_CHARACTERS:
            break
        shown.append(cells)
    aligned = [{"align": "right" if n in right else "left"} for n in range(len(shown[0]))]
    return {"type": "table", "column_settings": aligned, "rows": shown}


def fitted(lines: Iterable[str], room: int = TEXT_CHARACTERS) -> str:
    """As many whole lines as fit, and how many more there are."""
    given = list(lines)
    if len("\n".join(given)) <= room:
        return "\n".join(given)
    kept = len(given) - 1
    while kept and len(_counted(given, kept)) > room:
        kept -= 1
    return _counted(given, kept)


def _counted(lines: Sequence[str], kept: int) -> str:
    return "\n".join([*lines[:kept], f"… and {len(lines) - kept} more"])


def _row(line: str) -> str:
    shown = plain("".join(c if c.isprintable() else " " for c in line)).rstrip()
    if len(shown) > ROW_CHARACTERS:
        shown = f"{shown[: ROW_CHARACTERS - 1]}…"
    return html.escape(shown.replace("`", "'"), quote=False)


def _cells(row: Sequence[str]) -> list[dict[str, str]]:
    texts = [plain(escape(text, _CELL)) for text in row[:TABLE_COLUMNS]]
    return [{"type": "raw_text", "text": text or " "} for text in texts]


def faults(text: str, blocks: Sequence[Block]) -> list[str]:
    """What a channel would refuse, or cut, in a message; [] when it may be sent."""
    found = []
    if not 0 < len(text) <= NOTIFICATION_CHARACTERS:
        found.append(f"the text has {len(text)} characters")
    if len(blocks) > MOST_BLOCKS:
        found.append(f"{len(blocks)} blocks")
    if sum(block["type"] == "table" for block in blocks) > 1:
        found.append("more than one table")
    texts = [text, *(t for block in blocks for t in _texts(block))]
    found += [f"a bare character of markup: {t[:40]}" for t in texts if _is_bare(t)]
    return found + [fault for block in blocks for fault in _block_faults(block)]


def _is_bare(text: str) -> bool:
    """Whether `& < >` stands where it would mean something that we did not write."""
    return bool(re.search(r"[<>&]", _ENTITIES.sub("", _MARKUP.sub("", text))))


def _texts(block: Any) -> Iterator[str]:
    """Every text in a block."""
    if isinstance(block, dict):
        for key, value in block.items():
            if key == "text" and isinstance(value, str):
                yield value
            else:
                yield from _texts(value)
    elif isinstance(block, list):
        for value in block:
            yield from _texts(value)


def _block_faults(block: Any) -> list[str]:
    kind, texts = block["type"], list(_texts(block))
    if kind == "table":
        return _table_faults(block["rows"])
    most = {"header": HEADER_CHARACTERS}.get(kind, TEXT_CHARACTERS)
    if "fields" in block:
        most = FIELD_CHARACTERS
    long = [f"{kind} of {len(t)} characters" for t in texts if not 0 < len(t) <= most]
    many = [f"{len(block['fields'])} fields"] if len(block.get("fields", ())) > MOST_FIELDS else []
    wide = [
        f"row of {len(html.unescape(line))} characters"
        for text in texts
        for fenced in text.split(_FENCE)[1::2]
        for line in fenced.split("\n")
        if len(html.unescape(line)) > ROW_CHARACTERS
    ]
    return long + many + wide


def _table_faults(table_rows: list[list[dict[str, str]]]) -> list[str]:
    found = [f"table of {len(table_rows)} rows"] if len(table_rows) > TABLE_ROWS else []
    found += [f"row of {len(r)} cells" for r in table_rows if len(r) > TABLE_COLUMNS]
    found += ["empty cell" for row in table_rows for cell in row if not cell["text"]]
    size = sum(len(cell["text"]) for row in table_rows for cell in row)
    return found + ([f"table of {size} characters"] if size > TABLE_CHARACTERS else [])

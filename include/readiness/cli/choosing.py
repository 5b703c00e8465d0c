"""Arguments that pick a part of a log: session, time, tag, marker, or runs like an example."""

from __future__ import annotations

import argparse
import datetime as dt
from pathlib import Path

from readiness.capture.logs import FORMATS
from readiness.capture.selection import Selection
from readiness.cli.arguments import whole_number
from readiness.flow.choosing import Choosing


def add_choosing(parser: argparse.ArgumentParser, *, like: str) -> None:
    """The arguments; `like` is what the one for clean captures is called."""
    parser.add_argument(
        "--format", choices=FORMATS, default="auto", help="what the logs are; auto looks inside"
    )
    parser.add_argument(
        like,
        dest="like",
        metavar="CLEAN_LOG",
        type=Path,
        action="append",
        default=[],
        help="a log with one run of the flow and nothing else; each run like it is found",
    )
    parser.add_argument(
        "--thread",
        type=whole_number(0),
        action="append",
        default=[],
        metavar="N",
        help="only this connection id",
    )
    for name, which in (("--from-time", "at or after"), ("--to-time", "before")):
        parser.add_argument(
            name,
            type=_time_ns,
            metavar="TIME",
            help=f"only transactions that began {which} TIME, as in 2026-11-30T18:00:00",
        )
    parser.add_argument(
        "--tag",
        type=_tag,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="only transactions with this pair in a comment: /*route='checkout'*/ has"
        " route=checkout",
    )
    parser.add_argument(
        "--marker",
        default="",
        metavar="NAME",
        help="only between SELECT 'readiness:begin NAME' and SELECT 'readiness:end NAME'; NAME-1,"
        " NAME-2 … are flows of their own",
    )


def choosing_of(args: argparse.Namespace) -> Choosing:
    """What these arguments ask for."""
    selection = Selection(
        threads=frozenset(args.thread),
        from_ns=args.from_time,
        to_ns=args.to_time,
        tags=tuple(args.tag),
        marker=args.marker,
    )
    return Choosing(selection, tuple(args.like), args.format)


def _time_ns(text: str) -> int:
    """Nanoseconds from the epoch on the log's own clock; an offset in the text counts."""
    try:
        at = dt.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("allowed is a time such as 2026-11-30T18:00:00") from None
    moment = at if at.tzinfo else at.replace(tzinfo=dt.UTC)
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return since // dt.timedelta(microseconds=1) * 1000


def _tag(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError("allowed is KEY=VALUE, such as route=checkout")
    return key, value

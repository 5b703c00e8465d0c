"""Reads a general log into transactions in a process of its own, as a bench measures it.

Usage: python -m tests.bench.read_log LOG     prints statements and transactions as JSON
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from readiness.capture.logs import open_log
from readiness.capture.sessions import Transactions


def main() -> None:
    """Counts, so that a reader that drops something is not called fast."""
    transactions = statements = 0
    for transaction in Transactions(open_log(Path(sys.argv[1]))):
        transactions += 1
        statements += len(transaction.statements)
    print(json.dumps({"transactions": transactions, "statements": statements}))


if __name__ == "__main__":
    main()

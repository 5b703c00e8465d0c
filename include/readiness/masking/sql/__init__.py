"""Masking expressions: what a column is set to, as SQL that MariaDB and MySQL read alike."""

from __future__ import annotations

from readiness.masking.sql.expressions import expression_of, expressions_of
from readiness.masking.sql.key import key_statement, run_key

__all__ = ["expression_of", "expressions_of", "key_statement", "run_key"]

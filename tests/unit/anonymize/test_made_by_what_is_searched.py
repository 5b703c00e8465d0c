"""Values are made under the rule by which the finished file is searched: none is refused by chance."""

from __future__ import annotations

import pytest
from tests.fakes.checkouts import draft, fresh

from readiness.anonymize.personal import all_originals
from readiness.anonymize.policy import NO_POLICY
from readiness.anonymize.scan import Searcher

ADA, BEN = b"ada.weissmann@mail.example", b"ben.okaforson@mail.example"


@pytest.mark.parametrize(
    ("made", "is_hers"),
    [(ADA, True), (b"x.weissmann@mail.example", True), (b"x.weberling@mail.example", False)],
)
def test_a_telling_piece_of_a_captured_value_counts_as_well(made: bytes, is_hers: bool) -> None:
    held = all_originals(draft(variables=[fresh("email", "email(26)", ADA, BEN)]), NO_POLICY)
    assert bool(Searcher(held).finds(made)) == is_hers

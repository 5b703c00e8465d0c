"""A table is updated in place where no index holds what is masked, and rebuilt otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readiness.errors import MaskingError
from readiness.masking.run.methods import How, method_of
from readiness.model.catalogue import ColumnFacts, IndexFacts, TableFacts
from readiness.model.masking import Look, MaskedColumn, Source

ID, NAME = ColumnFacts("id", "int", "int"), ColumnFacts("name", "varchar", "varchar(40)", True, 40)
PRIMARY = IndexFacts("PRIMARY", True, (("id", 0),))
USERS = TableFacts("users", "InnoDB", {"id": ID, "name": NAME}, (PRIMARY,))
MASKED = (MaskedColumn("users", "name", Look.NAME, "name", Source.NAME, "a test"),)


def test_columns_that_no_index_holds_are_updated() -> None:
    assert method_of(USERS, MASKED).how is How.UPDATE


@pytest.mark.parametrize("unique", [True, False])
def test_indexed_columns_are_rebuilt(unique: bool) -> None:
    table = replace(USERS, indexes=(PRIMARY, IndexFacts("n", unique, (("id", 0), ("name", 5)))))
    method = method_of(table, MASKED)
    assert method.how is How.REBUILD
    assert "name" in method.why


@pytest.mark.parametrize(
    "table",
    [
        replace(USERS, indexes=()),
        replace(USERS, engine="MyISAM"),
        replace(USERS, columns={"id": ID, "name": NAME, "g": replace(NAME, generated="stored")}),
        replace(USERS, indexes=(PRIMARY, IndexFacts("f", False, (("", 0),)))),
    ],
    ids=["no key", "no transactions", "computed column", "index of an expression"],
)
def test_what_an_update_cannot_do_safely_is_rebuilt(table: TableFacts) -> None:
    assert method_of(table, MASKED).how is How.REBUILD


@pytest.mark.parametrize("engine", ["FEDERATED", "CONNECT", "SPIDER", "BLACKHOLE"])
def test_tables_whose_rows_may_lie_elsewhere_are_refused(engine: str) -> None:
    with pytest.raises(MaskingError, match=engine) as refused:
        method_of(replace(USERS, engine=engine), MASKED)
    assert "policy" in refused.value.hint or "keep" in refused.value.hint

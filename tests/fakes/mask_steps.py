"""Steps of a masking that say what they were asked: one column of one table, upper-cased."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from readiness.errors import ReadinessError
from readiness.flow.mask_work import MaskSteps
from readiness.model.catalogue import Catalogue, ColumnFacts, IndexFacts, TableFacts
from readiness.model.masking import Look, MaskedColumn, MaskFact, MaskPlan, Source
from readiness.model.verdict import Check, Outcome, Severity
from readiness.ports import Progress, Session

DECISIONS = ("catalogue", "plan", "settle", "before")


def check_of(fact: MaskFact) -> Check:
    """What a judge says of a figure that must be what it was."""
    passed = fact.before == fact.after
    return Check(
        expectation=fact.name,
        stage=fact.place,
        metric=fact.name,
        statistic="value",
        op="==",
        limit=fact.before,
        unit="",
        severity=Severity.CRITICAL,
        outcome=Outcome.PASSED if passed else Outcome.FAILED,
        value=fact.after,
    )


@dataclass
class FakeSteps:
    """`asked` lists the steps in order. `failing` raise what they are told; `lost` rows go missing, which
    the proof must see."""

    asked: list[str] = field(default_factory=list)
    failing: dict[str, ReadinessError] = field(default_factory=dict)
    lost: bool = False
    keys: list[str] = field(default_factory=list)
    catalogues: list[Catalogue] = field(default_factory=list)
    plans: list[MaskPlan] = field(default_factory=list)

    def steps(self) -> MaskSteps:
        """As `flow.mask` takes them."""
        return MaskSteps(
            run_key=lambda key, run_id: f"{key.hex()}:{run_id}",
            set_key=self._set_key,
            catalogue=self._catalogue,
            plan=self._plan,
            settle=self._settle,
            before=self._before,
            tables=self._tables,
            compare=self._compare,
            judge=lambda _s, _c, _p, facts: [check_of(fact) for fact in facts],
            values=lambda _session: 2,
            forget=self._forget,
        )

    def _ask(self, step: str) -> None:
        self.asked.append(step)
        if step in self.failing:
            raise self.failing.pop(step)

    def _set_key(self, session: Session, key: str) -> None:
        self.keys.append(key)
        session.query("SET @readiness_key = %s", (key,))

    def _catalogue(self, session: Session, database: str) -> Catalogue:
        self._ask("catalogue")
        rows = session.query(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = %s", (database,)
        )
        tables = {str(row[0]): _facts(str(row[0])) for row in rows}
        return Catalogue(database, "mariadb", "10.11.1", tables)

    def _plan(self, session: Session, catalogue: Catalogue) -> MaskPlan:
        assert session
        self._ask("plan")
        columns = [_column(table) for table in catalogue.tables]
        return MaskPlan(catalogue.database, "", tuple(columns))

    def _settle(self, session: Session, catalogue: Catalogue, plan: MaskPlan) -> MaskPlan:
        assert session.query("SELECT @readiness_key")[0][0]
        self._ask("settle")
        return MaskPlan(catalogue.database, "", plan.columns, attempts={"name": 1})

    def _before(self, session: Session, catalogue: Catalogue, plan: MaskPlan) -> str:
        self._ask("before")
        session.query("CREATE TABLE IF NOT EXISTS readiness_marker.originals (h INT)")
        return json.dumps({table: _rows(session, catalogue, table) for table in plan.tables})

    def _tables(
        self,
        open_session: Callable[[], Session],
        catalogue: Catalogue,
        plan: MaskPlan,
        *,
        key_hex: str,
        progress: Progress,
    ) -> int:
        self.catalogues.append(catalogue)
        self.plans.append(plan)
        self.keys.append(key_hex)
        session = open_session()
        for table in plan.tables:
            self._ask("tables")
            session.query(f"UPDATE `{catalogue.database}`.`{table}` SET name = UPPER(name)")
            progress(f"{table} 100 %")
        if self.lost:
            session.query(f"DELETE FROM `{catalogue.database}`.`{plan.tables[0]}` LIMIT 1")
        rows = sum(_rows(session, catalogue, table) for table in plan.tables)
        session.close()
        return rows

    def _compare(
        self, session: Session, catalogue: Catalogue, plan: MaskPlan, before: str
    ) -> list[MaskFact]:
        self._ask("compare")
        assert plan.attempts == {"name": 1}
        was = json.loads(before)
        return [MaskFact("rows", t, was[t], _rows(session, catalogue, t)) for t in catalogue.tables]

    def _forget(self, session: Session) -> list[str]:
        assert session
        self._ask("forget")
        return ["nothing was left"]


def _column(table: str) -> MaskedColumn:
    return MaskedColumn(table, "name", Look.NAME, "name", Source.NAME, "its name looks personal")


def _facts(table: str) -> TableFacts:
    columns = {"id": ColumnFacts("id", "int", "int"), "name": ColumnFacts("name", "text", "text")}
    return TableFacts(
        table, "InnoDB", columns, (IndexFacts("PRIMARY", True, (("id", 0), ("name", 10))),)
    )


def _rows(session: Session, catalogue: Catalogue, table: str) -> int:
    ((count,),) = session.query(f"SELECT COUNT(*) FROM `{catalogue.database}`.`{table}`")
    return int(str(count))

"""Masks the tables of a plan, one after the other, so that a kill at any moment loses nothing.

Each range of rows and the journal's word of it are one transaction; each change of a definition is
noted before it is made, and may be made twice. Started again with the same plan and key, it goes on,
and ends at what an uninterrupted run ends at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from readiness.errors import MaskingError
from readiness.masking.journal import Journal
from readiness.masking.names import quoted
from readiness.masking.run.definition import (
    Definition,
    make_triggers,
    read_definition,
    shown_create,
)
from readiness.masking.run.faults import told_of
from readiness.masking.run.in_place import InPlace
from readiness.masking.run.methods import How, Method, method_of
from readiness.masking.run.progress import Course
from readiness.masking.run.ranges import RangeKey, condition, end_of_range, range_key
from readiness.masking.run.rebuild import Rebuild
from readiness.masking.run.session import prepare, stop_events, take_over
from readiness.masking.run.state import State, Step, TableJournal
from readiness.masking.run.statistics import renew_statistics
from readiness.model.catalogue import Catalogue, TableFacts
from readiness.model.masking import MaskedColumn, MaskPlan
from readiness.ports import Progress, Session

RANGE_S = 1.0  # so long should a range take: undo stays small, and progress is told
_MOST_ROWS = 200_000
_TRIAL_ROWS = 5_000  # so many show how dense a table comes out
_GROWTH = 4


class MaskingSql(Protocol):
    """Where expressions come from: `readiness.masking.sql`."""

    def expressions_of(
        self,
        columns: Sequence[MaskedColumn],
        table: TableFacts,
        attempts: Mapping[str, int],
        /,
    ) -> Mapping[str, str]:
        """SQL for each masked column of the table."""
        ...

    def key_statement(self, key_hex: str, /) -> tuple[str, tuple[object, ...]]:
        """The statement that sets @readiness_key, with its parameters."""
        ...


def mask_tables(
    open_session: Callable[[], Session],
    catalogue: Catalogue,
    plan: MaskPlan,
    *,
    key_hex: str,
    progress: Progress,
    sql: MaskingSql,
) -> int:
    """Masks every table of the plan; gives the number of rows in them. Raises MaskingError, which
    names the table, and TargetUnavailable when the connection broke: run it again then.

    `catalogue` is as it was before the first try began."""
    methods = {t: method_of(catalogue.tables[t], plan.of(t)) for t in plan.tables}
    session = open_session()
    try:
        _settle_in(session, catalogue, sql.key_statement(key_hex))
        weights = {t: _weight(catalogue.tables[t]) for t in plan.tables}
        course = Course(weights, progress)
        works = [
            _TableWork(session, catalogue, plan, table, methods[table], sql)
            for table in sorted(plan.tables, key=lambda t: (weights[t], t))
        ]
        return sum(work.run(course) for work in works)
    finally:
        session.close()


def _settle_in(session: Session, catalogue: Catalogue, key: tuple[str, tuple[object, ...]]) -> None:
    with told_of(f"Database {catalogue.database}"):
        prepare(session)
        take_over(session)
        stop_events(session)
        session.query(f"USE {quoted(catalogue.database)}")
        session.query(*key)
        Journal(session).open()


def _weight(table: TableFacts) -> int:
    return table.data_bytes + table.index_bytes


class _Way(Protocol):
    """What rebuilding and updating have in common; every act may be repeated."""

    def begin(self) -> None: ...

    def statement(self, hints: str, where: str) -> str: ...

    def order(self) -> str: ...

    def is_too_dense(self, rows: int, /) -> bool: ...

    def settle(self, rows: int) -> None: ...

    def swap(self) -> None: ...


@dataclass
class _TableWork:
    """One table, from where the journal says it is to its end."""

    session: Session
    catalogue: Catalogue
    plan: MaskPlan
    table: str
    method: Method
    sql: MaskingSql

    def run(self, course: Course) -> int:
        """Its rows."""
        with told_of(f"Table {self.table}"):
            journal = TableJournal(Journal(self.session), self.table)
            state = journal.read()
            definition = journal.read_definition()
            if definition is None:
                definition = self._keep_definition(journal)
            if state.step is not Step.DONE:
                course.resume(self.table, state.rows / max(1, definition.rows))
                self._advance(journal, state, definition, course)
            course.finish(self.table, definition.rows, f"{self.method.how}: {self.method.why}")
            return definition.rows

    def _keep_definition(self, journal: TableJournal) -> Definition:
        definition = read_definition(
            self.session, self.catalogue.database, self.table, self.catalogue.engine
        )
        journal.write_definition(definition)
        return definition

    def _advance(
        self, journal: TableJournal, state: State, definition: Definition, course: Course
    ) -> None:
        way = self._way(definition)
        while state.step in {Step.PREPARING, Step.FILLING}:
            if state.step is Step.PREPARING:
                way.begin()
                state = replace(state, step=Step.FILLING)
                if self._range_key() is not None:
                    journal.write(state)
            state = self._fill(way, journal, state, definition, course)
        if state.step is Step.SETTLING:
            way.settle(state.rows)
            state = _noted(journal, replace(state, step=Step.SWAPPING))
        if state.step is Step.SWAPPING:
            way.swap()
            state = _noted(journal, replace(state, step=Step.RESTORING))
        self._restore(definition)
        _noted(journal, replace(state, step=Step.DONE, after=()))

    def _way(self, definition: Definition) -> _Way:
        facts, columns = self.catalogue.tables[self.table], self.plan.of(self.table)
        made = self.sql.expressions_of(columns, facts, self.plan.attempts or {})
        if self.method.how is How.UPDATE:
            return InPlace(self.session, self.catalogue, facts, columns, made)
        return Rebuild(self.session, self.catalogue, facts, definition, made)

    def _range_key(self) -> RangeKey | None:
        """None where the table is filled as a whole: another engine keeps half a range."""
        facts = self.catalogue.tables[self.table]
        return range_key(facts) if facts.engine.lower() == "innodb" else None

    def _fill(
        self,
        way: _Way,
        journal: TableJournal,
        state: State,
        definition: Definition,
        course: Course,
    ) -> State:
        key = self._range_key()
        if key is None:
            return self._fill_whole(way, journal, state)
        while state.step is Step.FILLING:
            state = self._judged(way, journal, self._fill_range(way, key, journal, state))
            course.at(self.table, min(1.0, state.rows / max(1, definition.rows)))
        return state

    def _judged(self, way: _Way, journal: TableJournal, state: State) -> State:
        """Begins anew, once, where the order of the key makes the rows denser than they were."""
        if state.is_judged or (state.step is Step.FILLING and state.rows < _TRIAL_ROWS):
            return state
        if way.is_too_dense(state.rows):
            return _noted(journal, State(Step.PREPARING, is_shuffled=True, is_judged=True))
        return replace(state, is_judged=True)

    def _fill_whole(self, way: _Way, journal: TableJournal, state: State) -> State:
        """In one statement. A kill in it finds the journal before `begin`, which makes all anew."""
        self.session.query("START TRANSACTION")
        rows = self._masked(way.statement("", "TRUE"))
        state = _noted(journal, replace(state, step=Step.SETTLING, rows=rows))
        self.session.query("COMMIT")
        return state

    def _fill_range(self, way: _Way, key: RangeKey, journal: TableJournal, state: State) -> State:
        """One range and the word of it, together or not at all."""
        began_s = time.monotonic()
        upto = end_of_range(self.session, self.table, key, state.after, state.range_rows)
        self.session.query("START TRANSACTION")
        where = condition(key, state.after, upto)
        where += way.order() if state.is_shuffled else ""
        rows = self._masked(way.statement(f" FORCE INDEX ({quoted(key.index)})", where))
        if self.method.how is How.UPDATE:  # the server counts the rows that it found changed
            rows = state.range_rows
        state = replace(
            state,
            step=Step.FILLING if upto else Step.SETTLING,
            after=upto or state.after,
            rows=state.rows + rows,
            range_rows=_next_size(state.range_rows, time.monotonic() - began_s),
        )
        journal.write(state)
        self.session.query("COMMIT")
        return state

    def _masked(self, statement: str) -> int:
        self.session.query(statement)
        return int(str(self.session.query("SELECT ROW_COUNT()")[0][0]))

    def _restore(self, definition: Definition) -> None:
        make_triggers(self.session, self.catalogue.database, definition)
        renew_statistics(self.session, self.table, self.catalogue.engine, definition.statistics)
        if not definition.says_the_same_as(shown_create(self.session, self.table)):
            raise MaskingError(
                f"Table {self.table} has another definition after masking than before.",
                hint="Start from a fresh copy:  readiness clone reset NAME",
            )


def _noted(journal: TableJournal, state: State) -> State:
    journal.write(state)
    return state


def _next_size(rows: int, took_s: float) -> int:
    """The next range's rows: as many as take RANGE_S, but no leap."""
    wanted = int(rows * RANGE_S / max(took_s, 0.001))
    return max(1, min(max(wanted, rows // _GROWTH), rows * _GROWTH, _MOST_ROWS))

"""The recorded checkouts of an invented shop become a workload that makes new ones on another
database: the captures and the schema alone are known, their source is not asked."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from tests.fakes.paylater import SERVICES, SETS, captures_of, load_paylater, secrets_of
from tests.integration.workload.databases import (
    Database,
    build,
    columns_of,
    pools_of,
    unbound,
    workload_in,
)
from tests.integration.workload.replaying import (
    DEADLOCK,
    DEPRECATED,
    LOCK_WAIT,
    Replay,
    replay,
)
from tests.integration.workload.witness import captured_rows, fidelity

from readiness.adapters.local_server import LocalServer
from readiness.flow.build import Built
from readiness.model.workload import VariableKind, Workload

pytestmark = pytest.mark.mysql
WORKERS, CHECKOUTS = 4, 400


class Case(NamedTuple):
    """One set of captures on a server."""

    which: str
    built: Built
    database: Database

    @property
    def workload(self) -> Workload:
        return workload_in(self.built)

    def replay(self, *, checkouts: int, workers: int = 1) -> Replay:
        pools = pools_of(self.workload, self.database)
        target = self.database.target()
        return replay(self.workload, pools, target, checkouts=checkouts, workers=workers)


@pytest.fixture(scope="module")
def database(server: LocalServer) -> Database:
    made = Database(server, "paylater")
    made.make()
    with made.admin() as admin:
        load_paylater(admin)
    return made


@pytest.fixture(scope="module", params=sorted(SETS))
def case(
    request: pytest.FixtureRequest, database: Database, tmp_path_factory: pytest.TempPathFactory
) -> Case:
    output = tmp_path_factory.mktemp("built") / "checkout.sql"
    return Case(
        request.param, build(captures_of(request.param), database, output, users=()), database
    )


def test_few_variables_are_left_to_generate(case: Case) -> None:
    counts = case.workload.counts
    print(f"{case.which}: {dict(counts)}")
    assert counts["literals"] > 350
    assert counts["generated"] <= 45


def test_every_id_that_the_server_gives_is_bound(case: Case) -> None:
    assert unbound(case.workload) == set()
    assert set(columns_of(case.workload, VariableKind.SERVER)) == {
        "checkout_items.id",
        "credit_applications.id",
        "credit_reports.id",
        "ledger_accounts.id",
        "otp_codes.id",
        "payment_methods.id",
    }


def test_four_workers_make_400_new_checkouts(case: Case) -> None:
    done = case.replay(checkouts=CHECKOUTS, workers=WORKERS)
    print(f"{case.which}: {len(done.checkouts)} of {CHECKOUTS}, {dict(done.errors)}")
    assert done.errors_but(DEADLOCK, LOCK_WAIT) == {}
    assert done.warnings_but(DEPRECATED) == {}
    assert len(done.checkouts) + done.errors.total() == CHECKOUTS
    assert len(done.checkouts) >= CHECKOUTS * 95 // 100


def test_one_worker_meets_the_rows_that_the_captured_checkout_met(case: Case) -> None:
    captured = captured_rows(SETS[case.which] / "checkout_general.slow.log", SERVICES)
    ratio, other = fidelity(case.replay(checkouts=20), captured)
    print(f"{case.which}: {ratio:.4f} of statements with equal rows; others {other}")
    assert ratio >= 0.97


def test_two_runs_one_after_the_other_share_no_value(case: Case) -> None:
    for _ in range(2):
        assert case.replay(checkouts=20).errors == {}


def test_nothing_of_the_captured_people_is_in_the_file(case: Case) -> None:
    known = secrets_of(case.which)
    text = case.built.path.read_text("utf-8").lower()
    assert len(known) > 80
    assert [value for value in known if value.lower() in text] == []

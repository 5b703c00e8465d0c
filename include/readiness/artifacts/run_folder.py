"""The folder of one run: each stage of the flow reads files here and writes files here.

    run.json plan.yaml expectations.yaml workload.sql    what was asked
    workload.filter                                      keyed: what nothing here may hold
    workload-FLOW.sql workload-FLOW.filter               the same of each flow beside the first
    stages.parquet samples.parquet latency.json.gz       what was measured
    invariants.json                                      what the target answered before and after
    checks.json verdict.json                             what it means
    report.html charts/*.png                             what people read
    events.jsonl                                         what happened, line by line
    shards/STAGE/                                        mail between the tasks of a stage

Every writer replaces its file as a whole, every reader raises ArtifactError naming the file, or
SchemaMismatch when another version wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from readiness.artifacts import atomic, forms, json_files, latency, tables
from readiness.errors import ArtifactError
from readiness.model.load import StageResult
from readiness.model.metrics import Sample
from readiness.model.run import RunRecord
from readiness.model.verdict import Check, Verdict

VERSION = 1
_MEANING = ("checks.json", "verdict.json", "report.html")


Guard = Callable[[str, bytes], None]
"""`guard(name, data)`: raises PrivacyError when the file may not be written."""


def _open(_name: str, _data: bytes) -> None:
    """Lets everything pass."""


class RunFolder:
    """A run folder at `path`, which need not exist before the first write. Each file that says what
    a run means goes past the `guard` before it is written."""

    def __init__(self, path: Path, guard: Guard = _open) -> None:
        self.path = path
        self._guard = guard

    def write_run(self, record: RunRecord) -> None:
        """Writes `run.json`."""
        json_files.write_json(self.path / "run.json", forms.run_to_json(record), version=VERSION)

    def read_run(self) -> RunRecord:
        """Reads `run.json`."""
        path = self.path / "run.json"
        content = json_files.read_json(path, version=VERSION)
        with forms.reading(path):
            return forms.run_from_json(content)

    def write_inputs(
        self, *, plan: bytes, expectations: bytes, workload: bytes, workload_filter: bytes = b""
    ) -> None:
        """Copies plan, expectations, workload and its filter (b"": it has none) as they were when
        the run began."""
        atomic.write_bytes(self.path / "plan.yaml", plan)
        atomic.write_bytes(self.path / "expectations.yaml", expectations)
        self.write_workload(workload, workload_filter)

    def write_workload(self, workload: bytes, workload_filter: bytes, *, flow: str = "") -> None:
        """Copies the workload of a flow ("": the one that is staged) and its filter."""
        path = self.workload_path(flow)
        atomic.write_bytes(path, workload)
        if workload_filter:
            atomic.write_bytes(path.with_suffix(".filter"), workload_filter)
        else:
            path.with_suffix(".filter").unlink(missing_ok=True)

    def workload_path(self, flow: str = "") -> Path:
        """Where the run's own copy of a flow's workload lies; "" is the flow that is staged."""
        return self.path / (f"workload-{flow}.sql" if flow else "workload.sql")

    @property
    def filter_path(self) -> Path:
        """Where the filter of the staged flow's workload lies, if it has one."""
        return self.path / "workload.filter"

    @property
    def workload_paths(self) -> tuple[Path, ...]:
        """The workloads of all flows that the folder holds."""
        return tuple(sorted(self.path.glob("workload*.sql")))

    @property
    def filter_paths(self) -> tuple[Path, ...]:
        """The filters of their workloads; one that has none is left out."""
        return tuple(sorted(self.path.glob("workload*.filter")))

    def write_results(self, results: Sequence[StageResult], samples: Sequence[Sample]) -> None:
        """Writes `latency.json.gz`, `samples.parquet` and, last, `stages.parquet`: a stage counts
        from then on, so a crash in between loses the new one and none before."""
        latency.write_latency(self.path / "latency.json.gz", results)
        tables.write_samples(self.path / "samples.parquet", samples)
        tables.write_stages(self.path / "stages.parquet", results)

    def add_result(self, result: StageResult, samples: Sequence[Sample]) -> None:
        """Adds one stage to what the run has measured so far; run anew, it takes its own place."""
        has_any = self.has_results
        before = (
            [r for r in self.read_stages() if r.stage.name != result.stage.name] if has_any else []
        )
        sampled = (
            [s for s in self.read_samples() if s.stage != result.stage.name] if has_any else []
        )
        self.write_results([*before, result], [*sampled, *samples])

    @property
    def has_results(self) -> bool:
        """Whether any stage has been measured."""
        return (self.path / "stages.parquet").is_file()

    def forget_results(self) -> None:
        """Removes what an earlier try of the same run measured and what it meant."""
        for name in ("stages.parquet", "samples.parquet", "latency.json.gz", *_MEANING):
            (self.path / name).unlink(missing_ok=True)

    def read_stages(self) -> list[StageResult]:
        """What each stage did, as the engine returned it."""
        histograms = latency.read_latency(self.path / "latency.json.gz")
        return tables.read_stages(self.path / "stages.parquet", histograms)

    def read_samples(self) -> list[Sample]:
        """All samples of the run."""
        return tables.read_samples(self.path / "samples.parquet")

    def write_checks(
        self, checks: Sequence[Check], great_expectations: Mapping[str, object] | None = None
    ) -> None:
        """Writes `checks.json`: the checks, and what Great Expectations itself said."""
        content = {
            "checks": [forms.check_to_json(check) for check in checks],
            "great_expectations": dict(great_expectations or {}),
        }
        self._publish_json("checks.json", content)

    def read_checks(self) -> list[Check]:
        """The checks of `checks.json`."""
        path = self.path / "checks.json"
        content = json_files.read_json(path, version=VERSION)
        with forms.reading(path):
            return [forms.check_from_json(check) for check in content["checks"]]

    def write_verdict(self, verdict: Verdict) -> None:
        """Writes `verdict.json`."""
        self._publish_json("verdict.json", forms.verdict_to_json(verdict))

    def read_verdict(self) -> Verdict:
        """Reads `verdict.json`."""
        path = self.path / "verdict.json"
        content = json_files.read_json(path, version=VERSION)
        with forms.reading(path):
            return forms.verdict_from_json(content)

    def write_report(self, html: str) -> Path:
        """Writes `report.html`; returns its path."""
        return self._publish("report.html", html.encode())

    def write_chart(self, name: str, png: bytes) -> Path:
        """Writes `charts/NAME.png`; returns its path."""
        return self._publish(f"charts/{name}.png", png)

    def _publish_json(self, name: str, content: Mapping[str, object]) -> None:
        path = self.path / name
        self._publish(name, json_files.encode(content, path=path, version=VERSION, indent=2))

    def _publish(self, name: str, data: bytes) -> Path:
        self._guard(name, data)
        path = self.path / name
        atomic.write_bytes(path, data)
        return path

    def append_event(self, ts: float, event: str, **facts: object) -> None:
        """Adds a line to `events.jsonl`: wall clock in seconds, what happened, facts of it."""
        path = self.path / "events.jsonl"
        content = {"ts": ts, "event": event, **facts}
        line = json_files.encode(content, path=path, version=VERSION)
        atomic.append_line(path, line.rstrip(b"\n"))

    def read_events(self) -> list[dict[str, Any]]:
        """All whole lines of `events.jsonl`; a last line cut by a crash is left out."""
        path = self.path / "events.jsonl"
        whole = atomic.read_bytes(path).split(b"\n")[:-1]
        return [json_files.decode(line, path=path, version=VERSION) for line in whole]

    def read_bytes(self, name: str) -> bytes:
        """A file of the folder as it stands, such as `plan.yaml`."""
        return atomic.read_bytes(self.path / name)

    def require(self) -> None:
        """Raises ArtifactError unless this is a run folder."""
        if not (self.path / "run.json").is_file():
            message = f"{self.path} is no run folder: it has no run.json."
            raise ArtifactError(message, hint="Give the folder that -o named: runs/RUN_ID")

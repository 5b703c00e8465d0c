"""`latency.json.gz`: the histograms of a run, mergeable, sparse, in nanoseconds.

```
{"schema_version": 3, "unit": "ns", "stages": [
  {"stage": "5x", "flow": "",
   "seconds": [{"second": 0, "checkout": H, "commit": H, "connect": H, "lag": H, "timer_floor": H, "queue": H}],
   "service": H, "statements": {"s017": H}}]}        H = {"count", "sum", "min", "max", "buckets": [[bucket, n]]}
```
Seconds include ramp and warm-up; service and statements count the measured part alone. The flow that
is staged has the name "", and those beside it follow, stage by stage.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readiness.artifacts import atomic, json_files
from readiness.artifacts.forms import reading
from readiness.errors import ArtifactError
from readiness.model.histogram import Histogram
from readiness.model.load import StageResult

VERSION = 3
PER_SECOND = ("checkout", "commit", "connect", "lag", "timer_floor", "queue")


@dataclass(frozen=True, slots=True)
class StageLatency:
    """The histograms of one flow in one stage: `seconds[s][kind]`, `service`,
    `statements[statement_id]`."""

    stage: str
    flow: str
    seconds: Mapping[int, Mapping[str, Histogram]]
    service: Histogram
    statements: Mapping[str, Histogram]


def by_flow(results: Sequence[StageResult]) -> Iterator[tuple[str, StageResult]]:
    """Each stage's own result, named "", and after it those of the flows beside it."""
    for result in results:
        yield "", result
        yield from result.companions.items()


def write_latency(path: Path, results: Sequence[StageResult]) -> None:
    """Writes the histograms of all stages; equal results give equal bytes."""
    content = {"unit": "ns", "stages": [_stage_to_json(*row) for row in by_flow(results)]}
    data = json_files.encode(content, path=path, version=VERSION)
    atomic.write_bytes(path, gzip.compress(data, compresslevel=6, mtime=0))


def read_latency(path: Path) -> list[StageLatency]:
    """The histograms in the order of the stages. Raises ArtifactError or SchemaMismatch."""
    packed = atomic.read_bytes(path)
    try:
        data = gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise ArtifactError(f"{path} is broken: it is not a whole gzip file.") from error
    content = json_files.decode(data, path=path, version=VERSION)
    with reading(path):
        return [_stage_from_json(stage) for stage in content["stages"]]


def _stage_to_json(flow: str, result: StageResult) -> dict[str, object]:
    seconds = [
        {"second": tick.second, **{kind: getattr(tick, kind).to_json() for kind in PER_SECOND}}
        for tick in result.ticks
    ]
    statements = {name: h.to_json() for name, h in sorted(result.statements.items())}
    return {
        "stage": result.stage.name,
        "flow": flow,
        "seconds": seconds,
        "service": result.service.to_json(),
        "statements": statements,
    }


def _stage_from_json(content: Mapping[str, Any]) -> StageLatency:
    seconds = {
        int(second["second"]): {kind: Histogram.from_json(second[kind]) for kind in PER_SECOND}
        for second in content["seconds"]
    }
    statements = {name: Histogram.from_json(h) for name, h in content["statements"].items()}
    service = Histogram.from_json(content["service"])
    return StageLatency(str(content["stage"]), str(content["flow"]), seconds, service, statements)

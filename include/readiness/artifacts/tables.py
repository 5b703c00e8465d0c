"""`stages.parquet` and `samples.parquet`: one row a stage and flow, one row a sample.

The flow that is staged has the name "", and those beside it follow it.

The schema_version stands in the metadata of the Parquet schema as `readiness.schema_version`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readiness.artifacts import atomic, json_files
from readiness.artifacts.forms import reading
from readiness.artifacts.latency import PER_SECOND, StageLatency, by_flow
from readiness.errors import ArtifactError
from readiness.model.load import RateChange, Stage, StageResult, Tick
from readiness.model.metrics import Sample

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 3
_VERSION_KEY = b"readiness.schema_version"
_TICK_COUNTS = (
    "second", "offered", "started", "finished", "failed", "dropped", "in_flight", "retried", "expired",
)  # fmt: skip
_TICK_RATIOS = ("generator_cpu_ratio", "run_queue_delay_ratio")
_STAGE_FIELDS = (
    "rate_per_s", "hold_s", "ramp_s", "warmup_s", "from_rate_per_s", "tuned_max_per_s",
)  # fmt: skip
_RESULT_TIMES = ("started_at", "ended_at")
_RESULT_ERRORS = ("errors", "retries")
_RESULT_COUNTS = ("measured_from_s", "checkouts_ok", "checkouts_failed", "next_number")


def write_samples(path: Path, samples: Sequence[Sample]) -> None:
    """Writes all samples of a run in the given order."""
    _write(path, [asdict(sample) for sample in samples], _samples_schema())


def read_samples(path: Path) -> list[Sample]:
    """All samples in order. Raises ArtifactError or SchemaMismatch naming the file."""
    with reading(path):
        return [Sample(**row) for row in _read(path)]


def write_stages(path: Path, results: Sequence[StageResult]) -> None:
    """Writes what each stage did, second by second; histograms go to `latency.json.gz`."""
    _write(path, [_stage_row(*row) for row in by_flow(results)], _stages_schema())


def read_stages(path: Path, latency: Sequence[StageLatency]) -> list[StageResult]:
    """The stage results, joined with their histograms; histograms of a stage that a crash kept out
    of the table are left out. Raises ArtifactError or SchemaMismatch."""
    rows = _read(path)
    with reading(path):
        names = [(row["stage"], row["flow"]) for row in rows]
        known = latency[: len(names)]
        if names != [(stage.stage, stage.flow) for stage in known]:
            raise ArtifactError(f"{path} and its latency.json.gz hold different stages.")
        return _joined(_result(row, stage) for row, stage in zip(rows, known, strict=True))


def _joined(read: Iterable[tuple[str, StageResult]]) -> list[StageResult]:
    """The results of the flow that is staged, those of the flows beside it in them."""
    stages: list[StageResult] = []
    for flow, result in read:
        if flow:
            beside = {**stages[-1].companions, flow: result}
            stages[-1] = replace(stages[-1], companions=beside)
        else:
            stages.append(result)
    return stages


def _samples_schema() -> pa.Schema:
    import pyarrow as pa

    word = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [
            ("ts", pa.float64()),
            ("stage", word),
            ("metric", word),
            ("value", pa.float64()),
            ("unit", word),
            ("source", word),
        ]
    )


def _stages_schema() -> pa.Schema:
    import pyarrow as pa

    whole, real, text = pa.int64(), pa.float64(), pa.string()
    tick = [(n, whole) for n in _TICK_COUNTS] + [(n, real) for n in _TICK_RATIOS]
    error = [("statement_id", text), ("code", whole), ("count", whole)]
    fields = [
        ("stage", text),
        ("flow", text),
        *((n, real) for n in (*_STAGE_FIELDS, *_RESULT_TIMES)),
    ]
    fields += [(n, whole) for n in _RESULT_COUNTS]
    fields += [("aborted_by", text), ("notes", pa.list_(text))]
    fields += [(n, pa.list_(pa.struct(error))) for n in _RESULT_ERRORS]
    rate = [("from_s", whole), ("rate_per_s", real)]
    fields += [("rates", pa.list_(pa.struct(rate)))]
    fields += [("ticks", pa.list_(pa.struct(tick)))]
    return pa.schema(fields)


def _stage_row(flow: str, result: StageResult) -> dict[str, object]:
    return {
        "stage": result.stage.name,
        "flow": flow,
        **{n: getattr(result.stage, n) for n in _STAGE_FIELDS},
        **{n: getattr(result, n) for n in (*_RESULT_TIMES, *_RESULT_COUNTS)},
        "aborted_by": result.aborted_by,
        "notes": list(result.notes),
        **{n: _counts(getattr(result, n)) for n in _RESULT_ERRORS},
        "rates": [asdict(change) for change in result.rates],
        "ticks": [
            {n: getattr(tick, n) for n in (*_TICK_COUNTS, *_TICK_RATIOS)} for tick in result.ticks
        ],
    }


def _counts(errors: Mapping[tuple[str, int], int]) -> list[dict[str, object]]:
    return [
        {"statement_id": statement_id, "code": code, "count": count}
        for (statement_id, code), count in sorted(errors.items())
    ]


def _counted(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], int]:
    return {(row["statement_id"], row["code"]): row["count"] for row in rows}


def _result(row: Mapping[str, Any], latency: StageLatency) -> tuple[str, StageResult]:
    return row["flow"], StageResult(
        stage=Stage(name=row["stage"], **{n: row[n] for n in _STAGE_FIELDS}),
        **{n: row[n] for n in (*_RESULT_TIMES, *_RESULT_COUNTS)},
        ticks=tuple(_tick(tick, latency) for tick in row["ticks"]),
        service=latency.service,
        statements=dict(latency.statements),
        errors=_counted(row["errors"]),
        retries=_counted(row["retries"]),
        aborted_by=row["aborted_by"],
        notes=tuple(row["notes"]),
        rates=tuple(RateChange(**change) for change in row["rates"]),
    )


def _tick(row: Mapping[str, Any], latency: StageLatency) -> Tick:
    histograms = latency.seconds[row["second"]]
    parts: dict[str, Any] = {**row, **{kind: histograms[kind] for kind in PER_SECOND}}
    return Tick(**parts)


def _write(path: Path, rows: list[dict[str, object]], schema: pa.Schema) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    versioned = schema.with_metadata({_VERSION_KEY: str(VERSION).encode()})
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows, schema=versioned), buffer, compression="zstd")
    atomic.write_bytes(path, buffer.getvalue())


def _read(path: Path) -> list[dict[str, Any]]:
    import pyarrow as pa
    from pyarrow import parquet

    data = atomic.read_bytes(path)
    try:
        # Its reading threads, still alive at exit, abort a short process: measured, 1 in 3.
        table = parquet.ParquetFile(pa.BufferReader(data), pre_buffer=False).read(use_threads=False)
    except pa.ArrowException as error:
        raise ArtifactError(f"{path} is broken: it is not a whole Parquet file.") from error
    found = (table.schema.metadata or {}).get(_VERSION_KEY, b"none").decode()
    json_files.require_version(int(found) if found.isdigit() else found, path=path, version=VERSION)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows

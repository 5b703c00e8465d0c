"""Production's own figures at the rate of a normal day, as a person writes them down.

commits_per_s: 118
threads_running: 2.4
connections: 36
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from readiness.config.mistakes import in_order
from readiness.config.nearest import did_you_mean
from readiness.config.yaml_file import YamlFile, read_yaml
from readiness.errors import ConfigError, Mistake
from readiness.model.fidelity import LEAST_METRICS
from readiness.model.metrics import CATALOGUE, Origin

_WHAT = "The file of production's figures"
_LATENCIES = ("checkout_", "commit_", "connect_", "statement_")
COMPARABLE = tuple(
    name
    for name, metric in CATALOGUE.items()
    if metric.origin is not Origin.ENGINE or name.startswith(_LATENCIES)
)
"""What says something of the database; what the generator says of itself would only flatter."""


def load_production_figures(path: Path) -> Mapping[str, float]:
    """Metric by metric of the catalogue. Raises ConfigError when it cannot be read, ConfigMistakes
    with every mistake."""
    if not path.is_file():
        raise ConfigError(
            f"There is no file {path}.",
            hint="Write one line for each metric of production at 1x, such as  commits_per_s: 118",
        )
    file = read_yaml(path, what=_WHAT)
    mistakes = [*file.duplicates, *_mistakes(file)]
    if mistakes:
        raise in_order(_WHAT, mistakes)
    if len(file.data) < LEAST_METRICS:
        raise ConfigError(
            f"{path} has {len(file.data)} figures; at least {LEAST_METRICS} are needed.",
            hint="Fewer can agree by chance. Add such as  statements_per_s, threads_running,"
            " connections.",
        )
    return {name: float(str(value)) for name, value in file.data.items()}


def _mistakes(file: YamlFile) -> Iterator[Mistake]:
    for name, value in file.data.items():
        if name not in COMPARABLE:
            told = f"no metric to compare by.{did_you_mean(name, COMPARABLE)}"
            yield file.at_key((name,), told)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            yield file.at_value((name,), "a number is needed here")
        elif not (math.isfinite(value) and value >= 0):
            yield file.at_value((name,), "allowed is a number from 0 up")

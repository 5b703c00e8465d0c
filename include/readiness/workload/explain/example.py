"""The value that a plain client uses for a generator that a person gave."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import replace

from readiness.model.workload import Form, Variable, Workload
from readiness.sql.lexer import encode
from readiness.workload.make.generators import Lane, generator

_MOMENT_MS = 1_767_225_600_000  # one and the same, so that a rebuild gives the same file


def with_examples(workload: Workload, given: Collection[str]) -> Workload:
    """The workload with a generated example for each of the `given` variables: one learnt from the
    captures has the captured shape, which need not be the generator's."""
    made = (_with_one(v) if v.name in given else v for v in workload.variables)
    return replace(workload, variables=tuple(made))


def _with_one(variable: Variable) -> Variable:
    value = encode(variable.form, example_of(variable.generator, variable.form, variable.name))
    return replace(variable, example=value.decode("utf-8", "surrogateescape"))


def example_of(text: str, form: Form, name: str) -> bytes:
    """One raw value of a generator, always the same for a name. Raises WorkloadError as `generator`
    does."""
    made = generator(text, form, Lane(name.encode()))
    return made.make(0, hashlib.shake_256(name.encode()).digest(made.entropy), _MOMENT_MS)

"""The value that a plain client uses for a generator that a person gave."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import replace

from readiness.model.workload import Variable, Workload
from readiness.sql.lexer import encode
from readiness.workload.generators import Lane, generator

_MOMENT_MS = 1_767_225_600_000  # one and the same, so that a rebuild gives the same file


def with_examples(workload: Workload, given: Collection[str]) -> Workload:
    """The workload with a generated example for each of the `given` variables: one learnt from the
    captures has the captured shape, which need not be the generator's."""
    made = (_with_one(v) if v.name in given else v for v in workload.variables)
    return replace(workload, variables=tuple(made))


def _with_one(variable: Variable) -> Variable:
    entropy = hashlib.sha512(variable.name.encode()).hexdigest() * 8
    make = generator(variable.generator, variable.form, Lane(variable.name.encode())).make
    value = encode(variable.form, make(0, entropy, _MOMENT_MS))
    return replace(variable, example=value.decode("utf-8", "surrogateescape"))

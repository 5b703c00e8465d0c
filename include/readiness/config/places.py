"""Where the files that users edit are found: by path, or by name in `include/<kind>/`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from readiness.config.nearest import did_you_mean
from readiness.errors import ConfigError

_BESIDE_PACKAGE = Path(__file__).resolve().parents[2]


def folders(kind: str) -> tuple[Path, ...]:
    """The folders searched for a name: the working folder's `include/`, then the repository's."""
    return (Path("include") / kind, _BESIDE_PACKAGE / kind)


def is_path(name_or_path: str) -> bool:
    """Whether it names a file itself: it has a slash or ends like a YAML file."""
    return "/" in name_or_path or name_or_path.endswith((".yaml", ".yml"))


def find(name_or_path: str, *, kind: str, beside: Path | None = None) -> Path:
    """The file meant: a path as it stands (relative to the file `beside` that names it), or
    NAME.yaml in a folder of `kind`. Raises ConfigError naming the nearest."""
    if is_path(name_or_path):
        path = (beside.parent if beside else Path()) / Path(name_or_path).expanduser()
        if path.is_file():
            return path
        raise _not_found(str(path), [path.parent], suffix=True)
    searched = [*([beside.parent.parent / kind] if beside else []), *folders(kind)]
    for folder in searched:
        path = folder / f"{name_or_path}.yaml"
        if path.is_file():
            return path
    raise _not_found(name_or_path, searched, suffix=False)


def _not_found(asked: str, searched: Sequence[Path], *, suffix: bool) -> ConfigError:
    there = sorted(p for folder in searched for p in folder.glob("*.yaml"))
    names = {str(p) if suffix else p.stem for p in there}
    listed = ", ".join(sorted(names)[:8])
    hint = f"There are: {listed}." if listed else f"Looked in: {searched[0]}."
    return ConfigError(f"No such file: {asked}.{did_you_mean(asked, names)}", hint=hint)

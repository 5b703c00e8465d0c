"""A process that restores clones of a snapshot and destroys them until it is killed.

`python restorer.py ROOT SNAPSHOT_PATH`; says "going" before the first restore.
"""

from __future__ import annotations

import sys
from pathlib import Path

from readiness.adapters.local_clones import LocalClones
from readiness.clones.manifest import read_manifest


def main() -> None:
    clones, path = LocalClones(Path(sys.argv[1])), Path(sys.argv[2])
    snapshot = read_manifest(path).snapshot(path)
    print("going", flush=True)
    while True:
        clone = clones.restore(snapshot, run_id="killed", variant="a", lease_s=60)
        clones.destroy(clone.name)


if __name__ == "__main__":
    main()

"""A process that starts a private server, says where, and waits to be killed.

`python owner.py FOLDER [FORKS]`; with FORKS it leaves a forked child that holds its files open.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from readiness.adapters.local_server import LocalServer


def main() -> None:
    server = LocalServer(Path(sys.argv[1]))
    server.start()
    child = 0
    if len(sys.argv) > 2:
        child = os.fork()
        if not child:
            time.sleep(30)
            os._exit(0)
    state = server.running_state()
    said = {"pid": state.pid, "folder": state.temporary_folder, "child": child}
    print(json.dumps(said), flush=True)
    time.sleep(60)


if __name__ == "__main__":
    main()

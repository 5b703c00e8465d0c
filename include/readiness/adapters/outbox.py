"""The messenger of a machine without a chat channel: it accepts everything and sends nothing.

What would have been sent stands in the run folder's `slack/`, as it does with every messenger.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from readiness.model.message import Answer, Fate


class Outbox:
    """A `ports.Messenger` to nobody."""

    name = "outbox"
    channel = "outbox"

    def post(self, body: Mapping[str, object], *, within_s: float) -> Answer:
        """Accepts it; the message is named after its content."""
        del within_s
        written = json.dumps(body, sort_keys=True).encode()
        ts = f"outbox-{hashlib.sha256(written).hexdigest()[:12]}"
        return Answer(Fate.DELIVERED, self.channel, ts)

    def edit(self, body: Mapping[str, object], *, within_s: float) -> Answer:
        """Accepts it."""
        del within_s
        return Answer(Fate.DELIVERED, self.channel, str(body["ts"]))

    def upload(self, body: Mapping[str, object], content: bytes, *, within_s: float) -> Answer:
        """Accepts it; the picture stands in the run folder's `charts/`."""
        del body, content, within_s
        return Answer(Fate.DELIVERED, self.channel)

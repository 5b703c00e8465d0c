"""The keys to a target: load and masking run only where every key holds.

marker      a row that only our restore, or an adoption shown to a person, writes
lease       the marker's end lies ahead
identity    the marker was written on this very server: a copied datadir carries a void one
production  no address and no identity of a configured production endpoint
nonce       the marker's nonce is absent on every production endpoint that we may ask
quiet       no replica, no replicas, no sessions but ours; and the account may see that
local       a loopback address or socket may be a tunnel: only where we started the process

and for load also

masked      the marker says how personal data left, and in whose words
account     what the load logs in as may change rows, and nothing that reaches further

Nothing here opens a connection: the caller gives the sessions.

identity    who a server is, and where an address leads
marker      the row, written, read and renewed
production  what the configured production endpoints say when they are asked
account     what the load's account may do beyond changing rows
rights      the GRANTs of an account, read
quiet       replication, and sessions of others
purpose     what the keys are asked for: load or masking
keys        all keys of a target
refusal     what a person is told where one is missing
adoption    a marker on a clone that somebody else made
"""

from readiness.interlock.adoption import Seen, adopt, look, require_adoptable
from readiness.interlock.identity import describe, digest_of, is_loopback
from readiness.interlock.keys import Place, check
from readiness.interlock.marker import (
    ADOPTED_PREFIX,
    LOAD_USER,
    note_masked,
    read_marker,
    renew_marker,
    write_marker,
)
from readiness.interlock.purpose import Purpose
from readiness.interlock.refusal import RUNBOOK, require

__all__ = [
    "ADOPTED_PREFIX",
    "LOAD_USER",
    "RUNBOOK",
    "Place",
    "Purpose",
    "Seen",
    "adopt",
    "check",
    "describe",
    "digest_of",
    "is_loopback",
    "look",
    "note_masked",
    "read_marker",
    "renew_marker",
    "require",
    "require_adoptable",
    "write_marker",
]

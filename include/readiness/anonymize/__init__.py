"""From a raw draft to a workload that holds no captured value.

key        the secret behind the pseudonyms: a file of the user's, outside any repository
pseudonym  keyed values of the same class, length and case; equal values stay equal
learn      what a generator needs to know of captured values: shapes and coarse ranges
sensitive  the second net: what looks personal although all captures agree on it
seal       RawDraft → Workload
originals  the captured values that no output may hold; captured: those of raw logs without a draft
parts      pieces of personal values that tell the person, too
encodings  the ways in which a value may be written
needles    what to look for, by fingerprint and proof; hunt: finds thousands of them in few passes
scan       does any captured value survive in an output
filter     the needles in a keyed file, for tasks that do not have the logs
allowed    values that may stand in outputs, with reasons
"""

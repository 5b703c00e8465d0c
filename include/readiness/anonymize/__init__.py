"""From a raw draft to a workload that holds no captured value.

key        the secret behind the pseudonyms: a file of the user's, outside any repository
pseudonym  keyed values of the same class, length and case; equal values stay equal
learn      what a generator needs to know of captured values: shapes and coarse ranges
sensitive  the second net: what looks personal although all captures agree on it
seal       RawDraft → Workload
originals  the captured values that no output may hold
scan       does any captured value survive in an output
"""

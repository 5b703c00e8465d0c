"""From captures of one flow to a workload that makes new, similar checkouts for ever.

parameterize   what differs between captures becomes a variable
file           checkout.sql: readable, and valid for a plain client
pools, taken   what the target holds: rows to pick from, and what is free for new values
budget         are there enough new values for a run?
compile        a workload and its pools → a `ports.CheckoutFlow`
check          checkouts one by one: does it fit the target
"""

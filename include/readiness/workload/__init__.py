"""From captures of one flow to a workload that makes new, similar checkouts for ever.

parameterize   what differs between captures becomes a variable
file           checkout.sql: readable, and valid for a plain client
compile        a workload and its pools → a `ports.CheckoutFlow`
check          checkouts one by one: does it fit the target
"""

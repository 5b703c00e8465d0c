"""From captures of one flow to a workload that makes new, similar checkouts for ever.

find      what differs between captures becomes a variable
explain   why each became what it is, and what a person overrules
text      checkout.sql: readable, and valid for a plain client
make      a workload and its pools → a `ports.CheckoutFlow`
prove     rows against the capture, drift, salted ids
"""

"""The verbs, one a module, used alike by the command line and the DAGs. They see ports only.

build    captures → an anonymized, parameterized, scanned workload
asked    what a flow asks of target and host
preflight what target and host allow, against what stages ask for → what does not fit
calibrate a target → its capacity, and the way to load that is most like production
ramp     a stage of a plan against a target → what was measured, in a run folder
judge    a run folder and expectations → checks and a verdict, in the run folder
report   a run folder → report.html and its charts
announce a run folder → messages to a chat channel, delivered by the rules of `telling`
janitor  clones and their leases → what has expired is gone
"""

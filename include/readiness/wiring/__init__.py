"""Settings and DSNs → adapters: the only place that chooses. Commands and DAGs start here.

targets   what a DSN names: sessions, interlock, sampler, load workers
production  the watch on production that a plan asks for
ramps     a plan against a target, into a run folder
flows     those of a plan beside the one that is staged
verdicts  a run folder judged and reported
messages  who is told of a run: Slack or the run folder's outbox
janitor   the clones of this machine, tended
workloads captures and their source into a workload file
"""

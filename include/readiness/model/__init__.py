"""The values that cross a stage boundary: frozen, standard library only.

transactions   what a capture holds (raw types: never written, shown or pickled)
draft          a parameterized capture before anonymization (raw)
workload       the only form that leaves: variables, samples, steps
histogram      mergeable latency histograms
load           stages, plans, what a stage did
metrics        the metric catalogue and series
verdict        figures, checks, validity, the verdict
run            what a run is: names, inputs, planned stages
message        what is said in a chat channel, and what became of it
clone          snapshots, clones, markers, keys of the interlock
"""

"""From measurements to the verdict. Pure: no clock, no file, no server.

figures    a stage's ticks, histograms and samples → one figure a metric
checks     an expectation over figures → passed, failed, missing or not evaluated
validity   can a stage be believed, and if not, whose fault is it
fidelity   how alike production a load is, by the metrics that both show
abort      rules that stop the load while it runs
verdict    all of it → the word, and what limits
"""

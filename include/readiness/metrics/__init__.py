"""From counters to catalogue metrics.

derive    two readings of a source → rates, active sessions, ratios of deltas
sampler   all sources, once a second, as samples
"""

"""Does a workload fit a target: rows against the capture, drift, and salted ids."""

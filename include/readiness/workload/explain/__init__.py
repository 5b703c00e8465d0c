"""The narrowing explained beside the workload, and what a person overrules in it."""

"""The command line: one command a module, each a thin call of a verb in `flow`."""

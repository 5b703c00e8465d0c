"""A checkout's values: generators, expressions and sampled rows, compiled into one function."""

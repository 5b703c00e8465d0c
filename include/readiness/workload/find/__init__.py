"""From captures to variables: what differs is aligned, grouped, and given a class."""

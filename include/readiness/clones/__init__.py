"""Snapshots and clones: names, leases, manifests, and what to do next. No server is touched here."""

"""Peak Readiness: prove on a clone of production that the database carries the peak."""

__version__ = "0.1.0"

"""`checkout.sql`: written, read, and refused with its line."""

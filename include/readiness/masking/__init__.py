"""Masking a clone: what is personal in it, the SQL that replaces it, and the proof. Sees only sessions."""

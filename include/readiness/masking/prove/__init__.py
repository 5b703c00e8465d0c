"""The proof: figures and keyed hashes before, the same again after, and what must hold of them."""

"""The tables rewritten: by UPDATE or beside themselves, in ranges, so that a kill loses nothing."""

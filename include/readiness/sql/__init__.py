"""Captured SQL as bytes: where its literals are, what a statement is, what it looks like.

lexer   spans of tokens, decoding and encoding of literals, splitting of scripts
kind    what a statement is to the engine, and what it does to a transaction
shape   a digest-like fingerprint: equal shapes are the same statement with other values
mask    a length-preserving rewrite that lets a parser read what it otherwise cannot
"""

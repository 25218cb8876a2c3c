"""Compiled primitives under the readers and the rules: rows, columns, numbers in text, hashes."""

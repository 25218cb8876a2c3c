"""Compiled functions that the readers and the rules use: rows, columns, numbers in text, hashes."""

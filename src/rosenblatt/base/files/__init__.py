"""Files that are written: which kinds there are, and what is checked before the work."""

"""The lessons, one lecture each."""

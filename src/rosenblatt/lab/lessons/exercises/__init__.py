"""The exercises, one kind each."""

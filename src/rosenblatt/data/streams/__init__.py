"""Data larger than memory, read in chunks. Door: `stream.Stream`."""

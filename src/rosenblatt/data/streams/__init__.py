"""Streams: data larger than memory, read in chunks. Door: `stream.Stream`."""

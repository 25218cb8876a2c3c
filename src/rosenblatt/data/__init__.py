"""Labelled rows: checked, read from files, written to files, scaled, and streamed when they do not fit in memory.

Doors: `validation` for arrays passed by the user, `files.read.read`, `files.write.write`, `streams.stream.Stream`,
`scaling.Scaling`.
"""

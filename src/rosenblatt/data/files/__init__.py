"""Tables and sparse text as files. Doors: `read.read`, `write.write`, `sources`, `encoding.Encoding`, `board`."""

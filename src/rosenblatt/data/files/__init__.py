"""Reading and writing of data files: tables, sparse text and boards of the lab.

Doors: `read.read`, `write.write`, `sources`, `encoding.Encoding`, `board`.
"""

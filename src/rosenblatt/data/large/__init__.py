"""Work on large tables: in parts on all cores, and from a copy with one byte for each number. Doors: all files."""

"""Regressions with fixed effects of two factors: a search on a graph instead of thousands of columns.

`cone.cone_of` is the door.
"""

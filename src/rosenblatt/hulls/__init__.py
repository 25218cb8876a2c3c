"""The nearest points of two convex hulls: one search behind Kozinec, the maximum margin and separability.

Public names: `search.nearest_point`, the row sets of `row_set` and `streamed_row_set`, and the types of `search_types`.
"""

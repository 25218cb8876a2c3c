"""Bounds on the fewest errors of any hyperplane: the searches, with their effort counted in operations."""

"""Wrappers for many classes: one against all, one against one, Kessler's construction, least risk."""

"""Classifiers of two classes wrapped for more: one against all, one against one, Kessler, least risk."""

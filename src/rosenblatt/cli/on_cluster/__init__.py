"""The commands `fit`, `check`, `verify` and `predict` on a cluster of Dask. Doors: all files."""

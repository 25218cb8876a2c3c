"""Benchmarks against other libraries, in one run. Each has an objective, data sets and solvers."""

"""Solvers of the generalised Anderson task: Gaussians, the search for the largest radius, and bounds on the radius."""

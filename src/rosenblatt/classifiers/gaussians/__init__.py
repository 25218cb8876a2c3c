"""The generalised Anderson task: Gaussians, the search for the largest radius, and its bounds."""

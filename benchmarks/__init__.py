"""Side by side with the peers, in one run: an objective, data sets, solvers."""

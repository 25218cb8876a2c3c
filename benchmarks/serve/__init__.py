"""Benchmarks of `rosenblatt serve`: requests a second and their times, beside river and Vowpal Wabbit; a soak."""

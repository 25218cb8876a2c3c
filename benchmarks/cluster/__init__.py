"""Benchmarks of `rosenblatt.cluster`: what workers, rounds and memory cost, also beside other programs."""

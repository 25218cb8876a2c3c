"""The accuracy and the time of `fit --algorithm auto`, beside our own algorithms and those of scikit-learn.

Run it with `make bench ARGS="auto"`, or `make bench ARGS="auto --rounds 2"` for two seeds.
"""

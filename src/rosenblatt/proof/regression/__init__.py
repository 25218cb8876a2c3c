"""Which estimates of a regression are infinite: `estimates` asks, and `Estimates` is the answer."""

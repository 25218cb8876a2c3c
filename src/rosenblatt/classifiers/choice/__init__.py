"""The choice of an algorithm for given rows, by its accuracy on rows that it did not learn from.

Doors: `choose` (the choice), `Choice` (what was chosen, and why).
"""

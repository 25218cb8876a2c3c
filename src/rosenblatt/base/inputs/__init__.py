"""The reader of what users give as X and y: one table of what is taken, for the estimators, the proofs and the checker.

docs/inputs.md shows that table. Doors: `tables.take_table`, `labels.take_labels`, `labels.take_class_labels`.
"""

"""One row at a time: rows given as dicts, columns by name, and classes that come later.

Doors: `vocabulary.names_of` finds the columns of a model's names; `learns_rows.LearnsRows` has the method `learn_one`.
"""

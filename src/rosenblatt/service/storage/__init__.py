"""What the service keeps on disk: for each model a SQLite file with its log of examples and its snapshots.

Doors: `model_file` (one model) and `folder` (all models).
"""

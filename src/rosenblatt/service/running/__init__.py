"""Models that learn and predict while the service runs. Doors: `models` (all of them) and `served_model` (one)."""

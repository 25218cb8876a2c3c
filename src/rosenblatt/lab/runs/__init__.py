"""Runs of algorithms on the board, as frames that the page plays. Doors: `run.run`, `run.traced`."""

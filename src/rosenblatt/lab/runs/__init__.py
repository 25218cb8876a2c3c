"""A run of an algorithm on the lab's board, as frames that the page draws: one file for each kind of algorithm."""

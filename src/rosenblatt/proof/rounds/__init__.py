"""Questions about rows that are not in memory: some rows are decided exactly, then all rows are tested, round by round.

Doors: `decide_rounds`, `decide_stream`, `worst_rows`.
"""

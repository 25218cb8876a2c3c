"""Linear combinations of recession rows, exactly: is a row, or a coefficient, a combination of some rows?

`row_span.span_of` is the door. `factor_rows` finds fixed effects in the data, and decides the question on their graph.
"""

"""The checker of certificates: it decides in whole numbers whether a claim about some rows is true.

It imports only `base` and `errors`, and nothing of the code that finds proofs. Doors: `Certificate`,
`reader.read_file`, `exact_table.read_table`, `signed_rows.Signed`.
"""

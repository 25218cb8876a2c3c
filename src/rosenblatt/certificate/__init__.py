"""The checker of certificates: it decides whether a claim about some rows is true, without any tolerance.

It imports only `base` and `errors`, and none of the code that finds proofs. Public names: `certificate.Certificate`,
`verification.Verification`, `reader.read_file`, `exact_table.read_table`, `signed_rows.Signed`.
"""

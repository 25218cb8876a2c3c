"""Questions about shards that are answered with a proof, and the check of such proofs."""

"""Claims about regressions: the outcomes, the recession rows of each model, and the check of every coefficient."""

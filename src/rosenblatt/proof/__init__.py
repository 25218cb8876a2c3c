"""Finds verdicts and bounds, each with a certificate that `rosenblatt.certificate` can check.

Doors: `separability`, `Verdict`, `mistake_bound`, `error_bounds`.
"""

"""Finds verdicts and bounds, each with a certificate that `rosenblatt.certificate` can check.

Public names: `separability`, `Verdict`, `mistake_bound`, `error_bounds`.
"""

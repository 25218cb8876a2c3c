"""Columns behind a separation: those that separate, those that tell the label, and signs of their coefficients.

Doors: `culprits`, `telling_columns`, `levels`, `limiting_columns`, `margin_signs`.
"""

"""Warnings that a fit may give."""

from sklearn.exceptions import ConvergenceWarning


class BudgetWarning(ConvergenceWarning):
    """The budget of passes was used before a pass without a mistake."""


class OverlapWarning(ConvergenceWarning):
    """It was proved that no hyperplane separates the classes."""

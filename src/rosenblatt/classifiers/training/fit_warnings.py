"""Warnings that a fit gives: those of this package, and at the same time scikit-learn's `ConvergenceWarning`."""

from sklearn.exceptions import ConvergenceWarning

from rosenblatt.errors import warnings


class BudgetWarning(warnings.BudgetWarning, ConvergenceWarning):
    """The budget of passes was used before a pass without a mistake."""


class OverlapWarning(warnings.OverlapWarning, ConvergenceWarning):
    """It was proved that no hyperplane separates the classes."""

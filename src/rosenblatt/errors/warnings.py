"""Warnings of this package, which users can import and filter without the cost of scikit-learn."""


class BudgetWarning(UserWarning):
    """The budget of passes was used before a pass without a mistake."""


class OverlapWarning(UserWarning):
    """It was proved that no hyperplane separates the classes."""

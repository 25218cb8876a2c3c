"""Warnings of this package, which users can import and filter without the cost of scikit-learn."""


class BudgetWarning(UserWarning):
    """The budget of passes was used before a pass without a mistake.

    See Also
    --------
    OverlapWarning : No budget is enough.
    StopReason : The reason is "budget".

    Examples
    --------
    >>> import warnings
    >>> from rosenblatt import BudgetWarning, Perceptron
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", BudgetWarning)
    ...     model = Perceptron(max_epochs=3).fit([[0], [1], [2]], [0, 1, 0])
    >>> model.stop_reason_.value
    'budget'
    """


class OverlapWarning(UserWarning):
    """It was proved that no hyperplane separates the classes.

    See Also
    --------
    BudgetWarning : The budget was used before it was known.
    separability : Decides whether a hyperplane separates the classes.

    Examples
    --------
    >>> import warnings
    >>> from rosenblatt import Kozinec, OverlapWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", OverlapWarning)
    ...     model = Kozinec().fit([[0], [1], [2]], [0, 1, 0])
    >>> model.stop_reason_.value
    'proved_overlap'
    """

"""Classifiers with a `decision_function`, as wrappers of one classifier need them."""

from typing import Any

from sklearn.base import is_classifier


def fault_of(owner: str, estimator: Any) -> str | None:
    """Return what is wrong with the estimator, or None if it is a classifier with a decision_function."""
    expected = f"{owner}(estimator=...) must be a classifier with a decision_function, such as Perceptron()"
    if isinstance(estimator, type):
        return f"{expected}, not a class; write {estimator.__name__}()."
    if not (hasattr(estimator, "fit") and hasattr(estimator, "__sklearn_tags__") and is_classifier(estimator)):
        return f"{expected}, not {estimator!r}."
    if not hasattr(estimator, "decision_function"):
        return f"{expected}; {estimator!r} is a classifier without one."
    return None

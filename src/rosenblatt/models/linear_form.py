"""The numbers that a linear model predicts with."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ParameterError


class LinearForm(NamedTuple):
    """The numbers that a linear model predicts with.

    Predicting scales the row and computes the scores. The largest score wins; with two classes there is one score, and
    its sign decides.
    """

    coef: NDArray[np.float64]  # one row a class; a single one for two classes
    intercept: NDArray[np.float64]
    classes: NDArray[Any]
    later: bool  # does the later class win a tie: equal scores, or a score of 0?
    scalings: tuple[Any, ...] = ()


def linear_form(model: Any) -> LinearForm | None:
    """The numbers of a linear model; None if the model is not linear.

    Raises
    ------
    NotFittedError
        The model is not fitted.
    ParameterError
        The model is a pipeline with other steps than Scaling before its classifier, or has such pipelines inside.
    """
    from sklearn.utils.validation import check_is_fitted

    from rosenblatt.classifiers.linear import LinearClassifier
    from rosenblatt.classifiers.multiclass.calibrated import Calibrated
    from rosenblatt.classifiers.multiclass.decomposition import Decomposition
    from rosenblatt.classifiers.multiclass.least_risk import LeastRisk
    from rosenblatt.classifiers.perceptron import Voted
    from rosenblatt.data.scaling import Scaling

    check_is_fitted(model, msg="This %(name)s is not fitted yet, so there is nothing to export; call fit first.")
    if hasattr(model, "steps"):  # a Pipeline
        *first, last = (step for _, step in model.steps)
        if not all(isinstance(step, Scaling) for step in first):
            raise ParameterError(
                "A Pipeline can be exported as JSON, or inside another classifier, if it consists of Scaling and then "
                "a linear classifier. to_onnx takes other steps before the whole classifier, as in "
                "make_pipeline(StandardScaler(), Calibrated(Perceptron()))."
            )
        inner = linear_form(last)
        return inner and inner._replace(scalings=(*first, *inner.scalings))
    if isinstance(model, Calibrated):
        inner = linear_form(model.estimator_)
        return inner and inner._replace(
            coef=model.slopes_[:, np.newaxis] * inner.coef,
            intercept=model.slopes_ * inner.intercept + model.offsets_,
            later=False,
        )
    if isinstance(model, LeastRisk):
        inner = linear_form(model.estimator_)
        return inner and inner._replace(intercept=inner.intercept + model.offsets_, later=False)
    if isinstance(model, Decomposition):
        return _of_members(model)
    if isinstance(model, LinearClassifier) and not isinstance(getattr(model, "_learner", None), Voted):
        return LinearForm(model.coef_, model.intercept_, model.classes_, later=model._tie_sign > 0)
    return None


def _of_members(model: Any) -> LinearForm | None:
    """The numbers of one against all, and of one against one with two classes, if the members are linear."""
    from rosenblatt.classifiers.multiclass.one_vs_all import OneVsAll

    members = [linear_form(member) for member in model.estimators_]
    if any(member is not None and member.scalings for member in members):
        raise ParameterError(
            f"A {type(model).__name__} of pipelines cannot be exported. Put Scaling before it, in one Pipeline."
        )
    if len(members) == 1:
        return members[0] and members[0]._replace(classes=model.classes_)
    if isinstance(model, OneVsAll) and None not in members:
        return LinearForm(model.coef_, model.intercept_, model.classes_, later=False)
    return None

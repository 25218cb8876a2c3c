"""`partial_fit` of many classes: each member learns from its part of the rows, once."""

import copy
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.classifiers.multiclass.metadata import RoutesMetadata, metadata_of
from rosenblatt.classifiers.multiclass.parts import Part, copies
from rosenblatt.classifiers.online import OnlineClassifier
from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Matrix
from rosenblatt.errors import ParameterError


class LearnsInParts(RoutesMetadata):
    """A wrapper with `partial_fit`, if its estimator has it. A subclass defines the problems of two classes."""

    _routed_methods: ClassVar[tuple[str, ...]] = ("fit", "partial_fit")
    classes_: NDArray[Any]
    estimators_: list[Any]

    def _check_estimator(self) -> None:
        """Raise if the estimator is not a classifier with scores."""
        raise NotImplementedError

    def _parts(self, classes: NDArray[Any], codes: Codes) -> list[Part]:
        """Return the problems of two classes; with two classes there is one."""
        raise NotImplementedError

    @property
    def partial_fit(self) -> Callable[..., Self]:
        """The function `partial_fit(X, y, classes=None, **fit_params)`: learn from each row once, in the order given.

        `classes` names all labels that may ever come; it is needed in the first call only. Each member learns as its
        own `partial_fit` does from its rows: those of its two classes in `OneVsOne`, all rows in `OneVsAll`. The
        metadata are those of `fit`. There is no such function if the estimator has none.
        """
        why = _needs_all_rows(self.estimator)
        if why:
            raise AttributeError(f"{type(self).__name__} has no partial_fit here: {why}")
        return self._partial_fit

    def _partial_fit(self, X: Any, y: Any, classes: Any = None, **fit_params: Any) -> Self:
        self._check_estimator()
        known, first = validation.known_classes(self, classes), not hasattr(self, "classes_")
        points = validation.points(X)
        codes = validation.codes(y, points.shape[0], known)
        metadata = self._chunk_metadata(fit_params, points.shape[0])
        if not first:
            validation.check_columns(self, X, points, reset=False)
        parts = self._parts(known, codes)
        members = (
            copies(self.estimator, parts) if first else copy.deepcopy(self.estimators_)
        )  # lest an error leave half
        for member, part in zip(members, parts, strict=True):
            _learn(member, part, points, metadata)
        if first:
            validation.check_columns(self, X, points, reset=True)
        self.classes_, self.estimators_ = known, members
        return self


def _learn(member: Any, part: Part, points: Matrix, metadata: dict[str, Any]) -> None:
    """Let a member learn from its rows. One that has had no rows yet is given one of weight 0, if that is ignored."""
    if len(part.among):
        own = metadata_of(part.among, points, metadata)
        labels = part.labels[part.positive[part.among].astype(np.int64)]
        member.partial_fit(points[part.among], labels, classes=part.labels, **own)
    elif isinstance(member, OnlineClassifier) and not hasattr(member, "classes_"):
        member.partial_fit(points[:1], part.labels[:1], classes=part.labels, sample_weight=[0.0])


def _needs_all_rows(estimator: Any) -> str | None:
    """Return why an estimator cannot learn from some of the rows; None if it can."""
    if not hasattr(estimator, "partial_fit"):
        return (
            f"its estimator, {type(estimator).__name__}, needs all rows at once. Perceptron, PassiveAggressive and "
            "Pocket learn from some rows at a time."
        )
    if isinstance(estimator, OnlineClassifier):
        try:
            estimator._refuse_what_needs_all_rows()
        except ParameterError as error:
            return str(error)
    return None

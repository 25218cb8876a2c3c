"""A model that learns from one batch after the other, and views of it for predictions.

Everything that a replay of the same batches must give again is here: the estimator, its columns and its classes.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.classifiers.single_rows.vocabulary import names_of
from rosenblatt.classifiers.training.scores import largest
from rosenblatt.data import validation
from rosenblatt.errors import DataError
from rosenblatt.models.save import from_bytes, to_bytes
from rosenblatt.service.learning.examples import Examples, check_dicts, matrix_of
from rosenblatt.service.learning.spec import Label, Spec


class Predicted(NamedTuple):
    """Predictions for some rows.

    Attributes
    ----------
    labels : one for each row; None while no class is known
    scores : with two classes the score of each row, with more one score a class; None while no class is known
    """

    labels: list[Label | None]
    scores: list[Any]


class OnlineModel:
    """An estimator that learns from batches.

    Parameters
    ----------
    spec : what it is
    estimator : one that has learned before
    """

    def __init__(self, spec: Spec, estimator: Any = None) -> None:
        self.spec = spec
        self.estimator: Any = spec.estimator() if estimator is None else estimator
        if estimator is None and spec.classes is not None:
            first: Any = {} if spec.columns is None else np.zeros(spec.columns)
            self.estimator.learn_one(
                first, spec.classes[0], classes=spec.classes, sample_weight=0.0, hash_bits=spec.hash_bits
            )

    @property
    def has_begun(self) -> bool:
        """Is a class known?"""
        return hasattr(self.estimator, "classes_")

    @property
    def can_be_saved(self) -> bool:
        """Are two classes and a column known?  Before that, the model is kept as the examples of the log."""
        return self.has_begun and len(self.estimator.classes_) > 1 and self.estimator.n_features_in_ > 0

    def rows_of(self, given: Sequence[Any]) -> Any:
        """Check rows, and return them as the estimator takes them.

        Raises
        ------
        DataError
            A row is not what the model takes.
        """
        rows = list(given)
        return check_dicts(rows) if self.spec.columns is None else matrix_of(rows, self.spec.columns)

    def learn(self, examples: Examples, rows: Any) -> list[Label | None]:
        """Predict each row, then learn from it; return the predictions. After an error, nothing was learned.

        Parameters
        ----------
        examples : the examples
        rows : their rows, as `rows_of` returns them

        Raises
        ------
        DataError
            A row, a label or a weight cannot be used.
        """
        begin: dict[str, Any] = {} if self.has_begun else {"hash_bits": self.spec.hash_bits}
        return self.estimator.predict_and_learn(  # type: ignore[no-any-return]
            rows, examples.labels, sample_weight=examples.weights, new_classes=self.spec.classes is None, **begin
        )

    def predict(self, given: Sequence[Any]) -> Predicted:
        """Predict rows. Names that the model does not know count as 0.

        Raises
        ------
        DataError
            A row is not what the model takes.
        """
        rows = self.rows_of(given)
        if not self.has_begun:
            return Predicted([None] * len(given), [None] * len(given))
        model = self.estimator
        named = self.spec.columns is None
        X = names_of(model).rows(rows, model._bias).row if named else validation.rows(rows, model._bias)
        scores = model._scores(X)
        two_classes = scores.ndim == 1 and len(model.classes_) > 1
        winners = largest(scores, model._tie_sign) if two_classes else model._winners(X)
        return Predicted(model.classes_[winners].tolist(), scores.tolist())

    def view(self) -> Self:
        """A copy that does not change when this model learns on."""
        return type(self)(self.spec, _copied(self.estimator))

    def to_bytes(self) -> bytes:
        """The estimator as a model file.

        Raises
        ------
        DataError
            Fewer than two classes, or no columns, are known.
        """
        if not self.can_be_saved:
            raise DataError(
                "The model knows fewer than two classes, or no column yet; send it examples of two classes."
            )
        return to_bytes(self.estimator)

    @classmethod
    def from_bytes(cls, spec: Spec, raw: bytes) -> Self:
        """The model whose estimator was saved by `to_bytes`."""
        return cls(spec, from_bytes(raw))


def _copied(estimator: Any) -> Any:
    """A copy of an estimator. The names of columns are shared: they are only ever added to."""
    twin = _twin(estimator)
    if hasattr(estimator, "_wide_learner"):
        twin._wide_learner = learner = _twin(estimator._wide_learner)
        for name, value in vars(learner).items():
            if isinstance(value, np.ndarray | list):  # the rest are numbers, which do not change
                setattr(learner, name, value.copy())
        twin._mistakes = list(estimator._mistakes)
    if (known := getattr(estimator, "_vocabulary", None)) is not None:
        twin._vocabulary = known.view()
        twin.feature_names_in_ = twin._vocabulary.names
    if hasattr(estimator, "_wide_learner"):  # several threads read the view, so nothing may be left to change in it
        twin._wide_learner.narrow(twin.n_features_in_)
    return twin


def _twin(one: Any) -> Any:
    """An object with the attributes of another; `copy.copy` takes ten times as long for an estimator."""
    twin = object.__new__(type(one))
    vars(twin).update(vars(one))
    return twin

"""An online estimator as a classifier of river. Only `to_river` imports this module, because river is optional."""

from collections.abc import Iterator
from typing import Any

from river import base
from sklearn.base import clone

from rosenblatt.classifiers.online import OnlineClassifier
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.errors import ParameterError


class RiverClassifier(base.Classifier):
    """A classifier of river that learns with an online estimator of rosenblatt.

    It takes names and classes as they come. `model` is the estimator that learns, a copy of `estimator`.

    Parameters
    ----------
    estimator : Perceptron, PassiveAggressive or Pocket
        The estimator, whose parameters are copied.
    hash_bits : int, optional
        Hash names to 2^hash_bits columns; by default, each name has its column.
    """

    def __init__(self, estimator: OnlineClassifier, hash_bits: int | None = None) -> None:
        if not isinstance(estimator, OnlineClassifier):
            raise ParameterError(
                "to_river needs an estimator with learn_one: Perceptron, PassiveAggressive or Pocket, not "
                f"{estimator!r:.80}."
            )
        self.estimator = estimator
        self.hash_bits = hash_bits
        self.model: OnlineClassifier = clone(estimator)

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn from a row; a label that is not known becomes a new class.

        Parameters
        ----------
        x : dict
            The row: numbers, booleans or texts by name.
        y : object
            Its class label.
        w : float, default=1.0
            The weight of the row.
        """
        self.model.learn_one(x, y, sample_weight=w, new_classes=True, hash_bits=self.hash_bits)

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:  # noqa: ARG002  (river passes more to some)
        """Return the class of a row; None before the first row.

        Parameters
        ----------
        x : dict
            The row.
        **kwargs : object
            Ignored.

        Returns
        -------
        str, int, float, bool or None
            The class label.
        """
        return self.model.predict_one(x) if hasattr(self.model, "classes_") else None

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Raise NotImplementedError, because the scores are no probabilities; river tests for this error.

        Parameters
        ----------
        x : dict
            The row.
        **kwargs : object
            Ignored.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError(
            f"{type(self.estimator).__name__} has no probabilities, because its scores are not calibrated. Use a "
            "metric of labels, such as Accuracy. The estimator takes many classes without OneVsRestClassifier."
        )

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"estimator": Perceptron()}

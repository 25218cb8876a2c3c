"""Online estimators for the pipelines and the evaluation of river."""

from typing import TYPE_CHECKING

from rosenblatt.classifiers.online import OnlineClassifier
from rosenblatt.errors import MissingExtraError

if TYPE_CHECKING:
    from rosenblatt.models.river_classifier import RiverClassifier


def to_river(estimator: OnlineClassifier, *, hash_bits: int | None = None) -> "RiverClassifier":
    """Make a classifier of river from an online estimator.

    The classifier takes dicts, and names and classes as they come. It works in river's pipelines and in
    `river.evaluate.progressive_val_score`. Its attribute `model` is the estimator that learns: `save` it to keep what
    was learned. It has no probabilities, as its scores are not calibrated.

    Parameters
    ----------
    estimator : Perceptron, PassiveAggressive or Pocket
        The estimator. A copy of it with the same parameters learns; the estimator itself stays as it is.
    hash_bits : int, optional
        Hash names to 2^hash_bits columns, so that the model does not grow. By default, each name has its column.

    Returns
    -------
    river.base.Classifier
        The classifier.

    Raises
    ------
    MissingExtraError
        River is not installed.

    See Also
    --------
    Perceptron.learn_one : Learns from one row, which may be a dict, without river.

    Examples
    --------
    >>> from rosenblatt import Perceptron, to_river
    >>> model = to_river(Perceptron(average="averaged"))
    >>> for words, label in [({"free": 1, "money": 2}, "spam"), ({"lunch": 1}, "ham")]:
    ...     model.learn_one(words, label)
    >>> model.predict_one({"money": 1})
    'spam'
    """
    try:
        from rosenblatt.models.river_classifier import RiverClassifier
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "river":
            raise
        raise MissingExtraError("A classifier for river", "river") from error
    return RiverClassifier(estimator, hash_bits)

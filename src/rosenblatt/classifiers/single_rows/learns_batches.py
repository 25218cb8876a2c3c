"""The method `predict_and_learn`: several rows, each predicted before it is learned from."""

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from rosenblatt.base.argument_types import Label, TableLike
from rosenblatt.classifiers.single_rows.learns_rows import LearnsRows
from rosenblatt.classifiers.single_rows.vocabulary import NO_NAMES, names_of
from rosenblatt.classifiers.training.learner import refuse_overflow
from rosenblatt.data import validation
from rosenblatt.data.compiled.rows import Sparse
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.data.weights import chunk_weights
from rosenblatt.errors import DataError
from rosenblatt.rules.one_row import ONE_ROW, SAFE_SIZE

PREDICT, LEARN, GROW = "predict", "learn", "grow"


class LearnsBatches(LearnsRows):
    """A linear classifier with `predict_and_learn`."""

    @property
    def _tie_sign(self) -> float:
        """+1 if a score of 0 predicts the later class, -1 for the earlier; the subclass has it."""
        raise NotImplementedError

    def predict_and_learn(
        self,
        X: TableLike | Sequence[Mapping[str, Any]],
        y: Sequence[Label] | NDArray[Any],
        classes: Collection[Any] | None = None,
        sample_weight: "ArrayLike | None" = None,
        *,
        new_classes: bool = False,
        hash_bits: int | None = None,
    ) -> list[Label | None]:
        """Predict each row, and then learn from it; return the predictions.

        Predictions and weights are those of a loop of `predict_one` and `learn_one` over the rows, but the loop is
        compiled. If a row or a label cannot be used, nothing is learned.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or list of n dicts
            The rows; for dicts see `learn_one`.
        y : list of n labels
            The class labels.
        classes : list of labels, optional
            All labels that may ever come; needed in the first call only, unless `new_classes` is given.
        sample_weight : array of shape (n,), optional
            The weight of each row; see `fit`. A row of weight 0 is predicted only.
        new_classes : bool, default=False
            Take classes as they come; see `learn_one`.
        hash_bits : int, optional
            Hash the names of dicts to 2^hash_bits columns; see `learn_one`.

        Returns
        -------
        list
            The predicted label of each row; None for the first row if no class was known before.

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> model = Perceptron()
        >>> model.predict_and_learn([{"a": 1.0}, {"b": 1.0}, {"a": 1.0}], ["spam", "ham", "spam"], ["ham", "spam"])
        ['ham', 'spam', 'spam']
        """
        labels: list[Any] = y.tolist() if isinstance(y, np.ndarray) else list(y)
        weights = chunk_weights(sample_weight, len(labels))
        given: Any = X if _are_dicts(X) else validation.points(X)
        n = len(given) if isinstance(given, list) else given.shape[0]
        if n != len(labels):
            raise DataError(f"X has {n} rows but y has {len(labels)} labels; each row needs one.")
        if hasattr(self, "classes_"):
            self._check_later_call(classes, hash_bits)
            return self._learn_batch(X, given, labels, weights, new_classes)
        there = set(vars(self))
        try:
            is_plain = isinstance(given, list) or not scipy.sparse.issparse(given)
            first = given[0] if is_plain else given[:1]
            self._begin(first, labels[0], classes, new_classes, hash_bits)
            predicted = self._learn_batch(X, given, labels, weights, new_classes)
        except Exception:
            for name in set(vars(self)) - there:
                delattr(self, name)
            raise
        return predicted if classes is not None else [None, *predicted[1:]]

    def _learn_batch(self, X: Any, given: Any, labels: list[Any], weights: Floats, new_classes: bool) -> list[Any]:
        """Predict and learn. An error leaves everything as it was."""
        self._refuse_what_needs_all_rows()
        rows, new = self._batch_of(X, given, weights)
        unknown = [label for label in labels if self._target(label) is None]
        if unknown and not new_classes:
            raise self._unknown_label(unknown[0])
        lightest, heaviest = float(weights.min()), float(weights.max())
        learner = self._wide_learner if isinstance(rows, Sparse) else self._learner
        may_overflow = _may_overflow(rows, max(1.0, heaviest) * learner.stride)
        if may_overflow or unknown or not learner.w.flags.writeable:
            learner = copy.deepcopy(learner)
        if learner.w.shape[-1] <= self.n_features_in_ + len(new):
            learner.widen(max(self.n_features_in_ + len(new), 2 * self.n_features_in_))
        known, predicted, mistakes, updates, start = self.classes_, list[Any](), 0, 0, 0
        is_plain = not unknown and lightest > 0.0
        while start < len(labels):
            code_of = {label: code for code, label in enumerate(known.tolist())}
            kind = LEARN if is_plain else _what_to_do(weights[start], labels[start], code_of)
            stop = len(labels) if is_plain else start + 1
            while stop < len(labels) and kind != GROW and _what_to_do(weights[stop], labels[stop], code_of) == kind:
                stop += 1
            run, own = validation.rows_between(rows, start, stop), weights[start:stop]
            if kind == LEARN:
                y = _targets_for(labels[start:stop], code_of, known)
                order = np.arange(stop - start)
                codes, more, made = learner.predict_and_learn(run, y, order, own, self._tie_sign)
            else:
                codes, more, made = learner.winners(run, self._tie_sign), 0, 0
            predicted += _labels(codes, known)
            if kind == GROW:  # the prediction did not know the class; what is learned does
                known, learner = self._with_class(labels[start], known, learner)
                code_of = {label: code for code, label in enumerate(known.tolist())}
                more, made = learner.learn(run, _targets_for(labels[start:stop], code_of, known), ONE_ROW, own)
            mistakes, updates, start = mistakes + more, updates + made, stop
        if may_overflow:
            refuse_overflow(learner)
        self._keep_row(known, learner, new)
        self._mistakes[-1] += mistakes
        self.n_updates_ += updates
        if heaviest:
            self._widen_weight_range(lightest or float(weights[weights > 0].min()), heaviest)
        return predicted

    def _batch_of(self, X: Any, given: Any, weights: Floats) -> tuple[Rows, Sequence[str]]:
        """Check rows for a model that has begun. Rows of weight 0 bring no new names."""
        bias = self._wide_learner.bias
        if isinstance(given, list):
            rows, new = names_of(self).rows(given, bias, (weights > 0.0).tolist())
            return rows, new
        validation.check_columns(self, X, given, reset=False)
        return validation.rows(given, bias), NO_NAMES


def _are_dicts(X: Any) -> bool:
    if not (isinstance(X, list) and X and isinstance(X[0], Mapping)):
        return False
    if not all(isinstance(x, Mapping) for x in X):
        raise DataError("The rows must all be dicts, or all be sequences of numbers.")
    return True


def _what_to_do(weight: float, label: Any, known: Mapping[Any, int]) -> str:
    """Predict a row of weight 0 only, learn from one of a known class, or let the classes grow."""
    if weight == 0.0:
        return PREDICT
    return LEARN if label in known else GROW


def _targets_for(labels: list[Any], code_of: Mapping[Any, int], known: NDArray[Any]) -> NDArray[Any]:
    """The classes of rows as the rules take them. A class that is alone is the positive one of two."""
    if len(known) == 1:
        return np.ones(len(labels), np.int8)
    targets: NDArray[Any] = validation.targets(np.array([code_of[label] for label in labels]), known)
    return targets


def _labels(codes: Codes, known: NDArray[Any]) -> list[Any]:
    names = known.tolist()
    return [names[code if len(names) > 1 else 0] for code in codes.tolist()]


def _may_overflow(rows: Rows, times: float) -> bool:
    """May a step along one of these rows, so many times as long, overflow?"""
    sizes = np.abs(rows[0])
    if not (smallest := float(sizes.min(initial=1.0))):
        smallest = float(sizes.min(where=sizes > 0.0, initial=1.0))
    return smallest <= 1 / SAFE_SIZE or float(sizes.max(initial=0.0)) >= SAFE_SIZE / max(1.0, times)

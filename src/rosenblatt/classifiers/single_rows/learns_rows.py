"""The method `learn_one`: learn from one row, which may bring new columns and new classes."""

import copy
import struct
from collections.abc import Callable, Collection, Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import ClassWeight, Label, RowLike
from rosenblatt.base.inputs.labels import take_class_labels
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.single_rows.vocabulary import NO_NAMES, Vocabulary, names_of
from rosenblatt.classifiers.training.learner import LinearLearner, OneRow, refuse_overflow
from rosenblatt.classifiers.training.order import ONCE_EACH, Order
from rosenblatt.data import validation
from rosenblatt.data.compiled.rows import Sparse
from rosenblatt.data.validation import Floats, Rows
from rosenblatt.data.weights import chunk_weights
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.rules.one_row import ONE_ROW, SAFE_SIZE, UNIT_WEIGHT

UNIT = 1.0  # the weight of a row, if none is given
# Raised by a row, a label or a model that needs a closer look.
NOT_QUICK = (AttributeError, KeyError, TypeError, ValueError, OverflowError, struct.error)
MAX_HASH_BITS = 31


class LearnsRows:
    """A linear classifier with `learn_one`.

    Its weights may have more columns than the model: room for names to come. New columns have weight 0.
    """

    _constraints: ClassVar[dict[str, parameters.Constraint]]
    init: ArrayLike | None
    class_weight: ClassWeight
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_updates_: int
    stop_reason_: StopReason
    _mistakes: list[int]
    _held_out_errors: list[float]
    _weight_range: tuple[float, float]  # the smallest and the largest `sample_weight` that it learned with
    _vocabulary: Vocabulary
    _wide_learner: LinearLearner  # its weights may have room for more columns
    _targets: dict[Any, NDArray[Any]]  # the class of a row by its label, as the rules take it
    order: Order
    held_out: float | None
    _labels: list[Any]
    _hash_bits: int | None = None  # names of dicts are hashed to this number of bits; None if each has its column

    @property
    def _learner(self) -> LinearLearner:
        """The learner, with as many columns as the model has."""
        self._wide_learner.narrow(self.n_features_in_)
        return self._wide_learner

    def learn_one(
        self,
        x: RowLike,
        y: Label,
        classes: Collection[Any] | None = None,
        sample_weight: float = UNIT,
        *,
        new_classes: bool = False,
        hash_bits: int | None = None,
    ) -> Self:
        """Learn from one row, in time proportional to its length.

        All rows since the last `fit` or `partial_fit` count as one pass. `held_out` and `order` are as in
        `partial_fit`. A dict is a row by names. Each new name becomes a column, whose weights start at 0; the names are
        then in `feature_names_in_`. The weights equal those of `partial_fit` on the same rows as a sparse matrix.

        Parameters
        ----------
        x : array of shape (d,), sparse matrix with one row, or dict
            The row. In a dict, a text is an indicator: `{"city": "Bonn"}` means `{"city=Bonn": 1.0}`. True is 1, and
            False is 0. A name that is left out is 0.
        y : object
            Its class label.
        classes : list of labels, optional
            All labels that may ever come; needed in the first call only, unless `new_classes` is given.
        sample_weight : float, default=1.0
            The weight of the row; see `fit`.
        new_classes : bool, default=False
            If True, a label that is not known becomes a new class, whose weights start at 0. Until there are three
            classes the weights are those of the two classes declared before (with tie="mistake").
        hash_bits : int, optional
            Hash the names of dicts to 2^hash_bits columns, so that the model does not grow; names that share a column
            share its weight. It is needed in the first call only, and is from 1 to 31.

        Returns
        -------
        Self
            The estimator.
        """
        is_unit = sample_weight is UNIT or (type(sample_weight) is float and sample_weight == UNIT)
        if is_unit and classes is None and hash_bits is None:
            try:
                if self._learn_quickly(x, y):
                    return self
            except NOT_QUICK:
                pass
        if hasattr(self, "classes_"):
            self._check_later_call(classes, hash_bits)
            return self._learn_row(x, y, sample_weight, new_classes)
        there = set(vars(self))
        try:
            self._begin(x, y, classes, new_classes, hash_bits)
            return self._learn_row(x, y, sample_weight, new_classes)
        except Exception:
            for name in set(vars(self)) - there:
                delattr(self, name)
            raise

    def _learn_quickly(self, x: Any, y: Any) -> bool:
        """Learn from an ordinary row of one of two known classes; False if it needs a closer look.

        Raises
        ------
        NOT_QUICK
            The row, the label or the model needs a closer look. Nothing was changed.
        """
        lightest, heaviest = self._weight_range
        if (
            self.stop_reason_ is not StopReason.STREAM
            or self.order not in ONCE_EACH
            or self.held_out is not None
            or not lightest <= 1.0 <= heaviest
            or len(self._labels) != 2
        ):
            return False
        row = (x,) if type(x) is np.ndarray else self._quick_names(x)(x)
        mistakes, updates = self._wide_learner.learn_row(row, self._targets[y])
        if mistakes < 0:
            return False
        if updates:
            self._mistakes[-1] += mistakes
            self.n_updates_ += updates
        return True

    def _quick_names(self, x: Any) -> Callable[[Any], OneRow]:
        """What makes a row of a dict whose names all have columns. It raises NOT_QUICK for others."""
        vocabulary = self._vocabulary
        if type(x) is not dict or vocabulary.names is not self.feature_names_in_:
            raise TypeError("the row is neither an array nor a dict of known names")
        return vocabulary.quick_row

    def _quick_class(self, x: Any) -> int:
        """The number of the class of an ordinary row, of two classes; -1 if it needs a closer look."""
        try:
            row = (x,) if type(x) is np.ndarray else self._quick_names(x)(x)
            return self._wide_learner.predict_row(row) if len(self._labels) == 2 else -1
        except NOT_QUICK:
            return -1

    def _begin(self, x: Any, y: Any, classes: Any, new_classes: bool, hash_bits: int | None) -> None:
        """Become a model that has learned from no row yet."""
        parameters.check(self, self._constraints)
        if classes is None and new_classes:
            if isinstance(self.class_weight, str):
                raise ParameterError("class_weight='balanced' needs all rows at once; for a stream, pass a dict.")
            known = take_class_labels([y], 1).labels
        else:
            if classes is None:
                raise DataError(
                    "The first call must name all classes that may ever come: pass classes=[...]. With learn_one, "
                    "new_classes=True takes classes as they come."
                )
            known = self._known_classes(classes)
        if isinstance(x, Mapping):
            self._begin_names(hash_bits)
        elif hash_bits is not None:
            raise ParameterError("hash_bits is for rows given as dicts; this row is not a dict.")
        else:
            X = x if scipy.sparse.issparse(x) else [x]
            validation.check_columns(self, X, validation.points(X), reset=True)
        self._become(known, self._start(known, self.n_features_in_, later=new_classes))
        self._mistakes, self.n_updates_, self._held_out_errors = [0], 0, []
        self._weight_range, self.stop_reason_ = (1.0, 1.0), StopReason.STREAM

    def _begin_names(self, hash_bits: int | None) -> None:
        """Have a column for each name to come, or columns that names are hashed to."""
        if self.init is not None:
            raise ParameterError(
                f"{type(self).__name__}(init=...) has a weight for each column, but the columns of dicts are not known "
                "at first; set init=None."
            )
        if hash_bits is None:
            self._vocabulary = Vocabulary()
            self.feature_names_in_, self.n_features_in_ = self._vocabulary.names, 0
            return
        if not parameters.Integer(1).allows(hash_bits) or hash_bits > MAX_HASH_BITS:
            raise ParameterError(f"hash_bits must be an integer from 1 to {MAX_HASH_BITS}, not {hash_bits!r}.")
        self._hash_bits, self.n_features_in_ = int(hash_bits), 2 ** int(hash_bits)

    def _check_later_call(self, classes: Any, hash_bits: int | None) -> None:
        """Raise if a call after the first has other classes, or hashes to other columns."""
        if classes is not None:
            self._known_classes(classes)
        if hash_bits is not None and hash_bits != self._hash_bits:
            now = "does not hash names" if self._hash_bits is None else f"has hash_bits={self._hash_bits}"
            raise ParameterError(f"hash_bits={hash_bits!r} differs from the first call: the model {now}.")

    def _learn_row(self, x: Any, y: Any, sample_weight: float, new_classes: bool) -> Self:
        self._refuse_what_needs_all_rows()
        row: Rows
        new = NO_NAMES
        if isinstance(x, dict) or isinstance(x, Mapping):  # noqa: SIM101  (the first is much faster)
            row, new = names_of(self).row(x, self._wide_learner.bias, grows=True)
        else:
            row = self._one_row(x)
        learner = self._wide_learner if isinstance(row, Sparse) else self._learner
        known, target = self.classes_, self._target(y)
        if target is None:
            if not new_classes:
                raise self._unknown_label(y)
            known, learner = self._with_class(y, known, learner)
            target = targets_of(known)[y]
        weight = _weight_of(sample_weight)
        if weight[0] == 0.0:
            return self
        largest = np.abs(row[0]).max(initial=0.0)
        may_overflow = largest != 0.0 and not (
            1 / SAFE_SIZE < largest < SAFE_SIZE / max(1.0, weight[0]) / learner.stride
        )
        if may_overflow or not learner.w.flags.writeable:  # a model that is loaded as a memory map cannot be written
            learner = copy.deepcopy(learner)
        if learner.w.shape[-1] <= self.n_features_in_ + len(new):
            learner.widen(max(self.n_features_in_ + len(new), 2 * self.n_features_in_))
        mistakes, updates = learner.learn(row, target, ONE_ROW, weight)
        if may_overflow:
            refuse_overflow(learner)
        self._keep_row(known, learner, new)
        self._mistakes[-1] += mistakes
        self.n_updates_ += updates
        self._widen_weight_range(weight[0], weight[0])
        return self

    def _keep_row(self, known: NDArray[Any], learner: LinearLearner, new: Any) -> None:
        """Make what a row has changed the state of this estimator."""
        if known is not self.classes_:
            self._become(known, learner)
        self._wide_learner = learner
        if new:
            self._vocabulary.add(new)
            self.feature_names_in_, self.n_features_in_ = self._vocabulary.names, len(self._vocabulary.names)
            vars(self).pop("encoding_", None)  # it describes fewer columns
        if self.stop_reason_ is not StopReason.STREAM:
            self._mistakes.append(0)
            self.stop_reason_ = StopReason.STREAM

    def _target(self, y: Any) -> NDArray[Any] | None:
        """The class of a label as the rules take it; None if the label is not known."""
        try:
            return self._targets.get(y)
        except TypeError:  # a list is not a label
            return None

    def _unknown_label(self, y: Any) -> DataError:
        """The error for a label that is not one of the known classes."""
        return DataError(
            f"The label {y!r} is not one of the known classes {list(self._targets)}. To take new classes as they come, "
            "pass new_classes=True."
        )

    def _with_class(self, y: Any, classes: NDArray[Any], learner: LinearLearner) -> tuple[NDArray[Any], LinearLearner]:
        """These classes and a new one, and a learner of all of them."""
        if self.init is not None:
            raise ParameterError(
                f"{type(self).__name__}(init=...) has weights for the classes that are known at first; for new "
                "classes, set init=None."
            )
        before = classes.tolist()
        known, codes = validation.classes([*before, y], len(before) + 1)
        steps = self._start(known, 1, later=True)
        if steps.scale != learner.scale:  # it did not start at 0, so its steps are in other units
            steps = self._start(known, 1, w=np.ones(2 if len(known) == 2 else (len(known), 2)), later=True)
        return known, learner.with_class(len(before), int(codes[-1]), steps)

    # The subclass has these.

    def _start(self, classes: NDArray[Any], d: int, *args: Any, **options: Any) -> LinearLearner:
        """Return a learner for these classes and d columns."""
        raise NotImplementedError

    def _become(self, classes: NDArray[Any], learner: LinearLearner) -> None:
        """Take these classes and this learner."""
        raise NotImplementedError

    def _known_classes(self, classes: Any) -> NDArray[Any]:
        """Check the classes that may ever come."""
        raise NotImplementedError

    def _refuse_what_needs_all_rows(self) -> None:
        """Raise ParameterError if a parameter would be ignored."""
        raise NotImplementedError

    def _one_row(self, x: Any) -> Rows:
        """Check a row of numbers."""
        raise NotImplementedError

    def _widen_weight_range(self, low: float, high: float) -> None:
        """Note that it learned from rows with weights from low to high."""
        raise NotImplementedError


def _weight_of(sample_weight: Any) -> Floats:
    """The weight of one row, as an array."""
    if type(sample_weight) in (float, int) and sample_weight == 1:
        return UNIT_WEIGHT
    if not isinstance(sample_weight, Real):
        raise DataError(f"The sample_weight of a row must be one number of at least 0, not {sample_weight!r:.60}.")
    return chunk_weights(float(sample_weight), 1)


def targets_of(classes: NDArray[Any]) -> dict[Any, NDArray[Any]]:
    """The class of a row by its label, as the rules take it. A class that is alone is the positive one of two."""
    codes = np.arange(len(classes))
    targets = np.ones(1, dtype=np.int8) if len(classes) == 1 else validation.targets(codes, classes)
    return {label: targets[code : code + 1] for code, label in enumerate(classes.tolist())}

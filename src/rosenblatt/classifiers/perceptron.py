"""The perceptron for two classes and for more: plain, averaged or voted, with or without a margin."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import Bias, ClassWeight, LabelsLike, TableLike
from rosenblatt.base.hyperplane import Hyperplane, Tie
from rosenblatt.base.parameters import RandomState
from rosenblatt.base.schema import Count, Numbers, SavedState
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.online import HOLDING_OUT, OnlineClassifier
from rosenblatt.classifiers.training.learner import TIES, LinearLearner, OneRow
from rosenblatt.classifiers.training.learner_state import STEPS, WEIGHTS, SavedLearner, saved
from rosenblatt.classifiers.training.order import Order
from rosenblatt.classifiers.training.passes import PassesProblem
from rosenblatt.classifiers.training.rule_pair import Rule
from rosenblatt.classifiers.training.scores import largest, score_table, winners
from rosenblatt.data import validation
from rosenblatt.data.compiled.byte_rows import ByteRows
from rosenblatt.data.compiled.rows import Dense, Sparse
from rosenblatt.data.large.byte_copy import rough_room
from rosenblatt.data.row_digest import SavedRowDigest, are_rows_of, digest_of_rows
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.errors import DataError
from rosenblatt.rules import binary, multiclass, one_row, predict_first, screened
from rosenblatt.rules.multiclass import longest

if TYPE_CHECKING:
    from rosenblatt.certificate.certificate import Certificate

Average = Literal["averaged", "voted"]


class Perceptron(OnlineClassifier):
    r"""Rosenblatt's perceptron: add every row that the weights get wrong.

    .. math:: \text{if } y_i \, w \cdot x_i \le 0: \quad w \leftarrow w + \eta \, y_i x_i

    With more than two classes there is one weight vector for each class, and the largest score wins. A mistake adds the
    row to the weights of its true class and subtracts it from those of the winner. The rule itself is `perceptron` in
    `rules/binary.py` and `rules/multiclass.py`.

    Parameters
    ----------
    order : {"shuffled", "cyclic", "random", "first", "worst"}, default="shuffled"
        The order in which rows are presented.

        - "shuffled": a new permutation each pass.
        - "cyclic": as given; this is the order of the lectures and the fastest, but it learns poorly from a table
          sorted by
          class.
        - "random": n rows a pass, drawn with replacement.
        - "first": the first row that is wrong, searched from the start after each update.
        - "worst": the row that is farthest on its wrong side.

        With the last two, a pass is one scan of all rows and makes at most one update.
    tie : {"mistake", "positive", "negative"}, default="mistake"
        What a score of exactly 0 means while learning.

        - "mistake": it is always a mistake.
        - "positive": it is for the positive class, `classes_[1]`.
        - "negative": it is for the negative class, `classes_[0]`.

        `predict` gives it to the negative class, as scikit-learn does, and with "positive" to the positive class. With
        more than two classes, a tie is a largest score that several classes share. While learning, a wrong class wins
        it ("mistake"), the later ("positive") or the earlier ("negative"). `predict` gives it to the earlier class, and
        with "positive" to the later.
    learning_rate : float, default=1.0
        The step eta. If the weights start at 0 and the margin is 0, it only scales the weights: every prediction and
        every update stays the same. Change it together with `init` or `margin`.
    bias : float, default=1.0
        The constant at the end of each row; 0 for a boundary through the origin. A larger constant lets the intercept
        change faster, which helps if the features are large.
    init : array of shape (d + 1,) or (k, d + 1), optional
        Start weights, the bias weight last; zeros by default.
    average : {None, "averaged", "voted"} or bool, default=None
        Which weights predict. True is "averaged".

        - None: the last weights.
        - "averaged": the mean of the weights after each row; this is the usual choice if classes overlap.
        - "voted": a vote of all weight vectors that occurred, each with one vote for every row it survived. A vote
          keeps all
          of them, (updates + 1) x (d + 1) numbers. It is not a single hyperplane, so there is no `coef_`.

        Training stops as without averaging, so the averaged weights may misclassify rows that the last weights get
        right.
    margin : float, default=0.0
        A row causes an update unless `y w.x` exceeds the margin; if they are equal, `tie` decides. A margin of about
        eta R^2, where R is the length of the longest row, gives a boundary farther from the rows. A row within the
        margin counts as a mistake.
    max_epochs : int, default=100
        The largest number of passes. It matters for data that cannot be separated.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the step for rows of a class. `sample_weight` in `fit` multiplies it for single rows.
    held_out : float, optional
        The fraction of the rows to hold out, the same for each class. Training stops when `patience` passes in a row
        have not lowered the errors on the rows held out, and the weights of the best pass are kept. Use it for data
        that no hyperplane separates, where more passes may be worse.
    patience : int, default=5
        Passes without fewer errors on the rows held out before training stops.
    random_state : int, RandomState instance or None, default=0
        Draws the orders "shuffled" and "random", and the rows held out. With None, every fit is different.
    warm_start : bool, default=False
        If True, `fit` starts from the weights that the last fit or stream ended with.

    Attributes
    ----------
    classes_ : array of shape (k,)
        The sorted class labels.
    coef_ : array of shape (1, d) or (k, d)
        The weights of the features: one row for two classes, else one row per class. A voted perceptron has none.
    intercept_ : array of shape (1,) or (k,)
        The intercept of each score. A voted perceptron has none.
    hyperplane_ : Hyperplane
        The boundary between two classes. A voted perceptron has none.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.
    n_iter_ : int
        Passes made.
    n_updates_ : int
        Updates made.
    mistakes_per_epoch_ : array of int
        Mistakes in each pass.
    held_out_errors_per_epoch_ : array of float
        Errors on the rows held out, after each pass.
    progressive_ : array of int, of shape (m, 2)
        The rows that were predicted before they were learned from, and how many of them were right, after 1, 2, 4, ...
        rows and after all; empty without `fit_stream(progressive=True)`. Files do not keep it.
    stop_reason_ : StopReason
        "mistake_free", "budget", "held_out", "stream" or "condition".

    See Also
    --------
    PassiveAggressive : Makes each step as long as its row needs.
    Pocket : Keeps the weights with the fewest errors.
    BatchPerceptron : Adds all rows that are wrong at once.
    Kozinec : Finds the hyperplane with the largest margin.
    separability : Decides whether a hyperplane separates the classes.
    mistake_bound : Bounds the updates.

    Notes
    -----
    Suppose that a unit vector u has :math:`y_i \, u \cdot x_i \ge \gamma > 0` for all rows, and that R is the length of
    the longest row. Then, from weights 0, with margin 0 and without weights of classes or rows, at most
    :math:`(R/\gamma)^2` updates are made, in any order (Novikoff 1962, theorem 1). With weights from a to b, it is at
    most :math:`b/a` times as many. Lengths and products include the bias constant.

    Dense or sparse, in one call or many, the same rows in the same order give the same weights to the last bit.

    References
    ----------
    F. Rosenblatt, Psychological Review 65 (1958); A. B. J. Novikoff, Symposium on the Mathematical Theory of Automata
    (1962); Y. Freund and R. E. Schapire, Machine Learning 37 (1999).

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(order="cyclic").fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> print(model.stop_reason_, "after", model.n_updates_, "updates:", model.hyperplane_.equation())
    mistake_free after 18 updates: 3 x1 + 2 x2 - 4 = 0
    """

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        **OnlineClassifier._constraints,
        **HOLDING_OUT,
        "tie": parameters.OneOf(*TIES),
        "learning_rate": parameters.Number(0, strict=True),
        "average": parameters.Either(parameters.OneOf(None, *get_args(Average)), parameters.Flag()),
        "margin": parameters.Number(0),
    }
    _saved = SavedState(
        {
            "_learner": SavedLearner(("Plain", "Averaged", "Voted")),
            **OnlineClassifier._saved_fields,
            "_training_digest": SavedRowDigest(),
        }
    )
    _training_digest: str | None = None  # of the rows of the last `fit`

    def __init__(
        self,
        *,
        order: Order = "shuffled",
        tie: Tie = "mistake",
        learning_rate: float = 1.0,
        bias: Bias = 1.0,
        init: "ArrayLike | None" = None,
        average: Average | bool | None = None,
        margin: float = 0.0,
        max_epochs: int = 100,
        class_weight: ClassWeight = None,
        held_out: float | None = None,
        patience: int = 5,
        random_state: RandomState = 0,
        warm_start: bool = False,
    ) -> None:
        self.order = order
        self.tie = tie
        self.learning_rate = learning_rate
        self.bias = bias
        self.init = init
        self.average = average
        self.margin = margin
        self.max_epochs = max_epochs
        self.class_weight = class_weight
        self.held_out = held_out
        self.patience = patience
        self.random_state = random_state
        self.warm_start = warm_start

    def _new_learner(self, w: Floats, class_weights: Floats) -> LinearLearner:
        kinds = {None: Plain, False: Plain, "averaged": Averaged, True: Averaged, "voted": Voted}
        kind = kinds[self.average]
        rate, margin = float(self.learning_rate), float(self.margin)
        if not w.any():  # learn in units of the rate, so that its rounding cannot change any decision
            learner = kind(w, class_weights, margin / rate, TIES[self.tie])
            learner.scale = rate
            learner.from_zero = True
            return learner
        with np.errstate(over="ignore"):  # an infinite rate makes infinite weights, which `fit` reports
            return kind(w, rate * class_weights, margin, TIES[self.tie])

    @property
    def _ends_by_budget(self) -> bool:
        return bool(self.average)

    @property
    def coef_(self) -> Floats:
        """Weights of the features, one row per class; a single row for two classes. A voted perceptron has none."""
        check_is_fitted(self)
        self._refuse_votes("coef_")
        return super().coef_

    @property
    def intercept_(self) -> Floats:
        """Intercept of each score: the bias weight times the bias constant. A voted perceptron has none."""
        check_is_fitted(self)
        self._refuse_votes("intercept_")
        return super().intercept_

    @property
    def hyperplane_(self) -> Hyperplane:
        """The boundary between two classes, with `classes_[1]` on its positive side; a voted perceptron has none."""
        check_is_fitted(self)
        self._refuse_votes("hyperplane_")
        return super().hyperplane_

    def _refuse_votes(self, name: str) -> None:
        if isinstance(self._learner, Voted):
            raise AttributeError(
                f"A voted perceptron has no {name}: it answers with the votes of many weight vectors, and none of them "
                "alone predicts as it does. Use average='averaged' for one weight vector."
            )

    def certificate(self, X: TableLike, y: LabelsLike) -> "Certificate":
        """Compare the updates made with Novikoff's bound; the certificate has the verdict on the rows and the bound.

        There is a bound if a hyperplane separates the classes and learning began with weights 0. With a margin m and
        weights from a to b (of classes times rows) the bound is :math:`(b R^2 + 2 m)/(a \\gamma^2)`.

        Parameters
        ----------
        X : array, sparse matrix, data frame or list of shape (n, d)
            The rows that the model was fitted to. For other rows the certificate leaves the updates out. So it does if
            `partial_fit`, `learn_one` or `fit_stream` trained the model, or if an earlier version saved it, because the
            rows are then not known.
        y : array of shape (n,)
            Their class labels.

        Returns
        -------
        Certificate
            The verdict on the rows, the updates, and the bound.
        """
        return self._certificate(X, y)

    def _certificate(self, X: Any, y: Any, verdict: "Certificate | None" = None) -> "Certificate":
        """The certificate; `verdict` is that of the verdict on these rows, if it is known."""
        from rosenblatt.proof.mistake_bound import run_certificate  # a service starts sooner without it

        check_is_fitted(self)
        learner = cast(Plain, self._learner)
        points = validation.points(X)
        n, width = points.shape
        if width != self.n_features_in_:
            raise DataError(f"X has {width} features, but the model was fitted to {self.n_features_in_}.")
        targets = validation.targets(validation.codes(y, n, self.classes_), self.classes_)
        digest = None if self.stop_reason_ is StopReason.STREAM else self._training_digest
        updates = self.n_updates_ if are_rows_of(digest, points, targets) else None
        low, high = self._weight_range
        steps = (low * float(learner.rate.min()), high * float(learner.rate.max())) if learner.from_zero else None
        labels = self.classes_.tolist()
        return run_certificate(X, y, labels, self._bias, updates, steps, float(learner.margin), verdict)

    def _keep(self, problem: Any, trained: Any) -> None:
        super()._keep(problem, trained)
        in_memory = isinstance(problem, PassesProblem)
        self._training_digest = digest_of_rows(problem.points, trained.y) if in_memory else None

    @property
    def _has_plain_scores(self) -> bool:
        return super()._has_plain_scores and not isinstance(self._wide_learner, Voted)

    def _scores(self, rows: Rows) -> Floats:
        if isinstance(self._learner, Voted):
            return self._learner.count_votes(rows, self._tie_sign)
        return super()._scores(rows)


@saved({"w": WEIGHTS, **STEPS})
class Plain(LinearLearner):
    """The perceptron that predicts with its last weights."""

    rule = Rule(binary.perceptron, multiclass.perceptron)
    predicting_rule = Rule(predict_first.perceptron, predict_first.perceptron_many)
    from_zero = False  # True if learning began with weights 0

    def __init__(self, w: Floats, rate: Floats, margin: float, tie: float) -> None:
        super().__init__(w)
        self.rate, self.margin, self.tie = rate, margin, tie

    @property
    def takes_byte_rows(self) -> bool:
        return self.w.ndim == 1

    def learn(self, rows: Rows | ByteRows, y: Any, order: Codes, weight: Floats) -> tuple[int, int]:
        steps = self.rate, self.margin, self.tie
        if isinstance(rows, ByteRows):
            mistakes = screened.perceptron(rows, y, order, weight, self.w, *steps, rough_room(self.w))
        else:
            mistakes = self.rule[self.w.ndim - 1](rows, y, order, weight, self.packed, *steps)
        return mistakes, mistakes

    def predict_and_learn(self, rows: Rows, y: Any, order: Codes, weight: Floats, tie: float) -> tuple[Codes, int, int]:
        predicted = np.empty(len(order), np.int64)
        mistakes = self.predicting_rule[self.w.ndim - 1](
            rows, y, order, weight, self.packed, self.rate, self.margin, self.tie, tie, predicted
        )
        return predicted, mistakes, mistakes

    def learn_row(self, row: OneRow, y: Any) -> tuple[int, int]:
        mistakes = one_row.PERCEPTRON[len(row)].quick(
            *row, y, self.w, self.bias, self.stride, self.rate, self.margin, self.tie
        )
        return mistakes, mistakes


@saved({"w": WEIGHTS, **STEPS, "late": WEIGHTS, "seen": Count()})
class Averaged(Plain):
    """The perceptron that predicts with the mean of its weights after each row."""

    rule = Rule(binary.averaged, multiclass.averaged)
    predicting_rule = Rule(predict_first.averaged, predict_first.averaged_many)
    by_column = ("w", "late")

    def __init__(self, w: Floats, rate: Floats, margin: float, tie: float) -> None:
        super().__init__(w, rate, margin, tie)
        self.late = np.zeros_like(w)
        self.seen = 0

    def learn(self, rows: Rows | ByteRows, y: Any, order: Codes, weight: Floats) -> tuple[int, int]:
        given = self.late, self.seen, self.rate, self.margin, self.tie
        if isinstance(rows, ByteRows):
            mistakes = screened.averaged(rows, y, order, weight, self.w, *given, rough_room(self.w))
        else:
            mistakes = self.rule[self.w.ndim - 1](rows, y, order, weight, self.packed, *given)
        self.seen += len(order)
        return mistakes, mistakes

    def predict_and_learn(self, rows: Rows, y: Any, order: Codes, weight: Floats, tie: float) -> tuple[Codes, int, int]:
        predicted = np.empty(len(order), np.int64)
        mistakes = self.predicting_rule[self.w.ndim - 1](
            rows, y, order, weight, self.packed, self.late, self.seen, self.rate, self.margin, self.tie, tie, predicted
        )
        self.seen += len(order)
        return predicted, mistakes, mistakes

    def predict_row(self, row: OneRow) -> int:
        found: int = one_row.PREDICTED_IN_MEAN[len(row)].quick(*row, self.w, self.late, self.seen, self.bias, self.tie)
        return found

    def learn_row(self, row: OneRow, y: Any) -> tuple[int, int]:
        steps = self.bias, self.stride, self.rate, self.margin, self.tie
        mistakes = one_row.AVERAGED[len(row)].quick(*row, y, self.w, self.late, self.seen, *steps)
        self.seen += mistakes >= 0
        return mistakes, mistakes

    @property
    def answer(self) -> Floats:
        return self.w - self.late / max(self.seen, 1)

    def mixed(self, learned: Sequence[Self], shares: Sequence[float]) -> Self:
        """Return a learner with mixed weights, and the mean of the weights after each row of all learners."""
        mixture = super().mixed(learned, shares)
        if len(learned) > 1:
            before = self._sum_of_weights()
            total = sum((one._sum_of_weights() - before for one in learned), before)
            mixture.seen = self.seen + sum(one.seen - self.seen for one in learned)
            mixture.late = mixture.seen * mixture.w - total
        return mixture

    def _sum_of_weights(self) -> Floats:
        """The sum of the weights after each row."""
        return self.seen * self.w - self.late

    def winners(self, rows: Rows, tie: float) -> Codes:
        if not isinstance(rows, Sparse) or validation.count(rows) > 1:
            return super().winners(rows, tie)
        # The mean of the columns of one sparse row takes less time than that of all columns.
        own = slice(int(rows.indptr[0]), int(rows.indptr[1]))
        columns = np.append(rows.indices[own], self.w.shape[-1] - 1)
        mean = self.w[..., columns] - self.late[..., columns] / max(self.seen, 1)
        return winners(Dense(rows.data[own].reshape(1, -1), rows.bias), mean, tie, self.bound)


@saved({"voters": Numbers(("voters", "W"), least=1), "votes": Numbers(("voters",), low=0.0), **STEPS})
class Voted(Plain):
    """The perceptron that predicts by a vote of all its weight vectors."""

    rule = Rule(binary.voted, multiclass.voted)
    votes_rule = Rule(binary.count_votes, multiclass.count_votes)
    by_column = ("voters",)
    predict_and_learn = LinearLearner.predict_and_learn
    learn_row = LinearLearner.learn_row
    takes_byte_rows = LinearLearner.takes_byte_rows

    def __init__(self, w: Floats, rate: Floats, margin: float, tie: float) -> None:
        super().__init__(w, rate, margin, tie)
        self.voters = w[np.newaxis].copy()
        self.votes = np.zeros(1)
        self.k = 0

    def learn(self, rows: Any, y: Any, order: Codes, weight: Floats) -> tuple[int, int]:
        before, done = self.k, 0
        while True:
            now, self.k = self.rule[self.w.ndim - 1](
                rows, y, order[done:], weight, self._packed_voters, self.votes, self.k, self.rate, self.margin, self.tie
            )
            done += now
            self.w = self.voters[self.k]
            if done == len(order):
                return self.k - before, self.k - before
            self._make_room()

    @property
    def _packed_voters(self) -> Any:
        return self.voters if self.w.ndim == 1 else multiclass.Machine(self.voters, self.bound)

    def widen(self, d: int) -> None:
        super().widen(d)
        self.w = self.voters[self.k]

    def narrow(self, d: int) -> None:
        super().narrow(d)
        self.w = self.voters[self.k]

    def with_class(self, known: int, code: int, steps: Self) -> Self:
        grown = super().with_class(known, code, steps)
        grown.w = grown.voters[grown.k]
        if known > 1:
            grown.bound = longest(grown.voters)
        return grown

    def _saved_values(self) -> dict[str, Any]:
        """The voters so far, without the room for more."""
        there = slice(0, self.k + 1)
        return super()._saved_values() | {"voters": self.voters[there], "votes": self.votes[there]}

    def _restore(self, values: dict[str, Any]) -> None:
        super()._restore(values)
        self.k = len(self.votes) - 1
        self.w = self.voters[self.k]

    def _make_room(self) -> None:
        try:
            voters = np.concatenate([self.voters, np.zeros_like(self.voters)])
            votes = np.concatenate([self.votes, np.zeros_like(self.votes)])
        except MemoryError as error:
            raise MemoryError(
                f"A voted perceptron keeps all its weight vectors, so far {self.k + 1} of {self.w.size} numbers, and "
                "there is no memory for more. Use average='averaged', which keeps only their mean, or fewer passes."
            ) from error
        self.voters, self.votes = voters, votes

    def predict_row(self, row: OneRow) -> int:  # noqa: ARG002
        return -1

    def winners(self, rows: Rows, tie: float) -> Codes:
        return largest(self.count_votes(rows, tie), tie)

    def count_votes(self, rows: Rows, tie: float) -> Floats:
        """Return the votes for the positive class less those for the negative; for more classes, one column a class."""
        out = score_table(rows, self.w)
        self.votes_rule[self.w.ndim - 1](rows, self._packed_voters, self.votes[: self.k + 1], tie, out)
        return out

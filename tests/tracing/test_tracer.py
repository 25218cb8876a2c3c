"""Traces: the run is that of `fit`, every step follows from the one before, and tracing changes nothing."""

import copy
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from rosenblatt import DataError, ParameterError, PassiveAggressive, Perceptron, Step, StopReason, Trace, trace
from tests.support.effort import by_day, pairwise

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

Data = tuple[NDArray[Any], NDArray[Any]]
Vector = list[Fraction]

ORDERS = ["cyclic", "shuffled", "random", "first", "worst"]
RULES: dict[str, Any] = {
    "plain": Perceptron(),
    "tie positive": Perceptron(tie="positive"),
    "tie negative": Perceptron(tie="negative"),
    "no bias": Perceptron(bias=0),
    "rate and bias": Perceptron(learning_rate=0.5, bias=2.0),
    "margin": Perceptron(margin=6.0),
    "class weight": Perceptron(class_weight={"a": 4.0}),
    "averaged": Perceptron(average="averaged"),
    "averaged, tie positive": Perceptron(average="averaged", tie="positive"),
    "voted": Perceptron(average="voted"),
    "voted, margin": Perceptron(average="voted", margin=2.0),
    "PA-I": PassiveAggressive(C=0.25),
    "PA-I, full steps": PassiveAggressive(C=math.inf),
    "PA-II": PassiveAggressive(variant="II", C=0.5, class_weight={"b": 2.0}),
}
every_rule = pytest.mark.parametrize("rule", RULES)
every_order = pytest.mark.parametrize("order", ORDERS)


def blobs(classes: int, n: int, spread: float, seed: int) -> Data:
    """Classes a, b, ... around points of a circle, the first rows one of each."""
    rng = np.random.RandomState(seed)
    code = np.arange(n) % classes
    angle = 2 * math.pi * code / classes + 0.5
    X = 4 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.uniform(-spread, spread, size=(n, 2))
    return X, np.array(list("abc"))[code]


def integers(classes: int, n: int, seed: int) -> Data:
    """Small integers, labels at random, no row of zeros: scores are exact, ties are common."""
    rng = np.random.RandomState(seed)
    X = rng.randint(-3, 4, size=(n, 2))
    X[~X.any(axis=1)] = 1
    return X.astype(np.float64), np.array(list("abc"))[np.append(np.arange(classes), rng.randint(classes, size=n))[:n]]


OVERLAP = {"two classes": integers(2, 14, 0), "three classes": integers(3, 14, 1)}
FLOATS = {
    "two, separable": (blobs(2, 30, 1.5, 2), StopReason.MISTAKE_FREE),
    "two, overlapping": (blobs(2, 30, 9.0, 3), StopReason.BUDGET),
    "three, separable": (blobs(3, 30, 1.0, 4), StopReason.MISTAKE_FREE),
    "three, overlapping": (blobs(3, 30, 9.0, 5), StopReason.BUDGET),
}


def made(rule: str, order: str, max_epochs: int) -> Any:
    return clone(RULES[rule]).set_params(order=order, max_epochs=max_epochs, random_state=11)


def mistakes_per_epoch(run: Trace, order: str, n: int) -> list[int]:
    """A pass meets n rows; with "first" and "worst" one row, and none if there is no mistake left."""
    if order in ("first", "worst"):
        return [int(step.mistake) for step in run] + [0] * (run.stop_reason is StopReason.MISTAKE_FREE)
    return [sum(step.mistake for step in run.steps[t : t + n]) for t in range(0, len(run), n)]


@pytest.mark.parametrize(("rule", "order", "kind"), pairwise(list(RULES), ORDERS, list(FLOATS)))
def test_a_trace_is_what_fit_does(rule: str, order: str, kind: str) -> None:
    """The last weights, the updates, the mistakes in each pass and the stop reason are equal to the last bit."""
    (X, y), reason = FLOATS[kind]
    model = made(rule, order, 500 if reason is StopReason.MISTAKE_FREE else 12)
    run = trace(model, X, y)
    model.fit(X, y)
    assert np.array(run[-1].w).tobytes() == (model._learner.scale * model._learner.w).tobytes()
    assert run[-1].updates == model.n_updates_ > 0
    assert mistakes_per_epoch(run, order, len(y)) == model.mistakes_per_epoch_.tolist()
    assert run.stop_reason is model.stop_reason_ is reason
    assert run.classes == tuple(model.classes_)


def dot(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def add(w: Vector, step: Fraction, x: Vector) -> Vector:
    return [a + step * b for a, b in zip(w, x, strict=True)]


def exact(w: Any) -> Any:
    return [exact(v) for v in w] if isinstance(w, tuple) else Fraction(w)


class Expected:
    """What must happen when weights (in fractions) meet a row, worked out from the definitions.

    `tie` is the sign given to a score of 0, or None; `winners` are the classes that may be predicted, `after` the
    weights that may follow: where several wrong classes share the largest score, the rule may take any.
    """

    def __init__(self, model: Any, classes: Sequence[str], w: Any, x: Vector, label: str) -> None:
        self.model, self.w, self.x, self.label = model, w, x, label
        self.weight = Fraction((model.class_weight or {}).get(label, 1.0))
        self.tie = {"positive": 1, "negative": -1}.get(getattr(model, "tie", ""))
        if len(classes) == 2:
            self._two(classes)
        else:
            self._more(classes)

    def _two(self, classes: Sequence[str]) -> None:
        score = dot(self.w, self.x)
        sign = 1 if self.label == classes[1] else -1
        given = self.tie if score == 0 else math.copysign(1, score)
        self.scores: Any = score
        self.winners: set[str | None] = {None if given is None else classes[int(given > 0)]}
        step = self._step(sign * score, self.tie != sign, 1)
        self.after = [add(self.w, step * sign, self.x)]

    def _more(self, classes: Sequence[str]) -> None:
        self.scores = [dot(w, self.x) for w in self.w]
        own = classes.index(self.label)
        best = max(score for c, score in enumerate(self.scores) if c != own)
        rivals = [c for c, score in enumerate(self.scores) if c != own and score == best]
        if self.tie is not None:
            rivals = [max(rivals) if self.tie > 0 else min(rivals)]
        loses = self.tie is None or (rivals[0] - own) * self.tie > 0  # when the scores are equal
        lead = self.scores[own] - best
        self.winners = {classes[c] for c in rivals} if lead < 0 or (lead == 0 and loses) else {self.label}
        step = self._step(lead, loses, 2)
        self.after = []
        for rival in rivals:
            after = list(self.w)
            after[own], after[rival] = add(after[own], step, self.x), add(after[rival], -step, self.x)
            self.after.append(after)

    def _step(self, lead: Fraction, loses: bool, pulled: int) -> Fraction:
        """How much of the row is added to the true class; `pulled` weight vectors move."""
        if isinstance(self.model, Perceptron):
            margin = Fraction(self.model.margin)
            self.mistake = lead < margin or (lead == margin and loses)
            self.loss = Fraction(1 if self.mistake else -1)
            return Fraction(self.model.learning_rate) * self.weight if self.mistake else Fraction(0)
        self.mistake = lead <= 0
        self.loss = 1 - lead
        loss, length = max(Fraction(0), self.loss), pulled * dot(self.x, self.x)
        if self.model.variant == "II":
            return loss / (length + 1 / (2 * Fraction(self.model.C) * self.weight))
        full = loss / length
        return full if math.isinf(self.model.C) else min(full, Fraction(self.model.C) * self.weight)


def angle(w: Vector, x: Vector) -> float | None:
    """The angle from its sine and cosine, exact under the root."""
    if not any(w) or not any(x):
        return None
    return math.atan2(math.sqrt(dot(w, w) * dot(x, x) - dot(w, x) ** 2), dot(w, x))


def close(value: Any, expected: Any, tolerance: float) -> bool:
    return bool(np.max(np.abs(np.array(value) - np.array(expected, dtype=np.float64))) <= tolerance)


@pytest.mark.parametrize("data", OVERLAP.values(), ids=OVERLAP)
@every_order
@every_rule
def test_every_step_follows_from_the_one_before(rule: str, order: str, data: Data) -> None:
    """All that a step says, recomputed in fractions; exact for perceptrons, to rounding for passive-aggressive."""
    X, y = data
    model = made(rule, order, 6)
    run = trace(model, X, y)
    classes = sorted(set(y))
    tolerance = 0.0 if isinstance(model, Perceptron) else 1e-12
    before, updates = exact(run.start), 0
    assert not np.any(run.start)
    for step in run:
        assert (step.x, step.y) == (tuple(X[step.index]), y[step.index])
        x = [*map(Fraction, step.x), Fraction(model.bias)]
        expected = Expected(model, classes, before, x, step.y)
        assert close(step.score, expected.scores, tolerance)
        assert step.predicted in expected.winners
        assert step.mistake == expected.mistake
        if abs(expected.loss) > 1e-12:  # else rounding decides whether a passive-aggressive step is made
            assert step.updated == (expected.loss > 0) == (exact(step.w) != before)
        assert any(close(step.w, after, tolerance) for after in expected.after)
        own = slice(None) if len(classes) == 2 else classes.index(step.y)
        after = exact(step.w)
        for found, w in ((step.angle_before, before), (step.angle_after, after)):
            assert found == (None if angle(w[own], x) is None else pytest.approx(angle(w[own], x), abs=1e-12))
        square = sum((dot(w, w) for w in (after if len(classes) > 2 else [after])), Fraction(0))
        assert step.norm == pytest.approx(math.sqrt(square), rel=1e-14, abs=0)
        updates += step.updated
        assert step.updates == updates
        before = after
    assert updates > 3


def leads(w: Any, data: Data) -> Vector:
    """The distance of each row on its right side."""
    classes, every = sorted(set(data[1])), []
    for row, label in zip(*data, strict=True):
        x = [*map(Fraction, row.tolist()), Fraction(1)]
        if len(classes) == 2:
            every.append(dot(w, x) * (1 if label == classes[1] else -1))
        else:
            scores = {c: dot(v, x) for c, v in zip(classes, w, strict=True)}
            every.append(scores.pop(label) - max(scores.values()))
    return every


@pytest.mark.parametrize("data", OVERLAP.values(), ids=OVERLAP)
@pytest.mark.parametrize("rule", ["plain", "averaged", "voted", "PA-I"])
def test_rows_come_in_the_order_asked_for(rule: str, data: Data) -> None:
    """Cyclic: as given; shuffled: a permutation each pass; first and worst: the first, the worst mistake there is."""
    n = len(data[1])
    runs = {order: trace(made(rule, order, 5), *data) for order in ORDERS}
    indices = {order: [step.index for step in run] for order, run in runs.items()}
    assert indices["cyclic"] == list(range(n)) * 5
    permutations = [indices["shuffled"][t : t + n] for t in range(0, 5 * n, n)]
    assert all(sorted(permutation) == list(range(n)) for permutation in permutations)
    assert len(set(map(tuple, permutations))) == 5
    assert len(indices["random"]) == 5 * n
    assert set(indices["random"]) <= set(range(n))
    for order in ("first", "worst"):
        w = exact(runs[order].start)
        for step in runs[order]:
            now = leads(w, data)
            mistakes = [i for i, lead in enumerate(now) if lead <= 0]
            assert step.index in ([mistakes[0]] if order == "first" else [i for i in mistakes if now[i] == min(now)])
            w = exact(step.w)


@pytest.mark.parametrize("data", OVERLAP.values(), ids=OVERLAP)
@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.startswith("PA")])
def test_storage_does_not_change_the_steps(rule: str, data: Data) -> None:
    """float64, float32, integers, sparse, a list and a data frame of the same numbers: the same trace."""
    X, y = data
    run = trace(made(rule, "shuffled", 5), X, y)
    same = [X.astype(np.float32), X.astype(np.int8), sparse.csr_array(X), sparse.csc_matrix(X), X.tolist()]
    same += by_day([], [sparse.csr_matrix(X.astype(np.float32))])  # one more version of every kernel to compile
    for stored in (*same, pd.DataFrame(X, columns=["x1", "x2"])):
        assert trace(made(rule, "shuffled", 5), stored, y) == run


def test_names_start_and_estimator_are_told() -> None:
    """What was trained, from where, on what."""
    X = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["width", "height"])
    run = trace(Perceptron(bias=2, init=[0, 1, -1]), X, ["no", "yes"])
    assert run.feature_names == ("width", "height")
    assert run.classes == ("no", "yes")
    assert (run.bias, run.start) == (2, (0, 1, -1))
    assert run.estimator == "Perceptron(bias=2, init=[0, 1, -1])"
    assert trace(Perceptron(), X.to_numpy(), [0, 1]).feature_names == ("x1", "x2")


@pytest.mark.parametrize("classes", [2, 3])
def test_labels_of_a_data_frame(classes: int) -> None:
    """A column of texts is an array of objects; its labels are told as they are, as are categories."""
    X, y = blobs(classes, 9, 1.0, 0)
    run = trace(Perceptron(), X, y)
    for column in (y.astype(object), pd.Series(y.astype(object)), pd.Series(y).astype("category")):
        assert trace(Perceptron(), X, column) == run


def test_a_row_of_zeros_has_no_angle() -> None:
    """Without a bias the row is 0: no direction, before or after w has one."""
    run = trace(Perceptron(order="cyclic", bias=0, tie="positive"), [[0, 0], [1, 2], [-1, 0]], [1, 1, 0])
    zeros = [step for step in run if step.index == 0]
    assert len(zeros) > 1
    assert any(zeros[-1].w)
    assert [(step.angle_before, step.angle_after) for step in zeros] == [(None, None)] * len(zeros)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("exponent", [-700, 700])
def test_extreme_scales_change_no_step(exponent: int, classes: int) -> None:
    """Rows and bias times a power of two: weights and norms scale, decisions and angles stay, where squares do not fit.

    Weights of rows near 1e210 are near 1e210, and so is their length, though its square is not a float.
    """
    X, y = integers(classes, 8, 6)
    scale = math.ldexp(1.0, exponent)
    run = trace(Perceptron(order="cyclic", max_epochs=3), X, y)
    scaled = trace(Perceptron(order="cyclic", max_epochs=3, bias=scale), X * scale, y)
    assert [(s.index, s.predicted, s.mistake) for s in scaled] == [(s.index, s.predicted, s.mistake) for s in run]
    assert (np.array([s.w for s in scaled]) == np.array([s.w for s in run]) * scale).all()
    assert [s.norm for s in scaled] == pytest.approx([float(s.norm or 0.0) * scale for s in run], rel=1e-14, abs=0)
    assert [s.angle_after for s in scaled] == pytest.approx([s.angle_after for s in run], abs=1e-14)
    assert Trace.from_jsonl(scaled.to_jsonl()) == scaled


def test_max_steps_cuts_the_trace_off() -> None:
    """A shorter trace is the beginning of the longer one, and has no reason to stop."""
    X, y = FLOATS["two, separable"][0]
    model = Perceptron(order="cyclic")
    run = trace(model, X, y)
    for m in range(len(run) + 3):
        part = trace(model, X, y, max_steps=m)
        assert part.steps == run.steps[:m]
        assert part.stop_reason is (None if m < len(run) else StopReason.MISTAKE_FREE)
    assert tuple(run) == run.steps == tuple(run[t] for t in range(len(run)))
    assert isinstance(run[0], Step)


@pytest.mark.parametrize("max_steps", [-1, 1.5, "3", True])
def test_max_steps_must_be_a_count(max_steps: Any) -> None:
    with pytest.raises(ParameterError, match="max_steps"):
        trace(Perceptron(), [[0.0], [1.0]], [0, 1], max_steps=max_steps)


@every_rule
def test_the_estimator_is_not_changed(rule: str) -> None:
    """No fitted attributes, the same parameters, its random state not drawn from; a fitted one keeps its weights."""
    X, y = OVERLAP["two classes"]
    rng = np.random.RandomState(3)
    model = made(rule, "shuffled", 3).set_params(random_state=rng, init=np.zeros(3))
    before, state = dict(vars(model)), copy.deepcopy(rng.get_state())
    trace(model, X, y)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    assert all(np.array_equal(a, b) for a, b in zip(rng.get_state(), state, strict=True))
    assert not model.init.any()
    model.fit(X, y)
    weights = model._learner.w.copy()
    trace(model, -X, y)
    assert (model._learner.w == weights).all()


BAD: dict[str, tuple[dict[str, Any], Any, Any, type[Exception]]] = {
    "nan": ({}, [[0.0], [math.nan]], [0, 1], DataError),
    "infinity": ({}, sparse.csr_array([[0.0], [math.inf]]), [0, 1], DataError),
    "ragged": ({}, [[0.0], [1.0, 2.0]], [0, 1], DataError),
    "text": ({}, [["tall"], ["small"]], [0, 1], DataError),
    "one dimension": ({}, [0.0, 1.0], [0, 1], DataError),
    "no rows": ({}, np.empty((0, 2)), [], DataError),
    "a label too few": ({}, [[0.0], [1.0]], [0], DataError),
    "no labels": ({}, [[0.0], [1.0]], None, DataError),
    "one class": ({}, [[0.0], [1.0]], [1, 1], DataError),
    "labels that are measurements": ({}, [[0.0], [1.0]], [0.5, 1.5], DataError),
    "order": ({"order": "cyclical"}, [[0.0], [1.0]], [0, 1], ParameterError),
    "max_epochs": ({"max_epochs": 0}, [[0.0], [1.0]], [0, 1], ParameterError),
    "bias": ({"bias": -1}, [[0.0], [1.0]], [0, 1], ParameterError),
    "init": ({"init": [0.0]}, [[0.0], [1.0]], [0, 1], ParameterError),
    "class_weight": ({"class_weight": {2: 1.0}}, [[0.0], [1.0]], [0, 1], ParameterError),
}


@pytest.mark.parametrize("kind", [Perceptron, PassiveAggressive])
@pytest.mark.parametrize(("params", "X", "y", "error"), BAD.values(), ids=BAD)
def test_refuses_what_fit_refuses(kind: Any, params: dict[str, Any], X: Any, y: Any, error: type[Exception]) -> None:
    """`trace` raises the same error as `fit`, with the same message."""
    with pytest.raises(error) as by_fit:
        kind(**params).fit(X, y)
    with pytest.raises(error) as by_trace:
        trace(kind(**params), X, y)
    assert str(by_trace.value) == str(by_fit.value)

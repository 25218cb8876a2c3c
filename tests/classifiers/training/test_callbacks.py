"""scikit-learn's callbacks: told of every pass and what it reached; they may end a fit, and change nothing else."""

import itertools
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    OneVsAll,
    OneVsOne,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    StopReason,
    Stream,
    load,
    save,
    write,
)
from rosenblatt.hulls.search import Search

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
Y = (X @ [1.0, 2.0, -1.0] + 0.7 * RNG.normal(size=60) > 0).astype(int)  # they overlap
Y3 = np.digitize(X @ [2.0, 1.0, 0.0] + 0.5 * RNG.normal(size=60), [-1.0, 1.0])
AND = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])

#: Estimators that make passes, each with the name of what limits them, and labels for which it takes several.
MODELS: dict[str, tuple[Any, str, Any]] = {
    "perceptron": (Perceptron(max_epochs=6), "max_epochs", Y),
    "perceptron, first": (Perceptron(order="first", max_epochs=9), "max_epochs", Y),
    "averaged, 3 classes": (Perceptron(average="averaged", order="random", max_epochs=5), "max_epochs", Y3),
    "voted": (Perceptron(average="voted", max_epochs=4), "max_epochs", Y),
    "held out": (Perceptron(average="averaged", held_out=0.3, patience=3, max_epochs=9), "max_epochs", Y),
    "passive-aggressive": (PassiveAggressive(max_epochs=4), "max_epochs", Y3),
    "pocket": (Pocket(max_epochs=5), "max_epochs", Y),
    "batch": (BatchPerceptron(learning_rate="1/t", max_epochs=7), "max_epochs", Y3),
    "batch, shift": (BatchPerceptron(shift=True, patience=4), "max_epochs", Y),
    "kernel": (KernelPerceptron(kernel="linear", average="averaged", max_epochs=4), "max_epochs", Y),
    "kozinec": (Kozinec(solver="mdm", C=1.0, epsilon=0.2, screening=False), "max_epochs", Y),
    "kozinec, auto": (Kozinec(C=1.0, bias=1.0, epsilon=1e-6), "max_epochs", Y),
    "anderson": (Anderson(solver="ascent"), "max_iter", Y),
    "anderson, bahadur": (Anderson(solver="bahadur"), "max_iter", Y),
    "one against all": (OneVsAll(Perceptron(max_epochs=4)), "estimator__max_epochs", Y3),
    "one against one": (OneVsOne(Pocket(max_epochs=4)), "estimator__max_epochs", Y3),
}
every_model = pytest.mark.parametrize("name", MODELS)
STREAMED: dict[str, Any] = {
    "perceptron": Perceptron(max_epochs=4),
    "averaged": Perceptron(average="averaged", max_epochs=4),
    "pocket": Pocket(max_epochs=3),
    "batch": BatchPerceptron(max_epochs=4),
    "kozinec": Kozinec(C=1.0, epsilon=1e-6),
}
every_streamed = pytest.mark.parametrize("name", STREAMED)
KEPT = ("n_iter_", "n_updates_", "mistakes_per_epoch_", "stop_reason_", "history_", "n_errors_", "margin_bounds_")


class Follower:
    """A callback that writes all down that it is told, and stops or fails where it is asked to."""

    def __init__(self, stop_at: tuple[str, int] | None = None, fail_at: str = "") -> None:
        self.stop_at, self.fail_at = stop_at, fail_at
        self.log: list[str] = []
        self.contexts: list[Any] = []
        self.given: list[tuple[Any, Any, Any]] = []
        self.fitted: list[Any] = []

    def _note(self, event: str, context: Any) -> None:
        self.log.append(event)
        self.contexts.append(context)
        if event == self.fail_at:
            raise RuntimeError(f"failed at {event}")

    def setup(self, estimator: Any, context: Any) -> None:  # noqa: ARG002
        self._note("setup", context)

    def teardown(self, estimator: Any, context: Any) -> None:  # noqa: ARG002
        self._note("teardown", context)

    def on_fit_task_begin(self, estimator: Any, context: Any, *, X: Any = None, y: Any = None) -> None:  # noqa: ARG002
        self.given.append((X, y, None))
        self._note(f"begin {context.task_name} {context.task_id}", context)

    def on_fit_task_end(
        self,
        estimator: Any,  # noqa: ARG002
        context: Any,
        *,
        X: Any = None,
        y: Any = None,
        metadata: Any = None,
        fitted_estimator: Any = None,
    ) -> bool:
        self.given.append((X, y, metadata))
        self.fitted.append(fitted_estimator)
        self._note(f"end {context.task_name} {context.task_id}", context)
        return (context.task_name, context.task_id) == self.stop_at


class Everywhere(Follower):
    """One that goes with the members of an estimator too."""

    max_propagation_depth = None


class Uninterested(Follower):
    """One that asks for nothing."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:  # type: ignore[override]
        super().on_fit_task_begin(estimator, context)

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:  # type: ignore[override]
        return super().on_fit_task_end(estimator, context)


def posed(name: str) -> tuple[Any, str, Any]:
    model, limit, y = MODELS[name]
    return clone(model), limit, y


def bits(model: Any, rows: Any = X) -> dict[str, Any]:
    """What a fitted estimator answers, and what it says of its fit."""
    said = {name: getattr(model, name) for name in KEPT if hasattr(model, name)} | {"classes_": model.classes_}
    said["scores"] = model.decision_function(rows)
    said["answers"] = model.predict(rows)
    return {key: value.tobytes() if isinstance(value, np.ndarray) else value for key, value in said.items()}


def expected_log(passes: int) -> list[str]:
    each = [f"{edge} pass {k}" for k in range(passes) for edge in ("begin", "end")]
    return ["setup", "begin fit 0", *each, "end fit 0", "teardown"]


# ---------------------------------------------------------------------------------------------------------------------
# Every pass is a task


@every_model
def test_every_pass_is_a_task_of_the_fit(name: str) -> None:
    model, limit, y = posed(name)
    follower = Follower()
    model.set_callbacks(follower).fit(X, y)
    assert model.n_iter_ > 1
    assert follower.log == expected_log(model.n_iter_)
    root = follower.contexts[0]
    assert root.max_subtasks == (None if limit == "max_iter" else model.get_params()[limit])
    assert root.estimator_name == type(model).__name__
    for context in follower.contexts[2:-2]:
        assert context.parent is root
        assert context.max_subtasks == 0
    assert all(rows is X and labels is y for rows, labels, _ in follower.given)


@every_model
def test_callbacks_change_no_bit(name: str) -> None:
    model, _, y = posed(name)
    alone = bits(clone(model).fit(X, y))
    for follower in (Follower(), Uninterested()):
        assert bits(clone(model).set_callbacks(follower).fit(X, y)) == alone


@every_model
def test_a_pass_ends_with_what_a_fit_of_so_many_passes_gives(name: str) -> None:
    """Asked only after the fit: what was handed over has not changed since."""
    model, limit, y = posed(name)
    follower = Follower()
    model.set_callbacks(follower).fit(X, y)
    *passes, last = follower.fitted
    for k, fitted in enumerate(passes, start=1):
        found, asked = bits(fitted), bits(clone(MODELS[name][0]).set_params(**{limit: k}).fit(X, y))
        if limit == "max_iter":  # at the end of its budget a search settles its bounds in whole numbers
            found.pop("stop_reason_"), asked.pop("stop_reason_")
            found.pop("history_"), asked.pop("history_")
        assert found == asked, k
    assert bits(last) == bits(model)
    assert not any(attribute in vars(last) for attribute in ("_skl_callbacks", "_callback_fit_ctx"))


def test_the_learner_of_a_handed_copy_is_its_own() -> None:
    follower = Follower()
    model = Perceptron(max_epochs=3).set_callbacks(follower).fit(X, Y)
    before = [bits(fitted) for fitted in follower.fitted]
    for x, label in zip(X, 1 - Y, strict=True):
        model.learn_one(x, label)
    assert [bits(fitted) for fitted in follower.fitted] == before


def test_a_pocket_is_handed_over_without_the_rows() -> None:
    follower = Follower()
    Pocket(max_epochs=3).set_callbacks(follower).fit(X, Y)
    assert all(fitted._learner.judge is None and fitted._learner.among is None for fitted in follower.fitted)
    assert [fitted.n_errors_ for fitted in follower.fitted] == [
        float((f.predict(X) != Y).sum()) for f in follower.fitted
    ]


@pytest.mark.parametrize("model", [Perceptron(max_epochs=3), OneVsAll(Pocket(max_epochs=2))], ids=str)
def test_nothing_is_copied_that_nobody_asks_for(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("rosenblatt.classifiers.training.callbacks.copy")
    follower = Uninterested()
    model.set_callbacks(follower).fit(X, Y)
    assert follower.log == expected_log(model.n_iter_)
    with pytest.raises(NameError, match="copy"):
        model.set_callbacks(Follower()).fit(X, Y)


def test_nothing_of_an_earlier_fit_is_handed_over() -> None:
    table = pandas.DataFrame(X, columns=["a", "b", "c"])
    follower = Follower()
    model = Perceptron(max_epochs=3).set_callbacks(follower).fit(table, Y)
    assert follower.fitted[0].feature_names_in_.tolist() == ["a", "b", "c"]
    model.fit(X[:, :2], Y3)
    fitted = follower.fitted[4]
    assert not hasattr(fitted, "feature_names_in_")
    assert (fitted.n_features_in_, fitted.classes_.tolist()) == (2, [0, 1, 2])
    assert len(fitted.predict(X[:, :2])) == len(X)


@pytest.mark.parametrize("model", [BatchPerceptron(max_epochs=2), KernelPerceptron(max_epochs=2), Anderson()], ids=str)
def test_weights_of_rows_are_metadata(model: Any) -> None:
    follower, weight = Follower(), np.resize([1.0, 2.0], len(X))
    clone(model).set_callbacks(follower).fit(X, Y, sample_weight=weight)
    assert all(metadata["sample_weight"] is weight for *_, metadata in follower.given if metadata is not None)
    assert sum(metadata is not None for *_, metadata in follower.given) == len(follower.fitted)


def test_weights_of_rows_inside_a_wrapper_are_metadata_of_its_rows() -> None:
    follower, weight = Follower(), np.arange(1.0, len(X) + 1)
    inner = BatchPerceptron(max_epochs=2)
    with config_context(enable_metadata_routing=True):
        inner.set_fit_request(sample_weight=True)
        OneVsOne(inner).set_callbacks(follower).fit(X, Y3, sample_weight=weight)
    found = [metadata["sample_weight"].tolist() for *_, metadata in follower.given if metadata is not None]
    assert found == [*(weight[np.isin(Y3, pair)].tolist() for pair in [(0, 1), (0, 2), (1, 2)]), weight.tolist()]


def test_given_gaussians_have_no_rows() -> None:
    follower = Follower()
    model = Anderson(solver="gradient", max_iter=5).set_callbacks(follower)
    model.fit_gaussians([[0, 0], [4, 0], [2, 3]], [np.eye(2), np.eye(2), np.diag([4, 0.25])], [0, 0, 1])
    assert follower.log == expected_log(5)
    assert all(given == (None, None, None) for given in follower.given)


# ---------------------------------------------------------------------------------------------------------------------
# A callback may end a fit


@every_model
def test_a_callback_ends_a_fit(name: str) -> None:
    """After the second pass, or the first where there are only two."""
    model, limit, y = posed(name)
    k = min(2, clone(model).fit(X, y).n_iter_ - 1)
    follower = Follower(stop_at=("pass", k - 1))
    model.set_callbacks(follower).fit(X, y)
    assert follower.log == expected_log(k)
    assert model.n_iter_ == k
    shorter = clone(MODELS[name][0]).set_params(**{limit: k}).fit(X, y)
    assert model.decision_function(X).tobytes() == shorter.decision_function(X).tobytes()
    for ended, other in zip(*(getattr(m, "estimators_", [m]) for m in (model, shorter)), strict=True):
        done = hasattr(model, "estimators_") and other.stop_reason_ == "mistake_free"
        assert ended.stop_reason_ == ("mistake_free" if done else "condition")
    assert bits(follower.fitted[-1]) == bits(model)


@pytest.mark.parametrize(
    "model", [Perceptron(), BatchPerceptron(), Pocket(), Kozinec(), KernelPerceptron(), OneVsAll(Perceptron())], ids=str
)
def test_a_fit_that_has_reached_its_goal_says_so_whatever_a_callback_says(model: Any) -> None:
    alone = clone(model).fit(*AND)
    model.set_callbacks(Follower(stop_at=("pass", alone.n_iter_ - 1))).fit(*AND)
    for ended, other in zip(*(getattr(m, "estimators_", [m]) for m in (model, alone)), strict=True):
        assert ended.stop_reason_ == other.stop_reason_ != "condition"


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", [name for name in MODELS if name != "kernel"])
def test_no_goal_is_missed_when_a_callback_ends_the_fit(name: str) -> None:
    model, _, y = posed(name)
    model.set_callbacks(Follower(stop_at=("pass", 0))).fit(X, y)
    assert model.n_iter_ == 1


CLOUDS = np.random.default_rng(3).normal(size=(60, 4)) + 1.6 * np.where(np.arange(60) % 2, 1, -1)[:, np.newaxis]
SIGNS = np.where(np.arange(60) % 2, 1, -1)


def test_a_search_that_leaves_rows_out_ends_at_once_with_bounds_that_hold_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    largest, left_out, answer = Kozinec(epsilon=1e-9).fit(CLOUDS, SIGNS).margin_bounds_, list[int](), Search.answer

    def spied(self: Search, reason: StopReason) -> Any:
        left_out.append(self.points.left_out)
        return answer(self, reason)

    monkeypatch.setattr(Search, "answer", spied)
    for k in range(8, 20):
        follower = Uninterested(stop_at=("pass", k - 1))
        model = Kozinec(solver="kozinec", epsilon=1e-4, screening=True).set_callbacks(follower).fit(CLOUDS, SIGNS)
        assert (model.n_iter_, str(model.stop_reason_)) == (k, "condition")
        lower, upper = model.margin_bounds_
        assert 0 < lower <= model.geometric_margin(CLOUDS, SIGNS).min() + 1e-12
        assert upper >= largest[0]
    assert len(left_out) == 12
    assert any(left_out)


@pytest.mark.parametrize("solver", ["kozinec", "mdm", "away"])
def test_a_search_looks_no_more_often_than_it_may(solver: Any) -> None:
    """Also where it could leave rows out, and would have to look at all of them once more."""
    for most in range(1, 20):
        model = Kozinec(solver=solver, epsilon=1e-4, screening=True, max_epochs=most).fit(CLOUDS, SIGNS)
        assert (model.n_iter_, str(model.stop_reason_)) == (most, "budget")


# ---------------------------------------------------------------------------------------------------------------------
# What fails leaves no trace


EDGES = ("setup", "begin fit 0", "begin pass 0", "end pass 0", "begin pass 1", "end pass 1", "end fit 0", "teardown")


def held(model: Any) -> dict[str, bytes]:
    """All that an estimator holds, but its callbacks."""
    return {key: pickle.dumps(value) for key, value in vars(model).items() if key != "_skl_callbacks"}


def check_failures(model: Any, fit: Callable[[], Any]) -> None:
    """An error at whatever edge leaves the model as it was."""
    before = held(model)
    for edge in EDGES:
        model.set_callbacks(Follower(fail_at=edge))
        with pytest.raises(RuntimeError, match=f"failed at {edge}"):
            fit()
        assert held(model) == before
    model.set_callbacks()


@every_model
def test_an_error_in_a_callback_leaves_the_estimator_as_it_was(name: str) -> None:
    """One that is new, and one that is fitted to other columns."""
    model, _, y = posed(name)
    check_failures(model, lambda: model.fit(X, y))
    model.fit(X[:, :2], y)
    check_failures(model, lambda: model.fit(X, y))
    assert len(model.predict(X[:, :2])) == len(X)


@pytest.mark.parametrize("edge", EDGES[:-1])
def test_callbacks_are_torn_down_after_an_error(edge: str) -> None:
    failing, other = Follower(fail_at=edge), Follower()
    with pytest.raises(RuntimeError, match="failed at"):
        Perceptron().set_callbacks(other, failing).fit(X, Y)
    assert [follower.log[-1] for follower in (failing, other)] == ["teardown", "teardown"]


def test_data_that_is_refused_is_no_fit() -> None:
    follower = Follower()
    with pytest.raises(ValueError, match="finite"):
        Perceptron().set_callbacks(follower).fit([[np.nan], [1.0]], [0, 1])
    assert follower.log == []


# ---------------------------------------------------------------------------------------------------------------------
# Estimators that are made of others


def paths(follower: Follower) -> list[str]:
    """What ended, each task with those that it is a part of."""
    found = []
    for event, context in zip(follower.log, follower.contexts, strict=True):
        if event.startswith("end"):
            names = []
            while context is not None:
                names.append(f"{context.estimator_name} {context.task_name} {context.task_id}")
                context = context.parent
            found.append(" / ".join(reversed(names)))
    return found


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
def test_members_that_are_fitted_in_turn_are_tasks_that_have_passes(scheme: Any) -> None:
    follower = Everywhere()
    model = scheme(BatchPerceptron(max_epochs=3)).set_callbacks(follower).fit(X, Y3)
    root = f"{scheme.__name__} fit 0"
    expected = []
    for k, member in enumerate(model.estimators_):
        task = f"{root} / BatchPerceptron fit {k}"
        expected += [*(f"{task} / BatchPerceptron pass {t}" for t in range(member.n_iter_)), task]
    assert paths(follower) == [*expected, root]
    assert follower.contexts[0].max_subtasks == 3
    assert {context.source_task_name for context in follower.contexts} == {None, "classifier"}
    assert not any(hasattr(member, "_skl_callbacks") for member in model.estimators_)
    assert bits(model) == bits(scheme(BatchPerceptron(max_epochs=3)).fit(X, Y3))
    assert bits(follower.fitted[-1]) == bits(model)


@pytest.mark.parametrize(
    ("model", "task"),
    [(Kessler(Perceptron(max_epochs=3)), "long rows"), (LeastRisk(Perceptron(max_epochs=3)), "estimator")],
    ids=["Kessler", "LeastRisk"],
)
def test_the_estimator_inside_is_a_task_that_has_passes(model: Any, task: str) -> None:
    alone, follower = clone(model).fit(X, Y3), Everywhere()
    model.set_callbacks(follower).fit(X, Y3)
    root = f"{type(model).__name__} fit 0"
    inner = f"{root} / Perceptron fit 0"
    assert paths(follower) == [*(f"{inner} / Perceptron pass {t}" for t in range(3)), inner, root]
    assert {context.source_task_name for context in follower.contexts} == {None, task}
    assert bits(model) == bits(alone) == bits(follower.fitted[-1])
    before = held(model)
    for edge in ("begin pass 1", "end fit 0", "teardown"):
        model.set_callbacks(Everywhere(fail_at=edge))
        with pytest.raises(RuntimeError, match=edge):
            model.fit(X[:, :2], Y)
        assert held(model) == before


def test_what_does_not_go_with_members_sees_the_whole_only() -> None:
    follower = Follower()
    OneVsOne(Kozinec(C=1.0)).set_callbacks(follower).fit(X, Y3)
    each = [f"{edge} classifier {k}" for k in range(3) for edge in ("begin", "end")]
    assert follower.log == ["setup", "begin fit 0", *each, "end fit 0", "teardown"]


def test_members_may_have_callbacks_of_their_own_where_they_are_fitted_in_turn() -> None:
    follower = Follower()
    model = OneVsAll(Kozinec(C=1.0).set_callbacks(follower)).fit(X, Y3)
    assert follower.log == list(itertools.chain(*(expected_log(member.n_iter_) for member in model.estimators_)))


def test_members_that_share_passes_cannot_have_callbacks_of_their_own() -> None:
    model = OneVsAll(Perceptron().set_callbacks(Follower()))
    with pytest.raises(ParameterError, match=r"in the same passes.*call set_callbacks of the OneVsAll"):
        model.fit(X, Y3)
    assert not hasattr(model, "estimators_")


def test_a_member_that_takes_no_callbacks_is_said() -> None:
    model = OneVsAll(RidgeClassifier()).set_callbacks(Everywhere())
    with pytest.warns(UserWarning, match="RidgeClassifier does not support callbacks"):
        model.fit(X, Y3)
    assert len(model.estimators_) == 3


# ---------------------------------------------------------------------------------------------------------------------
# What scikit-learn does with callbacks


@every_model
def test_clones_share_callbacks_and_files_have_none(name: str, tmp_path: Path) -> None:
    model, _, y = posed(name)
    follower = Follower()
    model.set_callbacks(follower)
    assert clone(model)._skl_callbacks == [follower]
    assert "callbacks" not in repr(model)
    model.fit(X, y)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert not hasattr(loaded, "_skl_callbacks")
    assert loaded.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    model.set_callbacks()
    assert not hasattr(model, "_skl_callbacks")


def test_what_is_no_callback_is_refused() -> None:
    for wrong in (3, Follower, print):
        with pytest.raises(TypeError, match="FitCallback"):
            Perceptron().set_callbacks(wrong)


SEPARATED = X[np.abs(X @ [1.0, 2.0, -1.0]) > 0.5]
APART = (SEPARATED @ [1.0, 2.0, -1.0] > 0).astype(int)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        KernelPerceptron(),
        BatchPerceptron(),
        Kozinec(),
        Anderson(),
        OneVsAll(Pocket()),
        OneVsOne(Kozinec()),
        Kessler(Kozinec(bias=1.0)),
        LeastRisk(PassiveAggressive(C=100.0)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_progress_bar_in_a_pipeline(model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    alone = make_pipeline(StandardScaler(), clone(model)).fit(SEPARATED, APART)
    for depth in (0, 1, None):
        bar = ProgressBar(max_propagation_depth=depth)
        pipeline = make_pipeline(StandardScaler(), clone(model)).set_callbacks(bar).fit(SEPARATED, APART)
        assert pipeline.decision_function(SEPARATED).tobytes() == alone.decision_function(SEPARATED).tobytes()
        shown = capsys.readouterr().out
        assert "Pipeline - fit" in shown
        assert (f"{type(model).__name__} - fit" in shown) == (depth != 0)


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_a_grid_search_with_a_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    grid = {"max_epochs": [1, 3], "average": [None, "averaged"]}
    search = GridSearchCV(Perceptron(), grid, cv=3).set_callbacks(ProgressBar(max_propagation_depth=None))
    search.fit(X, Y)
    alone = GridSearchCV(Perceptron(), grid, cv=3).fit(X, Y)
    assert search.best_params_ == alone.best_params_
    assert search.cv_results_["mean_test_score"].tolist() == alone.cv_results_["mean_test_score"].tolist()
    assert "Perceptron - fit" in capsys.readouterr().out


def test_scores_after_each_pass() -> None:
    monitor = ScoringMonitor(scoring="accuracy")
    model = Perceptron(max_epochs=5).set_callbacks(monitor).fit(X, Y)
    scores = {row["task_id_path"]: row["accuracy"] for row in monitor.get_logs().data}
    right = {(0, k): (Perceptron(max_epochs=k + 1).fit(X, Y).predict(X) == Y).mean() for k in range(5)}
    assert scores == right | {(0,): (model.predict(X) == Y).mean()}


# ---------------------------------------------------------------------------------------------------------------------
# Streams


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write(X, Y, tmp_path / "rows.csv")
    return tmp_path / "rows.csv"


@every_streamed
def test_every_pass_over_a_stream_is_a_task(name: str, file: Path) -> None:
    follower = Follower()
    model = clone(STREAMED[name]).set_callbacks(follower).fit_stream(Stream(file, chunk_bytes=800))
    assert model.n_iter_ > 1
    assert follower.log == expected_log(model.n_iter_)
    assert follower.contexts[0].max_subtasks == model.max_epochs
    assert all(given == (None, None, None) for given in follower.given)
    names = model.feature_names_in_
    rows = pandas.DataFrame(X, columns=names)
    for k, fitted in enumerate(follower.fitted[:-1], start=1):
        shorter = clone(STREAMED[name]).set_params(max_epochs=k).fit_stream(Stream(file, chunk_bytes=800))
        assert bits(fitted, rows) == bits(shorter, rows)
    alone = clone(STREAMED[name]).fit_stream(Stream(file, chunk_bytes=800))
    assert bits(model, rows) == bits(alone, rows) == bits(follower.fitted[-1], rows)


@every_streamed
def test_a_callback_ends_a_fit_of_a_stream(name: str, file: Path) -> None:
    model = clone(STREAMED[name]).set_callbacks(Follower(stop_at=("pass", 0))).fit_stream(file)
    assert (model.n_iter_, str(model.stop_reason_)) == (1, "condition")


@every_streamed
def test_an_error_in_a_callback_of_a_stream_leaves_the_estimator_as_it_was(name: str, file: Path) -> None:
    model = clone(STREAMED[name]).fit(X[:, :2], Y)
    check_failures(model, lambda: model.fit_stream(file))


def test_a_stream_that_a_callback_ended_is_resumed(file: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    options: dict[str, Any] = {"checkpoint": checkpoint, "every_rows": 1, "resume": True}
    model = Perceptron(max_epochs=4).set_callbacks(Follower(stop_at=("pass", 1))).fit_stream(file, **options)
    assert model.n_iter_ == 2
    again = Perceptron(max_epochs=4).fit_stream(file, **options)
    whole = Perceptron(max_epochs=4).fit_stream(file)
    assert again.coef_.tobytes() == whole.coef_.tobytes()
    assert again.mistakes_per_epoch_.tolist() == whole.mistakes_per_epoch_.tolist()

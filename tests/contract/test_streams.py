"""Every public function that takes rows, given a `Stream`: it takes the stream, or refuses it with a sentence.

The functions are found by their parameters X or x, so that a new one is tested as well.
"""

import inspect
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Calibrated,
    DataError,
    Hyperplane,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    McCullochPittsNeuron,
    NearestMean,
    OneVsAll,
    OneVsOne,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Scaling,
    Stream,
    read,
    separability,
    trace,
    write,
)
from rosenblatt.data.named_arrays import named

X = named(np.array([[2.0, 1], [0, 3], [1, 1], [-1, -2], [0, -1], [-2, 0]]), ["x1", "x2"])  # separable by the sum
TWO, OVERLAP = np.array([1, 1, 1, 0, 0, 0]), np.array([0, 1, 0, 1, 1, 0])
CLASSIFIERS = (
    Anderson(),
    BatchPerceptron(),
    KernelPerceptron(),
    Kessler(Perceptron()),
    Kozinec(),
    LeastRisk(Perceptron()),
    Calibrated(Perceptron()),
    NearestMean(),
    OneVsAll(Perceptron()),
    OneVsOne(Perceptron()),
    PassiveAggressive(),
    Perceptron(),
    Pocket(),
)
TAKEN = {"predict", "predict_proba", "decision_function", "claims", "score"}  # of classifiers
FITTED = {type(model).__name__: model.fit(X, TWO) for model in CLASSIFIERS}
OBJECTS = {
    **FITTED,
    "Certificate": separability(X, TWO).certificate,
    "Hyperplane": Hyperplane([1, 1]),
    "McCullochPittsNeuron": McCullochPittsNeuron(2),
    "Scaling": Scaling().fit(X),
}
NO_ROWS = {"Stream", "DataError", "Client", "AsyncClient"}  # their methods have other arguments of that name


def doors() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function and method with a parameter X or x, by the name that messages give it."""
    for name in [*rosenblatt.__all__, *rosenblatt.plot.__all__, *rosenblatt.losses.__all__]:
        module = next(m for m in (rosenblatt, rosenblatt.plot, rosenblatt.losses) if name in m.__all__)
        public = getattr(module, name)
        if inspect.isfunction(public):
            yield name, public
        elif inspect.isclass(public) and name not in NO_ROWS:
            owner = OBJECTS.get(name, public)
            methods = [method for method in dir(owner) if not method.startswith("_") and hasattr(owner, method)]
            yield from ((f"{name}.{method}", getattr(owner, method)) for method in methods)


def has_rows(door: Any) -> bool:
    is_python = inspect.isfunction(door) or inspect.ismethod(door)
    return is_python and bool({"X", "x"} & inspect.signature(door).parameters.keys())


DOORS = {name: door for name, door in doors() if has_rows(door)}
REFUSING = [
    name
    for name in DOORS
    if name != "separability" and not (name.partition(".")[0] in FITTED and name.partition(".")[2] in TAKEN)
]


@pytest.fixture
def stream(tmp_path: Path) -> Stream:
    write(X, TWO, tmp_path / "rows.csv")
    return Stream(tmp_path / "rows.csv", classes=[0, 1], chunk_bytes=12)


def call(name: str, rows: Any, folder: Path) -> Any:
    door, owner = DOORS[name], name.partition(".")[0]
    given = {
        "X": rows,
        "x": rows,
        "y": TWO,
        "w": [1, 1, 0],
        "path": folder / ("out.gif" if name == "animate" else "out.csv"),
        "estimator": FITTED[{"MarginDisplay": "Kozinec", "GaussiansDisplay": "Anderson"}.get(owner, "Perceptron")],
        "model": FITTED["Perceptron"] if name == "to_onnx" else "logit",
        "trace": trace(Perceptron(), X, TWO),
        "verdict": separability(X, OVERLAP),
    }
    return door(
        **{parameter: given[parameter] for parameter in inspect.signature(door).parameters if parameter in given}
    )


def test_the_doors_are_found() -> None:
    assert {"separability", "error_bounds", "mistake_bound", "trace", "write", "animate", "hinge_loss"} <= DOORS.keys()
    assert {"Perceptron.fit", "Pocket.learn_one", "Certificate.verify", "Scaling.inverse_transform"} <= DOORS.keys()
    assert {"BoundaryDisplay.from_estimator", "Hyperplane.side", "Kozinec.problem", "OneVsAll.claims"} <= DOORS.keys()
    assert len(DOORS) > 100


@pytest.mark.parametrize("name", REFUSING)
def test_what_needs_rows_in_memory_refuses_a_stream_with_its_name(name: str, stream: Stream, tmp_path: Path) -> None:
    called = "Scaling.fit" if name == "Scaling.fit_transform" else name  # scikit-learn's method calls fit
    with pytest.raises(DataError) as refusal:
        call(name, stream, tmp_path)
    assert f"{called} expected an array, but a Stream came: <Stream: " in str(refusal.value)
    assert "A Stream is learned from with fit_stream" in str(refusal.value)
    assert "Everything else needs rows in memory, as read returns them." in str(refusal.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv"]


@pytest.mark.parametrize("name", FITTED)
@pytest.mark.parametrize("method", sorted(TAKEN - {"score"}))
def test_answers_for_a_stream_are_those_for_its_rows(name: str, method: str, stream: Stream) -> None:
    if method in ("claims", "predict_proba") and not hasattr(FITTED[name], method):
        return
    answer = getattr(FITTED[name], method)
    whole, parts = answer(X), answer(stream)
    assert len(list(stream.chunks())) > 1
    assert parts.dtype == whole.dtype
    assert parts.shape == whole.shape
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("model", [Perceptron(), KernelPerceptron(), OneVsAll(Perceptron()), LeastRisk(Perceptron())])
def test_scores_of_three_classes_have_a_column_for_each(model: Any, tmp_path: Path) -> None:
    three = np.array([0, 1, 2, 2, 0, 1])
    write(X, three, tmp_path / "rows.csv")
    stream = Stream(tmp_path / "rows.csv", classes=[0, 1, 2], chunk_bytes=12)
    with warnings.catch_warnings(action="ignore"):
        model.fit(X, three)
    assert model.decision_function(stream).shape == (6, 3)
    np.testing.assert_allclose(model.decision_function(stream), model.decision_function(X), rtol=1e-12, atol=1e-12)
    assert model.score(stream) == model.score(X, three)


@pytest.mark.parametrize("name", FITTED)
def test_the_score_of_a_stream_counts_its_rows(name: str, tmp_path: Path) -> None:
    """Row 5 is of the other class in the file: 5 of 6 are right, in chunks of different size."""
    write(X, [1, 1, 1, 0, 0, 1], tmp_path / "rows.csv")
    stream = Stream(tmp_path / "rows.csv", classes=[0, 1], chunk_bytes=20)
    assert FITTED[name].score(stream) == 5 / 6
    assert len({len(chunk.codes) for chunk in stream.chunks()}) > 1


@pytest.mark.parametrize("name", FITTED)
def test_labels_and_weights_beside_a_stream_are_refused(name: str, stream: Stream) -> None:
    with pytest.raises(ParameterError, match=r"score\(y=...\) must be left out with a Stream"):
        FITTED[name].score(stream, TWO)
    with pytest.raises(ParameterError, match=r"score\(sample_weight=...\) must be left out with a Stream"):
        FITTED[name].score(stream, sample_weight=np.ones(6))


def test_a_stream_in_place_of_labels_is_refused(stream: Stream) -> None:
    with pytest.raises(DataError, match="separability expected an array, but a Stream came"):
        separability(X, stream)


def test_a_stream_without_y_is_refused_by_the_same_sentence(stream: Stream) -> None:
    for function in (rosenblatt.error_bounds, rosenblatt.mistake_bound, DOORS["Certificate.verify"]):
        with pytest.raises(DataError, match="expected an array, but a Stream came"):
            function(stream)
        with pytest.raises(DataError, match="y"):
            function(X)


def test_files_are_expected_where_a_stream_is_read_again(stream: Stream) -> None:
    openings: tuple[Any, ...] = (read, Stream)
    for opening in openings:
        with pytest.raises(DataError, match=r"A path, .* was expected, not <Stream: "):
            opening(stream)


@pytest.mark.parametrize("model", [Anderson(), KernelPerceptron(), NearestMean(), OneVsAll(Perceptron())])
def test_classifiers_that_keep_all_rows_have_no_fit_stream(model: Any) -> None:
    assert not hasattr(model, "fit_stream")


def test_other_libraries_are_told_the_same(stream: Stream) -> None:
    with pytest.raises(ValueError, match="This function expected an array, but a Stream came"):
        StandardScaler().fit(stream)
    with pytest.raises(ValueError, match="expected an array, but a Stream came"):
        LogisticRegression().fit(stream, TWO)


# ---------------------------------------------------------------------------------------------------------------------
# The columns of LIBSVM text


def text(folder: Path, name: str, rows: str) -> Path:
    path = folder / name
    path.write_text(rows)
    return path


def test_columns_that_do_not_occur_in_a_stream_are_zero(tmp_path: Path) -> None:
    """w has 3 columns; the rows of the stream have the first two."""
    model = Perceptron().fit_stream(text(tmp_path, "train.svm", "-1 1:-1 3:0\n1 2:1 3:1\n"))
    stream = Stream(text(tmp_path, "few.svm", "-1 1:-2\n1 2:3\n"))
    w, b = model.coef_[0], model.intercept_[0]
    np.testing.assert_array_equal(model.decision_function(stream), [-2 * w[0] + b, 3 * w[1] + b])
    assert model.score(stream) == 1.0


def test_a_stream_with_more_columns_than_the_model_is_refused(tmp_path: Path) -> None:
    model = Perceptron().fit_stream(text(tmp_path, "train.svm", "-1 1:-1\n1 2:1\n"))
    with pytest.raises(DataError, match="3 features"):
        model.predict(Stream(text(tmp_path, "more.svm", "-1 1:-1\n1 3:1\n")))


def test_a_stream_whose_columns_count_from_another_number_is_refused(tmp_path: Path) -> None:
    """The model learned from columns 0 and 1. In the other file no row has column 0, so it seems to count from 1."""
    model = Perceptron().fit_stream(text(tmp_path, "train.svm", "-1 0:-1\n1 1:1\n"))
    path = text(tmp_path, "other.svm", "1 1:1\n-1\n")
    for answer in (model.predict, model.decision_function, model.score):
        with pytest.raises(DataError, match=r"count from 0, but the Stream does not .* zero_based=True"):
            answer(Stream(path))
    assert model.predict(Stream(path, zero_based=True)).tolist() == [1, -1]


def test_the_columns_of_a_narrow_stream_are_not_guessed(tmp_path: Path) -> None:
    """In the second file column 1 is the second column, as in the first; a guess would take it for the first."""
    train = read(text(tmp_path, "train.svm", "-1 0:1\n1 1:1\n"))
    path, model = text(tmp_path, "later.svm", "1 1:2\n-1\n"), Perceptron().fit(*train)
    with pytest.raises(DataError, match=r"1 column so far, and the model has 2; .* width=2, and zero_based=True or"):
        model.predict(Stream(path))
    assert model.predict(Stream(path, width=2, zero_based=train.zero_based))[0] == 1


def test_a_stream_whose_columns_have_other_names_is_refused(tmp_path: Path) -> None:
    model = Perceptron().fit_stream(text(tmp_path, "train.csv", "a,b,label\n1,0,1\n0,1,0\n"))
    with pytest.raises(DataError, match="feature names"):
        model.predict(Stream(text(tmp_path, "other.csv", "a,c,label\n1,0,1\n0,1,0\n")))


def test_rows_that_cannot_be_used_have_no_answer(tmp_path: Path) -> None:
    train = Stream(text(tmp_path, "train.csv", "a,b,label\n1,0,1\n0,1,0\n"))
    model = Perceptron().fit_stream(train)
    path = text(tmp_path, "bad.csv", "a,b,label\n1,0,1\nold,1,0\n0,1,0\n")
    with pytest.raises(DataError, match="line 3, column 'a'"):
        model.predict(Stream(path, encoding=train.encoding_))
    assert model.predict(Stream(path, encoding=train.encoding_, on_error="skip")).tolist() == [1, 0]


def test_labels_of_another_kind_are_refused(tmp_path: Path) -> None:
    model = Perceptron().fit_stream(text(tmp_path, "train.csv", "a,b,label\n1,0,1\n0,1,0\n"))
    with pytest.raises(ValueError, match="string and number"):
        model.score(Stream(text(tmp_path, "words.csv", "a,b,label\n1,0,yes\n0,1,no\n")))

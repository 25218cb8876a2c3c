"""Scaling: weights for unscaled columns, records, column names, and refused input."""

import copy
import json
import math
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

from rosenblatt import DataError, NearestMean, ParameterError, Perceptron
from rosenblatt.data import column_sums
from rosenblatt.data.compiled import columns
from rosenblatt.data.named_arrays import NamedArray, NamedMatrix, named
from rosenblatt.data.scaling import Scaling
from tests.data.test_scaling import BY_COLUMN, HOWS, TABLES, bits, blobs, fitted_to, found, table


@pytest.mark.parametrize("how", BY_COLUMN)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("model", [Perceptron(max_epochs=20), NearestMean(), RidgeClassifier()])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_unscaled_weights_give_the_same_scores(model: Any, k: int, how: Any) -> None:
    X, y = blobs(k=k)
    scaling = Scaling(how).fit(X)
    fitted = clone(model).fit(scaling.transform(X), y)
    coef, intercept = scaling.unscaled(fitted)
    assert (coef.shape, intercept.shape) == (np.atleast_2d(fitted.coef_).shape, fitted.intercept_.shape)
    scores, theirs = X @ coef.T + intercept, fitted.decision_function(scaling.transform(X)).reshape(len(X), -1)
    centre = np.zeros(4) if scaling.centre_ is None else scaling.centre_
    bound = 2.0**-48 * ((np.abs(X) + np.abs(centre)) @ np.abs(coef).T + np.abs(fitted.intercept_))
    assert (np.abs(scores - theirs) <= bound).all()


def test_unscaled_by_hand_and_rounded_once() -> None:
    scaling = Scaling.from_dict(
        {"how": "standardize", "columns": 3, "rows": 9, "names": None, "constant": []}
        | {"centre": [1e16, 1.0, -1e16], "scale": [2.0, 0.5, 4.0]}
    )
    model = SimpleNamespace(coef_=[[2.0, 1.0, 4.0], [0.0, 0.0, 0.0]], intercept_=0.5)  # one intercept for all
    coef, intercept = scaling.unscaled(model)
    assert coef.tolist() == [[1, 2, 1], [0, 0, 0]]
    assert intercept.tolist() == [-1.5, 0.5]  # 0.5 - 1e16 - 2 + 1e16, of which floats would lose the small ones


def test_models_that_unscaled_cannot_take() -> None:
    X, y = blobs()
    scaling, model = Scaling().fit(X), NearestMean().fit(X, y)
    with pytest.raises(ParameterError, match="divides each row by its own length, which no weights can do"):
        Scaling("unit").fit(X).unscaled(model)
    for other in (make_pipeline(Scaling(), NearestMean()).fit(X, y), NearestMean(), None):
        with pytest.raises(DataError, match=r"needs a fitted linear classifier, with coef_ .*pipeline\[-1\]"):
            scaling.unscaled(other)
    with pytest.raises(DataError, match=r"coef_ must be k x 4, as this Scaling has 4 columns, not \(1, 2\)"):
        scaling.unscaled(NearestMean().fit(X[:, :2], y))
    with pytest.raises(NotFittedError):
        Scaling().unscaled(model)
    a, b = (pd.DataFrame(X, columns=list(names)) for names in ("abcd", "abdc"))
    with pytest.raises(DataError, match=r"trained on columns named \['a', 'b', 'c', 'd'\], not \['a', 'b', 'd', 'c'\]"):
        Scaling().fit(a).unscaled(NearestMean().fit(b, y))
    tiny = Scaling("divide").fit([[1e-300], [2e-300]])
    with pytest.raises(DataError, match="coef_ / scale_ must be finite, but it is inf at row 0, column 0"):
        tiny.unscaled(SimpleNamespace(coef_=[[1e50]], intercept_=[0.0]))
    far = Scaling("center").fit([[1e300], [1e300]])
    with pytest.raises(DataError, match=r"intercept_ - coef.centre_ is too large for a float64; bring X closer to 1"):
        far.unscaled(SimpleNamespace(coef_=[[1e50]], intercept_=[0.0]))
    with pytest.raises(DataError, match="coef_ must be finite, but it is nan at row 0, column 0"):
        far.unscaled(SimpleNamespace(coef_=[[math.nan]], intercept_=[0.0]))


# ---------------------------------------------------------------------------------------------------------------------
# Records, names, company


@pytest.mark.parametrize("how", HOWS)
@given(data=st.data())
def test_a_record_makes_the_round_trip_through_json(how: str, data: st.DataObject) -> None:
    X = table(data, data.draw(st.sampled_from(TABLES)))
    names = data.draw(st.none() | st.lists(st.text(), min_size=X.shape[1], max_size=X.shape[1], unique=True))
    scaling, expected = fitted_to(named(X, names), how)
    record = scaling.to_dict()
    again = Scaling.from_dict(json.loads(json.dumps(record, allow_nan=False)))
    assert bits(again) == bits(scaling)
    assert again.to_dict() == record
    assert (again.how, again.n_features_in_) == (how, X.shape[1])
    assert again.transform(named(X, names)).tobytes() == expected.tobytes()
    assert again.get_feature_names_out().tolist() == scaling.get_feature_names_out().tolist()
    with pytest.raises(ParameterError, match="from a record, which does not hold the sums; call fit"):
        again.partial_fit(named(X, names))
    assert bits(again.fit(X)) == bits(scaling)


GOOD: dict[str, Any] = {  # of the rows (1, 2) and (3, 2)
    "how": "standardize",
    "columns": 2,
    "rows": 2,
    "centre": [2.0, 2.0],
    "scale": [1.0, 1.0],
    "constant": [1],
    "names": None,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"how": "standardiz"}, r"'how' must be one of 'standardize'.*; it is standardiz"),
        ({"how": ["unit"]}, "'how' must be one of"),
        ({"how": "unit"}, "'centre' must be None with how='unit'"),
        ({"how": "center"}, "'scale' must be None with how='center'"),
        ({"how": "unit", "centre": None, "scale": None}, "'constant' must be None with how='unit'"),
        ({"columns": 3}, "'centre' must be a list of 3, each a finite number; it is"),
        ({"columns": 2.0}, "'columns' must be an integer of at least 1; it is 2.0"),
        ({"rows": 0}, "'rows' must be an integer of at least 1; it is 0"),
        ({"centre": None}, "'centre' must be a list of 2, each a finite number; it is None"),
        ({"centre": [1.0, math.nan]}, "'centre' must be"),
        ({"centre": [1.0, 10**400]}, "'centre' must be"),
        ({"scale": [1.0]}, "'scale' must be a list of 2, each a finite number of at least 2.22507e-308; it is"),
        ({"scale": [1.0, 0.0]}, "'scale' must be"),
        ({"scale": [1.0, math.inf]}, "'scale' must be"),
        ({"names": ["a"]}, r"'names' must be None or 2 strings; it is \['a'\]"),
        ({"names": ["a", 1]}, "'names' must be"),
        ({"constant": [2]}, r"'constant' must be a list of column numbers below 2, in order; it is \[2\]"),
        ({"constant": [1, 0]}, "'constant' must be"),
        ({"constant": [[0]]}, "'constant' must be"),
        ({"constant": None}, "'constant' must be"),
        ({"more": 1}, r"is a dict with the keys \['how', .*\], not \[.*'more'\]"),
    ],
)
def test_records_that_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Scaling.from_dict({**GOOD, **change})
    fitted = Scaling().fit([[1.0, 2.0], [3.0, 2.0]])
    assert fitted.to_dict() == GOOD
    assert bits(Scaling.from_dict(GOOD)) == bits(fitted)


@pytest.mark.parametrize("record", [None, [], "how", json.dumps(GOOD), {}, {"how": "unit"}])
def test_what_is_no_record_at_all(record: Any) -> None:
    with pytest.raises(DataError, match="A record of a Scaling is a dict with the keys"):
        Scaling.from_dict(record)


@pytest.mark.parametrize("how", HOWS)
def test_columns_keep_their_names(how: Any) -> None:
    X, y = blobs()
    names = ["height", "weight", "age", "pulse"]
    frame = pd.DataFrame(X, columns=names)
    plain = Scaling(how).fit_transform(X)
    assert type(plain) is np.ndarray
    for form in (frame, pa.Table.from_pandas(frame), named(X, names)):
        scaling = Scaling(how).fit(form)
        out = scaling.transform(form)
        assert type(out) is NamedArray
        assert (out.columns, out.tobytes()) == (names, plain.tobytes())
        assert scaling.get_feature_names_out().tolist() == scaling.feature_names_in_.tolist() == names
        assert scaling.to_dict()["names"] == names
        with pytest.raises(DataError, match="feature names"):
            scaling.transform(frame[names[::-1]])
    pipeline = make_pipeline(Scaling(how), NearestMean()).fit(frame, y)
    assert pipeline[-1].feature_names_in_.tolist() == names
    table = Scaling(how).set_output(transform="pandas").fit_transform(frame)
    assert isinstance(table, pd.DataFrame)
    assert (list(table.columns), table.to_numpy().tobytes()) == (names, plain.tobytes())
    if how in ("divide", "unit"):
        matrix = Scaling(how).fit_transform(named(scipy.sparse.csr_array(X), names))
        assert type(matrix) is NamedMatrix
        assert matrix.columns == names
    bare = Scaling(how).fit(X)
    assert bare.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3"]
    assert bare.get_feature_names_out(names).tolist() == names


@pytest.mark.parametrize("how", HOWS)
def test_copies_go_on_alike(how: Any) -> None:
    X, _ = blobs()
    scaling = Scaling(how).partial_fit(X[:20])
    for twin in (copy.deepcopy(scaling), pickle.loads(pickle.dumps(scaling))):  # noqa: S301
        assert bits(twin.partial_fit(X[20:])) == bits(Scaling(how).fit(X))
        assert twin.transform(X).tobytes() == Scaling(how).fit_transform(X).tobytes()
    assert bits(scaling) == bits(Scaling(how).fit(X[:20]))
    assert not hasattr(clone(scaling), "n_samples_seen_")
    assert bits(scaling.fit(X[:30])) == bits(Scaling(how).fit(X[:30]))  # fit starts anew


# ---------------------------------------------------------------------------------------------------------------------
# The edge


@pytest.mark.parametrize("how", ["standard", "z", "", None, 1, ["unit"], "Unit", b"unit"])
def test_how_is_checked_before_the_data_is_looked_at(how: Any) -> None:
    for learn in ("fit", "partial_fit", "fit_transform"):
        with pytest.raises(
            ParameterError, match=r"Scaling\(how=...\) must be one of 'standardize', 'center', 'divide'"
        ):
            getattr(Scaling(how), learn)("no table")


def test_a_near_miss_is_named() -> None:
    with pytest.raises(ParameterError, match="did you mean 'standardize'"):
        Scaling("standardiz").fit([[1.0]])  # type: ignore[arg-type]


@pytest.mark.parametrize(("american", "british"), [("standardize", "standardise"), ("center", "centre")])
def test_both_spellings_are_one_way(american: Any, british: Any) -> None:
    X = [[1.0, 2.0], [3.0, 2.0], [8.0, 5.0]]
    ours, theirs = Scaling(american).fit(X), Scaling(british).fit(X)
    assert bits(ours) == bits(theirs)
    assert theirs.to_dict() == {**ours.to_dict(), "how": british}  # as it was given, so that old files keep their bytes
    assert bits(Scaling.from_dict(theirs.to_dict())) == bits(ours)
    assert bits(ours.set_params(how=british).partial_fit(X)) == bits(Scaling(american).fit([*X, *X]))
    with pytest.raises(DataError, match="Sparse input is not possible"):
        Scaling(british).fit(scipy.sparse.csr_array(X))


@pytest.mark.parametrize("how", ["standardize", "center"])
def test_sparse_columns_are_not_centred(how: Any) -> None:
    X = scipy.sparse.csr_array(np.eye(3))
    fitted = Scaling(how).fit(np.eye(3))
    for call in (Scaling(how).fit, Scaling(how).partial_fit, fitted.transform, fitted.inverse_transform):
        with pytest.raises(DataError, match=r"zeros do not stay zeros. Give how='divide' or how='unit'.*X.toarray\(\)"):
            call(X)


def test_sparse_columns_are_divided_and_multiplied_back() -> None:
    X = scipy.sparse.csr_array(np.array([[0.0, 3.0], [8.0, 0.0], [0.0, 5.0]]))
    scaling = Scaling("divide").fit(X)
    again = scaling.inverse_transform(scaling.transform(X))
    assert scipy.sparse.issparse(again)
    np.testing.assert_allclose(again.toarray(), X.toarray(), rtol=1e-15)


BAD: list[tuple[Any, str]] = [
    ([[1.0, math.nan]], "contains NaN: row 0, column 1"),
    ([[math.inf, 1.0]], "contains infinity: row 0, column 0"),
    ([[1.0], [2.0, 3.0]], "ragged"),
    ([["a", "b"]], "must hold numbers"),
    (None, "must be a table of numbers"),
    (np.zeros((0, 2)), "minimum of 1"),
    ([1.0, 2.0], "2D array"),
    (np.zeros((1, 3)), "X has 3 features, but Scaling is expecting 2 features"),
]


@pytest.mark.parametrize(("X", "message"), BAD)
@pytest.mark.parametrize("how", HOWS)
def test_a_call_that_fails_changes_nothing(how: Any, X: Any, message: str) -> None:
    good = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]])
    scaling = Scaling(how).partial_fit(good[:2])
    before = pickle.dumps(scaling)
    calls: list[Any] = [scaling.partial_fit, scaling.transform]
    calls += [] if how == "unit" else [scaling.inverse_transform]
    calls += [] if "expecting" in message else [scaling.fit, Scaling(how).partial_fit]
    for call in calls:
        with pytest.raises(DataError, match=message):
            call(X)
    scaling._found = None  # what was asked for may be remembered
    assert pickle.dumps(scaling) == before
    assert bits(scaling.partial_fit(good[2:])) == bits(Scaling(how).fit(good))
    assert not vars(Scaling(how)).keys() - {"how"}


@pytest.mark.parametrize("size", [1.0, 1e200])
def test_a_call_that_is_interrupted_changes_nothing(size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    X = size * np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]])
    model = Scaling().partial_fit(X[:2])

    def sums(rows: Any, start: int, stop: int, squared: bool, *rest: Any) -> Any:
        done = columns.sums(rows, start, stop, squared, *rest)
        if squared:
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as patch:
        patch.setattr(column_sums, "sums", sums)
        for learn in (model.partial_fit, model.fit):
            with pytest.raises(KeyboardInterrupt):
                learn(X[2:])
    assert bits(model.partial_fit(X[2:])) == bits(Scaling().fit(X))


def test_how_that_changes_half_way() -> None:
    scaling = Scaling("center").partial_fit([[1.0], [2.0]])
    before = bits(scaling)
    scaling.set_params(how="divide")
    with pytest.raises(ParameterError, match="cannot go on from rows seen with how='center'; call fit with all rows"):
        scaling.partial_fit([[3.0]])
    assert bits(scaling) == before
    assert scaling.transform([[1.5]]).tolist() == [[0]]  # as it was fitted
    assert scaling.to_dict()["how"] == "center"
    assert found(scaling.fit([[3.0], [4.0]]))[1].tolist() == [math.sqrt(12.5)]


@pytest.mark.parametrize("how", HOWS)
def test_nothing_is_known_before_fit(how: Any) -> None:
    for ask in ("centre_", "scale_", "constant_"):
        assert not hasattr(Scaling(how), ask)
    for call in ("transform", "inverse_transform")[: 1 if how == "unit" else 2]:
        with pytest.raises(NotFittedError):
            getattr(Scaling(how), call)([[1.0]])
    with pytest.raises(NotFittedError):
        Scaling(how).to_dict()


def test_units_cannot_be_undone() -> None:
    scaling = Scaling("unit").fit([[1.0]])
    with pytest.raises(AttributeError, match="cannot be undone: the lengths of the rows are not kept"):
        scaling.inverse_transform([[1.0]])
    assert not hasattr(scaling, "inverse_transform")
    assert not hasattr(make_pipeline(scaling), "inverse_transform")
    assert hasattr(make_pipeline(Scaling()), "inverse_transform")


@pytest.mark.parametrize("size", [1e300, 1e-300, 2.0**1000, 2.0**-1000])
@pytest.mark.parametrize("how", HOWS)
def test_numbers_of_any_size_are_scaled_like_others(how: Any, size: float) -> None:
    size = 2.0 ** round(math.log2(size))  # a power of two, so that all digits are the same
    X = np.random.default_rng(0).normal(size=(50, 3))
    small, large = Scaling(how).fit(X), Scaling(how).fit(size * X)
    expected, out = small.transform(X), large.transform(size * X)
    assert out.tobytes() == (size * expected if how == "center" else expected).tobytes()


def test_what_leaves_the_floats_is_refused_with_its_place() -> None:
    message = r"X\[1, 0\] is 1e\+300, which is too large for a float64 when scaled; bring this column closer to 1"
    for how in ("standardize", "divide"):
        with pytest.raises(DataError, match=message):
            Scaling(how).fit([[1e-300, 1.0], [3e-300, 2.0]]).transform([[1.0, 1.0], [1e300, 1.0]])
    X = scipy.sparse.csr_array([[0.0, 1.0], [1e300, 0.0]])
    with pytest.raises(DataError, match=message):
        Scaling("divide").fit([[1e-300, 1.0], [3e-300, 2.0]]).transform(X)
    with pytest.raises(DataError, match=r"X\[0, 0\] is -1.7e\+308, which is too large for a float64 when scaled;"):
        Scaling("center").fit([[1.7e308], [1.7e308], [-1e308]]).transform([[-1.7e308]])
    with pytest.raises(DataError, match=r"X\[0, 1\] is 1e\+200, .* when scaled back"):
        Scaling("divide").fit([[1.0, 1e200]]).inverse_transform([[1.0, 1e200]])
    single = np.array([[1e-30, 1.0], [3e-30, 2.0]], dtype=np.float32)
    with pytest.raises(DataError, match=r"X\[0, 0\] is .*, which is too large for a float32 when scaled"):
        Scaling("divide").fit(single).transform(np.array([[1e30, 1.0]], dtype=np.float32))


@pytest.mark.parametrize("how", ["standardize", "divide"])
def test_a_scale_that_lacks_digits_is_refused_until_more_rows_mend_it(how: Any) -> None:
    X = np.array([[1.0, 5e-324], [2.0, 0.0]])
    scaling = Scaling(how).fit([[1.0, 2.0], [3.0, 5.0]])
    before = bits(scaling)
    word = "standard deviation" if how == "standardize" else "root mean square"
    with pytest.raises(DataError, match=f"Column 1 has a {word} of 5e-324, too small to divide by; enlarge it first"):
        scaling.fit(X)
    assert bits(scaling) == before
    stream = Scaling(how).partial_fit(X)
    with pytest.raises(DataError, match="too small to divide by"):
        stream.transform(X)
    assert bits(stream.partial_fit([[3.0, 1.0]])) == bits(Scaling(how).fit([*X, [3.0, 1.0]]))

"""The score as a surface: heights are scores, the zero line is the boundary, stems lead from 0 to the scores."""

import io
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import DataError, KernelPerceptron, NearestMean, ParameterError, Perceptron
from rosenblatt.plot import ActivationDisplay

X = np.array([[0.0, 0], [4, 0], [0, 3], [5, 5], [1, 1]])
y = np.array(["no", "no", "yes", "yes", "no"])
XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def plane() -> Any:
    """x1 + 2 x2 - 4, the warm-up of the CMU lecture."""
    return SimpleNamespace(classes_=np.array(["no", "yes"]), decision_function=lambda rows: rows @ [1, 2] - 4)


def test_heights_are_scores() -> None:
    display = ActivationDisplay.from_estimator(plane(), X, y)
    assert display.scores.tolist() == [-4, 0, 2, 11, -1]
    assert display.codes.tolist() == [0, 0, 1, 1, 0]
    x1, x2 = np.meshgrid(display.xs, display.ys)
    np.testing.assert_allclose(display.surface, x1 + 2 * x2 - 4, atol=1e-12)
    assert display.xs[0] < 0 < 5 < display.xs[-1]
    assert display.ys[0] < 0 < 5 < display.ys[-1]


def test_a_curved_surface_is_the_kernel_sum() -> None:
    rows, labels = XOR
    model = KernelPerceptron(kernel="poly", degree=2, gamma=1.0, coef0=1.0, bias=0).fit(rows, labels)
    display = ActivationDisplay.from_estimator(model, rows, labels)
    grid = np.column_stack([part.ravel() for part in np.meshgrid(display.xs, display.ys)])
    K = polynomial_kernel(grid, rows[model.support_], degree=2, gamma=1.0, coef0=1.0)
    np.testing.assert_allclose(display.surface.ravel(), K @ model.dual_coef_[0], atol=1e-9)
    assert (np.sign(display.scores) == 2 * labels - 1).all()


def test_the_boundary_on_the_floor_is_where_the_score_is_0() -> None:
    display = ActivationDisplay.from_estimator(plane(), X, y)
    (contour,) = (part for part in display.ax_.collections if hasattr(part, "levels"))
    vertices = np.concatenate([path.vertices for path in contour.get_paths()])
    assert len(vertices) > 1
    np.testing.assert_allclose(vertices[:, :2] @ [1, 2], 4, atol=1e-9)
    flat = SimpleNamespace(classes_=np.array(["no", "yes"]), decision_function=lambda rows: np.ones(len(rows)))
    nowhere = ActivationDisplay.from_estimator(flat, X, y)
    assert not any(hasattr(part, "levels") for part in nowhere.ax_.collections)


def test_stems_reach_from_the_floor_to_the_scores() -> None:
    display = ActivationDisplay.from_estimator(plane(), X, y)
    stems = np.concatenate([np.array(line.get_data_3d()).T for line in display.ax_.lines])
    feet, tips = stems[0::3], stems[1::3]
    assert len(feet) == len(X)
    assert (feet[:, 2] == 0).all()
    order = np.lexsort(tips[:, :2].T)
    expected = np.column_stack([X, display.scores])
    np.testing.assert_array_equal(tips[order], expected[np.lexsort(X.T)])


def test_sparse_rows_frames_and_pipelines_are_taken() -> None:
    dense = ActivationDisplay.from_estimator(plane(), X, y)
    thin = ActivationDisplay.from_estimator(plane(), sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(thin.surface, dense.surface)
    frame = pd.DataFrame(load_iris().data[:100, :2], columns=["length $", "width"])
    labels = load_iris().target[:100]
    lift = make_pipeline(PolynomialFeatures(2), Perceptron(max_epochs=500)).fit(frame, labels)
    display = ActivationDisplay.from_estimator(lift, frame, labels)
    assert list(display.feature_names) == ["length $", "width"]
    np.testing.assert_allclose(display.scores, lift.decision_function(frame))
    renamed = ActivationDisplay.from_estimator(lift, frame, labels, feature_names=["a", "b"])
    assert (renamed.ax_.get_xlabel(), renamed.ax_.get_ylabel()) == ("a", "b")


def test_it_can_be_drawn_again() -> None:
    display = ActivationDisplay.from_estimator(plane(), X, y)
    _, axes = plt.subplots(1, 2, subplot_kw={"projection": "3d"})
    for ax in axes:
        assert display.plot(ax) is display
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
    for kind in ("svg", "png"):
        file = io.BytesIO()
        display.figure_.savefig(file, format=kind, dpi=40)
        assert file.getvalue()


def test_what_has_no_surface_is_refused() -> None:
    rows = load_iris()
    with pytest.raises(DataError, match=r"two columns, but X has 4\. Choose two"):
        ActivationDisplay.from_estimator(Perceptron().fit(rows.data, rows.target == 0), rows.data, rows.target == 0)
    with pytest.raises(ParameterError, match=r"this NearestMean has 3\. Use RegionsDisplay"):
        ActivationDisplay.from_estimator(NearestMean().fit(rows.data, rows.target), X, y)
    with pytest.raises(ParameterError, match="no classes_; call fit first"):
        ActivationDisplay.from_estimator(Perceptron(), X, y)
    with pytest.raises(ParameterError, match="this KNeighborsClassifier has none"):
        ActivationDisplay.from_estimator(KNeighborsClassifier(1).fit(X, y), X, y)
    with pytest.raises(DataError, match="not one of the known classes"):
        ActivationDisplay.from_estimator(plane(), X, ["no", "yes", "maybe", "no", "no"])
    with pytest.raises(ParameterError, match="names must have length 2"):
        ActivationDisplay.from_estimator(plane(), X, y, feature_names=["only one"])
    with pytest.raises(ParameterError, match="ax must be 3-D axes"):
        ActivationDisplay.from_estimator(plane(), X, y, ax=plt.subplots()[1])

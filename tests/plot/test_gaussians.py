"""Gaussians as ellipses: Mahalanobis' equation holds, and tight ellipses touch the drawn line in any dimension."""

import io
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rosenblatt import Anderson, DataError, OverlapWarning, ParameterError, Perceptron
from rosenblatt.plot import GaussiansDisplay
from tests.support.effort import examples

Floats = NDArray[np.float64]
MEANS = [[0, 0], [4, 0], [2, 3]]
COVARIANCES = [[[1, 0], [0, 1]], [[1, 0], [0, 1]], [[4, 0], [0, 0.25]]]
LABELS = ["low", "low", "high"]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def drawn(model: Anderson) -> GaussiansDisplay:
    """Draw without pyplot, which would keep the figure in memory."""
    return GaussiansDisplay.from_estimator(model, ax=Figure().subplots())


@st.composite
def gaussians(draw: st.DrawFn, least: int, most: int) -> tuple[Floats, Floats, list[int]]:
    """Two to four Gaussians around (0, ..., 0) and (6, ..., 6), of any shape that is not flat."""
    d, m = draw(st.integers(least, most)), draw(st.integers(2, 4))
    rng = np.random.RandomState(draw(st.integers(0, 2**16)))
    labels = [i % 2 for i in range(m)]
    means = 6.0 * np.array(labels)[:, np.newaxis] + rng.uniform(-1, 1, size=(m, d))
    roots = rng.uniform(-1, 1, size=(m, d, d))
    return means, roots @ roots.transpose(0, 2, 1) + 0.05 * np.eye(d), labels


def test_by_hand() -> None:
    # The line x2 = 2 is 2 standard deviations, 1 and 0.5, from all three.
    display = GaussiansDisplay.from_estimator(Anderson().fit_gaussians(MEANS, COVARIANCES, LABELS))
    assert display.radius == pytest.approx(2, abs=1e-6)
    assert display.tight.tolist() == [0, 1, 2]
    np.testing.assert_allclose(display.contacts, [[0, 2], [4, 2], [2, 2]], atol=1e-5)
    assert display.ax_.get_title() == "worst error 2.28 %\nellipses of 2 standard deviations"  # Phi(-2) = 0.02275
    lines: dict[Any, Any] = {line.get_label(): line.get_xydata() for line in display.ax_.lines}
    np.testing.assert_allclose(lines["boundary"][:, 1], 2, atol=1e-5)
    np.testing.assert_allclose(lines["where ellipses touch the boundary"], [[0, 2], [4, 2], [2, 2]], atol=1e-5)
    np.testing.assert_array_equal(lines["low: means"], MEANS[:2])
    assert {"high: means"} < set(lines)


@given(gaussians(2, 2))
@settings(max_examples=examples(0.2))
def test_outlines_satisfy_the_equation_of_mahalanobis(given: tuple[Floats, Floats, list[int]]) -> None:
    means, covariances, labels = given
    display = drawn(Anderson().fit_gaussians(means, covariances, labels))
    for mean, covariance, outline in zip(means, covariances, display.outlines, strict=True):
        apart = outline - mean
        squares = np.einsum("ij,ij->i", apart, np.linalg.solve(covariance, apart.T).T)
        np.testing.assert_allclose(squares, display.radius**2, rtol=1e-9)


@given(gaussians(1, 5))
@settings(max_examples=examples(0.3))
def test_tight_ellipses_touch_the_line_seen_and_none_crosses_it(given: tuple[Floats, Floats, list[int]]) -> None:
    means, covariances, labels = given
    model = Anderson().fit_gaussians(means, covariances, labels)
    display = drawn(model)
    unit = display.line.unit()
    scale = 1e-4 * (1 + display.radius)
    signs = 2 * np.array(labels) - 1
    for sign, outline in zip(signs, display.outlines, strict=True):
        assert (sign * unit.decision_function(outline)).min() >= -scale
    np.testing.assert_allclose(unit.decision_function(display.contacts), 0, atol=scale)
    plane, P = model.hyperplane_, display.view.directions
    for contact, i in zip(display.contacts, display.tight, strict=True):
        spread = np.sqrt(plane.w @ covariances[i] @ plane.w)
        touched = means[i] - signs[i] * display.radius * covariances[i] @ plane.w / spread
        np.testing.assert_allclose(plane.unit().decision_function(touched), 0, atol=scale)
        np.testing.assert_allclose(contact, P @ touched, atol=1e-6 * (1 + display.radius))


def test_rows_are_seen_on_their_side_in_many_columns() -> None:
    rng = np.random.RandomState(0)
    X = np.vstack([rng.normal(0, 1, (40, 6)), rng.normal(2, 1, (40, 6))])
    y = np.repeat(["a", "b"], 40)
    model = Anderson().fit(X, y)
    display = GaussiansDisplay.from_estimator(model, X, y, feature_names=list("pqrstu"))
    np.testing.assert_allclose(display.line.decision_function(display.points), model.decision_function(X), atol=1e-9)
    assert display.point_codes.tolist() == [0] * 40 + [1] * 40
    assert display.ax_.get_xlabel().startswith("along w:")
    parts: Any = display.ax_.collections
    assert sum(len(part.get_offsets()) for part in parts) == 80


def test_flat_gaussians_are_segments_and_points() -> None:
    flat = [[[1, 0], [0, 0]], [[0, 0], [0, 0]], [[1, 1], [1, 1]]]
    display = GaussiansDisplay.from_estimator(Anderson().fit_gaussians([[0, 0], [4, 0], [2, 5]], flat, LABELS))
    segment, point, slanting = display.outlines
    np.testing.assert_allclose(segment[:, 1], 0, atol=1e-12)
    np.testing.assert_allclose(np.abs(segment[:, 0]).max(), display.radius)
    np.testing.assert_allclose(point, [[4, 0]] * len(point), atol=1e-12)
    np.testing.assert_allclose(slanting[:, 0] - 2, slanting[:, 1] - 5, atol=1e-6)


def test_an_error_of_0_and_one_of_half_are_said() -> None:
    # Segments parallel to the line never reach it, whatever the radius.
    never = GaussiansDisplay.from_estimator(Anderson().fit_gaussians([[0, 0], [0, 2]], [[[1, 0], [0, 0]]] * 2, [0, 1]))
    assert never.title == "worst error 0 %\nellipses of 2 standard deviations"
    assert len(never.contacts) == 0
    with pytest.warns(OverlapWarning):
        model = Anderson().fit_gaussians([[0, 0], [2, 0], [1, 0]], [np.eye(2)] * 3, LABELS)
    half = GaussiansDisplay.from_estimator(model)
    assert half.title.startswith("proved: no line has a worst error below 50 %")
    assert len(half.contacts) == 0


def test_it_can_be_drawn_again() -> None:
    display = GaussiansDisplay.from_estimator(Anderson().fit_gaussians(MEANS, COVARIANCES, LABELS))
    _, axes = plt.subplots(1, 2)
    for ax in axes:
        assert display.plot(ax) is display
        assert display.ax_ is ax
    for kind in ("svg", "png"):
        file = io.BytesIO()
        display.figure_.savefig(file, format=kind, dpi=40)
        assert file.getvalue()


def test_what_has_no_gaussians_is_refused() -> None:
    for strange in (Anderson(), Perceptron().fit([[0], [1]], [0, 1]), None):
        with pytest.raises(ParameterError, match="must be a fitted Anderson"):
            GaussiansDisplay.from_estimator(strange)  # type: ignore[arg-type]
    model = Anderson().fit_gaussians(MEANS, COVARIANCES, LABELS)
    with pytest.raises(DataError, match="3 features"):
        GaussiansDisplay.from_estimator(model, [[1, 2, 3]], ["low"])
    with pytest.raises(DataError, match="not one of the known classes"):
        GaussiansDisplay.from_estimator(model, [[1, 2]], ["middle"])

"""Projections of rows, the style that all pictures share, and the public names of `rosenblatt.plot`."""

import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rosenblatt.plot
from rosenblatt import DataError, Hyperplane, MissingExtraError, ParameterError
from rosenblatt.data.named_arrays import named
from rosenblatt.plot import style
from rosenblatt.plot.view import View, mostly, names_of
from tests.support.effort import examples
from tests.support.places import ROOT

SMALL = st.integers(-8, 8).map(float)


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


# ---------------------------------------------------------------------------------------------------------------------
# The view


def test_one_or_two_columns_are_seen_as_they_are() -> None:
    X = np.array([[1.0, 2.0], [3.0, 5.0]])
    view = View.of(X, [4.0, 1.0], ["height", "width"])
    assert view.labels == ("height", "width")
    assert view.points(X).tolist() == X.tolist()
    assert view.line(Hyperplane([4, 1], -3)) == Hyperplane([4, 1], -3)
    strip = View.of(X[:, :1])
    assert strip.labels == ("x1", "")
    assert strip.points(X[:, :1]).tolist() == [[1, 0], [3, 0]]


def test_more_columns_are_seen_along_w() -> None:
    """w = (1, 2, 2) has length 3; (3, 0, 3).w / 3 = 3, and the boundary w.x = 6 is 2 from the origin."""
    X, plane = np.array([[3.0, 0, 3], [1, 1, 0], [0, 0, 1]]), Hyperplane([1, 2, 2], -6)
    view = View.of(X, plane.w)
    assert view.points(X)[:, 0] == pytest.approx([3, 1, 2 / 3])
    line = view.line(plane)
    assert line.w == pytest.approx([3, 0], abs=0)
    assert line.unit().b == -2
    assert view.labels[0].startswith("along w:\n0.67 x2 + 0.67 x3")


@settings(max_examples=examples(0.4))
@given(arrays(float, st.tuples(st.integers(3, 12), st.integers(3, 6)), elements=SMALL), st.data())
def test_every_row_is_seen_on_its_side_and_at_its_distance(X: Any, data: st.DataObject) -> None:
    w = data.draw(arrays(float, X.shape[1], elements=SMALL).filter(np.any))
    plane = Hyperplane(w, data.draw(SMALL))
    view = View.of(X, plane.w)
    assert view.directions @ view.directions.T == pytest.approx(np.eye(2), abs=1e-9)
    assert view.line(plane).w[1] == 0
    true, seen = (
        np.asarray(plane.decision_function(X)) / plane.norm,
        np.asarray(view.line(plane).unit().decision_function(view.points(X))),
    )
    assert seen == pytest.approx(true, abs=1e-9)
    apart = np.abs(true) > 1e-9
    assert (np.sign(seen[apart]) == np.sign(true[apart])).all()


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_rest_is_seen_where_it_varies_most(scale: float) -> None:
    """The largest eigenvector of the covariance after w is projected out, by dense linear algebra."""
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=(40, 5)) * [1, 2, 3, 4, 5] + 7, rng.normal(size=5)
    u = w / np.linalg.norm(w)
    across = (X - X.mean(axis=0)) @ (np.eye(5) - np.outer(u, u))
    expected = np.linalg.eigh(across.T @ across)[1][:, -1]
    found = View.of(X * scale, w * scale).directions[1]
    assert abs(found @ expected) == pytest.approx(1)
    assert found[np.argmax(np.abs(found))] > 0


def test_without_w_the_two_principal_directions_are_seen() -> None:
    X = np.array([[9.0, 0, 0, 1], [-9, 0, 0, 1], [0, 4, 0, 1], [0, -4, 0, 1], [0, 0, 1, 1], [0, 0, -1, 1]])
    assert np.abs(View.of(X).directions) == pytest.approx(np.eye(4)[:2], abs=1e-9)


@pytest.mark.parametrize("X", [np.ones((4, 3)), np.outer(range(5), [1.0, 2, 2])])
def test_rows_that_do_not_vary_across_w_are_seen_from_anywhere_across(X: Any) -> None:
    view = View.of(X, [1.0, 2, 2])
    assert view.directions @ view.directions.T == pytest.approx(np.eye(2), abs=1e-9)


def test_a_wide_sparse_matrix_is_seen_without_being_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    X = scipy.sparse.random_array((60, 300), density=0.05, format="csr", rng=np.random.default_rng(0))
    w = np.random.default_rng(1).normal(size=300)
    dense = View.of(X.toarray(), w)
    expected = dense.points(X.toarray())

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the matrix was made dense")

    monkeypatch.setattr(scipy.sparse.csr_array, "toarray", refuse)
    monkeypatch.setattr(scipy.sparse.csr_array, "todense", refuse)
    view = View.of(X, w)
    assert view.directions == pytest.approx(dense.directions, abs=1e-6)
    assert view.points(X) == pytest.approx(expected, abs=1e-6)


def test_rows_of_a_plane_are_seen_as_they_are() -> None:
    """Three points of a plane in four dimensions keep their distances."""
    few = np.array([[1.0, 2, 3, 4], [2, 0, 3, 1], [5, 5, 1, 0]])
    X = np.concatenate([few, 10 * np.eye(4)])
    seen = View.through(few, X).points(few)
    for i in range(3):
        assert np.linalg.norm(seen - seen[i], axis=1) == pytest.approx(np.linalg.norm(few - few[i], axis=1))


def test_rows_on_a_line_are_seen_with_the_direction_in_which_all_vary() -> None:
    few = np.array([[0.0, 0, 0], [0, 0, 2]])
    X = np.concatenate([few, [[5.0, 0, 0], [-5, 0, 0], [0, 3, 0], [0, -3, 0]]])
    view = View.through(few, X)
    assert view.directions == pytest.approx(np.array([[0, 0, 1], [1, 0, 0]]), abs=1e-9)
    assert "marked rows" in view.labels[0]
    assert "all rows" in view.labels[1]
    assert View.through(few[[0, 0]], X).directions == pytest.approx(np.array([[1, 0, 0], [0, 1, 0]]), abs=1e-9)


def test_nothing_cannot_be_seen() -> None:
    with pytest.raises(DataError, match="0 rows of 3 columns"):
        View.of(np.empty((0, 3)))


# ---------------------------------------------------------------------------------------------------------------------
# Names


def test_names_are_those_of_the_caller_else_of_the_data_else_of_the_estimator() -> None:
    frame = pd.DataFrame([[1, 2]], columns=["a", "b"])
    owner = type("Owner", (), {"feature_names_in_": np.array(["p", "q"])})
    assert names_of(frame, 2, ["u", "v"], owner) == ["u", "v"]
    assert names_of(frame, 2, None, owner) == ["a", "b"]
    assert names_of(named(np.ones((1, 2)), ["c", "d"]), 2) == ["c", "d"]
    assert names_of(np.ones((1, 2)), 2, None, owner) == ["p", "q"]
    assert names_of(np.ones((1, 2)), 2) == ["x1", "x2"]
    with pytest.raises(
        ParameterError, match=r"names must have length 2, one name for each column, but it has length 1\."
    ):
        names_of(frame, 2, ["u"])


def test_a_direction_is_named_by_its_largest_parts() -> None:
    names = ["age", "a name that is much too long to stand here", "sex"]
    assert mostly(np.array([0.6, 0.0, -0.8]), names) == "-0.8 sex + 0.6 age"
    assert mostly(np.array([1e-17, 1.0, 0.0]), names) == "a name that is much t..."
    assert mostly(np.array([0.6, 0.6, 0.5]), names).endswith("\N{NO-BREAK SPACE}...")


# ---------------------------------------------------------------------------------------------------------------------
# What pictures share


@settings(max_examples=examples(0.4))
@given(arrays(float, st.tuples(st.integers(1, 6), st.just(2)), elements=st.floats(-1e12, 1e12)))
def test_the_box_has_all_points_well_inside(points: Any) -> None:
    (left, right), (low, high) = style.box_of(points)
    assert left < right
    assert low < high
    assert (points > [left, low]).all()
    assert (points < [right, high]).all()


def test_axes_have_one_unit_unless_that_shows_a_sliver() -> None:
    ax = style.axes_of()
    style.set_box(ax, style.box_of(np.array([[0, 0], [3, 1]])), ("x", "y"))
    assert (ax.get_aspect(), ax.get_ylabel()) == (1.0, "y")
    style.set_box(ax, style.box_of(np.array([[0, 0], [3, 1000]])), ("x", "y"))
    assert (ax.get_aspect(), ax.get_ylabel()) == ("auto", "y (not to scale)")
    assert ax.get_xlim() == pytest.approx((-0.18, 3.18))
    style.set_box(ax, style.box_of(np.array([[0, 0], [3, 0]])), ("x", ""))
    assert (ax.get_ylabel(), len(ax.get_yticks())) == ("", 0)


def test_the_first_36_classes_look_different() -> None:
    assert len({(style.ink(code), style.mark(code)) for code in range(36)}) == 36


def test_names_are_written_as_they_are() -> None:
    ax = style.axes_of()
    codes = np.array([0, 1])
    style.scatter(ax, np.eye(2), codes, ["_under", "a $x$ b"])
    style.legend(ax, outside=True)
    (legend,) = ax.figure.legends
    ax.figure.canvas.draw()
    assert [label.get_text() for label in legend.get_texts()] == [" _under", r"a \$x\$ b"]


def test_the_legend_lists_no_more_classes_than_fit() -> None:
    ax = style.axes_of()
    style.scatter(ax, np.zeros((40, 2)), np.arange(40), list(range(40)))
    labels = ax.get_legend_handles_labels()[1]
    assert labels == [*map(str, range(11)), "11 and 28 more"]


def test_the_legend_is_outside_of_own_figures_and_inside_of_given_axes() -> None:
    figure, (left, right) = plt.subplots(1, 2)
    before = figure.get_size_inches().tolist(), left.get_position().bounds, right.get_position().bounds
    for _ in range(2):
        style.scatter(left, np.eye(2), np.array([0, 1]), ["a", "b"])
        style.legend(left, outside=False)
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["a", "b"]
    assert not figure.legends
    figure.canvas.draw()
    assert before == (figure.get_size_inches().tolist(), left.get_position().bounds, right.get_position().bounds)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"A picture needs an optional part: pip install 'rosenblatt\[plot\]'"):
        style.axes_of()


# ---------------------------------------------------------------------------------------------------------------------
# The package


def test_the_package_shows_its_displays_and_imports_nothing_before_they_are_used() -> None:
    assert dir(rosenblatt.plot) == rosenblatt.plot.__all__ == sorted(rosenblatt.plot.__all__)
    for name in rosenblatt.plot.__all__:
        shown = getattr(rosenblatt.plot, name)
        assert getattr(importlib.import_module(shown.__module__), name) is shown
    with pytest.raises(AttributeError, match=r"'rosenblatt\.plot' has no attribute 'PieDisplay'"):
        _ = rosenblatt.plot.PieDisplay  # type: ignore[attr-defined]
    code = "import rosenblatt.plot, sys; dir(rosenblatt.plot); print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "rosenblatt.plot" in out.split()
    assert not {"matplotlib", "numpy"} & set(out.split())


# ---------------------------------------------------------------------------------------------------------------------
# The gallery


def test_the_gallery_writes_what_it_says(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "examples" / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    some = {name: gallery.PICTURES[name] for name in ("boundary_and", "witness_xor")}
    monkeypatch.setattr(gallery, "PICTURES", some)
    gallery.main(str(tmp_path), "400")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["boundary_and.png", "witness_xor.png"]
    assert plt.imread(tmp_path / "witness_xor.png").shape[1] == 400
    assert "WitnessDisplay" in capsys.readouterr().out
    assert plt.get_fignums() == []

"""The frames of every algorithm: the numbers are those of the lectures, the pictures agree with the library."""

import json
import re
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import DataError, ParameterError, RosenblattError, mistake_bound, regions
from rosenblatt.data.files.lab_board import Board, Pane
from rosenblatt.lab.catalogue import ALGORITHMS, model_of
from rosenblatt.lab.runs.run import run, traced
from tests.support.effort import examples
from tests.support.lab_boards import board_of, lecture, shown, with_pane

LEARNING = [name for name in ALGORITHMS if name != "neuron"]
OF_TWO = {"kozinec", "anderson"}
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in LEARNING if name not in ("one_vs_all", "one_vs_one")),
    ("perceptron", {"average": "averaged", "max_epochs": 7}),
    ("perceptron", {"average": "voted", "max_epochs": 7}),
    ("perceptron", {"bias": 0}),
    ("perceptron", {"order": "worst", "tie": "positive"}),
    ("perceptron", {"margin": 0.5, "learning_rate": 0.25, "init": [1, -1, 0.5]}),
    ("pa", {"C": 0.1, "variant": "II"}),
    ("kernel", {"kernel": "poly", "degree": 2}),
    ("kernel", {"kernel": "linear", "bias": 0}),
    ("batch", {"learning_rate": "1/t", "patience": 9}),
    ("kozinec", {"solver": "wolfe"}),
    ("kozinec", {"solver": "mdm", "bias": 1}),
    ("kozinec", {"solver": "away"}),
    ("anderson", {"solver": "gradient", "max_iter": 30}),
]
MANY: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in LEARNING if name not in OF_TWO),
    ("perceptron", {"average": "averaged", "max_epochs": 3}),
    ("perceptron", {"average": "voted", "max_epochs": 3}),
]
BOARDS = ["and", "xor", "berkeley_points", "planted_margin", "overlapping"]


def column(told: dict[str, Any], name: str) -> list[str]:
    at = told["columns"].index(name)
    return [frame["cells"][at] for frame in told["frames"] if frame["cells"]]


def test_berkeleys_table_row_by_row() -> None:
    told = shown(lecture("berkeley_points"))
    assert [frame["score"] for frame in told["frames"]] == [
        "",
        "-1*1 + 0*1 + 0*1 = -1",
        "-1*1 + 0*3 + 0*2 = -1",
        "0*1 + 3*2 + 2*4 = 14",
        "0*1 + 3*3 + 2*4 = 17",
        "0*1 + 3*2 + 2*3 = 12",
    ]
    assert column(told, "score") == ["-1", "-1", "14", "17", "12"]
    assert column(told, "mistake") == ["no", "yes", "no", "no", "yes"]
    after = zip(column(told, "b"), column(told, "w f1"), column(told, "w f2"), strict=True)
    assert list(after)[-1] == ("-1", "1", "-1")
    assert told["frames"][2]["formula"] == "w + x = (0, 0) + (3, 2) = (3, 2), b + 1 = -1 + 1 = 0"
    assert told["frames"][5]["formula"] == "w - x = (3, 2) - (2, 3) = (1, -1), b - 1 = 0 - 1 = -1"


def test_cmus_table_row_by_row() -> None:
    told = shown(lecture("cmu_points"))
    assert column(told, "mistake") == ["yes", "no", "yes", "no", "yes", "no"]
    assert "b" not in told["columns"]
    weights = list(zip(column(told, "w x1"), column(told, "w x2"), strict=True))
    assert weights == [("1", "-2"), ("1", "-2"), ("2", "-1"), ("2", "-1"), ("3", "1"), ("3", "1")]


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize(("algorithm", "options"), VARIANTS)
def test_a_run_has_a_frame_for_the_start_and_for_each_step(name: str, algorithm: str, options: dict[str, Any]) -> None:
    board = board_of(name, algorithm, options)
    told = shown(board, steps=60)
    check_form(told)
    if algorithm != "means":
        with warnings.catch_warnings(action="ignore"):
            steps = traced(board, 0, 60)
        assert len(told["frames"]) == len(steps) + 1
        assert told["cut"] == (steps.stop_reason is None)


def check_form(told: dict[str, Any]) -> None:
    """What holds of every answer."""
    json.dumps(told, allow_nan=False)
    assert len(told["columns"]) == len(told["numeric"])
    assert told["frames"][0]["kind"] == "start"
    assert told["outcome"]["text"].endswith(".")
    for frame in told["frames"]:
        assert 0 <= frame["ground"] < len(told["grounds"])
        assert frame["cells"] is None or len(frame["cells"]) == len(told["columns"])
        assert re.search(r"[.?]$", frame["sentence"]), frame["sentence"]
        assert frame["point"] == (frame["points"][0] if len(frame["points"]) == 1 else None)


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize(("algorithm", "options"), VARIANTS)
def test_the_last_picture_is_what_the_fitted_model_predicts(name: str, algorithm: str, options: dict[str, Any]) -> None:
    passes = {"max_epochs": 3} if "max_epochs" in ALGORITHMS[algorithm].settings({}) and algorithm != "kozinec" else {}
    agrees(board_of(name, algorithm, options | passes))


@pytest.mark.parametrize(("algorithm", "options"), MANY)
def test_the_same_of_three_classes(algorithm: str, options: dict[str, Any]) -> None:
    agrees(board_of("iris", algorithm, options | ({} if algorithm == "means" else {"max_epochs": 2})))


def agrees(board: Board) -> None:
    told = shown(board, steps=2000)
    if told["cut"]:
        return  # what is shown is not the end
    with warnings.catch_warnings(action="ignore"):
        model = model_of(board.panes[0]).fit(np.asarray(board.X), board.y)
    ground = told["grounds"][told["frames"][-1]["ground"]]
    seen = 0
    for shape in ground:
        if shape["type"] == "polygon" and shape["role"] == "region":
            points, codes = inside(shape["points"]), shape["code"]
        elif shape["type"] == "cells":
            points, codes = middles(shape)
        else:
            continue
        seen += 1
        clear = certain(model, points)
        expected = np.array(board.classes)[np.broadcast_to(codes, len(points))]
        assert (model.predict(points) == expected)[clear].all()
    assert seen or not np.any(getattr(model, "coef_", 0.0))


def inside(polygon: list[list[float]]) -> np.ndarray[Any, Any]:
    """Points in a convex polygon."""
    corners = np.array(polygon)
    shares = np.random.default_rng(0).dirichlet(np.ones(len(corners)), 20)
    return np.asarray(shares @ corners)


def middles(shape: dict[str, Any]) -> tuple[Any, Any]:
    """The middle of each run of cells."""
    left, right, low, high = shape["box"]
    wide, tall = (right - left) / shape["columns"], (high - low) / shape["rows"]
    points = [
        (left + (first + (count - 1) / 2 // 1 + 0.5) * wide, low + (row + 0.5) * tall)
        for row, first, count, _ in shape["runs"]
    ]
    return np.array(points), np.array([code for *_, code in shape["runs"]])


def certain(model: Any, points: Any) -> Any:
    """Those whose scores are not so near to a tie that the rounding of drawn coordinates counts."""
    scores = np.asarray(model.decision_function(points))
    if scores.ndim == 1:
        return np.abs(scores) > 1e-5 * np.abs(scores).max(initial=1e-3)
    ranked = np.sort(scores, axis=1)
    return ranked[:, -1] - ranked[:, -2] > 1e-5 * np.abs(ranked).max()


def relabelled(board: Board, classes: list[str]) -> Board:
    return Board.of({**board.document(), "classes": classes})


@pytest.mark.parametrize(("algorithm", "options"), VARIANTS)
def test_classes_keep_their_colours_in_whatever_order_they_are_named(algorithm: str, options: dict[str, Any]) -> None:
    agrees(relabelled(board_of("planted_margin", algorithm, options, rows=20), ["b", "a"]))


@pytest.mark.parametrize(("algorithm", "options"), MANY)
def test_so_do_three_of_which_one_has_no_points(algorithm: str, options: dict[str, Any]) -> None:
    board = Board.of_rows([[0, 0], [1, 0], [5, 0], [6, 1], [3, 5], [3, 6]], ["a", "a", "b", "b", "c", "c"])
    moved = {"classes": ["z", "c", "y", "a"], "points": [[x, y, [1, 3, 0][code]] for x, y, code in board.points]}
    agrees(with_pane(Board.of({**board.document(), **moved}), algorithm, options))


@pytest.mark.parametrize("algorithm", ["one_vs_all", "one_vs_one"])
def test_ambiguous_places_are_those_of_regions(algorithm: str) -> None:
    three = Board.of_rows([[0, 0], [1, 0], [5, 0], [6, 1], [3, 5], [3, 6]], ["a", "a", "b", "b", "c", "c"])
    board = with_pane(three, algorithm, {"max_epochs": 2})
    with warnings.catch_warnings(action="ignore"):
        model = model_of(board.panes[0]).fit(np.asarray(board.X), board.y)
        told = shown(board, steps=2000)
    drawn = [shape for shape in told["grounds"][told["frames"][-1]["ground"]] if shape["type"] == "polygon"]
    expected = regions(model, board.view)
    assert [shape["points"] for shape in drawn] == [
        [[float(f"{x:.7g}"), float(f"{y:.7g}")] for x, y in region.polygon.tolist()] for region in expected
    ]
    claims = [[board.classes.index(label) for label in region.claims] for region in expected]
    assert [shape.get("claims", [shape["code"]]) for shape in drawn] == claims
    assert algorithm == "one_vs_one" or any(shape["role"] in ("none", "tie") for shape in drawn)


@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 2, st.integers(0, 1)), min_size=2, max_size=7), st.data())
def test_scores_and_formulas_are_true_sums(rows: list[tuple[int, int, int]], draw: Any) -> None:
    board = Board.of({"rosenblatt_lab": 1, "points": [list(row) for row in rows]})
    bias = draw.draw(st.sampled_from([0, 1]))
    board = with_pane(board, "perceptron", {"bias": bias, "max_epochs": 4})
    if len(board.present) < 2:
        with pytest.raises(DataError, match="at least two classes"):
            shown(board)
        return
    for frame in shown(board)["frames"][1:]:
        terms, total = frame["score"].split(" = ")
        products = [[int(number) for number in term.split("*")] for term in terms.split(" + ")]
        assert sum(a * b for a, b in products) == int(total)
        assert len(products) == 2 + bias
        if frame["formula"]:
            start, added, end = re.findall(r"\(([-\d, ]+)\)", frame["formula"].split(", b")[0])
            sign = 1 if " + x " in frame["formula"] else -1
            vectors = [np.array([int(x) for x in text.split(", ")]) for text in (start, added, end)]
            assert (vectors[0] + sign * vectors[1] == vectors[2]).all()


@pytest.mark.parametrize("name", ["and", "berkeley_points", "planted_margin"])
def test_the_chart_has_novikoffs_bound_and_the_updates(name: str) -> None:
    board = board_of(name, "perceptron", {"max_epochs": 1000})
    told = shown(board, steps=2000)
    bound = mistake_bound(board.X, board.y).bounds[1]
    assert f"At most {int(bound):,} updates" in told["chart"]["note"]
    made = told["chart"]["series"][0]["points"]
    assert [value for _, value in made] == sorted(value for _, value in made)
    assert made[-1][1] <= bound
    if len(told["chart"]["series"]) > 1:
        assert told["chart"]["series"][1]["points"][0][1] == pytest.approx(bound)


def test_without_a_bound_the_chart_says_so() -> None:
    told = shown(board_of("overlapping"))
    assert "No bound" in told["chart"]["note"]
    assert told["cut"]
    assert "400 steps" in told["outcome"]["text"]


def test_kozinecs_segment_closes_in_on_the_margin() -> None:
    told = shown(board_of("planted_margin", "kozinec", {"solver": "kozinec", "epsilon": 1e-3}, margin=0.2))
    lengths = []
    for frame in told["frames"][1:]:
        (line,) = [
            shape for shape in told["grounds"][frame["ground"]] if shape["role"] == "nearest" and "points" in shape
        ]
        lengths.append(float(np.hypot(*np.subtract(*line["points"]))))
    assert all(one >= other - 1e-6 for one, other in pairwise(lengths))
    assert lengths[-1] / 2 == pytest.approx(0.2, rel=2e-3)


def test_ellipses_touch_the_line_where_the_contact_points_are() -> None:
    board = Board.of(
        {
            "rosenblatt_lab": 1,
            "gaussians": [[0, 0, 1, 0, 0, 1, 0], [4, 0, 1, 0, 0, 1, 0], [2, 3, 2, 0, 0, 0.5, 1]],
            "panes": [{"algorithm": "anderson"}],
        }
    )
    told = shown(board)
    ground = told["grounds"][told["frames"][-1]["ground"]]
    (line,) = [shape for shape in ground if shape["role"] == "boundary"]
    start, end = np.array(line["points"])
    normal = np.array([start[1] - end[1], end[0] - start[0]])
    ellipses = [shape for shape in ground if shape["role"] == "touching"]
    contacts = [shape for shape in ground if shape["role"] == "contact"]
    assert len(ellipses) == len(contacts) == 3
    for ellipse, contact in zip(ellipses, contacts, strict=True):
        axes = np.column_stack([ellipse["a"], ellipse["b"]])
        at = np.linalg.solve(axes, np.subtract(contact["at"], ellipse["at"]))
        assert np.hypot(*at) == pytest.approx(1, abs=1e-5)
        assert (np.array(contact["at"]) - start) @ normal == pytest.approx(0, abs=1e-4 * np.hypot(*normal))


@pytest.mark.parametrize(("gate", "inputs", "threshold"), [("or", 2, 1), ("or", 3, 1), ("and", 2, 2), ("and", 3, 3)])
def test_the_neuron_has_the_lectures_thresholds(gate: str, inputs: int, threshold: int) -> None:
    told = shown(board_of("or", "neuron", {"threshold": threshold, "inputs": inputs, "gate": gate}))
    assert told["outcome"]["kind"] == "good"
    assert column(told, "output") == column(told, "wanted")
    assert len(told["frames"]) == 2**inputs + 1
    other = shown(board_of("or", "neuron", {"threshold": threshold - 1, "inputs": inputs, "gate": gate}))
    assert other["outcome"]["kind"] == "bad"
    assert f"threshold {threshold} does what is wanted" in other["outcome"]["text"]


def test_no_threshold_makes_xor() -> None:
    for threshold in range(6):
        told = shown(board_of("xor", "neuron", {"threshold": threshold}))
        assert told["outcome"]["kind"] == "bad"
        assert "No threshold gives what is wanted" in told["outcome"]["text"]


def test_the_neuron_takes_only_booleans() -> None:
    with pytest.raises(DataError, match=r"boolean inputs, 0 and 1, but point 1 is at \(3, 2\)"):
        shown(with_pane(Board.of_rows([[0, 1], [3, 2]], [0, 1]), "neuron"))


@pytest.mark.parametrize(
    ("pane", "said"),
    [
        (Pane("perzeptron"), "no algorithm 'perzeptron'.*Did you mean 'perceptron'"),
        (Pane("perceptron", {"ordre": 1}), "no option 'ordre'.*Did you mean 'order'"),
        (Pane("perceptron", {"order": "cyclc"}), "order must be one of .*Did you mean 'cyclic'"),
        (Pane("perceptron", {"bias": True}), "bias must be one of 1.0, 0.0, not True"),
        (Pane("perceptron", {"max_epochs": 1001}), "max_epochs must be a whole number from 1 to 1,000, not 1001"),
        (Pane("perceptron", {"init": "a"}), "init must be three numbers"),
        (Pane("perceptron", {"init": [1, 2, 1e10]}), "init must be three numbers up to 1e.09"),
        (Pane("kozinec", {"epsilon": 0}), "epsilon must be a number from 1e-09 to 1, not 0"),
        (Pane("kozinec", {"epsilon_kind": 1}), "epsilon_kind must be one of 'relative', 'absolute'"),
    ],
)
def test_what_is_wrong_with_a_pane_is_said(pane: Pane, said: str) -> None:
    board = board_of("and")
    with pytest.raises(ParameterError, match=said):
        run({"board": {**board.document(), "panes": [{"algorithm": pane.algorithm, "options": dict(pane.options)}]}})


def test_too_few_or_too_many_classes() -> None:
    with pytest.raises(DataError, match="One against all is for 3 classes"):
        shown(board_of("and", "one_vs_all"))
    with pytest.raises(DataError, match="is for two classes, and the points are of 3"):
        shown(board_of("iris", "kozinec"))
    with pytest.raises(DataError, match="there are no points yet"):
        shown(Board())
    with pytest.raises(
        DataError, match="Points of 2 classes are on the board, so the start weights are three numbers:"
    ):
        shown(board_of("and", "perceptron", {"init": [1, 2]}))
    with pytest.raises(DataError, match="three numbers for each class"):
        shown(board_of("iris", "perceptron", {"init": [1, 2, 3]}))
    with pytest.raises(ParameterError, match="pane must be 0, not 1"):
        run({"board": board_of("and").document(), "pane": 1})
    with pytest.raises(ParameterError, match="steps must be a number from 1 to 2000"):
        shown(board_of("and"), steps=0)


def test_options_that_do_not_apply_are_left_out() -> None:
    settings = ALGORITHMS["kernel"].settings({"kernel": "rbf"})
    assert "degree" not in settings
    assert ALGORITHMS["perceptron"].settings({}).keys() >= {"order", "tie"}
    assert "random_state" not in ALGORITHMS["perceptron"].settings({"order": "cyclic"})


@given(
    st.lists(st.tuples(*[st.sampled_from([-1e9, -2.0, -0.1, 0.0, 0.3, 1.0, 5.0])] * 2, st.integers(0, 2)), max_size=6),
    st.sampled_from(list(ALGORITHMS)),
)
def test_any_points_give_a_run_or_a_sentence(rows: list[tuple[float, float, int]], algorithm: str) -> None:
    document = {"rosenblatt_lab": 1, "classes": ["a", "b", "c"], "points": [list(row) for row in rows]}
    request = {"board": {**document, "panes": [{"algorithm": algorithm}]}, "steps": 25}
    try:
        told = run(request)
    except RosenblattError:
        with pytest.raises(RosenblattError, match=r"[.?]$"):
            run(request)
    else:
        check_form(told)


def test_the_pocket_never_gets_worse() -> None:
    told = shown(board_of("overlapping", "pocket", {"max_epochs": 5}))
    learning, pocket = ([value for _, value in curve["points"]] for curve in told["chart"]["series"])
    assert all(one >= other for one, other in pairwise(pocket))
    assert min(learning) <= pocket[-1] < max(learning)


TOLD: list[tuple[str, dict[str, Any]]] = [
    ("perceptron", {}),
    ("perceptron", {"margin": 1.5, "learning_rate": 0.5}),
    ("perceptron", {"tie": "positive", "bias": 0}),
    ("perceptron", {"tie": "negative", "average": "averaged"}),
    ("pa", {"C": 0.5}),
    ("pocket", {}),
    ("kernel", {"kernel": "linear", "margin": 0.5}),
    ("kernel", {"kernel": "poly", "degree": 2, "tie": "positive"}),
]
CLOUDS = st.lists(st.tuples(*[st.integers(-2, 2)] * 2, st.integers(0, 2)), min_size=3, max_size=8)


@pytest.mark.parametrize(("algorithm", "options"), TOLD)
@settings(max_examples=examples(0.33))
@given(rows=CLOUDS)
def test_sentences_say_what_happened(algorithm: str, options: dict[str, Any], rows: list[tuple[int, int, int]]) -> None:
    """Of two and of three classes, points twice, ties and margins: mistakes are called so, and nothing else is."""
    document = {"rosenblatt_lab": 1, "classes": ["a", "b", "c"], "points": [list(row) for row in rows]}
    board = with_pane(Board.of(document), algorithm, options)
    if len(board.present) < 2:
        return
    with warnings.catch_warnings(action="ignore"):
        steps = traced(board, 0, 40)
    frames = shown(board, steps=40)["frames"][1:]
    for step, frame in zip(steps, frames, strict=True):
        sentence, right = frame["sentence"], step.predicted == step.y
        assert ("a mistake" in sentence) == (not right)
        assert ("which is right" in sentence) == (right and not step.updated)
        assert ("margin" in sentence or "not by enough" in sentence) == (right and step.updated)
        assert frame["kind"] == ("mistake" if step.mistake else "update" if step.updated else "right")
        assert f"Point {step.index} at" in sentence
        assert f"is of class {step.y}." in sentence

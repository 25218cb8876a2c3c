"""The words of a step, for each kind of run, and which runs can be animated."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    OneVsAll,
    OneVsOne,
    ParameterError,
    Perceptron,
    Pocket,
    datasets,
    trace,
    trace_gaussians,
)
from rosenblatt.plot import animate
from rosenblatt.plot.animation import frames_of
from rosenblatt.tracing.narration import (
    AlphaChange,
    WeightChange,
    alpha_changes,
    narrated,
    score_terms,
    weight_changes,
)

CMU = datasets.load("cmu_points")
THREE: tuple[Any, Any] = ([[0, 2], [2, 0], [-2, -2]], ["red", "green", "blue"])


def test_a_score_is_a_sum_of_products_the_bias_last() -> None:
    assert score_terms((3, 2, -1), (2, 3), 1.0) == [(3, 2), (2, 3), (-1, 1.0)]
    assert score_terms((3, 2, -1), (2, 3), 0.0) == [(3, 2), (2, 3)]


def test_weights_change_by_multiples_of_the_row() -> None:
    """A perceptron adds y times the row; with three classes it adds the row to one and subtracts it from another."""
    two = trace(Perceptron(order="cyclic", learning_rate=0.5), [[1, 2]] * 2, [1, 0], max_steps=2)
    assert weight_changes(two, two[0], two.start) == [WeightChange(None, (0, 0, 0), (0.5, 1, 0.5), 0.5)]
    assert [each.times for each in weight_changes(two, two[1], two[0].w)] == [-0.5]
    assert weight_changes(two, two[0], two[0].w) == []
    three = trace(Perceptron(order="cyclic", bias=0), *THREE, max_steps=1)
    changed = {each.label: each.times for each in weight_changes(three, three[0], three.start)}
    assert changed == {"red": 1, three[0].predicted: -1}


def test_a_kernel_changes_the_weight_of_one_row() -> None:
    run = trace(KernelPerceptron(kernel="linear", bias=0, order="cyclic"), [[2], [-1], [2.5]], [1, 0, 0], max_steps=3)
    states = [((), ()), *((step.active, step.weights) for step in run)]
    changes = [alpha_changes(step, before) for step, before in zip(run, states[:-1], strict=True)]
    assert changes == [[AlphaChange(0, 0.0, 1)], [], [AlphaChange(2, 0.0, -1)]]


def test_a_batch_in_words() -> None:
    """y x of the six rows are (1, -2), (1, 0), (1, 1), (1, 0), (1, 2) and (1, -1): their sum separates them."""
    assert narrated(trace(BatchPerceptron(bias=0), *CMU)) == [
        ("start", "", "", "w = (0, 0, 0)"),
        (
            "step 1 of 2, pass 1",
            "6 wrong: rows 0, 1, 2, 3, 4, 5",
            "",
            "w moves along the sum of their y x to (6, 0, 0)",
        ),
        ("step 2 of 2, pass 2", "no row is wrong", "", "w stays (6, 0, 0), the best so far is (6, 0, 0)"),
    ]
    one = trace(BatchPerceptron(bias=0, init=[1, 0, 0]), [[1, 0], [-1, 0], [2, 0]], [1, 0, 0])
    assert narrated(one)[1][1] == "1 wrong: row 2"
    many = trace(BatchPerceptron(), np.arange(20)[:, np.newaxis], np.arange(20) % 2, max_steps=1)
    assert narrated(many)[1][1] == "20 wrong: rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ..."


def test_a_kernel_in_words() -> None:
    """K = x z: the first row gets weight 1; the second scores 2 * -1, which is right, the third 2 * 2.5: wrong."""
    run = trace(KernelPerceptron(kernel="linear", bias=0, order="cyclic"), [[2], [-1], [2.5]], [1, 0, 0], max_steps=3)
    assert narrated(run) == [
        ("start", "", "", "no row has a weight"),
        (
            "step 1 of 3, pass 1, mistakes so far: 1",
            "row 0: x = (2), y = 1 (+1)",
            "score sum of alpha_i K(x_i, x) = 0: mistake",
            "alpha of row 0 becomes 1; 1 row has a weight",
        ),
        (
            "step 2 of 3, pass 1, mistakes so far: 1",
            "row 1: x = (-1), y = 0 (-1)",
            "score sum of alpha_i K(x_i, x) = -2: right",
            "no weight changes; 1 row has a weight",
        ),
        (
            "step 3 of 3, pass 1, mistakes so far: 2",
            "row 2: x = (2.5), y = 0 (-1)",
            "score sum of alpha_i K(x_i, x) = 5: mistake",
            "alpha of row 2 becomes -1; 2 rows have a weight",
        ),
    ]
    budget = trace(
        KernelPerceptron(kernel="linear", bias=0, order="cyclic", max_support=1), [[1], [2]], [1, 0], max_steps=2
    )
    assert narrated(budget)[2][3] == "alpha of row 1 becomes -1; alpha of row 0 becomes 0; 1 row has a weight"
    three = trace(KernelPerceptron(kernel="linear", bias=0, order="cyclic"), *THREE, max_steps=1)
    # all scores are 0, and the last of the wrong classes, green, wins the row of red
    assert narrated(three)[1][2:] == (
        "scores 0, 0, 0; most: green: mistake",
        "alpha of row 0 becomes (0, -1, 1); 1 row has a weight",
    )


def test_gaussians_in_words() -> None:
    run = trace_gaussians(Anderson(solver="gradient"), [[0, 0], [4, 0]], [np.eye(2)] * 2, ["a", "b"], max_steps=3)
    told = narrated(run)
    assert len(told) == 4
    for step, (head, row, score, change) in zip(run, told[1:], strict=True):
        mean, label = ("(0, 0)", "a (-1)") if step.index == 0 else ("(4, 0)", "b (+1)")
        assert row == f"Gaussian {step.index} is the worst: mean {mean}, y = {label}"
        assert score == ""
        assert change.startswith("w moves to (")
        assert change.endswith(f", of radius {step.radius:.4g}")
        bounds = f"radius at least {step.lower:.4g}"
        if step.upper is not None:
            bounds = f"radius between {step.lower:.4g} and {step.upper:.4g}"
        assert head.endswith(f": {bounds}")


def test_members_in_words() -> None:
    """Steps are counted through, mistakes for each member; its first step begins with its own start."""
    run = trace(OneVsAll(Perceptron(order="cyclic")), *THREE)
    told = narrated(run)
    assert len(told) == len(run) + 1 == 19
    assert told[0][3] == "w = (0, 0, 0); (0, 0, 0); ..."
    assert [words[0] for words in told[6:8]] == [
        "blue against the rest: step 6 of 18, pass 2, mistakes so far: 1",
        "green against the rest: step 7 of 18, pass 1, mistakes so far: 1",
    ]
    assert told[7][1:] == (
        "row 0: x = (0, 2), y = False (-1)",
        "score 0*0 + 0*2 + 0*1 = 0: mistake",
        "w + y x = (0, -2, -1)",
    )
    green = narrated(run.member("green against the rest"))
    assert [words[1:] for words in green[1:]] == [words[1:] for words in told[7:13]]
    assert green[1][0] == "step 1 of 6, pass 1, mistakes so far: 1"


def frames_in(path: Path) -> int:
    opened: Any = Image.open(path)
    with opened as image:
        return int(image.n_frames)


def test_frames_of_a_batch_ring_all_rows_that_are_wrong(tmp_path: Path) -> None:
    run = trace(BatchPerceptron(bias=0), *CMU)
    frames = frames_of(run, 10)
    assert [(frame.row, frame.wrong) for frame in frames] == [(None, ()), (None, (0, 1, 2, 3, 4, 5)), (None, ())]
    animate(run, tmp_path / "batch.gif", *CMU)
    assert frames_in(tmp_path / "batch.gif") == 3
    three = trace(BatchPerceptron(), *THREE)
    animate(three, tmp_path / "three.gif", *THREE)
    assert frames_in(tmp_path / "three.gif") == len(three) + 1
    with pytest.raises(ParameterError, match=r"checks all rows at once.*Give X and y"):
        animate(run, tmp_path / "none.gif")
    assert plt.get_fignums() == []


def test_a_member_a_pocket_and_gaussians_are_drawn(tmp_path: Path) -> None:
    run = trace(OneVsOne(Perceptron(order="cyclic")), *THREE).member("green against blue")
    animate(run, tmp_path / "member.gif")
    assert frames_in(tmp_path / "member.gif") == len(run) + 1
    animate(trace(Pocket(order="cyclic"), CMU.X, CMU.y, max_steps=2), tmp_path / "pocket.gif", *CMU)
    moves = trace(Anderson(solver="gradient"), CMU.X, CMU.y, max_steps=2)
    for given in ((), tuple(CMU)):
        animate(moves, tmp_path / "gaussians.gif", *given)
        assert frames_in(tmp_path / "gaussians.gif") == 3


def test_what_has_no_one_boundary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"has 3 classifiers. Give the trace of one, trace.member\(task\)"):
        animate(trace(OneVsAll(Perceptron()), *THREE), tmp_path / "run.gif", *THREE)
    with pytest.raises(ParameterError, match=r"its boundary is not a line.*trace.to_table\(\) shows its steps"):
        animate(trace(KernelPerceptron(), *CMU), tmp_path / "run.gif", *CMU)
    assert not list(tmp_path.iterdir())

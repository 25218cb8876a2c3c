"""The machine of 1958, rebuilt in `examples/photocells.py`."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.places import ROOT

EXAMPLE = ROOT / "examples" / "photocells.py"


@pytest.fixture(scope="module")
def photocells() -> Any:
    spec = importlib.util.spec_from_file_location("photocells", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def extent(lit: np.ndarray) -> range:
    """The number of places from the first to the last lit one."""
    places = np.flatnonzero(lit)
    return range(places[0], places[-1] + 1)


def test_shapes_light_the_photocells_that_they_do_by_hand(photocells: Any) -> None:
    square = photocells.shine("square", 1.5, 10.5, 3.5)
    assert np.argwhere(square).tolist() == [[y, x] for y in (2, 3, 4) for x in (9, 10, 11)]
    circle = photocells.shine("circle", 1.0, 10.5, 3.5)  # its radius, 1.128, reaches over 1 and not over the root of 2
    assert np.argwhere(circle).tolist() == [[2, 10], [3, 9], [3, 10], [3, 11], [4, 10]]


@pytest.mark.parametrize(("answer", "columns"), [("left", range(10)), ("right", range(10, 20))])
def test_shapes_lie_wholly_in_their_half(photocells: Any, answer: str, columns: range) -> None:
    rng = np.random.default_rng(0)
    reached = set()
    for _ in range(300):
        shape = photocells.draw_shape(rng, photocells.LEFT_OR_RIGHT, answer)
        assert shape.shape == (20, 20)
        assert shape.dtype == bool
        reached.update(np.flatnonzero(shape.any(axis=0)).tolist())
    assert reached == set(columns)


@pytest.mark.parametrize("answer", ["square", "circle"])
def test_squares_have_corners_and_circles_have_none(photocells: Any, answer: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        shape = photocells.draw_shape(rng, photocells.SQUARE_OR_CIRCLE, answer)
        rows, columns = extent(shape.any(axis=1)), extent(shape.any(axis=0))
        box = shape[rows.start : rows.stop, columns.start : columns.stop]
        assert abs(len(rows) - len(columns)) <= 1  # as a side may just reach one middle more
        assert box.all() == (answer == "square")
        assert box[[0, 0, -1, -1], [0, -1, 0, -1]].any() == (answer == "square")


def test_squares_and_circles_are_of_the_same_size_and_in_the_same_places(photocells: Any) -> None:
    rng = np.random.default_rng(0)
    draws = {
        answer: np.array([photocells.draw_shape(rng, photocells.SQUARE_OR_CIRCLE, answer) for _ in range(2000)])
        for answer in ("square", "circle")
    }
    areas = {answer: shapes.sum(axis=(1, 2)) for answer, shapes in draws.items()}
    columns = {answer: np.argwhere(shapes)[:, 2] for answer, shapes in draws.items()}
    spread = np.sqrt(sum(area.var() / 2000 for area in areas.values()))
    assert abs(areas["square"].mean() - areas["circle"].mean()) < 4 * spread
    assert abs(columns["square"].mean() - columns["circle"].mean()) < 0.3


def test_no_two_shapes_are_equal_and_either_answer_has_half(photocells: Any) -> None:
    shapes, answers = photocells.draw_shapes(np.random.default_rng(0), photocells.SQUARE_OR_CIRCLE, 400)
    assert len({shape.tobytes() for shape in shapes}) == len(shapes) == 400
    assert (answers == "square").sum() == (answers == "circle").sum() == 200
    assert len(set(answers[:50])) == 2  # mixed


def test_more_shapes_than_there_are_is_refused(photocells: Any) -> None:
    tiny = photocells.Task("tiny", {"left": (("square",), (0, 10)), "right": (("square",), (10, 20))}, (4.4, 4.4))
    with pytest.raises(ValueError, match=r"different shapes for 'left': ask for fewer"):
        photocells.draw_shapes(np.random.default_rng(0), tiny, 200)


def test_wires_come_from_the_generator_alone_and_go_to_different_photocells(photocells: Any) -> None:
    one, same, other = (photocells.Connections.draw(np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert (one.cells == same.cells).all()
    assert (one.cells != other.cells).any()
    assert one.cells.shape == (512, 6)
    assert all(len(set(cells)) == 6 for cells in one.cells.tolist())
    assert set(one.cells.ravel().tolist()) == set(range(400))


@pytest.mark.parametrize("pairs", [1, 3, 4])
def test_a_unit_fires_if_more_exciting_than_inhibiting_photocells_are_lit(photocells: Any, pairs: int) -> None:
    rng = np.random.default_rng(0)
    connections = photocells.Connections.draw(rng, units=40, pairs=pairs)
    shapes, _ = photocells.draw_shapes(rng, photocells.SQUARE_OR_CIRCLE, 20)
    wires = connections.cells.tolist()
    by_hand = [
        [sum(shape[cell] for cell in cells[:pairs]) > sum(shape[cell] for cell in cells[pairs:]) for cells in wires]
        for shape in shapes.tolist()
    ]
    fired = connections.fires(shapes)
    assert fired.tolist() == by_hand
    assert 0 < fired.mean() < 1
    assert not connections.fires(np.zeros((1, 400), bool)).any()


def test_weights_go_back_through_the_wires(photocells: Any) -> None:
    neuron = photocells.McCullochPittsNeuron(2)
    connections = photocells.Connections(np.array([[0, 21], [21, 399]]), neuron)  # excited by the first of either
    per_photocell = connections.per_photocell(np.array([2.0, 5.0]))
    assert per_photocell[0, 0] == 2
    assert per_photocell[1, 1] == 5 - 2
    assert per_photocell[19, 19] == -5
    assert np.count_nonzero(per_photocell) == 3


@pytest.mark.parametrize(("name", "least"), [("LEFT_OR_RIGHT", 0.95), ("SQUARE_OR_CIRCLE", 0.75)])
def test_the_machine_learns_what_holds_for_shapes_it_never_saw(photocells: Any, name: str, least: float) -> None:
    """Guesses for 300 new shapes would exceed 0.59 in one run of a thousand."""
    rng = np.random.default_rng(0)
    task, connections = getattr(photocells, name), photocells.Connections.draw(rng)
    shapes, answers = photocells.draw_shapes(rng, task, 1000)
    trial = photocells.learn(task, "units", connections.fires(shapes), answers, training=700)
    assert trial.accuracy > least
    assert trial.accuracy == (trial.said == answers[700:]).mean()
    assert trial.model.n_updates_ <= trial.bound

    guesses = rng.permutation(answers)  # nothing to learn: the same must then be no better than guessing
    assert photocells.learn(task, "units", connections.fires(shapes), guesses, training=700).accuracy < 0.6


def test_the_example_prints_its_findings_and_writes_its_picture(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLE], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stderr == ""
    found = re.findall(
        r"│ +([\d.]+)% +│ (\w+ or \w+) +│ (\w+).*│ (yes|no) +│ +([\d,]+) │ +([\d,]+|no bound) │", done.stdout
    )
    assert len(found) == 4
    right = {(task, weighs): float(accuracy) for accuracy, task, weighs, *_ in found}
    assert right["left or right", "512"] > 95
    assert right["square or circle", "512"] > 80
    assert right["square or circle", "photocells"] < right["square or circle", "512"]
    for *_, separable, updates, most in found:
        assert (separable == "no") == (most == "no bound")
        if separable == "yes":
            assert int(updates.replace(",", "")) <= int(most.replace(",", ""))
    picture = tmp_path / re.findall(r"picture: (.+)", done.stdout)[0]
    assert picture == tmp_path / "build" / "photocells.png"
    assert picture.read_bytes().startswith(b"\x89PNG")

"""The board of the lab: it survives JSON, links and tables; malformed boards are refused with a message."""

import base64
import io
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import DataError, Perceptron, datasets, read, separability, trace, write
from rosenblatt.data.files.lab_board import KEY, MAX_BYTES, MAX_CLASSES, MAX_POINTS, Board, Pane, view_of
from tests.cli.test_main import refused, run

COORDINATES = st.floats(-1e9, 1e9)
WORDS = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=12)
LABELS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=MAX_CLASSES, unique=True),
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=MAX_CLASSES, unique=True),
)


@st.composite
def boards(draw: Any) -> Board:
    classes = draw(LABELS)
    codes = st.integers(0, len(classes) - 1)
    return Board.of(
        {
            KEY: 1,
            "names": draw(st.lists(WORDS, min_size=2, max_size=2, unique=True)),
            "classes": classes,
            "points": draw(st.lists(st.tuples(COORDINATES, COORDINATES, codes).map(list), max_size=12)),
            "gaussians": draw(st.lists(st.tuples(*[COORDINATES] * 6, codes).map(list), max_size=3)),
            "panes": [{"algorithm": "perceptron", "options": {"bias": draw(st.sampled_from([0, 1]))}}],
            "step": draw(st.integers(0, 100)),
            "view": [-4, 4, -3, 3],
        }
    )


@given(boards())
def test_json_and_links_give_the_board_back(board: Board) -> None:
    assert Board.from_json(board.to_json()) == board
    assert Board.from_link(board.to_link()) == board
    assert Board.from_link(f"http://127.0.0.1:8958/{board.to_link()}") == board
    assert Board.of(json.loads(json.dumps(board.document()))) == board


@given(boards())
def test_a_link_is_what_a_browser_makes(board: Board) -> None:
    """Raw deflate of UTF-8, in the letters of addresses, without padding."""
    packed = board.to_link().removeprefix("#board=")
    assert set(packed) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    raw = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    assert json.loads(zlib.decompress(raw, wbits=-15)) == board.document()


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_other_documents_are_refused_with_a_sentence(document: Any) -> None:
    with pytest.raises(DataError, match=r"\.$"):
        Board.of(document)
    with pytest.raises(DataError, match=r"\.$"):
        Board.from_json(json.dumps(document))


@given(st.text())
def test_other_texts_are_refused_with_a_sentence(text: str) -> None:
    for read_text in (Board.from_json, Board.from_link):
        with pytest.raises(DataError, match=r"\.$"):
            read_text(text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({KEY: 2}, "which has 'rosenblatt_lab': 1; here that is 2"),
        ({"points": [[0, 0, 2]]}, "points[0][2] must be a whole number from 0 to 1, not 2"),
        ({"points": [[0, 0, 0], [1, "a", 0]]}, "points[1][1] must be a number from -1e+09 to 1e+09, not 'a'"),
        ({"points": [[0, float("nan"), 0]]}, "points[0][1] must be a number"),
        ({"points": [[0, 0]]}, "points[0] must have 3 entries, not 2"),
        ({"points": [[0, 0, 0]] * (MAX_POINTS + 1)}, "points must have 0 to 2,000 entries, not 2,001"),
        ({"classes": ["a", "a"]}, "Two classes are called a; give one of them another name"),
        ({"classes": ["1", 1]}, "Two classes are called 1"),
        ({"classes": [True, 1]}, "classes[0] must be a word"),
        ({"classes": list(range(7))}, "classes must have 1 to 6 entries, not 7"),
        ({"names": ["x", ""]}, "names[1] must be a word"),
        ({"panes": []}, "panes must have 1 to 2 entries, not 0"),
        ({"panes": [{"algorithm": 3}]}, "panes[0].algorithm must be a word"),
        ({"panes": [{"options": []}]}, "panes[0].options must be an object"),
        ({"view": [1, 0, 0, 1]}, "view must be x from, x to, y from, y to"),
        ({"step": -1}, "step must be a whole number from 0 to 2000"),
        ({"colour": 1}, "the board has 'colour', but only"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change: dict[str, Any], said: str) -> None:
    document = Board.of_rows([[0, 0], [1, 1]], [0, 1]).document()
    with pytest.raises(DataError) as caught:
        Board.of(document | change)
    assert said in str(caught.value)


def test_labels_of_both_kinds_are_words() -> None:
    assert Board.of({KEY: 1, "classes": ["cat", 1]}).classes == ("cat", "1")


def test_a_link_that_unpacks_to_too_much_is_refused() -> None:
    packer = zlib.compressobj(9, wbits=-15)
    bomb = packer.compress(b" " * (20 * MAX_BYTES)) + packer.flush()
    with pytest.raises(DataError, match="more than 2,000,000 bytes"):
        Board.from_link("#board=" + base64.urlsafe_b64encode(bomb).decode())


@given(st.lists(st.tuples(COORDINATES, COORDINATES), min_size=1, max_size=8))
def test_the_view_has_room_for_all_points_and_is_four_by_three(points: list[tuple[float, float]]) -> None:
    left, right, low, high = view_of(points)
    assert right - left == pytest.approx(4 / 3 * (high - low), rel=1e-5)
    assert all(left < x < right and low < y < high for x, y in points)


def test_the_view_has_room_for_gaussians() -> None:
    board = Board.of({KEY: 1, "gaussians": [[10, 0, 3, 0, 0, 1, 0]]})
    assert board.view[0] < 10 - 2 * 3 < 10 + 2 * 3 < board.view[1]


def saved(folder: Path, board: Board, name: str = "lab.json") -> str:
    path = folder / name
    path.write_text(board.to_json())
    return str(path)


@given(boards().filter(lambda board: board.points))
def test_reading_gives_the_points_to_the_last_bit(board: Board) -> None:
    found = read(io.StringIO(board.to_json()), format="lab")
    assert found.X.tolist() == [list(point[:2]) for point in board.points]
    assert found.feature_names == list(board.names)


def test_labels_are_those_of_the_board(tmp_path: Path) -> None:
    for classes in ([-1, 1], ["no", "yes, but"]):
        X, y = [[0.0, 0.1], [1.0, 0.2]], classes
        found = read(saved(tmp_path, Board.of_rows(X, y)))
        assert (found.X.tolist(), found.y.tolist()) == (X, y)


def test_the_command_reads_a_board(tmp_path: Path) -> None:
    file = saved(tmp_path, Board.of_rows(*datasets.load("xor")))
    assert run("check", file).out.startswith("overlap ")
    X, y = read(file)
    assert separability(X, y).kind == "overlap"


def test_a_board_without_points_is_refused_with_its_name(tmp_path: Path) -> None:
    file = saved(tmp_path, Board())
    with pytest.raises(DataError, match=r"lab\.json: the board has no points\."):
        read(file)
    drawn = saved(tmp_path, Board.of({KEY: 1, "gaussians": [[0, 0, 1, 0, 0, 1, 0]]}))
    with pytest.raises(DataError, match="drawn Gaussians, but no points"):
        read(drawn)


def test_other_json_is_refused_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text('{"a": 1}')
    with pytest.raises(DataError, match=r"other\.json: the board has 'a'"):
        read(file)


def test_a_data_set_becomes_a_board_and_comes_back() -> None:
    X, y = datasets.load("berkeley_points")
    board = Board.of_rows(X, y, panes=[Pane("perceptron", {"init": [0, 0, -1]})])
    assert np.array_equal(board.X, X)
    assert np.array_equal(board.y, y)
    assert list(board.X.columns) == ["f1", "f2"]
    model = Perceptron(order="cyclic")
    assert trace(model, board.X, board.y) == trace(model, X, y)


def test_what_the_library_writes_the_lab_opens(tmp_path: Path) -> None:
    path = tmp_path / "points.json"
    X, y = datasets.load("cmu_points")
    write(X, y, path)
    board = Board.from_json(path.read_text())
    assert np.array_equal(board.X, X)
    assert np.array_equal(board.y, y)
    X, y = datasets.load("iris")
    with pytest.raises(DataError, match=r"iris\.json: a board of the lab has two columns, but X has 4"):
        write(X, y, tmp_path / "iris.json")
    assert not (tmp_path / "iris.json").exists()


def test_the_command_writes_a_board(tmp_path: Path) -> None:
    path = tmp_path / "xor.json"
    assert run("data", "write", "xor", path).code == 0
    assert Board.from_json(path.read_text()).y.tolist() == [0, 1, 1, 0]


def test_a_board_is_not_read_from_a_pipe() -> None:
    refused(run("fit", "-", "--format", "lab", stdin=Board().to_json()), "a board of the lab is read from a local file")

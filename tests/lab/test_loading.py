"""Built-in data, tables and saved boards that are put on the board, and the errors of those that do not fit."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import DataError, ParameterError, RosenblattError, datasets
from rosenblatt.data.files.lab_board import KEY, Board
from rosenblatt.lab.jobs import JOBS
from rosenblatt.lab.loading import SOURCES, data, table, view
from rosenblatt.lab.offers import catalogue
from tests.support.lab_boards import board_of, lecture, shown


@pytest.mark.parametrize("name", SOURCES)
def test_built_in_data_is_that_of_the_library(name: str) -> None:
    opened = data({"name": name})
    board = Board.of({KEY: 1, **opened["board"]})
    given = {option.name: option.default for option in SOURCES[name].options}
    X, y = datasets.load(name, **SOURCES[name].fixed, **given)
    assert np.array_equal(board.X, np.asarray(X)[:, :2])
    assert board.y.tolist() == y.tolist()
    assert opened["shown"] == [0, 1]
    if SOURCES[name].pane:
        assert shown(lecture(name))["frames"]


def test_two_columns_of_iris_are_chosen_by_number_or_name() -> None:
    X, _ = datasets.load("iris")
    for columns in ([2, 3], ["petal length (cm)", "petal width (cm)"]):
        opened = data({"name": "iris", "columns": columns})
        assert opened["board"]["names"] == ["petal length (cm)", "petal width (cm)"]
        assert [point[:2] for point in opened["board"]["points"]] == np.asarray(X)[:, 2:].tolist()
    wrong: list[Any] = [[2, 2], [0], [0, 9], "no", [True, 1]]
    for columns in wrong:
        with pytest.raises(ParameterError):
            data({"name": "iris", "columns": columns})


def test_a_margin_is_planted() -> None:
    from rosenblatt import separability

    board = board_of("planted_margin", margin=0.35, rows=40, seed=3)
    low, high = separability(board.X, board.y).margin_bounds or (0, 0)
    assert low == pytest.approx(0.35, rel=1e-6)
    assert high == pytest.approx(0.35, rel=1e-6)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"name": "xorr"}, "no data 'xorr'.*Did you mean 'xor'"),
        ({"name": 3}, "no data 3"),
        ({"name": "planted_margin", "options": {"margin": 7}}, "margin must be a number from 0.01 to 0.6, not 7"),
        ({"name": "planted_margin", "options": {"rows": 5.5}}, "rows must be a whole number"),
        ({"name": "xor", "options": {"rows": 5}}, "The options of XOR are none"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(request_: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        data(request_)


def opened_text(text: str, **more: Any) -> dict[str, Any]:
    return table({"text": text, **more})


def test_pasted_tables() -> None:
    for text in (
        "a,b,label\n1,2,yes\n3,4,no\n",
        "a\tb\tlabel\n1\t2\tyes\n3\t4\tno\n",
        "\ufeffa,b,label\r\n1,2,yes\r\n3,4,no",
    ):
        opened = opened_text(text)
        assert opened["board"]["points"] == [[1.0, 2.0, 1], [3.0, 4.0, 0]]
        assert opened["board"]["classes"] == ["no", "yes"]
        assert (opened["board"]["names"], opened["target"]) == (["a", "b"], "label")


def test_the_label_and_the_columns_can_be_chosen() -> None:
    text = "kind,a,b,c\n0,1,2,3\n1,4,5,6\n"
    opened = opened_text(text, target="kind", columns=["a", "c"])
    assert opened["board"]["points"] == [[1.0, 3.0, 0], [4.0, 6.0, 1]]
    assert (opened["columns"], opened["shown"]) == (["a", "b", "c"], [0, 2])


@pytest.mark.parametrize(
    "text",
    [
        "class,x1,x2\na,1.5,2\nb,3,4\n",
        "x1;x2;class\n1,5;2;a\n3;4;b\n",
        "x1 x2 class\n1.5 2 a\n3 4 b\n",
        'x1,class,x2\n1.5,"a",2\n3,b,4',
    ],
)
def test_tables_as_people_have_them(text: str) -> None:
    opened = opened_text(text)
    assert opened["board"]["points"] == [[1.5, 2.0, 0], [3.0, 4.0, 1]]
    assert opened["board"]["classes"] == ["a", "b"]
    assert opened["target"] == "class"
    assert sorted(opened["fields"]) == ["class", "x1", "x2"]


def test_a_cell_that_is_too_large_is_named() -> None:
    with pytest.raises(DataError, match=r"there is 1e\+200 in row 2 of 'b'"):
        opened_text("a,b,label\n1,2,x\n3,1e200,y\n")


def test_a_saved_board_is_opened_whole() -> None:
    board = board_of("xor", "kernel", {"kernel": "poly"})
    assert opened_text(board.to_json())["board"] == board.document()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,label\n1,0\n2,1\n", "Two columns of numbers and a label are needed, but there is one column, 'a'"),
        ("a,b,label\n1,x,0\n2,3,1\n", "'x'|words"),
        ("a,b,label\n1,,0\n2,3,1\n", r"column 'b': a number was expected, but it is missing\. Change the table, and"),
        ("", "no rows"),
        ("a,b,c\n" + "".join(f"{i},{i},{i}\n" for i in range(9)), "at most 6 classes, and the label has 9 values"),
        ("a,b,c\n" + "1,2,0\n" * 2001, "at most 2,000 points, and here are 2,001 rows"),
        ('{"a": 1}', "the board has 'a'"),
        ("{", "which is JSON"),
    ],
)
def test_tables_that_do_not_fit_are_refused(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        opened_text(text)


@given(st.text())
def test_any_text_is_opened_or_refused_with_a_sentence(text: str) -> None:
    try:
        opened = opened_text(text)
    except RosenblattError as error:
        said = str(error)
    else:
        said = "opened."
        Board.of({KEY: 1} | opened["board"])
    assert said.endswith((".", "?"))


def test_the_view_fits_and_zooms_around_its_middle() -> None:
    board = board_of("and")
    fitted = view({"board": board.document()})["view"]
    assert fitted == list(board.fitted().view)
    left, right, low, high = view({"board": board.document(), "zoom": 2})["view"]
    assert right - left == pytest.approx((board.view[1] - board.view[0]) / 2)
    assert (left + right, low + high) == pytest.approx((board.view[0] + board.view[1], board.view[2] + board.view[3]))
    with pytest.raises(ParameterError, match="zoom must be a number"):
        view({"board": board.document(), "zoom": 0})


def test_the_catalogue_offers_what_there_is() -> None:
    told = catalogue({})
    json.dumps(told, allow_nan=False)
    assert {entry["name"] for entry in told["data"]} <= set(datasets.names())
    for algorithm in told["algorithms"]:
        for option in algorithm["options"]:
            values = [choice["value"] for choice in option["choices"]]
            assert option["kind"] != "choice" or option["default"] in values
            assert option["when"] is None or set(option["when"]) <= {other["name"] for other in algorithm["options"]}


@given(
    st.dictionaries(
        st.sampled_from(["board", "pane", "name", "text", "kind", "zoom", "exercise", "lesson"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
        ),
    )
)
def test_any_request_gets_an_answer_or_a_sentence(request_: dict[str, Any]) -> None:
    for job in JOBS.values():
        try:
            job(request_)
        except RosenblattError as error:
            said = str(error)
        else:
            said = "answered."
        assert said.endswith((".", "?"))

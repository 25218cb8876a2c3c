"""A trace as JSON lines that load back equal, as a data frame, and as a table for the terminal."""

import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scipy import sparse
from sklearn.base import clone

from rosenblatt import DataError, PassiveAggressive, Perceptron, StopReason, Trace, trace
from tests.support.effort import by_day
from tests.support.lazily import Lazily

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

RUNS: Lazily[Trace] = Lazily(
    {
        "CMU": lambda: trace(
            Perceptron(order="cyclic", bias=0, tie="positive"),
            [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]],
            [-1, 1, 1, -1, -1, 1],
            max_steps=6,
        ),
        "CS188": lambda: trace(
            Perceptron(order="cyclic", tie="positive", init=[0, 0, -1]),
            pd.DataFrame([[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], columns=["f1", "f2"]),
            ["minus", "plus", "plus", "plus", "minus"],
            max_steps=5,
        ),
        "three classes": lambda: trace(
            Perceptron(order="cyclic", bias=0, init=[[-2, 2, 1, 0], [0, 3, 4, 0], [1, 4, -2, 0]]),
            [[-2, 3, 1], [1, 0, 0], [0, 1, 0]],
            [2, 0, 1],
            max_steps=1,
        ),
    }
)
HEAD = ["rosenblatt_trace", "kind", "estimator", "classes", "names", "bias", "start", "stop_reason", "members", "steps"]
FIELDS = ["epoch", "index", "x", "y", "score", "predicted", "mistake", "updated", "w", "answer", "angle_before"]
FIELDS += ["angle_after", "norm", "updates", "lower", "upper", "radius", "active", "weights", "task"]


LABELS: list[list[Any]] = [[0, 1], [-1, 1], [False, True], ["no", "yes"], [3, 1, 2], ["ü", "\u2028", '"\n']]
STORES: list[Any] = [np.float64, np.float32, sparse.csr_array]
STORES += by_day([], [lambda X: sparse.csr_matrix(X, dtype=np.float32)])  # one more version of every kernel to compile
NUMBERS = [st.integers(-3, 3).map(float), st.floats(-1e9, 1e9, allow_subnormal=False)]
RULES: list[Any] = [
    Perceptron(tie="positive"),
    Perceptron(bias=0, average="averaged", learning_rate=0.1),
    Perceptron(average="voted", margin=0.5),
    PassiveAggressive(C=math.inf),
    PassiveAggressive(variant="II"),
]


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Traces of any rule and order, on small data in any storage, with labels of any kind."""
    labels = draw(st.sampled_from(LABELS))
    y = np.array(labels + draw(st.lists(st.sampled_from(labels), max_size=4)))
    d, number = draw(st.integers(1, 3)), draw(st.sampled_from(NUMBERS))
    X = draw(st.lists(st.lists(number, min_size=d, max_size=d), min_size=len(y), max_size=len(y)))
    order = draw(st.sampled_from(["cyclic", "shuffled", "random", "first", "worst"]))
    model = clone(draw(st.sampled_from(RULES))).set_params(order=order, max_epochs=3)
    return trace(model, draw(st.sampled_from(STORES))(X), y, max_steps=draw(st.sampled_from([None, 4])))


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


@given(traces())
def test_json_lines_load_back_equal(run: Trace) -> None:
    """Equal with the same types (1 is not True is not 1.0: `repr` tells them apart), and the same bytes again."""
    text = run.to_jsonl()
    again = Trace.from_jsonl(text)
    assert again == run
    assert repr(again) == repr(run)
    assert again.to_jsonl() == text


@given(traces())
def test_every_line_is_json(run: Trace) -> None:
    """A header and a line a step, each an object of strict JSON, in ASCII: what a page or another language reads."""
    text = run.to_jsonl()
    assert text.isascii()
    assert text.endswith("\n")
    head, *steps = [json.loads(line, parse_constant=refuse_constant) for line in text.split("\n")[:-1]]
    assert (head["rosenblatt_trace"], head["kind"], head["members"]) == (2, "rows", [])
    assert head["stop_reason"] == (None if run.stop_reason is None else str(run.stop_reason))
    assert (head["estimator"], head["bias"]) == (run.estimator, run.bias)
    assert (head["classes"], head["names"]) == (list(run.classes), list(run.feature_names))
    assert [step["index"] for step in steps] == [step.index for step in run]
    assert all(list(step) == FIELDS for step in steps)


def test_the_lecture_as_json() -> None:
    """CMU's third point, (1, 1)+, scores -1 under (1, -2); the line is written out by hand but for the angles."""
    line = json.loads(RUNS["CMU"].to_jsonl().splitlines()[3])
    cosines = [math.cos(line.pop("angle_before")), math.cos(line.pop("angle_after"))]
    assert cosines == pytest.approx([-1 / math.sqrt(10), 1 / math.sqrt(10)], rel=0, abs=1e-15)
    assert line.pop("norm") == pytest.approx(math.sqrt(5), rel=1e-15, abs=0)
    assert line == {
        "epoch": 1,
        "index": 2,
        "x": [1, 1],
        "y": 1,
        "score": -1,
        "predicted": -1,
        "mistake": True,
        "updated": True,
        "w": [2, -1, 0],
        "answer": None,
        "updates": 2,
        "lower": None,
        "upper": None,
        "radius": None,
        "active": None,
        "weights": None,
        "task": None,
    }


@given(traces())
def test_any_run_as_a_dict_and_back(run: Trace) -> None:
    body = run.to_dict()
    assert json.loads(json.dumps(body, allow_nan=False)) == body
    assert Trace.from_dict(body) == run
    assert hash(Trace.from_dict(body)) == hash(run)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.pop("feature_names"),
        lambda body: body.update(names=["a"]),
        lambda body: body.update(steps=3),
        lambda body: body.update(kind="dance"),
        lambda body: body.update(stop_reason="tired"),
        lambda body: body.update(members=[1]),
        lambda body: body["steps"][0].pop("w"),
        lambda body: body["steps"].append([1, 2]),
    ],
)
def test_a_dict_that_is_no_trace_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    body = RUNS["CMU"].to_dict()
    change(body)
    with pytest.raises(DataError, match=r"^This is not a Trace: .*\.$"):
        Trace.from_dict(body)
    others: list[Any] = [None, [], "steps", {}]
    for other in others:
        with pytest.raises(DataError, match="This is not a Trace"):
            Trace.from_dict(other)


def test_a_number_that_json_does_not_have_is_refused() -> None:
    text = RUNS["CMU"].to_jsonl().replace('"bias": 0.0', '"bias": NaN', 1)
    assert "NaN" in text
    with pytest.raises(DataError, match="NaN is not a number"):
        Trace.from_jsonl(text)


@pytest.mark.parametrize("reason", [*StopReason, None])
def test_every_reason_to_stop_loads_back(reason: StopReason | None) -> None:
    run = replace(RUNS["CMU"], stop_reason=reason)
    assert Trace.from_jsonl(run.to_jsonl()).stop_reason is reason


def text(head: Any, *steps: Any) -> str:
    return "".join(json.dumps(line) + "\n" for line in (head, *steps))


def without(part: str, key: str, head: dict[str, Any], step: dict[str, Any]) -> str:
    """The trace without one key of its header or of its step."""
    del {"head": head, "step": step}[part][key]
    return text(head, step)


def lines(run: Trace) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the only step."""
    head, step = map(json.loads, run.to_jsonl().splitlines())
    return head, step


NOT_A_TRACE: dict[str, Callable[[dict[str, Any], dict[str, Any]], str]] = {
    "empty": lambda *_: "",
    "an empty line": lambda *_: "\n",
    "not JSON": lambda *_: "index,x,y\n0,1,2\n",
    "cut off within a line": lambda head, step: text(head, step)[:-9],
    "a list": lambda *_: text([1, 2, 3]),
    "a number": lambda *_: text(1),
    "steps only": lambda _, step: text(step),
    "a step that is a list": lambda head, _: text(head, [1, 2]),
    "the format before": lambda head, step: text({**head, "rosenblatt_trace": 1}, step),
    "a format to come": lambda head, step: text({**head, "rosenblatt_trace": 3}, step),
    "an unknown kind": lambda head, step: text({**head, "kind": "dance"}, step),
    "a member that is no member": lambda head, step: text({**head, "members": [{"task": "a against b"}]}, step),
    "an unknown reason to stop": lambda head, step: text({**head, "stop_reason": "tired"}, step),
    "a reason to stop that is a number": lambda head, step: text({**head, "stop_reason": 1}, step),
    "a reason to stop that is empty": lambda head, step: text({**head, "stop_reason": ""}, step),
    "an unknown key in the header": lambda head, step: text({**head, "colour": "red"}, step),
    "an unknown key in a step": lambda head, step: text(head, {**step, "colour": "red"}),
    **{f"no {key} in the header": partial(without, "head", key) for key in HEAD},
    **{f"no {key} in a step": partial(without, "step", key) for key in FIELDS},
}


def test_what_is_refused_below_is_otherwise_a_trace() -> None:
    head, step = lines(RUNS["three classes"])
    assert (list(head), list(step)) == (HEAD, FIELDS)
    assert Trace.from_jsonl(text(head, step)) == RUNS["three classes"]


@pytest.mark.parametrize("how", NOT_A_TRACE)
def test_refuses_what_is_not_a_trace(how: str) -> None:
    """The error is a DataError that says what was expected."""
    with pytest.raises(DataError, match=r"Trace\.to_jsonl\(\)|has format .*, but this version reads format 2"):
        Trace.from_jsonl(NOT_A_TRACE[how](*lines(RUNS["three classes"])))


def test_frame_has_a_row_a_step() -> None:
    frame = RUNS["CS188"].to_frame()
    assert frame["index"].tolist() == [0, 1, 2, 3, 4]
    assert frame[["x_f1", "x_f2"]].values.tolist() == [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]]
    assert frame["y"].tolist() == ["minus", "plus", "plus", "plus", "minus"]
    assert frame["score"].tolist() == [-1, -1, 14, 17, 12]
    assert frame["predicted"].tolist() == ["minus", "minus", "plus", "plus", "plus"]
    assert frame["mistake"].tolist() == frame["updated"].tolist() == [False, True, False, False, True]
    weights = [[0, 0, -1], [3, 2, 0], [3, 2, 0], [3, 2, 0], [1, -1, -1]]
    assert frame[["w_f1", "w_f2", "w_bias"]].values.tolist() == weights
    assert frame["updates"].tolist() == [0, 1, 1, 1, 2]


def test_frame_of_no_steps() -> None:
    frame = replace(RUNS["CS188"], steps=()).to_frame()
    assert list(frame.columns) == list(RUNS["CS188"].to_frame().columns)
    assert len(frame) == 0


def test_frame_keeps_labels_beside_a_tie() -> None:
    """A first row meets w = 0: a tie, predicted as nothing; the labels of the others stay integers."""
    run = trace(Perceptron(order="cyclic"), [[1], [-2]], [1, -1])
    assert [step.predicted for step in run] == [None, -1, 1, -1]
    predicted = run.to_frame()["predicted"].tolist()
    assert pd.isna(predicted[0])
    assert [(type(label), label) for label in predicted[1:]] == [(int, -1), (int, 1), (int, -1)]


def printed(run: Trace) -> tuple[str, list[list[str]]]:
    """The table as text, and its cells, heading first."""
    out = io.StringIO()
    Console(file=out, width=200).print(run.to_table())
    lines = [re.split("[│┃]", line)[1:-1] for line in out.getvalue().splitlines() if re.match("[│┃]", line)]
    return out.getvalue(), [[cell.strip() for cell in line] for line in lines]


def test_table_of_cs188() -> None:
    """The lecture's table, its weights with the bias last; angles and lengths by hand for the first update."""
    shown, (heading, *rows) = printed(RUNS["CS188"])
    assert heading == ["#", "row", "f1", "f2", "y", "score", "predicted", "mistake", "w after", "angle", "|w|"]
    assert [row[:9] for row in rows] == [
        ["1", "0", "1", "1", "minus", "-1", "minus", "no", "(0, 0, -1)"],
        ["2", "1", "3", "2", "plus", "-1", "minus", "yes", "(3, 2, 0)"],
        ["3", "2", "2", "4", "plus", "14", "plus", "no", "(3, 2, 0)"],
        ["4", "3", "3", "4", "plus", "17", "plus", "no", "(3, 2, 0)"],
        ["5", "4", "2", "3", "minus", "12", "plus", "yes", "(1, -1, -1)"],
    ]
    before = math.degrees(math.acos(-1 / math.sqrt(14)))
    after = math.degrees(math.acos(13 / math.sqrt(13 * 14)))
    assert rows[1][9:] == [f"{before:.1f}° -> {after:.1f}°", f"{math.sqrt(13):.6g}"]
    assert rows[0][9:] == ["", "1"]
    assert "Perceptron(" in shown
    assert "cut off" in shown


def test_table_of_more_classes_and_of_a_tie() -> None:
    _, (_, row, *more) = printed(RUNS["three classes"])
    assert row[5:9] == ["2", "(11, 13, 8)", "1", "yes"]
    assert [line[9] for line in (row, *more)] == ["(-2, 2, 1, 0)", "(2, 0, 3, 0)", "(-1, 7, -1, 0)"]
    shown, (_, row, *_) = printed(trace(Perceptron(order="cyclic"), [[1], [-1]], [1, -1]))
    assert row[3:7] == ["1", "0", "tie", "yes"]
    assert row[8] == "- -> 0.0°"
    assert "mistake_free" in shown


@pytest.mark.parametrize("word", ["length [cm]", "[red]", "[/b]", "\\[i]"])
def test_table_shows_names_and_labels_as_they_are(word: str) -> None:
    """Square brackets are text, not markup."""
    run = trace(Perceptron(order="cyclic"), pd.DataFrame({word: [1.0, -1.0]}), [word, "other"])
    _, (heading, first, *_) = printed(run)
    assert heading[2] == word
    assert first[3] == word


def test_a_trace_cut_short_is_refused() -> None:
    whole = RUNS["CS188"].to_jsonl()
    with pytest.raises(DataError, match="header announces 5 steps, but 4 follow"):
        Trace.from_jsonl("".join(whole.splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match="at line 6"):
        Trace.from_jsonl(whole[:-20])
    assert Trace.from_jsonl(whole + "\n") == RUNS["CS188"]


def test_a_wide_trace_still_shows_whole_numbers_in_a_narrow_table() -> None:
    wide = trace(Perceptron(max_epochs=1), np.eye(9) * 0.123456, [0, 1] * 4 + [0])
    out = io.StringIO()
    Console(file=out, width=80).print(wide.to_table())
    assert "…" not in out.getvalue()
    assert "x9" not in out.getvalue()
    assert repr(wide).endswith("9 steps, budget>")

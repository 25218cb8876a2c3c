"""The lessons: boards run, right answers are accepted, wrong answers get feedback, numbers are the lectures'."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.data.files.lab_board import Board
from rosenblatt.datasets import lectures
from rosenblatt.errors import RosenblattError
from rosenblatt.lab.catalogue import algorithm_of
from rosenblatt.lab.lessons import EXERCISES, LESSONS, check, listing, pose, solution
from rosenblatt.lab.runs.run import run
from tests.support.effort import examples

STEPS = [(lesson.id, i) for lesson in LESSONS.values() for i in range(len(lesson.steps))]
ASKED = [(lesson, i) for lesson, i in STEPS if LESSONS[lesson].steps[i].ask is not None]
LISTED = listing()
DOCUMENTS = {(lesson["id"], i): step for lesson in LISTED["lessons"] for i, step in enumerate(lesson["steps"])}

YES, NO = "yes", "no"
CONVEX = "always one convex piece, or empty"

# The answers that the lectures give, or that follow from them by hand. They are typed here, not computed.
LECTURED: dict[tuple[str, int], dict[str, Any]] = {
    # LUMS EE514, Perceptron Classifier
    ("neuron", 0): {"or": 1, "and": 2},
    ("neuron", 1): {"or": 1, "and": 3, "rows": 4},
    ("neuron", 2): {"threshold": "none: no threshold computes XOR", "line": NO},
    ("neuron", 3): {"b": -2},
    ("neuron", 4): {"score4": -1, "mistake4": YES, "w4": [1, 1, 0]},  # by hand
    ("neuron", 5): {"stops": YES, "last": 0},
    ("neuron", 6): {"w1": [-1, 2], "angle": "more than 90\N{DEGREE SIGN}"},  # (1, 2) - (2, 0)
    ("neuron", 7): {"most": 12},  # 1/0.28^2 = 12.755
    ("neuron", 8): {"needs": "the current point and the weights"},
    # CS 360, Perceptron and the way to support vector machines
    ("margin", 0): {"first": 2, "first_class": "+1", "second": -13, "second_class": "-1"},
    ("margin", 1): {"score": 0, "class": "-1"},
    ("margin", 2): {"always": NO, "stops": YES},
    ("margin", 3): {"lines": "different lines, and both separate the classes"},
    ("margin", 4): {"loss": 4},  # -5 + 0 + 1 = -4
    ("margin", 6): {"stops": NO, "column": "x1 * x2"},
    ("margin", 7): {"functional": 20, "geometric": 4, "doubled": 4},
    ("margin", 8): {"margin": 2, "support": 3},
    # V. Hlavac, Linear classifiers, a perceptron family
    ("family", 0): {"scores": [2, 1, -2], "class": "1", "region": CONVEX},
    ("family", 1): {"b": -8, "class": "b"},
    ("family", 2): {"claims": "sometimes by no class, or by several", "all": 5, "one": 10},
    ("family", 3): {"x": [-3, -2, -1]},
    ("family", 4): {"D": 5, "m": 3, "most": 2},
    ("family", 5): {"k": "1/3", "w": [2, 2]},
    ("family", 6): {"lower": 6 / 8**0.5, "upper": 8**0.5, "stops": YES},
    ("family", 7): {"separable": NO, "fewest": 1},
    ("family", 8): {"crossing": 1, "radius": 1},
    # CMU 10-301, lecture 6, Perceptron
    ("online", 0): {"line": [[4, 0], [0, 2]], "side": "the side without the origin"},
    ("online", 1): {"code": [0, 1], "differ": 2},
    ("online", 2): {"predicted1": "+1", "mistake1": YES, "w1": [1, -2]},
    ("online", 3): {"score2": 1, "mistake2": NO, "score3": -1, "mistake3": YES, "w3": [2, -1]},
    ("online", 4): {"mistake4": NO, "mistake5": YES, "mistake6": NO, "w6": [3, 1]},
    ("online", 5): {"way": "towards the negative side", "far": 1},
    ("online", 6): {"better": "the mean of all weights"},
    ("online", 7): {"radius": 5, "gamma": 1, "most": 5, "six": NO},
    ("online", 8): {"poll": "false: it can overfit"},
    # Berkeley CS188, Perceptron
    ("activation", 0): {"activation": 10, "w": [-2, 2, 1]},
    ("activation", 1): {"score1": -1, "mistake1": NO, "score2": -1, "mistake2": YES, "w2": [3, 2, 0]},
    ("activation", 2): {"score3": 14, "mistake3": NO, "score4": 17, "mistake4": NO},
    ("activation", 3): {"score5": 12, "mistake5": YES, "w5": [1, -1, -1]},
    ("activation", 4): {"square": 14, "again": -2},
    ("activation", 5): {"separable": YES, "stops": YES},
    ("activation", 6): {"scores": [11, 13, 8], "class": "1"},
    ("activation", 7): {"w1": [2, 0, 3], "w2": [-1, 7, -1]},
    ("activation", 8): {"count": 9, "w0": [2, 1, 1]},
}


def wrong_answers(field: dict[str, Any], right: Any) -> list[Any]:
    """Answers of the field's kind that are not right."""
    if field["kind"] == "choice":
        return [choice for choice in field["choices"] if choice != right]
    if field["kind"] == "number":
        return [right + 1, right - 1, *([-right] if abs(right) > 0.1 else [])]
    if field["kind"] == "numbers":
        moved = [[*right[:j], right[j] + 1, *right[j + 1 :]] for j in range(len(right))]
        return [*moved, [-x for x in right]] if any(right) else moved
    (x, y), (u, v) = right
    return [[[x + 2, y + 2], [u + 2, v + 2]], [[x, y], [x + v - y, y - u + x]], [[x, v], [u, y]]]


def test_there_is_a_lesson_for_each_lecture_and_an_exercise_for_each_ability() -> None:
    assert [lesson["lecture"].split()[0] for lesson in LISTED["lessons"]] == ["LUMS", "CS", "V.", "CMU", "Berkeley"]
    assert [exercise["id"] for exercise in LISTED["exercises"]] == [
        "run-it",
        "will-it-converge",
        "draw-the-boundary",
        "is-it-separable",
        "defend-the-bias",
        "why-it-overfits",
    ]
    for lesson in LISTED["lessons"]:
        assert 6 <= len(lesson["steps"]) <= 10
        asked = [step for step in lesson["steps"] if step["ask"]]
        assert len(asked) >= len(lesson["steps"]) - 1  # most ask before they reveal


def test_the_listing_is_json_and_holds_no_answers() -> None:
    assert json.loads(json.dumps(LISTED, allow_nan=False)) == LISTED
    known = {"name", "label", "kind", "choices", "count", "parts"}
    for step in DOCUMENTS.values():
        for field in step["ask"]["fields"] if step["ask"] else []:
            assert set(field) <= known


@pytest.mark.parametrize(("lesson", "i"), STEPS)
def test_a_step_reads_as_it_should(lesson: str, i: int) -> None:
    step = DOCUMENTS[lesson, i]
    assert 1 <= len(step["say"]) <= 3
    for paragraph in [*step["say"], *([step["ask"]["prompt"]] if step["ask"] else [])]:
        assert paragraph.endswith((".", "?", ")"))
        assert "!" not in paragraph
        assert "  " not in paragraph
        assert len(paragraph) < 420
    if step["ask"]:
        names = [field["name"] for field in step["ask"]["fields"]]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(("lesson", "i"), STEPS)
def test_the_board_of_a_step_runs_and_has_the_frame_that_is_shown(lesson: str, i: int) -> None:
    step = LESSONS[lesson].steps[i]
    if step.board is None:
        return
    document = step.board.document()
    assert Board.of(document) == step.board
    if not step.board.points and not step.board.gaussians and algorithm_of(step.board.panes[0]).needs == "points":
        assert step.t is None  # a line is drawn on an empty plane
        return
    frames = [len(run({"board": document, "pane": pane})["frames"]) for pane in range(len(step.board.panes))]
    shown = [step.t, step.ask.reveal().t if step.ask else None]
    assert all(t is None or -1 <= t < max(frames) for t in shown)


@pytest.mark.parametrize(("lesson", "i"), ASKED)
def test_the_right_answers_are_accepted_and_explained(lesson: str, i: int) -> None:
    request = {"lesson": lesson, "step": i}
    reply = check({**request, "answers": solution(request)})
    assert reply["right"]
    assert all(field["right"] for field in reply["fields"].values())
    assert reply["say"].startswith("Right. ")
    assert len(reply["say"]) > 40
    assert set(reply["reveal"]) == {"t", "proof", "shapes"}
    json.dumps(reply, allow_nan=False)


def test_every_question_is_in_the_list_of_what_the_lectures_say_but_one() -> None:
    assert set(ASKED) - set(LECTURED) == {("margin", 5)}  # its weights depend on the points, see below


@pytest.mark.parametrize(("lesson", "i"), LECTURED)
def test_the_numbers_of_the_lectures_are_right(lesson: str, i: int) -> None:
    reply = check({"lesson": lesson, "step": i, "answers": LECTURED[lesson, i]})
    assert reply["right"], reply


def test_half_the_learning_rate_is_half_the_weights() -> None:
    board = Board.of(DOCUMENTS["margin", 5]["board"])
    w, changed = np.zeros(3), True
    while changed:
        changed = False
        for (x, y), sign in zip(np.asarray(board.X), board.y, strict=True):
            row = np.array([x, y, 1.0])
            if (1 if w @ row > 0 else -1) != sign:
                w, changed = w + sign * row, True
    answers = {"w": (w / 2).tolist(), "updates": "the same"}
    assert check({"lesson": "margin", "step": 5, "answers": answers})["right"]


@pytest.mark.parametrize(("lesson", "i"), ASKED)
def test_wrong_answers_are_refused_with_a_sentence_and_show_nothing(lesson: str, i: int) -> None:
    request = {"lesson": lesson, "step": i}
    right = solution(request)
    for field in DOCUMENTS[lesson, i]["ask"]["fields"]:
        for wrong in wrong_answers(field, right[field["name"]]):
            reply = check({**request, "answers": {**right, field["name"]: wrong}})
            assert not reply["right"]
            assert reply["reveal"] is None
            assert not reply["fields"][field["name"]]["right"]
            assert reply["fields"][field["name"]]["say"].endswith((".", "?"))
            assert reply["say"].startswith("Not yet")


@pytest.mark.parametrize(("lesson", "i"), ASKED)
def test_a_reader_who_gives_up_is_shown_answers_that_are_right(lesson: str, i: int) -> None:
    request = {"lesson": lesson, "step": i}
    shown = check({**request, "show": True})
    assert not shown["right"]
    assert shown["reveal"] is not None
    assert all(field["say"].startswith("The answer: ") for field in shown["fields"].values())
    assert check({**request, "answers": shown["answers"]})["right"]


@pytest.mark.parametrize(
    ("w", "words"),
    [
        ([-3, -2, -2], "sign of y is wrong. A positive point is added"),
        ([0, 0, -1], "the weights change"),
        ([3, 2, -1], "b has to change too"),
        ([0, 3, 2], "Here b is last"),
        ([3, 2, 7], "Not right yet: b."),
        ([9, 9, 9], "add y times the point"),
    ],
)
def test_slips_in_an_update_have_a_sentence_of_their_own(w: list[float], words: str) -> None:
    answers = {**LECTURED["activation", 1], "w2": w}
    reply = check({"lesson": "activation", "step": 1, "answers": answers})
    assert words in reply["fields"]["w2"]["say"]
    assert words in reply["say"]


def test_a_lost_sign_of_a_number_is_named() -> None:
    reply = check({"lesson": "activation", "step": 3, "answers": {**LECTURED["activation", 3], "score5": -12}})
    assert "sign" in reply["fields"]["score5"]["say"]


def test_an_update_where_none_is_due_is_named() -> None:
    reply = check({"lesson": "online", "step": 4, "answers": {**LECTURED["online", 4], "w6": [4, 0]}})
    assert "the point is right" in reply["say"]


def test_after_the_first_wrong_step_the_others_are_not_spoken_about() -> None:
    answers = {**LECTURED["activation", 1], "score1": 3, "w2": [9, 9, 9]}
    reply = check({"lesson": "activation", "step": 1, "answers": answers})
    assert reply["fields"]["mistake1"]["right"]
    assert "steps before" in reply["fields"]["w2"]["say"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ([[4, 0], [0, 2]], ""),
        ([[-4, 0], [0, -2]], "sign of b is wrong"),
        ([[0, 0], [1, 2]], "perpendicular"),
        ([[5.5, 0], [0, 2.75]], "position is not"),
        ([[4, 0], [0, 4]], "two points of the line, choose"),
    ],
)
def test_lines_that_are_drawn_are_told_apart(line: list[list[float]], words: str) -> None:
    answers = {"line": line, "side": LECTURED["online", 0]["side"]}
    reply = check({"lesson": "online", "step": 0, "answers": answers})
    assert reply["right"] == (words == "")
    assert words in reply["fields"]["line"]["say"]


def test_a_line_is_accepted_up_to_the_tolerance_that_is_announced() -> None:
    assert "0.4" in DOCUMENTS["online", 0]["ask"]["prompt"]
    unit = np.array([1, 2]) / 5**0.5
    for off, right in ((0.39, True), (-0.39, True), (0.41, False), (-0.41, False)):
        line = (np.array([[4, 0], [0, 2]]) + off * unit).tolist()
        answers = {"line": line, "side": LECTURED["online", 0]["side"]}
        assert check({"lesson": "online", "step": 0, "answers": answers})["right"] == right


@pytest.mark.parametrize("text", ["-2", " -2.0 ", "-4/2", "\N{MINUS SIGN}2", -2, -2.0])
def test_numbers_may_be_written_in_several_ways(text: Any) -> None:
    assert check({"lesson": "neuron", "step": 3, "answers": {"b": text}})["right"]


@pytest.mark.parametrize(
    "given", ["", "two", "1/0", "nan", "inf", "1e999", "1/2/3", True, None, [], {}, "9" * 60, 10**400]
)
def test_what_is_no_number_is_refused_kindly(given: Any) -> None:
    with pytest.raises(RosenblattError, match=r"number|no answer"):
        check({"lesson": "neuron", "step": 3, "answers": {"b": given}})


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({}, "must name"),
        ({"lesson": "neuron", "exercise": "run-it"}, "must name"),
        ({"lesson": "neurn", "step": 0}, "Did you mean 'neuron'"),
        ({"lesson": ["neuron"], "step": 0}, "no lesson"),
        ({"lesson": "neuron", "step": 9}, "from 0 to 8"),
        ({"lesson": "neuron", "step": -1}, "from 0 to 8"),
        ({"lesson": "neuron", "step": True}, "whole number"),
        ({"lesson": "neuron"}, "whole number"),
        ({"lesson": "online", "step": 9}, "This step has no question"),
        ({"lesson": "neuron", "step": 0}, "answers must be an object"),
        ({"lesson": "neuron", "step": 0, "answers": {}}, "has no answer yet"),
        ({"lesson": "neuron", "step": 0, "answers": {"or": 1, "and": 2, "nor": 3}}, "no field 'nor'"),
        ({"lesson": "neuron", "step": 2, "answers": {"threshold": "3", "line": "no"}}, "one of the choices offered"),
        ({"lesson": "neuron", "step": 4, "answers": {"score4": 1, "mistake4": "no", "w4": [1]}}, "3 numbers"),
        ({"lesson": "online", "step": 0, "answers": {"line": [[0, 0]], "side": ""}}, "two points"),
        ({"lesson": "online", "step": 0, "answers": {"line": [[1, 1], [1, 1]], "side": ""}}, "two different points"),
        ({"exercise": "run", "seed": 1}, "no exercise"),
        ({"exercise": "run-it", "seed": -1}, "seed must be"),
        ({"exercise": "run-it", "seed": 2.5}, "seed must be"),
        ({"exercise": "run-it"}, "seed must be"),
        ({"exercise": "defend-the-bias", "seed": 1, "answers": {"reason": ""}}, "has no answer yet"),
    ],
)
def test_what_cannot_be_checked_is_refused_kindly(request_: dict[str, Any], words: str) -> None:
    with pytest.raises(RosenblattError, match=words) as caught:
        check(request_)
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize("request_", [None, [], "run-it", {"exercise": None}, {"exercise": "run-it", "seed": "1"}])
def test_what_cannot_be_posed_is_refused_kindly(request_: Any) -> None:
    with pytest.raises(RosenblattError):
        pose(request_)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=examples(3))
@given(st.data())
def test_whatever_json_comes_there_is_an_answer_or_a_sentence(data: st.DataObject) -> None:
    lesson, i = data.draw(st.sampled_from(ASKED))
    names = [field["name"] for field in DOCUMENTS[lesson, i]["ask"]["fields"]]
    answers = data.draw(st.dictionaries(st.sampled_from(names), json_values, max_size=4) | json_values)
    request: Any = {"lesson": lesson, "step": i, "answers": answers, "board": data.draw(json_values)}
    if data.draw(st.integers(0, 4)) == 0:
        request = data.draw(json_values | st.dictionaries(st.sampled_from([*request, "exercise", "seed"]), json_values))
    try:
        reply = check(request)
    except RosenblattError:
        return
    assert set(reply) >= {"right", "say", "fields", "reveal"}


def test_the_lectures_tables_are_on_the_boards() -> None:
    """The points of Berkeley CS188, CMU 10-301 and CS 360, in the order of the lecture."""
    for (lesson, i), sample in {
        ("activation", 1): lectures.berkeley_points(),
        ("online", 2): lectures.cmu_points(),
        ("margin", 0): lectures.cs360_points(),
    }.items():
        board = Board.of(DOCUMENTS[lesson, i]["board"])
        assert np.array_equal(np.asarray(board.X), sample.X)
        assert np.array_equal(board.y, sample.y)


def test_the_exercises_are_those_that_are_listed() -> None:
    assert list(EXERCISES) == [exercise["id"] for exercise in LISTED["exercises"]]

"""The exercises for fifty seeds: each can be solved, they vary, and the checks agree with independent oracles."""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.files.lab_board import Board
from rosenblatt.errors import RosenblattError
from rosenblatt.lab.lessons import EXERCISES, check, pose, solution
from rosenblatt.lab.lessons.exercises.why_it_overfits import Task, task_of
from rosenblatt.lab.runs.run import run
from tests.support import oracle, separability_oracle

SEEDS = range(50)
STOPS, NEVER = "yes", "yes, and more: it never stops"


@cache
def posed(exercise: str, seed: int) -> Any:
    return pose({"exercise": exercise, "seed": seed})


@cache
def solved(exercise: str, seed: int) -> tuple[dict[str, Any], Any]:
    """The right answers, and the board that they belong to."""
    step, answers = posed(exercise, seed), solution({"exercise": exercise, "seed": seed})
    boards = [field["name"] for field in step["ask"]["fields"] if field["kind"] == "board"]
    board = answers[boards[0]] if boards else step["board"]
    return {name: answer for name, answer in answers.items() if name not in boards}, board


def check_answers(exercise: str, seed: int, answers: Any, board: Any) -> Any:
    return check({"exercise": exercise, "seed": seed, "answers": answers, "board": board})


def kind_of(document: Any, bias: bool) -> str:
    """Strict, weak or overlap, by the oracle."""
    points = [point[:2] for point in document["points"]]
    codes = [point[2] for point in document["points"]]
    return separability_oracle.kind_of(separability_oracle.signed_rows(points, codes, bias=bias))


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_seed_poses_the_same_and_seeds_pose_different_exercises(exercise: str) -> None:
    first = [json.dumps(posed(exercise, seed)) for seed in range(8)]
    assert [json.dumps(EXERCISES[exercise].make_step(seed).document()) for seed in range(3)] == first[:3]
    assert len(set(first)) == len(first)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_what_is_posed_is_a_step_with_a_board_that_runs(exercise: str) -> None:
    for seed in range(5):
        step = posed(exercise, seed)
        assert set(step) == {"say", "board", "t", "proof", "ask"}
        assert Board.of(step["board"]).document() == step["board"]
        assert all(paragraph.endswith((".", "?")) for paragraph in [*step["say"], step["ask"]["prompt"]])
        if step["board"]["points"]:
            for pane in range(len(step["board"]["panes"])):
                assert run({"board": step["board"], "pane": pane})["frames"]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_seed_can_be_solved(exercise: str) -> None:
    for seed in SEEDS:
        answers, board = solved(exercise, seed)
        found = check_answers(exercise, seed, answers, board)
        assert found["right"], (seed, found)
        assert found["say"].startswith("Right. ")
        assert found["reveal"] is not None
        json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_wrong_answers_are_refused_with_a_sentence(exercise: str) -> None:
    for seed in range(10):
        answers, board = solved(exercise, seed)
        for field in posed(exercise, seed)["ask"]["fields"]:
            for wrong in wrong_answers(field, answers.get(field["name"])):
                found = check_answers(exercise, seed, {**answers, field["name"]: wrong}, board)
                assert not found["right"]
                assert found["reveal"] is None
                assert found["fields"][field["name"]]["say"].endswith((".", "?"))


def wrong_answers(field: dict[str, Any], right: Any) -> list[Any]:
    if field["kind"] == "choice":
        return [choice for choice in field["choices"] if choice != right]
    if field["kind"] == "numbers":
        return [[*right[:-1], right[-1] + 1], [right[0] - 1, *right[1:]]]
    if field["kind"] == "line":
        (x, y), (u, v) = right
        far = np.hypot(u - x, v - y)
        off = [(y - v) / far, (u - x) / far]  # across the line, of length 1
        return [(np.array(right) + off).tolist(), [right[0], [u + 3 * off[0], v + 3 * off[1]]]]
    return []


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_reader_who_gives_up_is_shown_answers_that_are_right(exercise: str) -> None:
    shown = check({"exercise": exercise, "seed": 3, "show": True})
    fields = posed(exercise, 3)["ask"]["fields"]
    board = next((shown["answers"][field["name"]] for field in fields if field["kind"] == "board"), None)
    assert check_answers(exercise, 3, shown["answers"], board)["right"]
    assert shown["reveal"] is not None


# run-it


def by_hand(document: Any) -> list[tuple[bool, list[float]]]:
    """Mistakes and weights of one pass, by the oracle in fractions."""
    options = document["panes"][0]["options"]
    rows = [[Fraction(x), Fraction(y), Fraction(options["bias"])] for x, y, _ in document["points"]]
    signs = [1 if code else -1 for *_, code in document["points"]]
    one, tie = Fraction(1), {"positive": 1, "mistake": 0}[options["tie"]]
    history = oracle.perceptron(rows, signs, range(len(rows)), [Fraction(0)] * 3, [one, one], Fraction(0), tie)
    return [(before != after, [float(w) for w in after]) for before, after in pairwise(history)]


def test_a_pass_by_hand_is_the_oracles() -> None:
    for seed in SEEDS:
        board = posed("run-it", seed)["board"]
        width = 3 if board["panes"][0]["options"]["bias"] else 2
        answers: dict[str, Any] = {}
        for t, (mistake, w) in enumerate(by_hand(board), 1):
            answers |= {f"mistake{t}": "yes" if mistake else "no", f"w{t}": w[:width]}
        assert check_answers("run-it", seed, answers, board)["right"], seed


def test_passes_by_hand_are_short_and_differ() -> None:
    boards = [posed("run-it", seed)["board"] for seed in SEEDS]
    passes = [by_hand(board) for board in boards]
    assert {len(board["points"]) for board in boards} == {4, 5}
    assert {tuple(board["panes"][0]["options"][name] for name in ("bias", "tie")) for board in boards} == {
        (bias, tie) for bias in (0, 1) for tie in ("positive", "mistake")
    }
    assert all(2 <= sum(mistake for mistake, _ in steps) < len(steps) for steps in passes)
    assert max(abs(w) for steps in passes for _, after in steps for w in after) <= 9
    assert all(float(x).is_integer() for board in boards for point in board["points"] for x in point)


def test_the_step_that_went_wrong_is_named() -> None:
    answers, board = solved("run-it", 0)
    for t in range(1, len(board["points"]) + 1):
        w = answers[f"w{t}"]
        found = check_answers("run-it", 0, {**answers, f"w{t}": [w[0] + 5, *w[1:]]}, board)
        assert f"At step {t}" in found["say"]
        assert all(f["right"] == (name != f"w{t}") for name, f in found["fields"].items())


# will-it-converge


def test_it_stops_exactly_where_the_oracle_says_strict() -> None:
    cases: Counter[tuple[bool, str, str]] = Counter()
    for seed in SEEDS:
        answers, board = solved("will-it-converge", seed)
        bias = bool(board["panes"][0]["options"]["bias"])
        kind = kind_of(board, bias)
        assert (answers["stops"] == STOPS) == (kind == "strict")
        assert (answers["count"] == NEVER) == (kind != "strict")
        cases[bias, kind_of(board, True), kind] += 1
    assert set(cases) >= {
        (True, "strict", "strict"),
        (True, "weak", "weak"),
        (True, "overlap", "overlap"),
        (False, "strict", "strict"),
    }
    assert any(not bias and free == "strict" and kind != "strict" for bias, free, kind in cases)


def test_the_number_of_updates_is_ruled_out_only_by_a_bound_that_holds() -> None:
    """A run gives a lower bound; (R/gamma)^2 of its last direction gives an upper bound."""
    seen = set()
    for seed in SEEDS:
        step, (answers, board) = posed("will-it-converge", seed), solved("will-it-converge", seed)
        count = int(step["ask"]["prompt"].split(" make ")[1].split()[0].replace(",", ""))
        seen.add(answers["count"])
        if answers["stops"] != STOPS:
            continue
        bias = board["panes"][0]["options"]["bias"]
        Z = np.array([[(1 if code else -1) * v for v in (x, y, bias)] for x, y, code in board["points"]])
        w, updates = np.zeros(3), 0
        while (Z @ w <= 0).any():
            w, updates = w + Z[np.argmin(Z @ w)], updates + 1
        bound = (Z**2).sum(axis=1).max() * (w @ w) / (Z @ w).min() ** 2  # at least the true one
        if answers["count"].startswith("no"):
            assert updates < count
        else:
            assert count <= bound
    assert len(seen) == 3


# draw-the-boundary


def test_a_line_through_two_points_found_by_hand_is_accepted() -> None:
    for seed in SEEDS:
        step = posed("draw-the-boundary", seed)
        w1, w2, b = (int(word.strip("=,. ")) for word in step["say"][0].split() if word.strip("-,.").isdigit())
        foot = np.array([w1, w2]) * -b / (w1 * w1 + w2 * w2)
        line = [foot.tolist(), [foot[0] - w2, foot[1] + w1]]
        x, y = (int(word.strip("(),?")) for word in step["ask"]["prompt"].split("point ")[1].split())
        side = "on the positive side, S+" if w1 * x + w2 * y + b > 0 else "on the negative side, S-"
        found = check_answers("draw-the-boundary", seed, {"line": line, "side": side}, step["board"])
        assert found["right"], (seed, found)
        assert {shape["role"] for shape in found["reveal"]["shapes"]} >= {"answer", "w"}
        if b:
            flipped = [(-np.array(point)).tolist() for point in line]
            slip = check_answers("draw-the-boundary", seed, {"line": flipped, "side": side}, step["board"])
            assert not slip["right"] or np.hypot(*(2 * foot)) <= 0.4


def test_lines_differ_in_direction_and_in_side() -> None:
    says = [posed("draw-the-boundary", seed)["say"][0] for seed in SEEDS]
    assert len(set(says)) > 40
    assert len({solved("draw-the-boundary", seed)[0]["side"] for seed in SEEDS}) == 2
    assert any("b = 0" in say for say in says)


# is-it-separable


def test_the_kinds_are_the_oracles_and_all_occur() -> None:
    words = {"strict": "yes:", "weak": "only weakly:", "overlap": "no:"}
    kinds: Counter[str] = Counter()
    for seed in SEEDS:
        answers, board = solved("is-it-separable", seed)
        kind = kind_of(board, True)
        assert answers["kind"].startswith(words[kind])
        kinds[kind] += 1
    assert min(kinds[kind] for kind in words) >= 5


def test_the_proof_is_revealed() -> None:
    answers, board = solved("is-it-separable", 1)
    assert check_answers("is-it-separable", 1, answers, board)["reveal"]["proof"]


# defend-the-bias


def test_solutions_need_a_bias_and_what_is_posed_does_not() -> None:
    for seed in SEEDS:
        _, board = solved("defend-the-bias", seed)
        assert kind_of(posed("defend-the-bias", seed)["board"], False) == "strict"
        assert kind_of(board, True) == "strict"
        assert kind_of(board, False) != "strict"


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([[1, 1, 0], [2, 2, 1]], "Leave 4 to 60 points"),
        ([[1, 1, 0], [2, 2, 0], [3, 3, 0], [4, 4, 0]], "two classes"),
        ([[1, 1, 0], [2, 2, 1], [3, 3, 0], [4, 4, 1]], "not separable either"),
        ([[-1, 1, 0], [-2, 1, 0], [1, 1, 1], [2, 1, 1]], "through the origin still separates"),
        ([[1, 1, 0], [1, 2, 0], [2, 2, 1], [2, 4, 1]], ""),
    ],
)
def test_points_that_need_a_bias_are_told_from_others(points: list[list[int]], words: str) -> None:
    answers, board = solved("defend-the-bias", 0)
    found = check_answers("defend-the-bias", 0, answers, {**board, "points": points})
    assert found["right"] == (words == "")
    assert words in found["fields"]["points"]["say"]


# why-it-overfits


def plain_and_averaged(document: Any) -> tuple[Any, Any]:
    """The last weights and the mean of the weights after each point, of a perceptron in plain Python."""
    rows = [(np.array([x, y, 1.0]), 1 if code else -1) for x, y, code in document["points"]]
    w, total, seen = np.zeros(3), np.zeros(3), 0
    for _ in range(100):
        mistakes = 0
        for row, sign in rows:
            if sign * (w @ row) <= 0:
                w, mistakes = w + sign * row, mistakes + 1
            total, seen = total + w, seen + 1
        if not mistakes:
            break
    return w, total / seen


def errors(w: Any, task: Task) -> int:
    answers = np.where(task.hidden @ w[:2] + w[2] > 0, 1, -1)
    return int((answers != task.labels).sum())


def test_solutions_overfit_by_the_count_of_an_independent_perceptron() -> None:
    for seed in range(12):
        step, (answers, board) = posed("why-it-overfits", seed), solved("why-it-overfits", seed)
        task, (old, _) = task_of(seed), plain_and_averaged(step["board"])
        last, mean = plain_and_averaged(board)
        signs = np.array([1 if code else -1 for *_, code in board["points"]])
        assert (signs * (np.array([point[:2] for point in board["points"]]) @ last[:2] + last[2]) > 0).all()
        assert errors(last, task) >= 5 + max(errors(mean, task), errors(old, task))
        found = check_answers("why-it-overfits", seed, answers, board)
        counts = f"the last weights get {errors(last, task)} wrong and the mean {errors(mean, task)}"
        assert counts in found["say"]
        assert len(found["reveal"]["shapes"]) == errors(last, task)


def test_one_point_and_no_more_may_be_changed() -> None:
    answers, board = solved("why-it-overfits", 0)
    unchanged = posed("why-it-overfits", 0)["board"]
    two = {**board, "points": [*board["points"], [9, 9, 1]]}
    gone = {**unchanged, "points": unchanged["points"][1:]}
    for wrong in (unchanged, two, {**unchanged, "points": []}, {**gone, "points": gone["points"][1:]}):
        found = check_answers("why-it-overfits", 0, answers, wrong)
        assert not found["right"]
        assert "Move one point, or add one" in found["fields"]["points"]["say"]


def test_points_that_no_line_separates_and_points_without_effect_are_refused() -> None:
    answers, _ = solved("why-it-overfits", 0)
    unchanged = posed("why-it-overfits", 0)["board"]
    x, y, code = unchanged["points"][0]
    for point, words in (([x, y, 1 - code], "no line separates"), ([x, y, code], "must get at least")):
        found = check_answers("why-it-overfits", 0, answers, {**unchanged, "points": [*unchanged["points"], point]})
        assert not found["right"]
        assert words in found["fields"]["points"]["say"]


# whatever comes

cells = st.integers(-5, 5) | st.floats(-1e9, 1e9) | st.none() | st.text(max_size=3)
points = st.lists(st.lists(cells, min_size=2, max_size=4), max_size=8)


@given(st.sampled_from(list(EXERCISES)), points, st.data())
def test_whatever_board_comes_there_is_an_answer_or_a_sentence(exercise: str, rows: Any, data: st.DataObject) -> None:
    right, board = solved(exercise, 1)
    answers: dict[str, Any] = dict(right)
    if data.draw(st.integers(0, 1)):
        answers[data.draw(st.sampled_from(sorted(answers)))] = data.draw(cells | points)
    try:
        found = check_answers(exercise, 1, answers, {**board, "points": rows})
    except RosenblattError:
        return
    assert set(found) == {"right", "say", "fields", "reveal"}

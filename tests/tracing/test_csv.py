"""A trace as CSV: one line per step, with the same numbers as the JSON lines."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    Kozinec,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Pocket,
    Trace,
    trace,
)
from tests.support.lazily import Lazily
from tests.tracing.test_json import RUNS as LECTURES
from tests.tracing.test_json import traces
from tests.tracing.test_tracer import blobs

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

TWO, THREE = blobs(2, 12, 6.0, 1), blobs(3, 12, 6.0, 2)
RUNS: Lazily[Trace] = Lazily(
    {
        "rows": lambda: trace(Perceptron(average="averaged", max_epochs=2), *TWO),
        "pocket": lambda: trace(Pocket(max_epochs=2), *THREE),
        "passes": lambda: trace(BatchPerceptron(max_epochs=5), *TWO),
        "passes, three classes": lambda: trace(BatchPerceptron(max_epochs=5), *THREE),
        "kernel": lambda: trace(KernelPerceptron(max_epochs=2, average="averaged"), *TWO),
        "kernel, three classes": lambda: trace(KernelPerceptron(max_epochs=2, average="averaged"), *THREE),
        "hulls": lambda: trace(Kozinec(solver="mdm"), *TWO, max_steps=9),
        "gaussians": lambda: trace(Anderson(solver="ascent"), *TWO),
        "one against all": lambda: trace(OneVsAll(Perceptron(max_epochs=2)), *THREE),
        "one against one": lambda: trace(OneVsOne(BatchPerceptron(max_epochs=4)), *THREE),
        "nothing": lambda: trace(Perceptron(), *TWO, max_steps=0),
    }
)
COUNTS = ("angle_before", "angle_after", "norm", "updates", "lower", "upper", "radius")


def word(value: Any) -> str:
    """The text of a cell; floats have all digits."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def numbers(value: Any) -> Iterator[float]:
    """The numbers of nested lists as one list."""
    for part in value if isinstance(value, list) else [value]:
        yield from numbers(part) if isinstance(part, list) else [part]


def joined(value: Any) -> str:
    return " ".join("/".join(map(str, v)) if isinstance(v, list) else str(v) for v in value or [])


def expected(head: dict[str, Any], step: dict[str, Any], number: int) -> dict[str, str]:
    """The cells of a step, by the names that the docstring gives them."""
    several = [f"{label}_" for label in head["classes"]] if len(head["classes"]) > 2 and not head["members"] else [""]
    cells = {"step": str(number)} | {name: word(step[name]) for name in ("task", "epoch", "index", "y", "predicted")}
    cells |= {name: word(step[name]) for name in ("mistake", "updated", *COUNTS)}
    cells |= {f"x_{name}": word(x) for name, x in zip(head["names"], step["x"], strict=False)}
    scores = [None] * len(several) if step["score"] is None else list(numbers(step["score"]))
    cells |= {f"score_{c}".rstrip("_"): word(score) for c, score in zip(several, scores, strict=True)}
    if head["kind"] == "kernel":
        cells["answer"] = joined(step["answer"])
    else:
        names = [f"{c}{name}" for c in several for name in (*head["names"], "bias")]
        for field in ("w", "answer"):
            values = [None] * len(names) if step[field] is None else list(numbers(step[field]))
            cells |= {f"{field}_{name}": word(value) for name, value in zip(names, values, strict=True)}
    return cells | {name: joined(step[name]) for name in ("active", "weights")}


def compare(run: Trace) -> None:
    text = run.to_csv()
    head, *steps = map(json.loads, run.to_jsonl().splitlines())
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    assert read == [expected(head, step, t) for t, step in enumerate(steps, 1)]


@pytest.mark.parametrize("name", RUNS)
def test_it_says_what_the_json_lines_say(name: str) -> None:
    compare(RUNS[name])


@given(traces())
def test_for_any_run_and_labels(run: Trace) -> None:
    """Labels with quotes and line breaks too, which must not break a line."""
    compare(run)
    lines = list(csv.reader(io.StringIO(run.to_csv(), newline=""), strict=True))
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines) == len(run) + 1
    assert len(set(lines[0])) == len(lines[0])


def same(cell: Any, text: str) -> bool:
    """Whether a cell of a data frame and a cell of the CSV are the same value."""
    if isinstance(cell, bool | np.bool_):
        return text == str(bool(cell)).lower()
    if cell is None or cell != cell:
        return text == ""
    return text == str(cell) or (isinstance(cell, int | float | np.integer | np.floating) and float(text) == cell)


@pytest.mark.parametrize("name", RUNS)
def test_a_frame_has_the_same_columns_and_values(name: str) -> None:
    frame = RUNS[name].to_frame()
    header, *lines = csv.reader(io.StringIO(RUNS[name].to_csv(), newline=""))
    assert list(frame.columns) == header
    assert len(frame) == len(lines)
    for t, line in enumerate(lines):
        for column, text in zip(header, line, strict=True):
            assert same(frame[column].iloc[t], text), (column, frame[column].iloc[t], text)


@given(traces())
def test_floats_come_back_as_they_were(run: Trace) -> None:
    read = list(csv.DictReader(io.StringIO(run.to_csv(), newline="")))
    if len(run.classes) == 2:
        for step, line in zip(run, read, strict=True):
            assert tuple(float(line[f"w_{name}"]) for name in (*run.feature_names, "bias")) == step.w
            assert float(line["score"]) == step.score


def test_the_lecture_as_csv() -> None:
    """CS188's second point, (3, 2)+, scores -1 under (0, 0), bias weight -1: it is a mistake."""
    text = LECTURES["CS188"].to_csv()
    assert text.endswith("\r\n")
    header, *lines = [line.split(",") for line in text.split("\r\n")[:-1]]
    line = dict(zip(header, lines[1], strict=True))
    shown = ["step", "index", "x_f1", "x_f2", "y", "score", "predicted", "mistake", "w_f1", "w_f2", "w_bias"]
    assert [line[name] for name in shown] == [
        "2",
        "1",
        "3.0",
        "2.0",
        "plus",
        "-1.0",
        "minus",
        "true",
        "3.0",
        "2.0",
        "0.0",
    ]


def test_a_column_that_is_called_bias() -> None:
    """No two headings are equal."""
    run = trace(
        Perceptron(order="cyclic"), pd.DataFrame({"bias": [1.0, -1.0], 'a,"b"': [0.5, 2.0]}), [0, 1], max_steps=1
    )
    (line,) = csv.DictReader(io.StringIO(run.to_csv(), newline=""))
    assert [line['w_a,"b"'], line["w_bias"], line["w_bias_2"]] == ["-0.5", "-1.0", "-1.0"]


def test_pandas_reads_it() -> None:
    run = RUNS["rows"]
    frame = pd.read_csv(io.StringIO(run.to_csv()), dtype=str)  # in floats, older versions lose a digit
    assert np.array_equal(frame[["w_x1", "w_x2", "w_bias"]].astype(float), [step.w for step in run])
    assert np.array_equal(frame[["answer_x1", "answer_x2", "answer_bias"]].astype(float), [s.answer or () for s in run])

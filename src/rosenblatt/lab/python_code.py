"""The Python program that prints what a pane of the board shows."""

import re
from typing import Any

from rosenblatt.data.files.lab_board import MAX_STEPS, Board
from rosenblatt.lab.catalogue import algorithm_of, model_of
from rosenblatt.lab.runs.gaussians import drawn_gaussians

MAX_LINE = 100  # characters of a list before it is broken into lines
GAUSSIAN_NAMES = ("means", "covariances", "labels")
PRINT_STEPS = "Console(width=200).print(steps.to_table())"


def program(board: Board, number: int) -> str:
    """Return a program that prints what the page shows of a pane."""
    pane = board.panes[number]
    algorithm = algorithm_of(pane)
    settings = algorithm.settings(pane.options)
    if not algorithm.learns:
        return _program(
            ["McCullochPittsNeuron"],
            f"neuron = McCullochPittsNeuron({settings['threshold']})",
            f"inputs, outputs = neuron.truth_table({settings['inputs']})",
            "for row, output in zip(inputs.tolist(), outputs.tolist()):",
            "    print(row, output)",
        )
    model = " ".join(repr(model_of(pane)).split())
    names = re.findall(r"\b([A-Z]\w+)\(", model)
    if algorithm.learns_drawn_gaussians(board):
        means, covariances, labels = drawn_gaussians(board)
        values = (means.tolist(), covariances.tolist(), labels)
        rows = [_assign(name, value) for name, value in zip(GAUSSIAN_NAMES, values, strict=True)]
        steps = f"steps = trace_gaussians(model, means, covariances, labels, max_steps={MAX_STEPS})"
        return _program([*names, "trace_gaussians"], *rows, f"model = {model}", steps, PRINT_STEPS)
    rows = [*_table(board), _assign("y", board.y.tolist())]
    if not algorithm.has_steps:
        fitted = [f"model = {model}.fit(X, y)", "print(model.means_, model.predict(X))"]
        return _program(names, *rows, *fitted)
    steps = f"steps = trace(model, X, y, max_steps={MAX_STEPS})"
    return _program([*names, "trace"], *rows, f"model = {model}", steps, PRINT_STEPS)


def _table(board: Board) -> list[str]:
    """Return the lines that make X: an array, or a table if the columns have names of their own."""
    if board.names == Board().names:
        return [_assign("X", board.X.tolist())]
    columns = [f"column{j}" for j in (1, 2)]
    named = ", ".join(f"{name!r}: {column}" for name, column in zip(board.names, columns, strict=True))
    lists = [_assign(column, values) for column, values in zip(columns, board.X.T.tolist(), strict=True)]
    return [*lists, f"X = pyarrow.table({{{named}}})"]


def _program(names: list[str], *lines: str) -> str:
    """Return lines with the imports that they need."""
    imports = [f"from rosenblatt import {', '.join(sorted(set(names)))}"]
    if any("Console" in line for line in lines):
        imports.insert(0, "from rich.console import Console\n")
    if any("pyarrow" in line for line in lines):
        imports.insert(0, "import pyarrow")
    return "\n".join([*imports, "", *lines]) + "\n"


def _assign(name: str, values: list[Any]) -> str:
    """Return an assignment of a list, broken into lines."""
    lines, line = [], ""
    for value in values:
        if line and len(line) + len(repr(value)) > MAX_LINE:
            lines.append(line)
            line = ""
        line += f"{', ' if line else ''}{value!r}"
    if not lines:
        return f"{name} = [{line}]"
    body = ",\n    ".join([*lines, line])
    return f"{name} = [\n    {body},\n]"

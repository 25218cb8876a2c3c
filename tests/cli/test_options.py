"""Tests of what the commands share: groups of options, and errors that name options as flags."""

import pickle
from pathlib import Path
from typing import Annotated, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from rosenblatt.cli.option_groups import grouped
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.remedy import Remedy
from tests.cli.test_main import made, refused, run


class Size(NamedTuple):
    """A group of two options."""

    width: Annotated[int, typer.Option(min=1)] = 3
    height: int = 4


@grouped
def area(*, name: str, unit: str = "cm", size: Size, quiet: bool = False) -> None:
    """Print what came."""
    typer.echo(f"{name} {size.width} {size.height} {unit} {quiet}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["box"], "box 3 4 cm False\n"),
        (["box", "--width", "7", "--quiet", "--unit", "m"], "box 7 4 m True\n"),
        (["box", "--height", "-1"], "box 3 -1 cm False\n"),
    ],
    ids=str,
)
def test_the_fields_of_a_group_are_options(arguments: list[str], said: str) -> None:
    app = typer.Typer()
    app.command()(area)
    ended = CliRunner().invoke(app, arguments)
    assert (ended.exit_code, ended.stdout) == (0, said)


def test_a_group_keeps_the_limits_and_the_order_of_its_options() -> None:
    app = typer.Typer()
    app.command()(area)
    assert CliRunner().invoke(app, ["box", "--width", "0"]).exit_code == 2
    shown = CliRunner().invoke(app, ["--help"]).stdout
    places = [shown.index(option) for option in ("--unit", "--width", "--height", "--quiet")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        ("x,kind\n1,a\n2,b\n3,a\nl0,b\n", [], "If the column holds categories, say --categories x."),
        ("x,kind\nu,a\nv,b\n3,a\n", [], "If this column holds categories, say so: --categories x."),
        ("x,kind\n,a\n,b\n", [], "Leave it out with --columns, or give a number for --missing."),
        ("x,kind\n1,a\n2,b\n", ["--hash-bits", 99], "--hash-bits must be an integer from 1 to 31, not 99."),
        ("x,kind\n1,a\n2,b\n", ["--format", "xls"], "--format must be one of csv, "),
        ("x,kind\n1,a\n2,b\n", ["--stream", "--missing", "mean"], "--missing cannot be 'mean' for a stream"),
        ("x,kind\n1,a\n2,a\n", ["--stream"], "If others come later, name all of them: --classes."),
        ("x,kind\n1,a\n2,c\n", ["--stream", "--classes", "a,b"], "Name all classes that will come: --classes."),
    ],
    ids=str,
)
def test_errors_name_options_as_flags(tmp_path: Path, text: str, arguments: list[object], words: str) -> None:
    refused(run("fit", made(tmp_path, text), *arguments), words)
    if "--stream" not in arguments:
        refused(run("fit", "-", *arguments, stdin=text), words)


def test_a_name_with_braces_is_a_name() -> None:
    error = DataError("Column '{x}'.", Remedy("Say {categories}.", categories=["{columns}"]))
    assert str(error) == "Column '{x}'. Say categories=['{columns}']."
    assert error.with_flags() == "Column '{x}'. Say --categories {columns}."


@pytest.mark.parametrize(
    "error",
    [DataError("It is empty.", Remedy("Give {missing}.")).within("a.csv"), ParameterError("must be 1.", "hash_bits")],
)
def test_errors_travel_between_processes(error: DataError | ParameterError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  (made here)
    assert (type(again), str(again), again.with_flags()) == (type(error), str(error), error.with_flags())

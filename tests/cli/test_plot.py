"""Tests of `rosenblatt plot`: the kind of picture, its content and its file."""

import os
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, get_args

import PIL.Image
import pytest

import rosenblatt.plot
from rosenblatt import datasets, write
from rosenblatt.cli.commands.plot import Kind
from tests.cli.test_main import AND, XOR, made, refused, run, strict_json
from tests.support.full_disk import fill

OR = "x,y,kind\n0,0,no\n0,3,yes\n2,0,yes\n5,4,yes\n-1,0.5,no\n"
THREE = "x,y,kind\n1,0,a\n0,1,b\n-1,-1,c\n2,0,a\n0,2,b\n-2,-1,c\n"
WIDE = "a,b,c,kind\n0,0,1,no\n0,1,0,no\n1,0,2,no\n5,5,5,yes\n6,5,4,yes\n5,6,7,yes\n"
KINDS = [kind for kind in get_args(Kind) if kind != "auto"]
OF_OVERLAP = ("witness",)


def drawn(path: Path, *options: object) -> Any:
    """Draw a picture, check the file, and return the JSON answer."""
    out = path.parent / "picture.png"
    ended = run("plot", path, "--out", out, "--width", 300, *options, "--json")
    assert (ended.code, ended.err if not ended.err.startswith("note: ") else "") == (0, "")
    answer = strict_json(ended.out)
    assert (set(answer), answer["picture"]) == ({"picture", "kind", "display"}, str(out))
    with PIL.Image.open(out) as picture:
        assert picture.format == "PNG"
        assert len(set(picture.convert("L").tobytes())) > 10  # it is not blank
    return answer


# ---------------------------------------------------------------------------------------------------------------------
# Kinds


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_two_classes(tmp_path: Path, kind: str) -> None:
    answer = drawn(made(tmp_path, XOR if kind in OF_OVERLAP else AND), "--kind", kind)
    assert (answer["kind"], answer["display"]) == (kind, f"{kind.capitalize()}Display")
    assert hasattr(rosenblatt.plot, answer["display"])


@pytest.mark.parametrize("kind", ["regions", "mistakes", "weights"])
def test_kinds_of_more_classes(tmp_path: Path, kind: str) -> None:
    assert drawn(made(tmp_path, THREE), "--kind", kind)["kind"] == kind


@pytest.mark.parametrize("kind", ["boundary", "margin", "hulls", "weights", "mistakes"])
def test_kinds_of_more_columns(tmp_path: Path, kind: str) -> None:
    assert drawn(made(tmp_path, WIDE), "--kind", kind)["kind"] == kind


@pytest.mark.parametrize(
    ("text", "kind"), [(AND, "margin"), (WIDE, "margin"), (XOR, "boundary"), (THREE, "regions")], ids=str
)
def test_what_auto_takes(tmp_path: Path, text: str, kind: str) -> None:
    """Two classes: the margin if they are separable, else the boundary. More classes: the regions."""
    assert drawn(made(tmp_path, text))["kind"] == kind


def test_auto_draws_whatever_it_is_given(tmp_path: Path) -> None:
    """Four columns are projected to two directions. A saved model cannot be projected, so its weights are drawn."""
    path, model = tmp_path / "iris.csv", tmp_path / "model"
    X, y = datasets.load("iris")
    write(X, y, path)
    assert drawn(path)["kind"] == "regions"
    run("fit", path, "--algorithm", "averaged", "--out", model)
    assert drawn(path, "--model", model)["kind"] == "weights"


@pytest.mark.parametrize(
    ("kind", "algorithm", "other"),
    [
        ("boundary", "averaged", "anderson"),
        ("margin", "kozinec", "averaged"),
        ("regions", "averaged", "kozinec"),
        ("activation", "averaged", "kozinec"),
        ("mistakes", "perceptron", "pa"),
        ("path", "perceptron", "pa"),
        ("weights", "averaged", "perceptron"),
    ],
)
def test_what_is_trained_for_it(tmp_path: Path, kind: str, algorithm: str, other: str) -> None:
    """Each kind trains the algorithm that the documentation names."""
    path, pictures = made(tmp_path, OR), []
    for options in ([], ["--algorithm", algorithm], ["--algorithm", other]):
        drawn(path, "--kind", kind, *options)
        pictures.append((tmp_path / "picture.png").read_bytes())
    assert pictures[0] == pictures[1]
    assert pictures[0] != pictures[2]


@pytest.mark.parametrize("algorithm", ["perceptron", "averaged", "pocket", "batch", "kozinec", "anderson", "pa"])
def test_a_boundary_of_every_linear_rule(tmp_path: Path, algorithm: str) -> None:
    assert drawn(made(tmp_path, AND), "--kind", "boundary", "--algorithm", algorithm)["kind"] == "boundary"


def test_two_classes_of_more(tmp_path: Path) -> None:
    """The picture equals that of a file with these classes only."""
    drawn(made(tmp_path, THREE), "--classes", "c,a", "--kind", "hulls")
    some = (tmp_path / "picture.png").read_bytes()
    drawn(made(tmp_path, "".join(line for line in THREE.splitlines(True) if ",b" not in line)), "--kind", "hulls")
    assert (tmp_path / "picture.png").read_bytes() == some


def test_the_weights_of_one_class_of_more(tmp_path: Path) -> None:
    path, pictures = made(tmp_path, THREE), []
    for options in ([], ["--label", "a"], ["--label", "b"]):
        drawn(path, "--kind", "weights", *options)
        pictures.append((tmp_path / "picture.png").read_bytes())
    assert pictures[0] == pictures[1]
    assert pictures[1] != pictures[2]


def test_settings_of_the_algorithm(tmp_path: Path) -> None:
    """With slack, overlapping classes have a slab."""
    path = made(tmp_path, "x,y,kind\n0,0,a\n3,3,a\n1,0,a\n2,2,b\n4,5,b\n5,4,b\n")
    assert drawn(path, "--kind", "margin", "--algorithm", "kozinec", "--set", "C=1")["kind"] == "margin"
    refused(run("plot", path, "--kind", "margin", "--out", tmp_path / "a.png"), "margin", "C=1")


# ---------------------------------------------------------------------------------------------------------------------
# A model that is there


@pytest.mark.parametrize("scale", ["none", "standardize"])
@pytest.mark.parametrize("kind", ["auto", "boundary", "weights"])
def test_a_saved_model(tmp_path: Path, kind: str, scale: str) -> None:
    path, model = made(tmp_path, WIDE), tmp_path / "model"
    run("fit", path, "--algorithm", "averaged", "--scale", scale, "--out", model)
    expected = "boundary" if kind == "auto" else kind
    assert drawn(path, "--model", model, "--kind", kind)["kind"] == expected


def test_a_model_of_other_columns(tmp_path: Path) -> None:
    run("fit", made(tmp_path, WIDE), "--out", tmp_path / "model")
    path = made(tmp_path, AND, "and.csv")
    refused(run("plot", path, "--model", tmp_path / "model", "--out", tmp_path / "a.png"), "and.csv", "no column 'a'")
    refused(run("plot", path, "--model", path, "--out", tmp_path / "a.png"), "and.csv", "not a model")


# ---------------------------------------------------------------------------------------------------------------------
# Files


@pytest.mark.parametrize("width", [200, 900, 1203])
def test_the_width_of_a_picture(tmp_path: Path, width: int) -> None:
    drawn(made(tmp_path, AND), "--width", width)
    with PIL.Image.open(tmp_path / "picture.png") as picture:
        assert picture.width == width


def test_svg_and_pdf(tmp_path: Path) -> None:
    path = made(tmp_path, AND)
    assert run("plot", path, "--out", tmp_path / "a.svg") == (0, f"{tmp_path / 'a.svg'}: margin\n", "")
    assert ET.parse(tmp_path / "a.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314
    assert run("plot", path, "--out", tmp_path / "a.PDF").code == 0
    assert (tmp_path / "a.PDF").read_bytes().startswith(b"%PDF-")


def test_the_same_picture_of_the_same_data(tmp_path: Path) -> None:
    path = made(tmp_path, XOR)
    drawn(path)
    first = (tmp_path / "picture.png").read_bytes()
    drawn(path)
    assert (tmp_path / "picture.png").read_bytes() == first
    assert run("plot", "-", "--out", tmp_path / "piped.png", "--width", 300, stdin=XOR).code == 0
    assert (tmp_path / "piped.png").read_bytes() == first


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        (AND, ["--out", "a.gif"], ["--out must end with .png, .svg or .pdf, not 'a.gif'"]),
        (AND, ["--out", "a"], ["--out must end with"]),
        (AND, ["--out", "no/a.png"], ["no/a.png: it cannot be written"]),
        (AND, ["--out", "a.png", "--width", 100], ["--width", "200"]),
        (AND, ["--out", "a.png", "--kind", "mergin"], ["--kind", "'mergin'", "'margin'"]),
        (AND, ["--out", "a.png", "--kind", "witness"], ["separa"]),
        (AND, ["--out", "a.png", "--columns", "z"], ["no column 'z'"]),
        (AND, ["--out", "a.png", "--set", "C"], ["--set must be like"]),
        (AND, ["--out", "a.png", "--kind", "boundary", "--set", "C=1"], ["--set C=1"]),
        (AND, ["--out", "a.png", "--algorithm", "perceptron", "--kind", "gaussians"], ["nderson"]),
        (AND, ["--out", "a.png", "--algorithm", "kernel", "--kind", "path"], ["kernel perceptron", "not a line"]),
        (XOR, ["--out", "a.png", "--kind", "margin"], ["margin"]),
        (THREE, ["--out", "a.png", "--kind", "boundary"], ["two classes"]),
        (THREE, ["--out", "a.png", "--kind", "margin"], ["two classes"]),
        (THREE, ["--out", "a.png", "--kind", "hulls"], ["two classes"]),
        (THREE, ["--out", "a.png", "--kind", "path"], ["two classes"]),
        (THREE, ["--out", "a.png", "--classes", "a,z"], ["--classes", "'z'", "a, b, c"]),
        (THREE, ["--out", "a.png", "--classes", "a"], ["two classes"]),
        (THREE, ["--out", "a.png", "--kind", "weights", "--label", "z"], ["--label", "a, b, c", "'z'"]),
        ("x,kind\n1,a\n2,a\n", ["--out", "a.png"], ["class"]),
    ],
    ids=str,
)
def test_one_sentence_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, arguments: list[Any], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(run("plot", made(tmp_path, text), *arguments), *words)
    assert os.listdir(tmp_path) == ["data.csv"]


def test_the_old_picture_stays_if_there_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = made(tmp_path, AND), tmp_path / "a.svg"
    assert run("plot", path, "--kind", "weights", "--out", out).code == 0
    old = out.read_bytes()

    fill(monkeypatch)
    refused(run("plot", path, "--out", out), "a.svg: it cannot be written: No space left on device")
    assert out.read_bytes() == old

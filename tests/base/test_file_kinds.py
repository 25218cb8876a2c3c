"""Kinds of files: each writer's file is recognised as its kind and as no other; files of other programs are none."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest
import safetensors.numpy

from rosenblatt import DataError, Perceptron, Stream, datasets, save, separability, trace
from rosenblatt.base.files.atomic_file import replacing
from rosenblatt.base.files.file_kinds import FileKind, any_kind_is_replaced, may_replace
from rosenblatt.plot import BoundaryDisplay, animate
from tests.cli.test_main import AND, made, run

OLD = Path(__file__).parents[1] / "contract" / "files_before_rooms"
AND_X, AND_Y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]


def model(path: Path) -> None:
    save(Perceptron(order="cyclic").fit(AND_X, AND_Y), path)


def checkpoint(path: Path) -> None:
    """Its header is long, because there are many classes; safetensors writes the parts of a header in any order."""
    lines = "".join(f"{label} {1 + label % 7}:1\n" for label in range(2000))
    data = made(path.parent, lines, "data.svm")
    with warnings.catch_warnings(action="ignore"):
        Perceptron(max_epochs=1).fit_stream(data, checkpoint=path, every_rows=1000)
    data.unlink()


def cache(path: Path) -> None:
    for _ in Stream(data := made(path.parent, AND), cache=path).chunks():
        pass
    data.unlink()


def certificate(path: Path) -> None:
    data = made(path.parent, AND)
    assert run("check", data, "--cert", path).code == 0
    data.unlink()


def report(path: Path) -> None:
    data = made(path.parent, AND)
    assert run("fit", data, "--report", path).code == 0
    data.unlink()


def picture(ending: str) -> Callable[[Path], None]:
    def draw(path: Path) -> None:
        fitted = Perceptron(order="cyclic").fit(AND_X, AND_Y)
        BoundaryDisplay.from_estimator(fitted, AND_X, AND_Y).figure_.savefig(path, format=ending)

    return draw


def animation(ending: str) -> Callable[[Path], None]:
    def draw(path: Path) -> None:
        named = path.with_suffix(ending)
        animate(trace(Perceptron(order="cyclic"), AND_X, AND_Y, max_steps=3), named)
        named.rename(path)

    return draw


WRITERS: list[tuple[FileKind, Callable[[Path], None]]] = [
    (FileKind.MODEL, model),
    (FileKind.CHECKPOINT, checkpoint),
    (FileKind.CACHE, cache),
    (FileKind.CERTIFICATE, certificate),
    (FileKind.REPORT, report),
    *((FileKind.PICTURE, picture(ending)) for ending in ("png", "svg", "pdf")),
    *((FileKind.ANIMATION, animation(ending)) for ending in (".gif", ".html")),
]


@pytest.mark.parametrize(("kind", "writes"), WRITERS)
def test_a_file_is_of_the_kind_of_its_writer_and_of_no_other(
    tmp_path: Path, kind: FileKind, writes: Callable[[Path], None]
) -> None:
    path = tmp_path / "file"
    writes(path)
    assert [other for other in FileKind if may_replace(path, other)] == [kind]


@pytest.mark.parametrize(
    "path", [path for path in sorted(OLD.iterdir()) if path.suffix != ".csv"], ids=lambda p: p.name
)
def test_files_of_earlier_versions_are_recognised(path: Path) -> None:
    kinds = {
        ".safetensors": [FileKind.MODEL],
        ".checkpoint": [FileKind.CHECKPOINT],
        ".cache": [FileKind.CACHE],
        ".certificate.json": [FileKind.CERTIFICATE],
    }
    expected = next((found for ending, found in kinds.items() if path.name.endswith(ending)), [])
    assert [kind for kind in FileKind if may_replace(path, kind)] == expected


def photo(path: Path) -> None:
    PIL.Image.fromarray(np.zeros((9, 9, 3), np.uint8)).save(path, format="PNG")


def moving_photo(path: Path) -> None:
    PIL.Image.fromarray(np.zeros((9, 9, 3), np.uint8)).save(path, format="GIF")


def others_weights(path: Path) -> None:
    path.write_bytes(safetensors.numpy.save({"w": np.zeros(3)}, {"format": "pt", "rosenblatt": "no model"}))


def text(content: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(content) and None  # type: ignore[return-value]


@pytest.mark.parametrize(
    "writes",
    [
        photo,
        moving_photo,
        others_weights,
        text(AND),
        text("%PDF-1.7\nmy thesis"),
        text("<!DOCTYPE html>\n<title>my page</title> about rosenblatt report"),
        text('<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg>my drawing</svg>'),
        text('{"format": "my own"}'),
        text("x"),
    ],
)
def test_a_file_of_another_program_is_of_no_kind(tmp_path: Path, writes: Callable[[Path], Any]) -> None:
    path = tmp_path / "file"
    writes(path)
    assert [kind for kind in FileKind if may_replace(path, kind)] == []
    with any_kind_is_replaced(False):
        assert not may_replace(path, FileKind.MODEL)
    with any_kind_is_replaced(True):
        assert all(may_replace(path, kind) for kind in FileKind)
    assert not may_replace(path, FileKind.MODEL)


def test_no_file_and_an_empty_file_may_be_replaced(tmp_path: Path) -> None:
    assert all(may_replace(tmp_path / "none", kind) for kind in FileKind)
    (tmp_path / "empty").touch()
    assert all(may_replace(tmp_path / "empty", kind) for kind in FileKind)


def test_a_file_of_another_kind_is_not_replaced(tmp_path: Path) -> None:
    path = made(tmp_path, "my notes", "notes.txt")
    words = r"notes\.txt: it cannot be written: a file of this name exists, and it is not a model\. Remove the file"
    with pytest.raises(DataError, match=words):
        model(path)
    with pytest.raises(DataError, match="not a model"), replacing(path, FileKind.MODEL):
        pytest.fail("it was opened")
    assert path.read_text() == "my notes"
    with any_kind_is_replaced(True):
        model(path)
    first = path.read_bytes()
    model(path)
    assert path.read_bytes() == first


def test_a_certificate_may_be_indented(tmp_path: Path) -> None:
    verdict = separability(*datasets.load("xor"))
    assert verdict.certificate is not None
    path = made(tmp_path, json.dumps(json.loads(verdict.certificate.to_json()), indent=2), "cert.json")
    assert may_replace(path, FileKind.CERTIFICATE)

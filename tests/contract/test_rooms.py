"""The rooms: few, small, each with a purpose; the picture in CONTRIBUTING.md is that of the contract."""

import ast
from pathlib import Path

import pytest

from tests.support.places import PACKAGE, ROOT
from tests.support.rooms import layers, picture

ROOMS = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
MOST_ENTRIES, MOST_FILES = 20, 15


def test_the_picture_in_contributing_is_that_of_the_contract() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert picture() in text, f"write this into CONTRIBUTING.md:\n{picture()}"


def test_the_contract_names_every_room() -> None:
    named = {room for layer in layers() for room in layer}
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert there - {"__init__"} == named
    assert len(there - {"__init__"}) <= MOST_ENTRIES


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.relative_to(PACKAGE.parent).as_posix())
def test_a_room_is_small_and_says_what_it_is_for(room: Path) -> None:
    files = [path for path in room.glob("*.py") if path.name != "__init__.py"]
    assert len(files) <= MOST_FILES
    assert ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))


def test_folders_of_the_page_are_small() -> None:
    page = PACKAGE / "lab" / "page"
    for folder in [page, *(path for path in page.rglob("*") if path.is_dir())]:
        assert len(list(folder.glob("*.*"))) <= MOST_FILES, folder

"""Every compiled function of `rules/` opens with the same block: Rule, Given, Changes, Returns, Guarantee, See."""

import ast
import re
from pathlib import Path

import pytest

import rosenblatt.rules

FIELDS = ["Rule", "Given", "Changes", "Returns", "Guarantee", "See"]
UPDATE_RULES = {
    "binary": "perceptron averaged voted passive_aggressive pocket batch",
    "multiclass": "perceptron averaged voted passive_aggressive pocket batch",
    "predict_first": "perceptron perceptron_many averaged averaged_many passive_aggressive passive_aggressive_many",
    "dual": "dual",
    "hull": "kozinec mdm away",
    "wolfe": "wolfe",
}
FILES = sorted(path for path in Path(rosenblatt.rules.__file__).parent.glob("*.py") if path.stem != "__init__")


def functions(path: Path) -> list[ast.FunctionDef]:
    """The functions of a file that numba compiles by themselves, not only as parts of others."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    every = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [node for node in every if any(re.match(r"rule|njit", ast.unparse(by)) for by in node.decorator_list)]


def fields(function: ast.FunctionDef) -> list[str]:
    """The names at the beginnings of the lines of the block."""
    return re.findall(r"^([A-Z]\w+) +(?=\S)", ast.get_docstring(function) or "", flags=re.MULTILINE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_compiled_function_opens_with_the_block(path: Path) -> None:
    assert functions(path)
    for function in functions(path):
        found = fields(function)
        assert found[:1] == ["Rule"], function.name
        assert found == [name for name in FIELDS if name in found], function.name


@pytest.mark.parametrize(("module", "names"), UPDATE_RULES.items())
def test_the_block_of_an_update_rule_is_whole(module: str, names: str) -> None:
    path = next(path for path in FILES if path.stem == module)
    whole = [function.name for function in functions(path) if fields(function) == FIELDS]
    assert set(names.split()) <= set(whole)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_function_has_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            assert ast.get_docstring(node), getattr(node, "name", path.name)

"""What the package shows: names, imports, the tree of errors, docstrings that run, copies that go on alike."""

import ast
import builtins
import copy
import enum
import importlib
import importlib.metadata
import inspect
import pickle
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import rosenblatt
from rosenblatt import Kozinec, PassiveAggressive, Perceptron, StopReason, cluster, datasets, errors, losses, plot
from rosenblatt.errors.not_a_number import NotANumberError

RECORDS = ("Step", "Trace")
X = np.array([[2.0, 1, 0], [0, 3, 1], [1, 0, 2], [-1, -2, 0], [0, -1, -3], [-2, 0, -1]])  # separable by the sum
TWO, THREE = np.array([1, 1, 1, 0, 0, 0]), np.array([0, 1, 2, 0, 1, 2])


# ---------------------------------------------------------------------------------------------------------------------
# Names


def test_all_is_sorted_and_is_what_is_shown_and_imported() -> None:
    assert rosenblatt.__all__ == sorted(set(rosenblatt.__all__))
    assert dir(rosenblatt) == rosenblatt.__all__
    namespace: dict[str, Any] = {}
    exec("from rosenblatt import *", namespace)  # noqa: S102  (a star is allowed at the top of a module only)
    assert namespace.keys() - {"__builtins__"} == set(rosenblatt.__all__)


@pytest.mark.parametrize("module", [cluster, datasets, losses, plot])
def test_public_modules_show_their_own_public_names_and_nothing_else(module: ModuleType) -> None:
    assert module.__all__ == sorted(set(module.__all__))
    assert dir(module) == module.__all__
    own = {name for name in module.__all__ if getattr(module, name).__module__.startswith(module.__name__)}
    assert own == set(module.__all__)


def test_losses_exports_all_its_functions() -> None:
    own = [each for each in vars(losses).values() if inspect.isfunction(each) and each.__module__ == losses.__name__]
    assert losses.__all__ == sorted(each.__name__ for each in own if not each.__name__.startswith("_"))


def test_a_type_checker_sees_the_same_names() -> None:
    """The imports under TYPE_CHECKING, each from the module in which the name is found at run time."""
    tree = ast.parse(Path(rosenblatt.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: line.module for line in block.body if isinstance(line, ast.ImportFrom) for alias in line.names}
    assert seen.keys() == set(rosenblatt.__all__)
    for name, module in seen.items():
        assert module is not None
        assert getattr(importlib.import_module(module), name) is getattr(rosenblatt, name)


@pytest.mark.parametrize(
    "name", [name for name in rosenblatt.__all__ if name not in ("cluster", "datasets", "losses", "plot")]
)
def test_every_name_is_at_home_in_this_package(name: str) -> None:
    public = getattr(rosenblatt, name)
    assert public.__name__ == name
    assert public.__module__.startswith("rosenblatt.")
    assert pickle.loads(pickle.dumps(public)) is public  # noqa: S301


def test_an_unknown_name_is_an_attribute_error_and_an_import_error() -> None:
    with pytest.raises(AttributeError, match="module 'rosenblatt' has no attribute 'Perzeptron'"):
        _ = rosenblatt.Perzeptron  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="Perzeptron"):
        exec("from rosenblatt import Perzeptron")  # noqa: S102


def test_the_help_page_lists_each_public_name_once_with_a_summary() -> None:
    listed = re.findall(r"^    (\w+) {2,}(\S.+)$", rosenblatt.__doc__ or "", re.MULTILINE)
    assert sorted(name for name, _ in listed) == rosenblatt.__all__
    page = pydoc.plain(pydoc.render_doc(rosenblatt))
    description = page[page.index("DESCRIPTION") : page.index("\nPACKAGE CONTENTS\n")]
    assert all(summary in description for _, summary in listed)


def test_the_help_page_says_that_other_packages_are_internal() -> None:
    """pydoc lists every package on `__path__`; it cannot be told which of them are public."""
    page = " ".join(pydoc.plain(pydoc.render_doc(rosenblatt)).split())
    assert "which `help` lists as PACKAGE CONTENTS, are internal" in page


def test_help_documents_the_public_classes_and_functions_only() -> None:
    page = pydoc.plain(pydoc.render_doc(rosenblatt))
    sections = page[page.index("\nCLASSES\n") : page.index("\nVERSION\n")]
    documented = re.findall(r"^    (?:class )?(\w+)(?:\(| = )", sections, re.MULTILINE)
    modules = {"cluster", "datasets", "losses", "plot"}
    assert set(documented) == set(rosenblatt.__all__) - modules


def test_the_version_is_that_of_the_installed_package() -> None:
    assert rosenblatt.__version__ == importlib.metadata.version("rosenblatt")


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import rosenblatt", {"numpy", "numba", "scipy", "sklearn", "rich", "pandas"}),
        ("import rosenblatt; dir(rosenblatt)", {"numpy", "numba", "scipy", "sklearn", "rich", "pandas"}),
        (
            "from rosenblatt import BudgetWarning, OverlapWarning",
            {"numpy", "numba", "scipy", "sklearn", "rich", "pandas"},
        ),
        ("from rosenblatt import MissingExtraError", {"numpy", "numba", "scipy", "sklearn", "rich", "pandas"}),
        ("from rosenblatt import StopReason", {"numba", "scipy", "sklearn", "rich", "pandas"}),
        (
            "from rosenblatt import DataError, ParameterError, RosenblattError",
            {"numpy", "numba", "scipy", "sklearn", "rich", "pandas"},
        ),
        (
            "from rosenblatt import Hyperplane, McCullochPittsNeuron; Hyperplane([1, 2]).decision_function([3, 4])",
            {"numba", "scipy", "sklearn", "rich", "pandas"},
        ),
    ],
)
def test_an_import_loads_no_more_than_it_needs(statement: str, absent: set[str]) -> None:
    code = f"{statement}; import sys; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    loaded = set(out.split())
    assert "rosenblatt" in loaded
    assert not absent & loaded


# ---------------------------------------------------------------------------------------------------------------------
# Errors


ERRORS = [each for _, each in inspect.getmembers(errors, inspect.isclass) if each.__module__ == errors.__name__]


@pytest.mark.parametrize("error", ERRORS)
def test_errors_are_of_one_tree_and_public(error: type[Exception]) -> None:
    assert issubclass(error, errors.RosenblattError)
    assert getattr(rosenblatt, error.__name__) is error
    assert inspect.getdoc(error)


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    """Each class is drawn once, below its parent, with the built-in error that it also is."""
    path: list[type[Exception]] = []
    drawn = []
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"([│├└─ ]*)([A-Z]\w+)(?:\s+\(an? (\w+)(?: too)?\))?(?:\s|$)", line):
            branch, name, builtin = match.groups()
            if name not in vars(errors):
                continue
            error = getattr(errors, name)
            depth = len(branch) // 4
            assert depth <= len(path)
            assert error.__bases__[0] is (path[depth - 1] if depth else Exception)
            assert builtin is None or issubclass(error, getattr(builtins, builtin))
            path[depth:] = [error]
            drawn.append(error)
    assert sorted(drawn, key=str) == sorted(ERRORS, key=str)


def test_data_and_parameter_errors_are_value_errors() -> None:
    assert issubclass(rosenblatt.DataError, ValueError)
    assert issubclass(rosenblatt.ParameterError, ValueError)
    assert issubclass(NotANumberError, rosenblatt.DataError)
    assert issubclass(NotANumberError, TypeError)
    assert not issubclass(rosenblatt.DataError, TypeError)
    assert issubclass(rosenblatt.MissingExtraError, ImportError)
    assert not issubclass(rosenblatt.DataError, rosenblatt.ParameterError)


@pytest.mark.parametrize(
    "error", [errors.DataError("row 2"), errors.ParameterError("C"), errors.MissingExtraError("A plot", "plot")]
)
def test_errors_cross_process_borders(error: Exception) -> None:
    """A worker process hands its errors over by pickle."""
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(again), str(again)) == (type(error), str(error))


def test_a_missing_extra_says_what_to_install() -> None:
    assert "pip install 'rosenblatt[frame]'" in str(errors.MissingExtraError("A trace as a DataFrame", "frame"))
    extras = importlib.metadata.metadata("rosenblatt").get_all("Provides-Extra") or []
    source = "\n".join(path.read_text(encoding="utf-8") for path in Path(rosenblatt.__file__).parent.rglob("*.py"))
    named = re.findall(r'MissingExtraError\([^()]*, "(\w+)"\)', source)
    assert named
    assert set(named) <= set(extras)


# ---------------------------------------------------------------------------------------------------------------------
# Docstrings


def documented() -> list[str]:
    """Public names whose docstring must show a use: not errors, warnings, enums and records."""
    kinds = (Exception, enum.Enum)
    public = {name: getattr(rosenblatt, name) for name in rosenblatt.__all__}
    return [
        name
        for name, each in public.items()
        if name not in RECORDS
        and not inspect.ismodule(each)
        and not (inspect.isclass(each) and issubclass(each, kinds))
    ]


@pytest.mark.parametrize("name", documented())
def test_every_public_docstring_has_an_example(name: str) -> None:
    doc = inspect.getdoc(getattr(rosenblatt, name)) or ""
    assert re.match(r"[A-Z].*\.$", doc.splitlines()[0])
    assert ">>> " in doc


@pytest.mark.parametrize("name", [name for name in rosenblatt.__all__ if inspect.isclass(getattr(rosenblatt, name))])
def test_every_public_class_and_method_is_explained(name: str) -> None:
    public = getattr(rosenblatt, name)
    assert vars(public).get("__doc__")
    for member, value in inspect.getmembers(public):
        ours = getattr(getattr(value, "fget", value), "__module__", "") or ""
        if not member.startswith("_") and ours.startswith("rosenblatt") and not isinstance(value, StopReason):
            assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize("reason", StopReason)
def test_a_stop_reason_is_a_word_and_a_sentence(reason: StopReason) -> None:
    assert str(reason) == f"{reason}" == reason.value == reason.name.lower()
    assert StopReason(reason.value) is reason
    assert re.fullmatch(r"[a-z_]+", str(reason))
    assert re.fullmatch(r"[A-Z][^.]*\.", reason.sentence)
    assert StopReason[str(reason).upper()] is reason
    assert pickle.loads(pickle.dumps(reason)) is reason  # noqa: S301


# ---------------------------------------------------------------------------------------------------------------------
# Copies


MODELS = [
    Perceptron(),
    Perceptron(average="averaged", margin=1.0, class_weight={0: 2.0}),
    Perceptron(average="voted", order="random"),
    PassiveAggressive(C=0.5, variant="II"),
]
SEARCHES = [
    Kozinec(),
    Kozinec(C=1.0, bias=2.0),
    Kozinec(epsilon=None, solver="kozinec"),
    Kozinec(epsilon_kind="absolute", solver="mdm", screening=True),
]
COPIES: list[Callable[[Any], Any]] = [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy]  # noqa: S301


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.parametrize("duplicate", COPIES, ids=["pickle", "deepcopy"])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_copy_predicts_the_same_and_learns_on_to_the_same_bits(
    model: Any, y: Any, duplicate: Callable[[Any], Any]
) -> None:
    model, order = clone(model).fit(X, y), model.order
    twin, left_alone = duplicate(model), duplicate(model)
    rng = np.random.default_rng(0)
    new, labels = rng.normal(size=(30, 3)), rng.permutation(np.resize(y, 30))
    assert np.array_equal(twin.predict(new), model.predict(new))
    for learner in (model, twin):
        learner.set_params(order="shuffled").partial_fit(new, labels).learn_one(new[0], labels[3])
        learner.set_params(order=order, warm_start=True).fit(X, y)
    assert twin.decision_function(new).tobytes() == model.decision_function(new).tobytes()
    assert twin._learner.answer.tobytes() == model._learner.answer.tobytes()
    assert (twin.n_updates_, twin.n_iter_, twin.stop_reason_) == (model.n_updates_, model.n_iter_, model.stop_reason_)
    assert (
        left_alone._learner.answer.tobytes() != model._learner.answer.tobytes()
    )  # there was something to learn, and nothing is shared


@pytest.mark.parametrize("duplicate", COPIES, ids=["pickle", "deepcopy"])
@pytest.mark.parametrize("model", SEARCHES, ids=str)
def test_a_copy_of_a_search_answers_the_same_and_fits_to_the_same_bits(
    model: Any, duplicate: Callable[[Any], Any]
) -> None:
    model = clone(model).fit(X, TWO)
    twin, left_alone = duplicate(model), duplicate(model)
    assert (twin.margin_bounds_, twin.stop_reason_) == (model.margin_bounds_, model.stop_reason_)
    assert twin.history_.tobytes() == model.history_.tobytes()
    assert (twin.slab_, twin.hyperplane_) == (model.slab_, model.hyperplane_)
    for learner in (model, twin):
        learner.fit(3 * X[::-1] + [0, 1, 0], TWO[::-1])
    for name in (
        "coef_",
        "intercept_",
        "dual_coef_",
        "support_vectors_",
        "support_",
        "history_",
        "mistakes_per_epoch_",
    ):
        assert getattr(twin, name).tobytes() == getattr(model, name).tobytes()
    assert left_alone.coef_.tobytes() != model.coef_.tobytes()  # there was something to learn, and nothing is shared


@pytest.mark.parametrize(
    ("model", "X", "y", "category"),
    [
        (Perceptron(max_epochs=1), [[0], [1], [2]], [0, 1, 0], rosenblatt.BudgetWarning),
        (rosenblatt.Kozinec(), [[0], [1], [2]], [0, 1, 0], rosenblatt.OverlapWarning),
    ],
)
def test_a_warning_is_also_scikit_learns(model: Any, X: Any, y: Any, category: type[Warning]) -> None:
    """A filter on either class hears it, and it is shown under its own name."""
    with pytest.warns(category) as heard:
        model.fit(X, y)
    assert issubclass(heard[0].category, ConvergenceWarning)
    assert heard[0].category.__name__ == category.__name__

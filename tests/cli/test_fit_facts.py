"""Tests of the facts that `rosenblatt fit` reports, by independent code: the choice, the accuracy and the proofs."""

import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold, train_test_split

from rosenblatt import Kozinec, Perceptron, Pocket, Scaling, datasets, load, mistake_bound, read, write
from tests.cli.test_fit import SVM, fitted, quiet
from tests.cli.test_main import AND, XOR, made, refused, run

FACTS = {
    "algorithm", "why_chosen", "tried", "estimator", "stop_reason", "why", "rows", "skipped", "columns", "classes",
    "learned_from", "passes", "updates", "mistakes_per_pass", "judged", "right", "confusion", "folds",
    "learning_curve", "progressive", "verdict", "fewest_errors", "mistake_bound", "seconds", "model", "report",
    "cautions", "per_class", "balanced_accuracy", "baseline", "gain", "positive_class", "roc_auc", "average_precision",
    "probability", "rounds", "mixed_updates",
}  # fmt: skip
UNLIKE = "x,y,kind\n1,1000,a\n2,3000,a\n3,5000,b\n4,9000,b\n"


@pytest.fixture(scope="module")
def iris(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("iris") / "iris.csv"
    X, y = datasets.load("iris")
    write(X, y, path)
    return path


def interval(right: int, n: int) -> tuple[float, float]:
    """The 95 % confidence interval of Clopper and Pearson, by quantiles of beta distributions."""
    low = beta.ppf(0.025, right, n - right + 1) if right else 0.0
    high = beta.ppf(0.975, right + 1, n - right) if right < n else 1.0
    return float(low), float(high)


def check_share(share: Any, right: int, n: int) -> None:
    assert (share["right"], share["n"]) == (right, n)
    assert (share["low"], share["high"]) == pytest.approx(interval(right, n), abs=1e-9)


# ---------------------------------------------------------------------------------------------------------------------
# The choice


@pytest.mark.parametrize(
    ("text", "algorithm", "verdict", "words"),
    [
        (AND, "kozinec", "strict", "a hyperplane separates them, so the largest margin is used"),
        (XOR, "averaged", "overlap", "no hyperplane was found that separates them"),
        ("x,kind\n0,a\n1,a\n1,b\n3,b\n", "averaged", "weak", "no hyperplane was found that separates them"),
    ],
)
def test_auto_says_why(tmp_path: Path, text: str, algorithm: str, verdict: str, words: str) -> None:
    path = made(tmp_path, text)
    facts = fitted(path)
    assert (facts["algorithm"], facts["verdict"], facts["passes"] > 0) == (algorithm, verdict, True)
    assert words in facts["why_chosen"]
    assert "too few to try candidates" in run("fit", path).out


def test_auto_brings_columns_to_one_scale(tmp_path: Path) -> None:
    path, out = made(tmp_path, UNLIKE), tmp_path / "model"
    fitted(path, "--out", out)
    data = read(path)
    scaled = Scaling().fit(data.X, data.y).transform(data.X)
    expected = Kozinec().fit(scaled, data.y)
    assert load(out).decision_function(data.X).tobytes() == expected.decision_function(scaled).tobytes()
    fitted(path, "--scale", "none", "--out", out)
    assert load(out).coef_.tobytes() == Kozinec().fit(*data).coef_.tobytes()


def test_hashed_names_fill_no_memory(tmp_path: Path) -> None:
    """Two of 2^16 columns are used. Two equal rows have different labels."""
    path = made(tmp_path, "1 | a:0 b\n-1 | a:0 b\n-1 | a:3 b\n", "data.vw")
    facts = fitted(path, "--hash-bits", 16)
    assert (facts["columns"], facts["algorithm"], facts["fewest_errors"]) == (2**16, "averaged", [1, 1])


def test_a_stream_is_averaged(tmp_path: Path) -> None:
    facts = fitted(made(tmp_path, SVM, "data.svm"), "--stream")
    assert (facts["algorithm"], facts["verdict"], facts["right"]) == ("averaged", None, None)
    assert "for streams" in facts["why_chosen"]
    assert facts["progressive"] is None


def test_a_stream_is_predicted_before_it_is_learned_from(tmp_path: Path) -> None:
    """From weights 0 the first row is taken for class -1. The mean of the weights so far predicts the others."""
    path = made(tmp_path, "x,kind\n1,a\n-1,b\n2,b\n-3,b\n4,a\n")
    page = tmp_path / "page.html"
    ended = run("fit", path, "--stream", "--progressive", "--passes", 2, "--report", page)
    facts = fitted(path, "--stream", "--progressive", "--passes", 2)
    model, right = Perceptron(average="averaged"), 0
    curve = []
    for t, (x, label) in enumerate([(1, "a"), (-1, "b"), (2, "b"), (-3, "b"), (4, "a")], start=1):
        right += (model.predict_one([x]) if t > 1 else "a") == label
        model.learn_one([x], label, classes=["a", "b"])
        if t in (1, 2, 4, 5):
            curve.append([t, right])
    assert facts["progressive"] == {"rows": 5, "right": right, "curve": curve}
    words = f"{100 * right / 5:.1f} % of 5 rows were right when they were predicted by the averaged weights so far"
    assert words in " ".join(ended.out.split())
    assert f"{100 * curve[0][1]:.1f} % of the first 1" in " ".join(ended.out.split())
    text = page.read_text(encoding="utf-8")
    assert words in text
    assert "Progressive validation: each row was predicted before the model learned from it." in text


# ---------------------------------------------------------------------------------------------------------------------
# How good it is


@pytest.mark.parametrize("seed", [0, 3])
def test_rows_kept_for_a_test(iris: Path, tmp_path: Path, seed: int) -> None:
    out = tmp_path / "model"
    asked = ["--algorithm", "averaged", "--test", 0.2, "--seed", seed, "--out", out]
    facts, (X, y) = fitted(iris, *asked), read(iris)
    train, test = train_test_split(np.arange(150), test_size=0.2, stratify=y, random_state=seed)
    train.sort()
    with quiet():
        model = Perceptron(average="averaged", max_epochs=10, random_state=seed).fit(X[train], y[train])
    assert load(out).coef_.tobytes() == model.coef_.tobytes()
    said = model.predict(X[test])
    assert (facts["rows"], facts["learned_from"], facts["judged"]) == (150, 120, "test rows")
    check_share(facts["right"], int((said == y[test]).sum()), 30)
    assert facts["confusion"] == confusion_matrix(y[test], said).tolist()
    text = run("fit", iris, *asked).out
    low, high = interval(facts["right"]["right"], 30)
    assert f"{facts['right']['right']} of 30 test rows " in text
    assert f"({100 * low:.1f} to {100 * high:.1f})" in text


def test_the_learning_curve(iris: Path, tmp_path: Path) -> None:
    """Each point uses the same fraction of the 40 rows of each class. The last point is the model itself."""
    facts, (X, y) = fitted(iris, "--algorithm", "averaged", "--test", 0.2, "--out", tmp_path / "model"), read(iris)
    rows, training, others = zip(*facts["learning_curve"], strict=True)
    assert list(rows) == [3 * math.ceil(40 * share) for share in (0.1, 0.2, 0.4, 0.7, 1.0)]
    train, _ = train_test_split(np.arange(150), test_size=0.2, stratify=y, random_state=0)
    assert training[-1] == load(tmp_path / "model").score(X[train], y[train])
    assert others[-1] == facts["right"]["right"] / 30
    assert all(0 <= share <= 1 for share in training + others)


@pytest.mark.parametrize("seed", [0, 5])
def test_cross_validation(iris: Path, seed: int) -> None:
    asked = ["--algorithm", "pocket", "--passes", 5, "--cv", 4, "--seed", seed]
    facts, (X, y) = fitted(iris, *asked), read(iris)
    parts = list(StratifiedKFold(4, shuffle=True, random_state=seed).split(X, y))
    with quiet():
        models = [Pocket(max_epochs=5, random_state=seed).fit(X[train], y[train]) for train, _ in parts]
    rights = [int((model.predict(X[test]) == y[test]).sum()) for model, (_, test) in zip(models, parts, strict=True)]
    for fold, right, (_, test) in zip(facts["folds"], rights, parts, strict=True):
        check_share(fold, right, len(test))
    shares = [100 * right / len(test) for right, (_, test) in zip(rights, parts, strict=True)]
    said = f"{np.mean(shares):.1f} % on average over 4 folds ({min(shares):.1f} to {max(shares):.1f})"
    assert said in " ".join(run("fit", iris, *asked).out.split())


def test_rows_learned_from(tmp_path: Path) -> None:
    """Without test rows, the report says that the accuracy on new rows is not known."""
    facts = fitted(made(tmp_path, AND))
    assert set(facts) == FACTS
    check_share(facts["right"], 4, 4)
    assert (facts["judged"], facts["confusion"]) == ("training rows", [[3, 0], [0, 1]])
    assert (facts["folds"], facts["learning_curve"], facts["learned_from"]) == ([], [], 4)
    text = run("fit", tmp_path / "data.csv").out
    assert re.match(r"kozinec on .*: 4 of 4 training rows are right, 100.0 %", text.replace("\n", " "))
    assert "nothing is known: no rows were kept for a test" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--test", 0], ["--test must be a fraction of the rows between 0 and 1", "not 0"]),
        (["--test", 1], ["--test must be a fraction", "not 1"]),
        (["--test", "nan"], ["--test must be a fraction", "not nan"]),
        (["--test", 0.2], ["0.2", "1"]),
        (["--cv", 2], ["--cv 2 needs 2 rows of each class, but one class has only 1"]),
    ],
    ids=str,
)
def test_too_few_rows(tmp_path: Path, arguments: list[Any], words: list[str]) -> None:
    ended = run("fit", made(tmp_path, AND), *arguments)
    refused(ended, *words)
    assert "groups" not in ended.err  # as scikit-learn would put it


# ---------------------------------------------------------------------------------------------------------------------
# What is proved


def test_the_fewest_errors(tmp_path: Path) -> None:
    """Every line misclassifies at least one corner of XOR."""
    path = made(tmp_path, XOR)
    assert fitted(path)["fewest_errors"] == [1, 1]
    assert "the best hyperplane misclassifies exactly 1 of 4 rows (proved)" in " ".join(run("fit", path).out.split())
    assert fitted(made(tmp_path, AND))["fewest_errors"] is None


def test_updates_against_the_bound(tmp_path: Path) -> None:
    path = made(tmp_path, AND)
    facts = fitted(path, "--algorithm", "perceptron", "--report", tmp_path / "report.html")
    assert facts["mistake_bound"] == math.floor(mistake_bound(*read(path)).bounds[1])
    assert 0 < facts["updates"] <= facts["mistake_bound"]
    assert facts["mistakes_per_pass"][-1] == 0
    assert sum(facts["mistakes_per_pass"]) == facts["updates"]
    assert fitted(path, "--algorithm", "perceptron")["mistake_bound"] is None  # nobody asked


class Links(HTMLParser):
    """Collects what a page would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("src", "srcset", "href", "data") and value]


@pytest.mark.parametrize("text", [AND, XOR])
def test_a_page_that_needs_no_network(tmp_path: Path, text: str) -> None:
    path, page = made(tmp_path, text), tmp_path / "report.html"
    ended = run("fit", path, "--report", page)
    assert (ended.code, ended.err) == (0, f"report: {page}\n")
    written = page.read_text(encoding="utf-8")
    assert written.lower().startswith("<!doctype html>")
    assert all(link.startswith(("data:", "#")) for link in Links(written).found)
    for word in ("data.csv", str(fitted(path)["verdict"]), str(fitted(path)["algorithm"])):
        assert word in written


def test_a_note_where_the_budget_was_used(tmp_path: Path) -> None:
    """There is no note if the overlap was proved before, or if training ended within the budget."""
    path = made(tmp_path, XOR)
    ended = run("fit", path, "--algorithm", "perceptron", "--json")
    assert (ended.code, ended.err.count("\n")) == (0, 1)
    assert ended.err.startswith("note: Perceptron used its budget of 100 passes")
    assert run("fit", path, "--json").err == ""
    assert run("fit", made(tmp_path, AND), "--algorithm", "perceptron", "--json").err == ""


def test_the_time_of_each_stage(iris: Path, tmp_path: Path) -> None:
    seconds = fitted(iris, "--test", 0.2, "--cv", 2, "--passes", 1)["seconds"]
    assert {"reading", "choosing", "training", "judging", "cross-validation", "learning curve", "proof"} == set(
        seconds
    ) - {"compiling"}
    assert min(seconds.values()) >= 0
    text = run("fit", made(tmp_path, AND)).out.splitlines()[-1]
    assert re.fullmatch(r"time  +(\w+ [0-9.]+ m?s, )*\w+ [0-9.]+ m?s", text)

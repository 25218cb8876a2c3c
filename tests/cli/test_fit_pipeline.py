"""Tests of the fit pipeline, in memory and on streams: reading, choice, training, evaluation and proofs."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import Pipeline

from rosenblatt import Certificate, Kessler, Kozinec, OneVsOne, Perceptron, Scaling, Verdict, load, read, save
from rosenblatt.classifiers import algorithm_choice as algorithms
from rosenblatt.cli.fit_pipeline import FitRequest, collect_warnings, fit_in_memory, fit_on_stream
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.wording import Wording
from rosenblatt.proof import prove as prove_module
from rosenblatt.report.report import Report

AND = "x,y,kind\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"
XOR = "x,y,kind\n0,0,even\n1,1,even\n0,1,odd\n1,0,odd\n"
WEAK = "x,kind\n0,low\n1,low\n1,high\n3,high\n"
THREE = "x,y,kind\n1,0,a\n0,1,b\n-1,-1,c\n"
SVM = "1 1:1 2:1\n-1 2:-1\n1 1:3\n-1 1:-2 3:1\n"
CATEGORIES = "colour,size,kind\nred,1,a\nred,2,b\nblue,3,a\ngreen,5,b\n"
READING: dict[str, Any] = {
    "target": None, "columns": None, "categories": (), "hash_bits": None, "missing": None, "format": None,
    "on_error": "stop",
}  # fmt: skip
KEEPING: dict[str, Any] = {"checkpoint": None, "every_seconds": 30.0, "every_rows": None, "resume": False}


def wanted(algorithm: str = "auto", *, settings: dict[str, Any] | None = None, **asked: Any) -> FitRequest:
    """A request for an algorithm, with these options."""
    nothing: dict[str, Any] = {"passes": None, "seed": 0, "scale": None, "test": None, "cv": None, "prove": True}
    return FitRequest(algorithm=algorithm, settings=settings or {}, **(nothing | asked))


def made(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def fitted(
    folder: Path, text: str, algorithm: str = "auto", *, name: str = "data.csv", reading: Any = None, **asked: Any
) -> Report:
    """The report of a fit to a file with this text."""
    path = made(folder, text, name)
    return fit_in_memory(wanted(algorithm, **asked), [str(path)], READING | (reading or {}))


def csv(X: Any, y: Any, names: Any = None, target: str = "kind") -> str:
    """The text of a table; names and labels are quoted."""

    def quoted(words: Any) -> list[str]:
        return ['"' + str(word).replace('"', '""') + '"' for word in words]

    heading = quoted([*([f"c{j}" for j in range(len(X[0]))] if names is None else names), target])
    rows = [[*map(repr, map(float, x)), label] for x, label in zip(X, quoted(y), strict=True)]
    return "".join(",".join(row) + "\n" for row in [heading, *rows])


def cloud(n: int, d: int, classes: Any, gap: float) -> tuple[Any, list[Any]]:
    """Points around a centre for each class; every call gives the same points."""
    rng = np.random.default_rng(0)
    centres, codes = gap * rng.normal(size=(len(classes), d)), np.arange(n) % len(classes)
    return centres[codes] + rng.normal(size=(n, d)), [classes[code] for code in codes]


# ---------------------------------------------------------------------------------------------------------------------
# What is read


def test_what_is_read(tmp_path: Path) -> None:
    found = fitted(tmp_path, AND)
    assert (found.source, found.target) == (str(tmp_path / "data.csv"), "kind")
    assert (found.rows, found.skipped, found.columns, found.counts) == (4, 0, 2, {"no": 3, "yes": 1})
    assert (found.learned_from, found.tested) == (4, 0)


def test_rows_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    found = fitted(tmp_path, AND + "1,oops,yes\n", reading={"on_error": "skip"})
    assert (found.rows, found.skipped) == (4, 1)


def test_several_files(tmp_path: Path) -> None:
    first, second = made(tmp_path, AND, "a.csv"), made(tmp_path, AND, "b.csv")
    found = fit_in_memory(wanted(), [str(first), str(second)], READING)
    assert (found.source, found.rows) == (f"{first}, {second}", 8)


@pytest.mark.parametrize(
    ("labels", "counts"),
    [
        (["true", "false"], {True: 2, False: 2}),
        (["7", "9"], {7: 2, 9: 2}),
        (["<b>", "a b"], {"<b>": 2, "a b": 2}),
    ],
)
def test_labels_of_all_kinds(tmp_path: Path, labels: list[str], counts: dict[Any, int]) -> None:
    a, b = labels
    found = fitted(tmp_path, f"x,kind\n1,{a}\n2,{a}\n4,{b}\n5,{b}\n")
    assert found.counts == counts
    assert set(found.classes) == set(counts)
    assert {type(label) for label in found.classes} == {type(label) for label in counts}


def test_categories_are_recorded(tmp_path: Path) -> None:
    found = fitted(tmp_path, CATEGORIES)
    assert found.columns == 4
    assert {name for name, _ in found.ranked_weights()} == {"colour=red", "colour=blue", "colour=green", "size"}
    path, encoding = tmp_path / "model", read(tmp_path / "data.csv").encoding
    save(found.model, path)
    assert encoding is not None
    assert load(path)[-1].encoding_ == encoding.to_dict()


def test_sparse_rows(tmp_path: Path) -> None:
    found = fitted(tmp_path, SVM * 5, name="data.svm", test=0.25)
    assert (found.target, found.columns, found.counts) == (None, 3, {-1: 10, 1: 10})
    assert (found.algorithm, found.learned_from, found.tested) == ("kozinec", 15, 5)


@pytest.mark.parametrize(("label", "shown"), [("a", "'a'"), ("1", "1"), ("true", "True")])
def test_one_class_is_refused(tmp_path: Path, label: str, shown: str) -> None:
    with pytest.raises(DataError) as error:
        fitted(tmp_path, f"x,kind\n1,{label}\n2,{label}\n")
    assert str(error.value).endswith(f"data.csv: all 2 rows have the label {shown}; two classes are needed.")


def test_a_column_of_numbers_is_no_label(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i}\n" for i in range(300))
    with pytest.raises(DataError, match="has 300 different values in 300 rows, so it hardly holds labels"):
        fitted(tmp_path, "x,id\n" + rows)


# ---------------------------------------------------------------------------------------------------------------------
# What is chosen


@pytest.mark.parametrize(
    ("text", "algorithm", "kind"),
    [
        (AND, "kozinec", "strict"),
        (WEAK, "averaged", "weak"),
        (XOR, "averaged", "overlap"),
        (THREE, "kozinec", "strict"),
    ],
)
def test_auto_does_what_a_practitioner_would(tmp_path: Path, text: str, algorithm: str, kind: str) -> None:
    found = fitted(tmp_path, text)
    assert (found.algorithm, found.notes) == (algorithm, [])
    assert found.verdict is not None
    assert found.verdict.kind == kind
    assert (found.fewest is not None) == (kind == "overlap")


def test_auto_on_what_was_not_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    undecided = Verdict("undecided", ["even", "odd"], n=4)
    monkeypatch.setattr(algorithms, "separability", lambda *_, **__: undecided)
    found = fitted(tmp_path, XOR)
    assert (found.algorithm, found.verdict, found.fewest) == ("averaged", undecided, None)
    assert found.bound is None
    assert "not looked for" in found.unbounded  # whether there is one is what was not decided


def test_the_largest_margin_is_found(tmp_path: Path) -> None:
    found = fitted(tmp_path, "x,kind\n1,a\n2,a\n4,b\n7,b\n", scale="none")
    assert isinstance(found.model, Kozinec)
    assert found.model.margin_bounds_ == pytest.approx((1, 1))
    assert found.margins == pytest.approx([2, 1, 1, 4])


@pytest.mark.parametrize(("algorithm", "kind"), [("kozinec", Kessler), ("anderson", OneVsOne), ("pa", object)])
def test_three_classes(tmp_path: Path, algorithm: str, kind: Any) -> None:
    found = fitted(tmp_path, csv(*cloud(30, 2, "abc", 20)), algorithm, scale="standardize")
    assert isinstance(found.classifier, kind)
    assert found.accuracy is not None
    assert found.accuracy.right == 30
    assert found.confusion is not None
    assert found.confusion.tolist() == np.diag([10] * 3).tolist()


def test_columns_of_different_spread(tmp_path: Path) -> None:
    text = "x,y,kind\n" + "".join(f"{i},{1000 * i},{'ab'[i > 4]}\n" for i in range(10))
    found = fitted(tmp_path, text)
    assert isinstance(found.model, Pipeline)
    assert isinstance(found.model[0], Scaling)
    assert found.model[0].how == "standardize"
    assert isinstance(fitted(tmp_path, text, scale="none").model, Kozinec)
    assert fitted(tmp_path, text, scale="center").model[0].how == "center"
    assert fitted(tmp_path, text, scale="centre").model[0].how == "centre"


def test_an_algorithm_by_name_needs_no_verdict(tmp_path: Path) -> None:
    found = fitted(tmp_path, AND, "perceptron", prove=False)
    assert (found.algorithm, found.why, found.verdict, found.bound) == ("perceptron", "", None, None)
    assert list(found.seconds) == ["reading", "training", "judging"]


def test_budgets_seeds_and_settings_arrive(tmp_path: Path) -> None:
    found = fitted(tmp_path, AND, "perceptron", passes=50, seed=3, settings={"order": "cyclic"})
    assert found.model.get_params() == Perceptron(max_epochs=50, random_state=3, order="cyclic").get_params()
    assert found.model.coef_.tolist() == Perceptron(order="cyclic").fit(*read(tmp_path / "data.csv")).coef_.tolist()


def test_what_was_warned_of_is_noted_once(tmp_path: Path) -> None:
    found = fitted(tmp_path, XOR, "perceptron", passes=3, cv=2)
    (note,) = found.notes
    assert "used its budget of 3 passes" in note
    assert "raise --passes" in note


def test_remembering() -> None:
    """Only warnings of this package are kept, in words of the command; those of other libraries never are."""
    notes = ["known"]
    with collect_warnings(notes, without=(DeprecationWarning,)):
        for text in ("known", "new", "new"):
            warnings.warn(Wording("in Python", text), stacklevel=1)
        warnings.warn(Wording("unwanted"), DeprecationWarning, stacklevel=1)
        warnings.warn("KMeans is known to have a memory leak", UserWarning, stacklevel=1)
        np.float64(1e308) * np.float64(10)
    assert notes == ["known", "new"]


# ---------------------------------------------------------------------------------------------------------------------
# What is judged and proved


def test_on_rows_kept_back(tmp_path: Path) -> None:
    X, y = cloud(60, 2, "ab", 1.0)
    found = fitted(tmp_path, csv(X, y), "averaged", test=0.2, cv=3)
    assert (found.learned_from, found.tested, found.judged) == (48, 12, "test rows")
    assert found.accuracy is not None
    assert found.accuracy.n == 12
    assert found.margins is not None
    assert len(found.margins) == 48
    assert sum(fold.n for fold in found.folds) == 48
    assert found.curve[-1].rows == 48
    assert (found.curve[-1].others, found.curve[-1].training.right) == (found.accuracy, (found.margins > 0).sum())
    assert found.verdict is not None
    assert found.verdict.n == 60  # the verdict is on all rows


@pytest.mark.parametrize(("asked", "option"), [({"test": 0.2}, "--test"), ({"cv": 3}, "--cv 3")])
def test_too_few_rows(tmp_path: Path, asked: dict[str, Any], option: str) -> None:
    with pytest.raises(DataError) as error:
        fitted(tmp_path, AND, **asked)
    assert option in str(error.value)
    assert str(error.value).endswith(".")


@pytest.mark.parametrize("text", [AND, WEAK, XOR, THREE])
def test_certificates_verify(tmp_path: Path, text: str) -> None:
    found = fitted(tmp_path, text)
    rows = read(tmp_path / "data.csv")
    assert found.verdict is not None
    assert found.verdict.certificate is not None
    for proof in [found.verdict.certificate] + ([found.fewest.certificate] if found.fewest is not None else []):
        assert Certificate.from_json(proof.to_json()).verify(*rows)


def test_the_same_again(tmp_path: Path) -> None:
    text = csv(*cloud(60, 3, "abc", 1.0))
    first, again = (fitted(tmp_path, text, test=0.2, cv=3, seed=7) for _ in range(2))
    assert first.classifier.coef_.tolist() == again.classifier.coef_.tolist()
    assert (first.accuracy, first.folds, first.curve) == (again.accuracy, again.folds, again.curve)
    other = fitted(tmp_path, text, test=0.2, cv=3, seed=8)
    assert other.classifier.coef_.tolist() != first.classifier.coef_.tolist()


@pytest.mark.parametrize("algorithm", ["perceptron", "kernel", "kozinec"])
def test_a_sample_is_kept_for_the_page(tmp_path: Path, algorithm: str) -> None:
    sample = fitted(tmp_path, AND, algorithm).sample
    assert sample is not None
    assert sample[1].tolist() == ["no", "no", "no", "yes"]
    assert fitted(tmp_path, AND, algorithm, prove=False).sample is None


# ---------------------------------------------------------------------------------------------------------------------
# Streams


def streamed(folder: Path, text: str, algorithm: str = "auto", *, name: str = "data.csv", **asked: Any) -> Report:
    path = made(folder, text, name)
    return fit_on_stream(wanted(algorithm, **({"prove": False} | asked)), [str(path)], READING, KEEPING)


def test_a_stream_learns_what_memory_does(tmp_path: Path) -> None:
    text = csv(*cloud(40, 2, "abc", 1.0))
    found = streamed(tmp_path, text, passes=4)
    assert (found.algorithm, found.rows, found.columns, found.learned_from) == ("averaged", 40, 2, 40)
    assert found.counts == {"a": None, "b": None, "c": None}
    assert found.why.startswith("for streams, ")
    expected = Perceptron(average="averaged", order="cyclic", max_epochs=4)
    with warnings.catch_warnings(action="ignore"):
        expected.fit(*read(tmp_path / "data.csv"))
    assert found.model.coef_.tolist() == expected.coef_.tolist()
    assert (found.count("n_iter_"), found.notes) == (4, [])
    assert (found.accuracy, found.verdict, found.margins) == (None, None, None)


def test_a_scaled_stream(tmp_path: Path) -> None:
    found = streamed(tmp_path, AND, "perceptron", scale="standardize", passes=100)
    data = read(tmp_path / "data.csv")
    assert isinstance(found.model, Pipeline)
    assert found.model.predict(data.X).tolist() == data.y.tolist()
    assert list(found.seconds) == ["scaling", "training"]
    assert isinstance(streamed(tmp_path, AND, "perceptron", scale="none").model, Perceptron)


def test_a_stream_of_sparse_rows(tmp_path: Path) -> None:
    found = streamed(tmp_path, SVM, "kozinec", name="data.svm")
    assert (found.rows, found.columns, str(found.stop_reason)) == (4, 3, "gap_closed")


@pytest.mark.parametrize(("asked", "option"), [({"test": 0.2}, "--test"), ({"cv": 3}, "--cv")])
def test_what_a_stream_cannot_be_asked(tmp_path: Path, asked: dict[str, Any], option: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{option} is for data in memory; leave --stream out"):
        streamed(tmp_path, AND, **asked)


@pytest.mark.parametrize("algorithm", ["kernel", "anderson"])
def test_what_a_stream_cannot_learn_by(tmp_path: Path, algorithm: str) -> None:
    with pytest.raises(ParameterError, match=rf"^--algorithm {algorithm} needs all rows at once; "):
        streamed(tmp_path, AND, algorithm)


@pytest.mark.parametrize("keeping", [{"checkpoint": Path("c")}, {"resume": True}])
def test_a_search_has_no_checkpoints(tmp_path: Path, keeping: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"^--checkpoint and --resume do not work with kozinec"):
        fit_on_stream(wanted("kozinec", prove=False), [str(made(tmp_path, AND))], READING, KEEPING | keeping)


@pytest.mark.parametrize("stream", [False, True])
def test_a_setting_that_is_not_known(tmp_path: Path, stream: bool) -> None:
    with pytest.raises(ParameterError, match=r"Did you mean 'max_epochs'\?$"):
        (streamed if stream else fitted)(tmp_path, AND, "pocket", settings={"max_epoch": 3})


# ---------------------------------------------------------------------------------------------------------------------
# No question twice


@pytest.mark.parametrize("algorithm", ["auto", "perceptron"])
@pytest.mark.parametrize("text", [AND, XOR, WEAK, THREE])
def test_the_verdict_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, algorithm: str) -> None:
    asked: list[Any] = []
    original = prove_module.prove

    def counted(signed: Any, **options: Any) -> Any:
        asked.append((signed.n, signed.table.floats.tobytes() if signed.constant else "long rows", signed.constant))
        return original(signed, **options)

    monkeypatch.setattr("rosenblatt.proof.decide.prove", counted)
    found = fitted(tmp_path, text, algorithm)
    assert found.verdict is not None
    assert asked
    assert len(set(asked)) == len(asked)

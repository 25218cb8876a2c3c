"""Tests of `rosenblatt check`: verdicts, output, options and bad input."""

import math
import os
import re
import threading
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import Certificate, separability
from rosenblatt.data.files import sources
from tests.cli.test_main import AND, XOR, commands, made, refused, run, strict_json
from tests.support.effort import examples

WEAK = "x,kind\n0,low\n1,low\n1,high\n3,high\n"
THREE = "x,y,kind\n1,0,a\n0,1,b\n-1,-1,c\n"
MIXED = "x,kind\n0,a\n1,b\n2,a\n9,c\n"  # a and b overlap, c is apart
SVM = "-1 1:0 2:0\n-1 1:1 2:1\n1 2:1\n1 1:1\n"  # XOR
HUGE = f"x,kind\n{2**53},a\n{2**53 + 1},b\n"  # one float
HUGE_SVM = f"-1 1:{2**53}\n1 1:{2**53 + 1}\n"
KINDS = [(AND, "strict"), (XOR, "overlap"), (WEAK, "weak"), (THREE, "strict"), (MIXED, "weak")]


def checked(path: Path, *options: object) -> Any:
    ended = run("check", path, *options, "--json")
    assert (ended.code, ended.err) == (0, "")
    return strict_json(ended.out)


# ---------------------------------------------------------------------------------------------------------------------
# The verdict


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_verdict_then_evidence_then_what_to_do(tmp_path: Path, text: str, kind: str) -> None:
    ended = run("check", made(tmp_path, text))
    assert (ended.code, ended.err) == (0, "")
    verdict, *others, advice = ended.out.split("\n\n")
    assert verdict.startswith(f"{kind} - ")
    assert verdict.endswith("Proved.")
    columns = [] if text == XOR else ["Columns. "]
    table = ["A logistic regression on these columns:", "coefficient  estimate"] if text in (AND, WEAK) else []
    starts = [*columns, "Evidence. ", *table]
    assert len(others) == len(starts)
    assert all(other.startswith(start) for other, start in zip(others, starts, strict=True))
    assert advice.startswith("What to do. ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (AND, ["a hyperplane separates 'no' and 'yes'", "at least 0.353553 away", "complete separation"]),
        (
            XOR,
            ["no hyperplane separates 'even' and 'odd'", "misclassifies exactly 1 of 4 rows", "two crossing segments"],
        ),
        (WEAK, ["2 of 4 rows must lie on it", "rows 1 and 2", "quasi-complete separation", "Look at rows 1 and 2"]),
        (THREE, ["separates these 3 classes", "Pair by pair: all 3 pairs separate strictly"]),
        (MIXED, ["some rows must tie; 'c' separates strictly from every other class; 'a' and 'b' overlap"]),
        (MIXED, ["not strictly separable: 'a' and 'b'.", "The other pairs are separable"]),
    ],
)
def test_what_is_said(tmp_path: Path, text: str, words: list[str]) -> None:
    said = " ".join(run("check", made(tmp_path, text)).out.split())
    for word in words:
        assert word in said


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        (XOR, "data.csv", []),
        (XOR, "data.csv", ["--target", "kind"]),
        (XOR, "data.csv", ["--target", "2"]),
        (XOR, "data.csv", ["--target", "-1"]),
        (XOR, "data.txt", ["--format", "csv"]),
        (XOR.replace(",", "\t"), "data.tsv", []),
        ("\ufeff" + XOR.replace("\n", "\r\n"), "data.csv", []),
        ("kind,x,y\neven,0,0\neven,1,1\nodd,0,1\nodd,1,0\n", "data.csv", ["--target", "kind"]),
        ("0,0,0\n1,1,0\n0,1,1\n1,0,1\n", "data.csv", []),
        (SVM, "data.svm", []),
        (SVM, "data.txt", ["--format", "libsvm"]),
    ],
)
def test_xor_in_every_form(tmp_path: Path, text: str, name: str, options: list[str]) -> None:
    ended = run("check", made(tmp_path, text, name), *options)
    notes = "has no header" if text[0] == "0" and name == "data.csv" else ""
    assert (ended.code, bool(ended.err)) == (0, bool(notes))
    assert notes in ended.err
    assert ended.out.startswith("overlap - ")
    assert "rows 0 and 1" in ended.out
    assert "rows 2 and 3" in ended.out


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        (HUGE, "data.csv", []),
        (HUGE, "data.csv", ["--format", "csv"]),
        (HUGE, "data.txt", ["--format", "csv"]),
        (HUGE.replace(",", "\t"), "data.txt", ["--format", "tsv"]),
        (HUGE_SVM, "data.svm", []),
        (HUGE_SVM, "data.svm", ["--format", "libsvm"]),
        (HUGE_SVM, "data.txt", ["--format", "libsvm"]),
    ],
)
def test_integers_beyond_floats(tmp_path: Path, text: str, name: str, options: list[str]) -> None:
    """Whole numbers are read exactly, from files and from pipes."""
    assert run("check", made(tmp_path, text, name), *options).out.startswith("strict - ")
    form = options[-1:] or ["libsvm" if "svm" in name else "csv"]
    assert run("check", "-", "--format", *form, stdin=text).out.startswith("strict - ")


def test_huge_integers(tmp_path: Path) -> None:
    """The margin is larger than any float. JSON has no infinity."""
    path = made(tmp_path, f"x,kind\n-{10**400},a\n{10**400},b\n")
    assert run("check", path).out.startswith("strict - ")
    assert checked(path)["kind"] == "strict"


def test_labels_beyond_64_bits_are_labels_too(tmp_path: Path) -> None:
    """Such labels can be account numbers."""
    assert run("check", made(tmp_path, f"1,{2**70}\n2,{2**71}\n")).out.startswith("strict")
    assert run("check", made(tmp_path, f"1,{2**63}\n2,1\n")).out.startswith("strict")


def test_words_are_categories(tmp_path: Path) -> None:
    """A column of words is equivalent to one column of zeros and ones for each word."""
    words = "size,colour,kind\n1,red,a\n2,blue,a\n2,red,b\n1,blue,b\n3,green,b\n"
    columns = "size,colour=blue,colour=green,colour=red,kind\n1,0,0,1,a\n2,1,0,0,a\n2,0,0,1,b\n1,1,0,0,b\n3,0,1,0,b\n"
    one, other = made(tmp_path, words), made(tmp_path, columns, "columns.csv")
    assert run("check", one, "--cert", tmp_path / "1.json").out == run("check", other).out
    assert run("verify", tmp_path / "1.json", other).code == 0
    assert run("verify", tmp_path / "1.json", one).code == 0


@pytest.mark.parametrize("text", [XOR, "size,colour,kind\n1,red,a\n2,blue,a\n2,red,b\n"])
def test_the_format_is_detected_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """One reader is chosen, also for a table that has words, and no other code looks at the name of the file."""
    met, detect = [], sources._format_of

    def counted(name: str, given: Any) -> tuple[str, str | None]:
        met.append(name)
        return detect(name, given)

    monkeypatch.setattr(sources, "_format_of", counted)
    path = made(tmp_path, text)
    assert run("check", path).code == 0
    assert met == [str(path)]


# ---------------------------------------------------------------------------------------------------------------------
# As JSON


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_check_as_json(tmp_path: Path, text: str, kind: str) -> None:
    answer = checked(made(tmp_path, text))
    assert answer["kind"] == kind
    assert set(answer) == {
        "kind", "margin_bounds", "hyperplane", "witness", "against", "stuck", "fewest_errors", "pairs",
        "contradictions", "telling", "culprits", "coefficients", "explanation", "advice", "rounds",
    }  # fmt: skip
    assert (answer["margin_bounds"] is None) == (text is not AND)
    assert (answer["witness"] is None) == (kind == "strict")


def test_numbers_that_are_known_by_hand(tmp_path: Path) -> None:
    strict = checked(made(tmp_path, AND))
    assert strict["margin_bounds"] == pytest.approx([0.125**0.5] * 2)  # (1, 1) is sqrt(1/2) from the line of the others
    w, b = [Fraction(x) for x in strict["hyperplane"]["w"]], Fraction(strict["hyperplane"]["b"])
    sides = [w[0] * x + w[1] * y + b for x, y in [(0, 0), (0, 1), (1, 0), (1, 1)]]
    assert [side > 0 for side in sides] == [False, False, False, True]
    assert 0 not in sides
    overlap = checked(made(tmp_path, XOR))
    assert overlap["witness"] == {"rows": [0, 1, 2, 3], "weights": ["1/4"] * 4}
    assert (overlap["stuck"], overlap["fewest_errors"]) == ([0, 1, 2, 3], [1, 1])
    weak = checked(made(tmp_path, WEAK))
    assert (weak["contradictions"], weak["stuck"], weak["fewest_errors"]) == ([[1, 2]], [1, 2], None)
    mixed = checked(made(tmp_path, MIXED))
    assert mixed["pairs"] == [["a", "b", "overlap"], ["a", "c", "strict"], ["b", "c", "strict"]]


rows = st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.booleans()), min_size=2, max_size=7)


@settings(max_examples=examples(0.4))
@given(rows.filter(lambda table: len({label for *_, label in table}) == 2))
def test_what_the_library_says(tmp_path_factory: pytest.TempPathFactory, table: list[tuple[int, int, bool]]) -> None:
    folder = tmp_path_factory.mktemp("check")
    path = made(folder, "x,y,kind\n" + "".join(f"{x},{y},{'ab'[label]}\n" for x, y, label in table))
    verdict = separability([[x, y] for x, y, _ in table], ["ab"[label] for *_, label in table])
    answer = checked(path, "--cert", folder / "cert.json")
    assert (answer["kind"], answer["explanation"].split()[:2]) == (verdict.kind, verdict.explain().split()[:2])
    assert answer["contradictions"] == [list(pair) for pair in verdict.contradictions]
    assert Certificate.from_json((folder / "cert.json").read_bytes()).claim == verdict.kind
    assert run("verify", folder / "cert.json", path).code == 0


# ---------------------------------------------------------------------------------------------------------------------
# What to do


def advised(path: Path, *options: object) -> str:
    return str(checked(path, *options)["advice"])


def test_logistic_regression(tmp_path: Path) -> None:
    """Its estimate is finite if and only if the classes overlap (Albert and Anderson, 1984)."""
    assert "Plain logistic regression has no finite estimate here" in advised(made(tmp_path, AND))
    assert "Plain logistic regression has infinite estimates here" in advised(made(tmp_path, WEAK))
    assert "Logistic regression has finite estimates" in advised(made(tmp_path, XOR))
    assert "Logistic regression has finite estimates" not in advised(made(tmp_path, WEAK), "--no-detail")


@pytest.mark.parametrize("n", [4, 14, 40])
def test_how_probable_a_separation_by_chance_is(tmp_path: Path, n: int) -> None:
    """Hyperplanes can label n points on a line in 2n ways. There are C(n, n/2) ways to label half of the points."""
    path = made(tmp_path, "x,kind\n" + "".join(f"{i},{int(i >= n // 2)}\n" for i in range(n)))
    share = min(1, 2 * n / math.comb(n, n // 2))
    said = f"up to {share:.2g}" if share > 0.01 else f"at most {share:.1g}"
    assert f"a probability of {said} (Cover's count" in advised(path)
    assert ("The separation may be an accident" in advised(path)) == (share > 0.01)


@pytest.mark.parametrize("text", [AND, XOR, MIXED])
def test_options_that_are_advised_exist(tmp_path: Path, text: str) -> None:
    every = {name for _, command in commands() for option in command.params for name in option.opts}
    named = re.findall(r"--[a-z-]+", advised(made(tmp_path, text)))
    assert named
    assert set(named) <= every


# ---------------------------------------------------------------------------------------------------------------------
# Options


def test_two_classes_of_more(tmp_path: Path) -> None:
    path, cert = made(tmp_path, MIXED), tmp_path / "pair.json"
    assert checked(path, "--classes", "a,b", "--cert", cert)["kind"] == "overlap"
    assert checked(path, "--classes", "b, a")["fewest_errors"] == [1, 1]
    assert checked(path, "--classes", "c,b")["kind"] == "strict"
    assert run("verify", cert, path).out.startswith("verified: overlap\n")
    assert run("verify", cert, made(tmp_path, MIXED.replace("2,a", "2,c"), "other.csv")).code == 1


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        ("a", ["must name two labels, as in a,b, not 'a'"]),
        ("a,a", ["must name two labels"]),
        ("a,b,c", ["must name two labels"]),
        ("a,z", ["'z'", "the labels are a, b, c"]),
        ("", ["''", "a, b, c"]),
    ],
)
def test_classes_that_are_not_there(tmp_path: Path, classes: str, words: list[str]) -> None:
    refused(run("check", made(tmp_path, MIXED), "--classes", classes), "--classes", *words)


def test_the_nearest_class_is_suggested(tmp_path: Path) -> None:
    text = "x,kind\n1,setosa\n2,virginica\n"
    refused(run("check", made(tmp_path, text), "--classes", "setosa,virginika"), "Did you mean 'virginica'?")


@pytest.mark.parametrize("expected", ["strict", "weak", "overlap"])
@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_expect(tmp_path: Path, text: str, kind: str, expected: str) -> None:
    """`--expect` changes the exit code only."""
    path = made(tmp_path, text)
    ended = run("check", path, "--expect", expected)
    assert ended == run("check", path)._replace(code=int(kind != expected))


@pytest.mark.parametrize("text", [XOR, WEAK])
def test_no_detail(tmp_path: Path, text: str) -> None:
    ended = run("check", made(tmp_path, text), "--no-detail", "--expect", "not_strict")
    assert (ended.code, ended.out.split()[0]) == (0, "not_strict")


def test_undecided_ends_with_1(tmp_path: Path) -> None:
    path, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    ended = run("check", path, "--time-limit", "1e-9", "--cert", cert)
    assert (ended.code, ended.out.split()[0], ended.err) == (1, "undecided", "")
    assert "What to do. " in ended.out
    assert not cert.exists()
    answer = run("check", path, "--time-limit", "1e-9", "--json")
    assert (answer.code, strict_json(answer.out)["kind"]) == (1, "undecided")
    assert run("check", path, "--time-limit", 1000).code == 0


# ---------------------------------------------------------------------------------------------------------------------
# Pipes


@pytest.mark.parametrize("text", [XOR, AND, WEAK])
def test_a_pipe_is_a_file(tmp_path: Path, text: str) -> None:
    path, cert = made(tmp_path, text), tmp_path / "cert.json"
    from_file = run("check", path, "--cert", cert)
    assert run("check", "-", "--cert", tmp_path / "piped.json", stdin=text).out == from_file.out
    assert (tmp_path / "piped.json").read_bytes() == cert.read_bytes()
    assert run("verify", cert, "-", stdin=text) == run("verify", cert, path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    assert run("check", pipe).out == from_file.out
    writer.join()


def test_errors_in_a_pipe_name_it() -> None:
    refused(run("check", "-", stdin=XOR + "5\n"), "error: -, line 6: 3 columns were expected")
    refused(run("check", "-", stdin=""), "error: -: it has no rows; the file is empty.")
    refused(run("check", "-", "--target", "knd", stdin=XOR), "error: -", "Did you mean 'kind'?")


# ---------------------------------------------------------------------------------------------------------------------
# Bad input: one sentence that names the file, and exit code 2


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", [], ["no rows"]),
        ("x,y,kind\n", [], ["a header but no rows"]),
        ("x,y,kind\n1,2,a\n3,b\n", [], ["line 3", "3 columns"]),
        ("x,y,kind\n1,nan,a\n3,4,b\n", [], ["line 2", "'y'", "nan"]),
        ("x,y,kind\n1,2,a\n3,1e400,b\n", [], ["line 3", "'y'"]),
        ("x,y,kind\n1,2,a\n,4,b\n", [], ["line 3", "'x'", "missing"]),
        ("x,y,kind\n1,2,a\n3,4,a\n", [], ["two classes"]),
        ("x,y,kind\n1,2,a\n3,4,\n", [], ["line 3"]),
        (XOR, ["--target", "sort"], ["'sort'", "'x', 'y', 'kind'"]),
        (XOR, ["--target", "--9"], ["'--9'"]),
        (XOR, ["--target", "7"], ["no column 7", "has 3"]),
        (XOR, ["--delimiter", "tab"], ["line 1", "two columns", "--delimiter"]),
        (XOR, ["--format", "libsvm"], ["line 1"]),
    ],
)
def test_bad_data(tmp_path: Path, text: str, options: list[str], words: Sequence[str]) -> None:
    refused(run("check", made(tmp_path, text), *options), "data.csv", *words)


@pytest.mark.parametrize("text", ["1 x:1\n", "1 1:a\n", "a 1:1\n", "1:1\n", "1 1:1 1:2\n"])
def test_bad_sparse_data(tmp_path: Path, text: str) -> None:
    refused(run("check", made(tmp_path, text, "data.svm")), "data.svm, line 1")


@pytest.mark.parametrize("time_limit", ["0", "-1", "nan"])
def test_bad_time_limit(tmp_path: Path, time_limit: str) -> None:
    refused(
        run("check", made(tmp_path, XOR), "--time-limit", time_limit),
        "--time-limit must be a number of seconds above 0",
    )


def test_bad_paths(tmp_path: Path) -> None:
    data = made(tmp_path, XOR)
    (tmp_path / "folder.csv").mkdir()
    refused(run("check", tmp_path / "folder.csv"), "folder.csv", "cannot be read")
    refused(run("check", made(tmp_path, XOR, "data.txt")), "data.txt", ".csv", "Or give --format, one of csv")
    refused(run("check", data, "--format", "cvs"), "--format must be one of csv", "'cvs'")
    refused(run("check", made(tmp_path, SVM, "data.svm"), "--target", "y"), "data.svm", "label comes first")
    refused(run("check", data, "--cert", tmp_path / "no" / "cert.json"), "cert.json", "cannot be written")
    refused(run("check", data, "--cert", tmp_path / "folder.csv"), "folder.csv", "cannot be written")
    assert sorted(os.listdir(tmp_path)) == ["data.csv", "data.svm", "data.txt", "folder.csv"]

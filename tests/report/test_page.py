"""Tests of the HTML page of a report: it is one file, its text is escaped, and its numbers are those of the report."""

import base64
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from rosenblatt import Certificate, read
from rosenblatt.cli.fit_pipeline import fit_in_memory
from rosenblatt.cli.main import app
from rosenblatt.report import page as report_page
from rosenblatt.report.page import page_of, write_page
from rosenblatt.report.report import Report
from tests.cli.test_fit_pipeline import (
    AND,
    CATEGORIES,
    READING,
    SVM,
    THREE,
    WEAK,
    XOR,
    cloud,
    csv,
    fitted,
    made,
    wanted,
)
from tests.support.html_reader import Node, Reader

EVIL, ODD = "<script>alert(1)</script>", "\"a\" & 'b' <i>"
#: The text of the file, and the options of the fit.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "two columns": (AND, {"algorithm": "perceptron"}),
    "overlap": (XOR, {}),
    "weak": (WEAK, {}),
    "three classes": (THREE, {}),
    "30 columns": (csv(*cloud(40, 30, "ab", 1.0)), {"test": 0.2, "cv": 3, "scale": "standardize"}),
    "one against one": (csv(*cloud(40, 2, "abc", 9.0)), {"algorithm": "anderson", "test": 0.2}),
    "kernel": (XOR, {"algorithm": "kernel"}),
    "categories": (CATEGORIES, {}),
    "sparse": (SVM * 5, {"name": "data.svm", "test": 0.2}),
    "evil": (csv([[1, 1], [2, 1], [4, 0], [5, 2]], [EVIL, EVIL, ODD, ODD], [EVIL, ODD], "<b>"), {}),
}
VOID = ("meta", "img")


class PageReader(Reader):
    """Reads a whole page, in which some elements are never closed."""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        super().handle_starttag(tag, attrs)
        if tag in VOID:
            self.open.pop()


def parsed(html: str) -> Node:
    """The page as a tree."""
    assert html.startswith("<!DOCTYPE html>\n")
    reader = PageReader()
    reader.feed(html)
    reader.close()
    assert len(reader.open) == 1
    return reader.open[0]


def page(report: Report) -> Node:
    return parsed(page_of(report))


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the charts, which take most of the time."""
    monkeypatch.setattr(report_page, "charts_of", lambda _: {})


def headed(tree: Node, title: str) -> Node | None:
    """The section under a heading."""
    return next((part for part in tree.all("section") if next(part.all("h2")).text == title), None)


def confusions(tree: Node) -> list[list[str]]:
    """The rows of the table of confusions."""
    return next(each for each in tree.all("table") if each.attributes.get("class") == "confusion").rows()


def content(address: str, kind: str) -> bytes:
    """The content of a data URL."""
    head, _, text = address.partition(",")
    assert head == f"data:{kind};base64"
    return base64.b64decode(text, validate=True)


@pytest.fixture(scope="module", params=CASES)
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, str]:
    """A report and its page."""
    text, asked = CASES[request.param]
    report = fitted(tmp_path_factory.mktemp("data"), text, **asked)
    return report, page_of(report)


# ---------------------------------------------------------------------------------------------------------------------
# One file that needs nothing else


def test_a_page_stands_alone(shown: tuple[Report, str]) -> None:
    report, html = shown
    tree = parsed(html)
    assert "http:" not in html
    assert "https:" not in html
    assert not {each.tag for each in tree.all()} & {"script", "link", "iframe", "object", "embed", "base", "form"}
    (policy,) = (each for each in tree.all("meta") if each.attributes.get("http-equiv"))
    assert policy.attributes["content"] == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    for each in tree.all():
        assert not any(name.startswith("on") for name in each.attributes)
        for name in ("src", "href"):
            assert each.attributes.get(name, "data:").startswith("data:")  # type: ignore[union-attr]
    (title,) = tree.all("title")
    assert title.text == f"{report.algorithm} on {report.source}"
    (html_element,) = tree.all("html")
    assert html_element.attributes == {"lang": "en"}


def test_pictures_have_words_and_fetch_nothing(shown: tuple[Report, str]) -> None:
    pictures = list(parsed(shown[1]).all("img"))
    assert pictures
    for picture in pictures:
        assert picture.attributes["alt"]
        drawing = content(str(picture.attributes["src"]), "image/svg+xml")
        for each in ElementTree.fromstring(drawing).iter():  # noqa: S314  (made here)
            assert not each.tag.endswith(("}script", "}image", "}foreignObject"))
            links = [value for name, value in each.attrib.items() if name.endswith("href")]
            assert all(link.startswith("#") for link in links)


def test_it_is_made_to_be_printed() -> None:
    assert "@media print" in report_page.STYLE
    assert "@page" in report_page.STYLE
    assert "url(" not in report_page.STYLE


@pytest.mark.parametrize("case", ["overlap", "30 columns"])
def test_the_same_bytes_but_for_the_times(tmp_path: Path, case: str) -> None:
    text, asked = CASES[case]
    first, again = (page_of(replace(fitted(tmp_path, text, **asked), seconds={"all": 1.0})) for _ in range(2))
    assert first == again


def test_names_and_labels_are_text(tmp_path: Path) -> None:
    report = fitted(tmp_path, CASES["evil"][0])
    html = page_of(report)
    tree = parsed(html)
    assert "<script" not in html
    assert "<i>" not in html
    weights, read_ = headed(tree, "Weights"), headed(tree, "What was read")
    assert weights is not None
    assert read_ is not None
    assert {row[0] for row in next(weights.all("table")).rows()[1:]} == {EVIL, ODD, "(constant)"}
    assert EVIL in read_.text
    assert next(table for table in tree.all("table") if "true class" in table.text).rows()[0] == [
        "true class",
        ODD,
        EVIL,
    ]


@pytest.mark.parametrize("names", [["$x$", "温度"], [r"a $\frac{$ b", "_under"], ["😀", "x\ty", "%s {0}"]])
def test_names_that_pictures_could_trip_over(tmp_path: Path, names: list[str]) -> None:
    X, y = cloud(8, len(names), names[:2], 9.0)
    text = parsed(page_of(fitted(tmp_path, csv(X, y, names), "perceptron"))).text
    assert all(name in text for name in names)


@pytest.mark.usefixtures("no_pictures")
def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report, path = fitted(tmp_path, AND), tmp_path / "report.html"
    write_page(report, path)
    before = path.read_bytes()
    assert before == page_of(report).encode()

    def fail(_: Report) -> str:
        raise RuntimeError

    monkeypatch.setattr(report_page, "page_of", fail)
    with pytest.raises(RuntimeError):
        write_page(report, path)
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data.csv", "report.html"]


# ---------------------------------------------------------------------------------------------------------------------
# The proof


def test_certificates_can_be_taken_away(shown: tuple[Report, str]) -> None:
    report, html = shown
    links = [each for each in parsed(html).all("a") if each.attributes.get("download")]
    names = ["certificate.json"] + ["fewest_errors.json"] * (report.fewest is not None)
    assert [link.text for link in links] == [link.attributes["download"] for link in links] == names
    for link in links:
        taken = Certificate.from_json(content(str(link.attributes["href"]), "application/json"))
        assert taken.verify(*read(report.source))


def checks(folder: Path, html: str) -> int:
    """Run all commands on the page that verify a certificate; return their number."""
    tree = parsed(html)
    for link in tree.all("a"):
        (folder / link.text).write_bytes(content(str(link.attributes["href"]), "application/json"))
    commands = [code.text for code in tree.all("code") if code.text.startswith("rosenblatt verify")]
    for command in commands:
        ended = CliRunner().invoke(app, shlex.split(command)[1:])
        assert (ended.exit_code, ended.stdout.split(":")[0]) == (0, "verified"), command
    return len(commands)


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(
    ("text", "name", "reading"),
    [
        (XOR, "data.csv", {}),
        (CATEGORIES, "data.csv", {}),
        (SVM, "data.svm", {}),
        (XOR, "my data.csv", {}),
        ("1,2,0\n2,1,0\n5,6,1\n6,5,1\n", "data.csv", {}),
        ("kind,x\na,1\na,2\nb,4\nb,5\n", "data.csv", {"target": "kind"}),
        ("my kind,x\na,1\na,2\nb,4\nb,5\n", "data.csv", {"target": "my kind"}),
        (XOR, "data.txt", {"format": "csv"}),
        ("x,y,kind\n1,7,a\n2,1,a\n4,8,b\n5,3,b\n", "data.csv", {"columns": ["x"]}),
        (XOR + "1,oops,odd\n", "data.csv", {"on_error": "skip"}),
        ("x,kind\n1,a\n,a\n4,b\n5,b\n", "data.csv", {"missing": "mean"}),
    ],
)
def test_the_command_that_checks_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, name: str, reading: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path, text, name)
    found = checks(tmp_path, page_of(fit_in_memory(wanted(), [name], READING | reading)))
    assert found or not set(reading) <= {"target"}


@pytest.mark.usefixtures("no_pictures")
def test_the_command_that_checks_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path, AND, "a.csv")
    made(tmp_path, AND, "b.csv")
    checks(tmp_path, page_of(fit_in_memory(wanted(), ["a.csv", "b.csv"], READING)))


@pytest.mark.usefixtures("no_pictures")
def test_verdict_first_evidence_second(tmp_path: Path) -> None:
    part = headed(page(fitted(tmp_path, XOR)), "Is the data separable?")
    assert part is not None
    text = part.text
    assert text.index("overlap - no hyperplane") < text.index("two crossing segments") < text.index("certificate.json")
    assert "`" not in text


@pytest.mark.usefixtures("no_pictures")
def test_nobody_asked_for_a_verdict(tmp_path: Path) -> None:
    part = headed(page(fitted(tmp_path, XOR, "pocket", prove=False)), "Is the data separable?")
    assert part is None or "not checked" in part.text


# ---------------------------------------------------------------------------------------------------------------------
# The numbers


def test_the_sections_of_a_whole_report(tmp_path: Path) -> None:
    tree = page(fitted(tmp_path, csv(*cloud(60, 2, "ab", 1.0)), "perceptron", test=0.2, cv=3, passes=5))
    (heading,) = tree.all("h1")
    assert heading.text == f"perceptron on {tmp_path / 'data.csv'}"
    assert [each.text for each in tree.all("h2")] == [
        "What was read", "What was done", "Accuracy on new rows", "Is the data separable?", "How training went",
        "Margins", "Weights", "Time",
    ]  # fmt: skip


@pytest.mark.usefixtures("no_pictures")
def test_the_answer_comes_first(tmp_path: Path) -> None:
    answer = next(each for each in page(fitted(tmp_path, AND)).all("p") if each.attributes.get("class") == "answer")
    assert "4 of 4" in answer.text
    assert "data.csv" not in answer.text  # the heading has it


@pytest.mark.usefixtures("no_pictures")
def test_what_was_chosen_and_why_and_what_was_warned_of(tmp_path: Path) -> None:
    chosen = headed(page(fitted(tmp_path, XOR)), "What was done")
    assert chosen is not None
    assert "no hyperplane was found that separates them" in chosen.text
    noted = headed(page(fitted(tmp_path, XOR, "perceptron", passes=3)), "What was done")
    assert noted is not None
    assert "used its budget of 3 passes" in noted.text
    assert "raise --passes" in noted.text


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("classes", ["ab", "abc"])
def test_confusions_are_those_of_the_report(tmp_path: Path, classes: str) -> None:
    report = fitted(tmp_path, csv(*cloud(60, 2, classes, 1.0)), "averaged", test=0.3)
    assert report.confusion is not None
    heading, *rows = confusions(page(report))
    assert heading[1:] == [row[0] for row in rows] == list(classes)
    assert [[int(count) for count in row[1:]] for row in rows] == report.confusion.tolist()


@pytest.mark.usefixtures("no_pictures")
def test_folds_are_those_of_the_report(tmp_path: Path) -> None:
    report = fitted(tmp_path, csv(*cloud(60, 2, "ab", 1.0)), "averaged", cv=4)
    part = headed(page(report), "Accuracy on new rows")
    assert part is not None
    table = list(part.all("table"))[-1]
    assert [row[1:3] for row in table.rows()[1:]] == [[str(fold.right), str(fold.n)] for fold in report.folds]


@pytest.mark.usefixtures("no_pictures")
def test_weights_are_those_of_the_report(tmp_path: Path) -> None:
    report = fitted(tmp_path, csv(*cloud(60, 40, "ab", 1.0)), "perceptron")
    part = headed(page(report), "Weights")
    assert part is not None
    rows = next(part.all("table")).rows()[1:]
    assert rows.pop()[0] == "(constant)"
    assert len(rows) == 30  # the largest
    weights = dict(zip([f"c{j}" for j in range(40)], report.model.coef_[0].tolist(), strict=True))
    largest = sorted(weights, key=lambda name: -abs(weights[name]))[:30]
    assert [row[0] for row in rows] == largest
    assert [float(row[1]) for row in rows] == pytest.approx([weights[name] for name in largest], rel=1e-5)


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(("algorithm", "there"), [("kernel", False), ("anderson", False), ("pa", True)])
def test_weights_are_left_out_where_there_are_none(tmp_path: Path, algorithm: str, there: bool) -> None:
    tree = page(fitted(tmp_path, csv(*cloud(30, 2, "abc", 9.0)), algorithm))
    assert (headed(tree, "Weights") is not None) == there


@pytest.mark.usefixtures("no_pictures")
def test_many_classes(tmp_path: Path) -> None:
    names = [f"class {k}" for k in range(40)]
    report = fitted(tmp_path, csv(*cloud(120, 2, names, 30.0)), "averaged", prove=False)
    part = headed(page(report), "Accuracy on new rows")
    assert part is not None
    assert all(len(row) <= 31 for row in part.rows())
    assert "taken for" in part.text  # the worst of them, at least


@pytest.mark.usefixtures("no_pictures")
def test_time_by_stage(tmp_path: Path) -> None:
    part = headed(page(replace(fitted(tmp_path, AND), seconds={"reading": 0.25, "proof": 3.0})), "Time")
    assert part is not None
    assert part.rows() == [["reading", "250 ms"], ["proof", "3.0 s"]]

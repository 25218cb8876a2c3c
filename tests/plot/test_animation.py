"""Animations: one frame for the start and for each step, the lecture's words and numbers, self-contained files."""

import base64
import hashlib
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from PIL import Image
from sklearn.datasets import load_iris

from rosenblatt import (
    DataError,
    Kozinec,
    MissingExtraError,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Trace,
    datasets,
    trace,
)
from rosenblatt.plot import animate
from rosenblatt.plot.animation import FrameDrawer, frames_of
from rosenblatt.tracing.narration import narrated
from tests.support.effort import examples
from tests.support.strategies import separable

IRIS = load_iris()
X, Y = IRIS.data, IRIS.target


def berkeley() -> Trace:
    return trace(
        Perceptron(order="cyclic", tie="positive", init=[0, 0, -1], max_epochs=1), *datasets.load("berkeley_points")
    )


class Reader(HTMLParser):
    """Collects all tags with their attributes, and the text of each row of the table."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("td", "th"):
            self.rows[-1][-1] += data.rstrip("\n")

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page(tmp_path_factory: Any) -> Iterator[str]:
    path = tmp_path_factory.mktemp("pages") / "steps.html"
    animate(berkeley(), path, seconds_per_step=0.25)
    yield path.read_text(encoding="utf-8")
    assert plt.get_fignums() == []  # nothing is left open


def test_the_lecture_in_words() -> None:
    # The table of CS188, with the bias weight last.
    start, *steps = narrated(berkeley())
    assert start == ("start", "", "", "w = (0, 0, -1)")
    assert steps == [
        (
            "step 1 of 5, pass 1, mistakes so far: 0",
            "row 0: x = (1, 1), y = -1",
            "score 0*1 + 0*1 + -1*1 = -1: right",
            "w stays (0, 0, -1)",
        ),
        (
            "step 2 of 5, pass 1, mistakes so far: 1",
            "row 1: x = (3, 2), y = 1",
            "score 0*3 + 0*2 + -1*1 = -1: mistake",
            "w + y x = (3, 2, 0)",
        ),
        (
            "step 3 of 5, pass 1, mistakes so far: 1",
            "row 2: x = (2, 4), y = 1",
            "score 3*2 + 2*4 + 0*1 = 14: right",
            "w stays (3, 2, 0)",
        ),
        (
            "step 4 of 5, pass 1, mistakes so far: 1",
            "row 3: x = (3, 4), y = 1",
            "score 3*3 + 2*4 + 0*1 = 17: right",
            "w stays (3, 2, 0)",
        ),
        (
            "step 5 of 5, pass 1, mistakes so far: 2",
            "row 4: x = (2, 3), y = -1",
            "score 3*2 + 2*3 + 0*1 = 12: mistake",
            "w + y x = (1, -1, -1)",
        ),
    ]


def test_many_classes_in_words() -> None:
    # Scores 11, 13 and 8; class 1 wins, class 2 is true.
    sample = datasets.load("berkeley_three_classes")
    init = np.column_stack([sample.facts["init"], np.zeros(3)])
    rows, labels = np.vstack([sample.X, [[1, 0, 0], [0, 1, 0]]]), [2, 0, 1]
    run = trace(Perceptron(order="cyclic", bias=0, init=init), rows, labels, max_steps=1)
    _, (_, row, score, change) = narrated(run)
    assert row == "row 0: x = (-2, 3, 1), y = 2"
    assert score == "scores 11, 13, 8; most: 1: mistake"
    assert change == "w of 1 - x, w of 2 + x"


@given(separable())
@settings(max_examples=examples(0.5))
def test_the_score_that_is_written_out_is_the_score(rows: Any) -> None:
    points, labels, bias = rows
    run = trace(Perceptron(bias=bias), points, labels, max_steps=12)
    for step, (_, _, score, change) in zip(run, narrated(run)[1:], strict=True):
        terms, value = re.fullmatch(r"score (.*) = (\S+): (?:right|mistake)", score).groups()  # type: ignore[union-attr]
        if "*" in terms:
            products = (term.split("*") for term in terms.split(" + "))
            assert sum(Fraction(a) * Fraction(b) for a, b in products) == Fraction(value)
        assert float(value) == step.score
        assert score.endswith("mistake") == step.mistake
        assert change.startswith("w + y x = " if step.updated else "w stays ")


def test_other_rules_in_words() -> None:
    halves = trace(Perceptron(learning_rate=0.5, bias=0, init=[1, 0, 0]), [[-2, 0], [0, 2]], ["b", "a"], max_steps=1)
    assert narrated(halves)[1][1:] in (
        ("row 0: x = (-2, 0), y = b (+1)", "score 1*-2 + 0*0 = -2: mistake", "w + 0.5 y x = (0, 0, 0)"),
        ("row 1: x = (0, 2), y = a (-1)", "score 1*0 + 0*2 = 0: mistake", "w + 0.5 y x = (1, -1, 0)"),
    )
    passive = trace(PassiveAggressive(order="cyclic", C=0.25, bias=0), [[1, 0], [-1, 0]], [-1, 1], max_steps=2)
    # tau = min(C, loss / |x|^2): 0.25 from a loss of 1, and again from one of 0.75, on its right side
    assert [words[3] for words in narrated(passive)[1:]] == [
        "w + 0.25 y x = (-0.25, 0, 0)",
        "w + 0.25 y x = (-0.5, 0, 0)",
    ]
    assert narrated(passive)[2][2] == "score -0.25*-1 + 0*0 = 0.25: right"
    search = trace(Kozinec(solver="kozinec"), X[:100, :2], Y[:100], max_steps=3)
    for step, (head, _, _, change) in zip(search, narrated(search)[1:], strict=True):
        assert head.endswith(f": margin between {step.lower:.4g} and {step.upper:.4g}")
        assert change.startswith("w moves to (")
    wide = trace(Perceptron(order="cyclic"), [[1, 2, 3, 4, 5], [0, 0, 0, 0, 1]], [False, True], max_steps=1)
    assert narrated(wide)[1][1:] == (
        "row 0: x = (1, 2, 3, 4, ...), y = False (-1)",
        "score w.x + b = 0: mistake",
        "w + y x = (-1, -2, -3, -4, ...)",
    )


def test_frames_are_the_start_and_all_steps_or_all_updates() -> None:
    run = trace(Perceptron(order="cyclic"), [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    frames = frames_of(run, 300)
    assert (len(run), len(frames)) == (36, 37)
    assert frames[0].row is None
    for before, frame, step in zip(frames, frames[1:], run, strict=False):
        np.testing.assert_array_equal(frame.before, before.after)
        np.testing.assert_array_equal(frame.after, step.w)
        assert frame.row == step.x
    assert len(frames_of(run, 37)) == 37
    updates = frames_of(run, 36)
    assert len(updates) == 1 + 18
    assert all(frame.words[0].endswith(" (updates only)") for frame in updates)
    assert [frame.words[3] for frame in updates[1:]] == [f.words[3] for f in frames if f.words[3].startswith("w + ")]
    with pytest.raises(
        ParameterError,
        match=r"36 steps, 18 of them updates.*max_frames=18\. Use a larger max_frames, or .*max_steps=17",
    ):
        frames_of(run, 18)


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_rows_are_seen_with_their_scores_of_the_last_w(columns: int) -> None:
    rows, labels = X[:100, -columns:], Y[:100]
    run = trace(Perceptron(), rows, labels)
    stage = FrameDrawer.of(run, rows, labels)
    last = np.array(run[-1].w)
    seen = stage.seen(last)
    np.testing.assert_allclose(stage.points @ seen[:2] + seen[2], rows @ last[:-1] + last[-1], atol=1e-9)
    for step in run.steps[:5]:  # the others are seen where they cut the plane, through the mean of the rows
        mean, seen = rows.mean(axis=0), stage.seen(np.array(step.w))
        at_mean = stage.view.points(mean[np.newaxis])[0] @ seen[:2] + seen[2]
        np.testing.assert_allclose(at_mean, mean @ np.array(step.w[:-1]) + step.w[-1], atol=1e-9)


def test_rows_that_were_not_met_are_seen_if_they_are_given() -> None:
    run = trace(Kozinec(solver="kozinec"), X[:100, :2], Y[:100], max_steps=3)
    assert len(FrameDrawer.of(run).points) <= 3
    assert len(FrameDrawer.of(run, X[:100, :2], Y[:100]).points) == 100


def test_a_gif_has_a_frame_for_each_step(tmp_path: Path) -> None:
    path = tmp_path / "steps.GIF"
    animate(berkeley(), path, seconds_per_step=0.5)
    opened: Any = Image.open(path)
    with opened as image:
        assert (image.format, image.n_frames, image.info["duration"], image.info["loop"]) == ("GIF", 6, 500, 0)
        sizes = set()
        for number in range(image.n_frames):
            image.seek(number)
            sizes.add(image.size)
            assert len(np.unique(np.asarray(image.convert("L")))) > 10
    assert len(sizes) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["steps.GIF"]


@pytest.mark.parametrize("kind", ["three classes", "four columns", "one column", "kozinec"])
def test_other_runs_are_drawn(kind: str, tmp_path: Path) -> None:
    runs: dict[str, Any] = {
        "three classes": (Perceptron(), X[:, 2:], Y),
        "four columns": (Perceptron(), X, Y == 0),
        "one column": (Perceptron(), X[:100, 2:3], Y[:100]),
        "kozinec": (Kozinec(solver="kozinec"), X[:100, :2], Y[:100]),
    }
    model, rows, labels = runs[kind]
    animate(trace(model, rows, labels, max_steps=2), tmp_path / "run.gif", rows, labels)
    opened: Any = Image.open(tmp_path / "run.gif")
    with opened as image:
        assert image.n_frames == 3


def test_a_page_shows_the_last_frame_and_all_words_without_a_script(page: str) -> None:
    read = Reader(page)
    images = read.all("img")
    assert len(images) == 6
    assert ["hidden" in image for image in images] == [True] * 5 + [False]
    assert read.rows[0] == ["step", "row", "score", "weights"]
    assert read.rows[1:] == [list(words) for words in narrated(berkeley())]
    for image, words in zip(images, narrated(berkeley()), strict=True):
        assert image["alt"] == ". ".join(line for line in words if line)
        picture = base64.b64decode(str(image["src"]).removeprefix("data:image/png;base64,"), validate=True)
        assert picture.startswith(b"\x89PNG")
    (controls,) = (tag for tag in read.all("p") if tag.get("id") == "controls")
    assert "hidden" in controls


def test_a_page_needs_no_other_file_and_may_run_only_its_script(page: str) -> None:
    words = re.sub(r"base64,[^\"]*", "", page)
    assert not re.search(r"https?:|//|@import|url\(|<link|<iframe", words)
    read = Reader(page)
    assert {str(tag.get("src", "data:"))[:5] for _, tag in read.tags} == {"data:"}
    assert not any(name == "style" or name.startswith("on") for _, tag in read.tags for name in tag)
    (policy,) = (tag["content"] for tag in read.all("meta") if tag.get("http-equiv") == "Content-Security-Policy")
    assert str(policy).startswith("default-src 'none'; img-src data:; ")
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in str(policy)
    assert 'data-milliseconds="250"' in page
    assert {tag.get("id") for tag in read.all("button")} == {"play", "back", "on"}


def test_labels_and_names_are_text_in_a_page(tmp_path: Path) -> None:
    labels = ["<script>alert(1)</script>", "$x & y$"]
    animate(trace(Perceptron(), [[0, 1], [1, 0]], labels, max_steps=2), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<script>") == 1
    assert "&lt;script&gt;alert(1)" in page
    assert "$x &amp; y$" in page


def test_without_matplotlib_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for name in ("run.gif", "run.html"):
        with pytest.raises(MissingExtraError, match=r"pip install 'rosenblatt\[plot\]'"):
            animate(berkeley(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_wrong_input_is_refused_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "old.gif"
    path.write_bytes(b"old")
    run = berkeley()
    with pytest.raises(ParameterError, match=r"path must end with .gif or .html, but it is 'run.mp4'"):
        animate(run, "run.mp4")
    with pytest.raises(ParameterError, match="trace must be a Trace, the result of trace"):
        animate(Perceptron(), path)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no steps to show"):
        animate(trace(Perceptron(), [[0], [1]], [0, 1], max_steps=0), path)
    for seconds in (0, -1, "slow"):
        with pytest.raises(ParameterError, match="seconds_per_step must be a finite number above 0"):
            animate(run, path, seconds_per_step=seconds)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="max_frames must be an integer of at least 2"):
        animate(run, path, max_frames=1)
    with pytest.raises(DataError, match="X has 1 column, but the trace has 2"):
        animate(run, path, [[1]], [1])
    with pytest.raises(DataError, match="cannot be written"):
        animate(run, tmp_path / "no such folder" / "run.html")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["old.gif"]

"""HTML for notebooks: well-formed, escaped, with the numbers and the words of the object."""

import json
import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Certificate,
    Hyperplane,
    KernelPerceptron,
    Kessler,
    Kozinec,
    NearestMean,
    OneVsOne,
    Perceptron,
    Pocket,
    StopReason,
    Trace,
    Verdict,
    error_bounds,
    mistake_bound,
    separability,
    trace,
)
from rosenblatt.base.html import details, element, facts, interval, shown, table
from tests.support.html_reader import read, seen, told
from tests.support.lazily import Lazily

EVIL = "<script>alert(1)</script>"
ODD = "\"a\" & 'b' <i>"
CORNERS, XOR = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]
AND = [0, 1, 0, 0]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
VISIBLE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)  # terminals are spared the others


def frame(*names: str) -> pd.DataFrame:
    return pd.DataFrame(CORNERS, columns=list(names))


# ---------------------------------------------------------------------------------------------------------------------
# Elements


def test_text_is_escaped_and_markup_is_not() -> None:
    html = element("p", ODD, element("b", 1), title=ODD)
    assert html.startswith("<p title=")
    assert html.endswith("<b>1</b></p>")
    assert html.count("<") == 4
    (node,) = read(html).children
    assert (node.text, node.attributes) == (ODD + "1", {"title": ODD})


def test_names_of_attributes() -> None:
    (node,) = read(element("g", class_="a", stroke_width=2)).children
    assert node.attributes == {"class": "a", "stroke-width": "2"}


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_is_read_back(one: str, other: str) -> None:
    page = read(shown(table([one, other], [[other, one]], one, caption=other), facts([(one, other)]), details(one)))
    assert page.text == other + one + other + other + one + one + one + other + one
    head, body, wide = next(page.all("table")).rows()
    assert (head, body, wide) == ([one, other], [other, one], [one])


def test_a_table() -> None:
    grid = next(
        read(table(["a", "b", "c"], [[1, "x", 2]], "gap", [[3, "y", 4], [5, "z", 6]], numbers=(0, 2))).all("table")
    )
    head, *bodies = (child.tag for child in grid.children)
    assert (head, bodies) == ("thead", ["tbody"] * 3)
    assert grid.rows() == [["a", "b", "c"], ["1", "x", "2"], ["gap"], ["3", "y", "4"], ["5", "z", "6"]]
    classes = [[cell.attributes.get("class") for cell in row.children] for row in grid.all("tr")]
    assert classes[0] == classes[1] == ["number", None, "number"]
    (wide,) = list(grid.all("tr"))[2].children
    assert wide.attributes == {"colspan": "3"}


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        table(["a", "b"], [[1, 2, 3]])


@given(st.floats(), st.floats())
def test_an_interval_has_all_digits(low: float, high: float) -> None:
    ends = interval((low, np.float64(high))).split(" to ")
    assert list(map(repr, map(float, ends))) == ([repr(low), repr(high)] if repr(low) != repr(high) else [repr(low)])


# ---------------------------------------------------------------------------------------------------------------------
# All of them


THINGS: Lazily[Any] = Lazily(
    {
        "strict": lambda: separability(frame(EVIL, ODD), [EVIL, ODD, EVIL, EVIL]),
        "weak": lambda: separability([[0], [1], [1], [3]], [EVIL, EVIL, ODD, ODD]),
        "overlap": lambda: separability(frame(EVIL, ODD), [EVIL, EVIL, ODD, ODD]),
        "not strict": lambda: separability(CORNERS, XOR, detail=False),
        "origin": lambda: separability(CORNERS, XOR, through_origin=True),
        "three classes": lambda: separability([[0], [1], [1], [3]], [EVIL, ODD, "c", "c"]),
        "undecided": lambda: Verdict("undecided", [EVIL, ODD], n=3),
        "certificate": lambda: separability(frame(EVIL, ODD), [EVIL, EVIL, ODD, ODD]).certificate,
        "errors": lambda: error_bounds(CORNERS, [EVIL, EVIL, ODD, ODD]),
        "no errors": lambda: error_bounds(CORNERS, AND),
        "bound": lambda: mistake_bound(CORNERS, [EVIL, ODD, EVIL, EVIL]),
        "no bound": lambda: mistake_bound(CORNERS, XOR),
        "one pass": lambda: mistake_bound(CORNERS, XOR, hyperplane=Hyperplane([1, 1], -1.5)),
        "trace": lambda: trace(Perceptron(order="cyclic"), frame(EVIL, ODD), [EVIL, EVIL, ODD, "c"], max_steps=8),
        "search": lambda: trace(Kozinec(), frame(EVIL, ODD), [EVIL, ODD, EVIL, EVIL]),
        "passes": lambda: trace(BatchPerceptron(), frame(EVIL, ODD), [EVIL, ODD, EVIL, EVIL]),
        "kernel": lambda: trace(KernelPerceptron(max_epochs=5), frame(EVIL, ODD), [EVIL, ODD, EVIL, EVIL], max_steps=9),
        "gaussians": lambda: trace(Anderson(solver="gradient"), frame(EVIL, ODD), [EVIL, ODD, EVIL, ODD], max_steps=9),
        "members": lambda: trace(OneVsOne(Perceptron()), frame(EVIL, ODD), [EVIL, EVIL, ODD, "c"], max_steps=9),
        "perceptron": lambda: Perceptron(class_weight={EVIL: 2.0}).fit(frame(EVIL, ODD), [EVIL, ODD, EVIL, EVIL]),
        "many classes": lambda: Perceptron().fit(frame(EVIL, ODD), [EVIL, ODD, "c", "c"]),
        "kozinec": lambda: Kozinec().fit(frame(EVIL, ODD), [EVIL, ODD, EVIL, EVIL]),
        "kessler": lambda: Kessler(Perceptron()).fit(frame(EVIL, ODD), [EVIL, ODD, "c", "c"]),
    }
)
EXPLAINED = ["strict", "weak", "overlap", "not strict", "origin", "three classes", "undecided", "certificate"]
EXPLAINED += ["errors", "no errors", "bound", "no bound", "one pass"]


@pytest.mark.parametrize("name", THINGS)
def test_it_is_one_small_element_without_scripts_ids_and_resources(name: str) -> None:
    page = seen(THINGS[name])
    (root,) = page.children
    assert (root.tag, root.attributes) == ("div", {"class": "rosenblatt"})
    attributes = {attribute for node in page.all() for attribute in node.attributes}
    assert not attributes & {"id", "href", "src", "srcset", "onload", "onclick"}
    assert not {node.tag for node in page.all()} & {"script", "i", "img", "link", "iframe", "object"}
    styles = "".join(str(node.attributes.get("style")) for node in page.all()) + "".join(
        node.children[0] for node in page.all("style")
    )
    assert not re.search(r"url|@import|white;|#fff|background: (?!none)", styles)
    assert len(THINGS[name]._repr_html_()) < 60_000


@pytest.mark.parametrize("name", THINGS)
def test_what_comes_from_data_stays_text(name: str) -> None:
    html = THINGS[name]._repr_html_()
    assert EVIL not in html
    assert "<i>" not in html


def test_these_are_the_things_that_explain_themselves() -> None:
    assert [name for name, thing in THINGS.items() if hasattr(thing, "explain")] == EXPLAINED


@pytest.mark.parametrize("name", EXPLAINED)
def test_it_says_what_explain_says(name: str) -> None:
    thing = THINGS[name]
    assert thing.explain() in [paragraph.text for paragraph in seen(thing).all("p")]


# ---------------------------------------------------------------------------------------------------------------------
# Traces


TRACED = ["trace", "search", "passes", "kernel", "gaussians", "members"]
RUNS: Lazily[Trace] = Lazily(
    {
        "two classes": lambda: trace(Perceptron(order="cyclic"), CORNERS, AND),
        "many columns": lambda: trace(Perceptron(), np.eye(7), [0, 1] * 3 + [0]),
        "no steps": lambda: replace(THINGS["trace"], steps=()),
        "no passes": lambda: replace(THINGS["passes"], steps=()),
        **{name: partial(THINGS.__getitem__, name) for name in TRACED},
    }
)


@pytest.mark.parametrize("name", RUNS)
def test_a_trace_is_the_table_of_the_terminal(name: str) -> None:
    run = RUNS[name]
    columns = run.to_table().columns
    head, *body = next(seen(run).all("table")).rows()
    assert head == [str(column.header) for column in columns]
    assert body == [list(map(str, cells)) for cells in zip(*(column.cells for column in columns), strict=True)]
    for column, cell in zip(columns, next(seen(run).all("tr")).children, strict=True):
        assert (column.justify == "right") == (cell.attributes.get("class") == "number")


def test_updates_are_bold_and_passes_are_bodies() -> None:
    run = trace(Perceptron(order="cyclic"), CORNERS, AND)
    bodies = list(seen(run).all("tbody"))
    assert [len(body.rows()) for body in bodies] == [4] * (len(run) // 4)
    turned = replace(run, steps=tuple(replace(step, updated=not step.mistake) for step in run))
    for each in (run, turned):
        bold = [any(row.all("b")) for body in seen(each).all("tbody") for row in body.all("tr")]
        assert bold == [step.updated for step in each]
        assert set(bold) == {True, False}


def test_a_search_has_no_passes_to_part() -> None:
    run = trace(Kozinec(), CORNERS, AND)
    run = replace(run, steps=tuple(replace(step, epoch=t) for t, step in enumerate(2 * run.steps)))
    assert len(list(seen(run).all("tbody"))) == 1
    assert not any(row.end_section for row in run.to_table().rows)


def test_the_caption_is_why_it_stopped() -> None:
    run = trace(Perceptron(order="cyclic"), CORNERS, AND)
    caption = next(seen(run).all("caption")).text
    assert caption == run.to_table().caption == f"mistake_free: {StopReason.MISTAKE_FREE.sentence}"
    assert next(seen(THINGS["trace"]).all("caption")).text == "cut off at max_steps"


@pytest.mark.parametrize("n", [60, 61, 200])
def test_the_middle_of_a_long_run_is_left_out(n: int) -> None:
    run = trace(Perceptron(order="cyclic", max_epochs=50), CORNERS, XOR, max_steps=n)
    assert len(run) == n
    numbers = [row[0] for row in next(seen(run).all("table")).rows()[1:]]
    if n == 60:
        assert numbers == [str(t) for t in range(1, 61)]
    else:
        first, last = range(1, 41), range(n - 19, n + 1)
        assert numbers == [*map(str, first), f"... {n - 60} steps ...", *map(str, last)]


@given(ANY_TEXT, ANY_TEXT, VISIBLE)
def test_a_trace_of_any_names_and_labels(estimator: str, name: str, label: str) -> None:
    steps = tuple(replace(step, y=label, predicted=label) for step in THINGS["trace"])
    page = seen(replace(THINGS["trace"], estimator=estimator, feature_names=(name, label), steps=steps))
    head, *body = next(page.all("table")).rows()
    assert head[2:5] == [name, label, "y"]
    assert {row[4] for row in body} == {row[6] for row in body} == {label}
    assert next(page.all("p")).text.startswith(estimator)


# ---------------------------------------------------------------------------------------------------------------------
# Certificates and bounds


def certificate_of(X: Any, y: Any) -> Certificate:
    certificate = separability(X, y).certificate
    assert certificate is not None
    return certificate


def test_a_certificate_is_read_back_from_what_is_shown() -> None:
    X, y = frame(EVIL, ODD), [EVIL, EVIL, ODD, ODD]
    certificate = certificate_of(X, y)
    again = Certificate.from_json(next(seen(certificate).all("pre")).text)
    assert again == certificate
    assert again.verify(X, y)


def test_what_is_told_of_a_certificate() -> None:
    certificate = certificate_of(CORNERS, XOR)
    text = certificate.to_json()
    page, shown = seen(certificate), certificate._repr_html_()
    assert told(page) == {
        "claim": "overlap",
        "format": "rosenblatt certificate, version 1",
        "digest": json.loads(text)["data"]["digest"],
        "verify(X, y)": "checks the claim against the data",
    }
    assert next(page.all("summary")).text == f"{len(text)} characters of JSON"
    certificate.verify(CORNERS, XOR)
    assert certificate._repr_html_() == shown  # the certificate keeps nothing of what it was asked


def test_a_long_certificate_is_cut() -> None:
    certificate = certificate_of(np.eye(60), [0, 1] * 30)
    text, cut = certificate.to_json(), next(seen(certificate).all("pre")).text
    assert len(text) > 2000
    assert cut == text[:2000] + f" ... and {len(text) - 2000:,} more characters; to_json() returns all of them"


def test_a_certificate_of_gaussians_says_how_to_check_it() -> None:
    model = Anderson().fit_gaussians([[0, 0], [4, 0]], [np.eye(2), np.eye(2)], ["low", "high"])
    assert "verify_gaussians(means, covariances, labels)" in told(seen(model.certificate_))


@pytest.mark.parametrize("rest", [{}, {"claim": EVIL}, {"data": [1], "claim": "strict"}])
def test_what_is_no_certificate_is_shown_with_the_reason(rest: dict[str, Any]) -> None:
    text = json.dumps({"format": "rosenblatt certificate", "version": 1, **rest})
    page = seen(Certificate.from_json(text))
    assert next(page.all("p")).text.startswith("The certificate makes no sense: ")
    assert next(page.all("pre")).text == text


def test_a_mistake_bound_begins_with_the_whole_number() -> None:
    """AND: R^2 = 3 and gamma^2 = 1/17, so the bound is 51."""
    bound = mistake_bound(CORNERS, AND)
    page = seen(bound)
    fact = told(page)
    assert list(fact) == ["max_updates", "bounds", "radius", "margin_bounds"]
    assert next(page.all("b")).text == fact["max_updates"] == "51"
    assert tuple(map(float, fact["bounds"].split(" to "))) == bound.bounds
    assert float(fact["radius"]) == bound.radius == pytest.approx(np.sqrt(3))
    none = told(seen(mistake_bound(CORNERS, XOR)))
    assert (none["max_updates"], none["bounds"]) == ("none", "inf")


def test_error_bounds_begin_with_the_interval() -> None:
    first = next(seen(error_bounds(CORNERS, XOR)).all("p"))
    assert (first.text, next(first.all("b")).text) == ("1 to 1 of 4 rows", "1 to 1")


# ---------------------------------------------------------------------------------------------------------------------
# Estimators


def without_numbers(html: str) -> str:
    """scikit-learn counts what it shows."""
    return re.sub(r"(sk-(?:container|estimator)-id)-\d+", r"\1", html)


def test_what_a_perceptron_reached() -> None:
    model = Perceptron(order="cyclic").fit(frame("height", "width"), AND)
    assert told(seen(model)) == {
        "stop_reason_": f"mistake_free: {StopReason.MISTAKE_FREE.sentence}",
        "n_iter_": str(model.n_iter_),
        "n_updates_": str(model.n_updates_),
        "mistakes_per_epoch_[-1]": "0",
        "hyperplane_": model.hyperplane_.equation(feature_names=["height", "width"]),
    }


def test_what_others_reached() -> None:
    widest = Kozinec().fit(CORNERS, AND)
    low, *high = map(float, told(seen(widest))["margin_bounds_"].split(" to "))
    assert (low, *(high or [low])) == widest.margin_bounds_
    gaussians = Anderson().fit_gaussians([[0, 0], [4, 0]], [np.eye(2), np.eye(2)], ["low", "high"])
    for name, bounds in [
        ("radius_bounds_", gaussians.radius_bounds_),
        ("worst_error_bounds_", gaussians.worst_error_bounds_),
    ]:
        assert tuple(map(float, told(seen(gaussians))[name].split(" to "))) == bounds


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_what_a_pocket_reached() -> None:
    model = Pocket(max_epochs=3).fit(CORNERS, XOR)
    fact = told(seen(model))
    assert fact["stop_reason_"] == f"budget: {StopReason.BUDGET.sentence}"
    assert float(fact["n_errors_"]) == model.n_errors_
    assert int(fact["mistakes_per_epoch_[-1]"]) == model.mistakes_per_epoch_[-1] > 0


def test_of_many_weights_the_largest_are_shown() -> None:
    """One row of each class: the mean of the later less that of the earlier are the weights."""
    names = list("abcdefghi")
    X = pd.DataFrame([[0] * 9, [1, -9, 2, -8, 3, -7, 4, -6, 5]], columns=names)
    fact = told(seen(NearestMean().fit(X, [0, 1])))
    assert fact == {"ranked_weights(1)[:5]": "b: -9, d: -8, f: -7, h: -6, i: 5"}


def test_of_many_classes_each_has_its_weights() -> None:
    """The weights of a class are its mean."""
    X, y = np.diag([1, 2, 3]), ["x", "y", "z"]
    assert told(seen(NearestMean().fit(X, y))) == {
        "ranked_weights('x')[:5]": "x1: 1, x2: 0, x3: 0",
        "ranked_weights('y')[:5]": "x2: 2, x1: 0, x3: 0",
        "ranked_weights('z')[:5]": "x3: 3, x1: 0, x2: 0",
    }
    fact = told(seen(NearestMean().fit(np.eye(10), range(10))))
    assert len(fact) == 9
    assert fact["classes_"] == "and 2 more"


def test_before_fit_there_is_the_diagram_alone() -> None:
    for model in (Perceptron(), Kozinec(), Kessler(Perceptron())):
        assert "rosenblatt" not in model._repr_html_()
        assert "sk-container" in model._repr_html_()


def test_the_diagram_comes_first_and_is_that_of_scikit_learn() -> None:
    model = Perceptron().fit(CORNERS, AND)
    diagram, *rest = model._repr_html_().split('<div class="rosenblatt">')
    assert len(rest) == 1
    assert without_numbers(diagram) == without_numbers(sklearn.utils.estimator_html_repr(model))


def test_both_ways_to_ask_agree_and_text_is_respected() -> None:
    model = Perceptron().fit(CORNERS, AND)
    bundle = model._repr_mimebundle_()
    assert bundle["text/plain"] == "Perceptron()"
    assert without_numbers(bundle["text/html"]) == without_numbers(model._repr_html_())
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert model._repr_mimebundle_() == {"text/plain": "Perceptron()"}


def test_a_pipeline_has_its_diagram_and_a_copy_none_of_the_facts() -> None:
    pipeline = make_pipeline(StandardScaler(), Perceptron()).fit(CORNERS, AND)
    assert "Perceptron" in pipeline._repr_html_()
    assert "rosenblatt" not in clone(pipeline[-1])._repr_html_()

"""True certificates verify, also after a round trip through text. Changed text or data is refused."""

import contextlib
import copy
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rosenblatt import (
    BudgetWarning,
    Certificate,
    DataError,
    Hyperplane,
    Perceptron,
    error_bounds,
    mistake_bound,
    separability,
)
from rosenblatt.certificate.certificate import seal_of
from tests.support.claims_oracle import SAMPLES, XOR, falsehoods, sample, signed_of
from tests.support.effort import examples
from tests.support.separability_oracle import kind_of

any_sample = pytest.mark.parametrize("name", SAMPLES)
HALVES = st.integers(-4, 4).map(lambda a: a / 2)
CELLS = st.one_of(st.integers(-2, 2), HALVES, st.sampled_from([0.1, 0.2, 0.3, 1e-9, 2**53 + 1, -(2**60)]))
LABELS: list[list[Any]] = [["a", "b", "c"], [0, 1, 2], [-1.0, 0.0, 2.0], ["", "ü", "\u2028"]]


@st.composite
def labelled(draw: st.DrawFn, classes: int = 3, n: int = 7, d: int = 3) -> tuple[list[list[Any]], list[Any]]:
    """A few rows of two or more classes."""
    k, width = draw(st.integers(2, classes)), draw(st.integers(1, d))
    rows = draw(st.integers(k, n))
    cells = draw(st.sampled_from([st.integers(-1, 1), CELLS]))
    X = [[draw(cells) for _ in range(width)] for _ in range(rows)]
    codes = [*range(k), *(draw(st.integers(0, k - 1)) for _ in range(rows - k))]
    names = draw(st.sampled_from(LABELS if k > 2 else [*LABELS, [False, True]]))
    return X, [names[code] for code in codes]


def check_true(certificate: Certificate | None, X: Any, y: Any) -> None:
    """Check that the certificate verifies, also as text, and is true of the data."""
    assert certificate is not None
    found = certificate.verify(X, y)
    assert found
    assert found.why == f"Checked in whole numbers: the claim {certificate.claim!r} is true of these {len(y)} rows."
    text = certificate.to_json()
    again = Certificate.from_json(text)
    assert again.to_json() == text
    assert (again, hash(again)) == (certificate, hash(certificate))
    assert again.verify(X, y) == found
    assert Certificate.from_dict(json.loads(text)) == Certificate.from_dict(certificate.to_dict()) == certificate
    assert Certificate.from_json(text.encode()).verify(X, y)
    assert again.explain() == certificate.explain()
    assert falsehoods(json.loads(text), X, y) == []


# ---------------------------------------------------------------------------------------------------------------------
# What is true verifies


@any_sample
def test_samples_of_all_claims_verify(name: str) -> None:
    check_true(sample(name).certificate, sample(name).X, sample(name).y)


def test_the_samples_have_all_claims() -> None:
    claims = {sample(name).certificate.claim for name in SAMPLES}
    assert claims == {"strict", "weak", "overlap", "not_strict", "errors", "mistakes"}


@given(labelled(), st.booleans(), st.booleans())
@example(([[0], [1], [0]], ["a", "a", "b"]), False, True)
def test_verdicts_verify(data: tuple[Any, Any], detail: bool, bias: bool) -> None:
    X, y = data
    verdict = separability(X, y, detail=detail, through_origin=not bias)
    check_true(verdict.certificate, X, y)
    assert verdict.certificate is not None
    kind = kind_of(signed_of(verdict.certificate.body, X, y).Z)
    assert verdict.kind == (kind if detail or kind == "strict" else "not_strict")
    for pair in verdict.pairs.values():
        check_true(pair.certificate, X, y)


@settings(max_examples=examples(0.4))
@given(labelled(classes=2), st.booleans())
def test_bounds_of_errors_verify(data: tuple[Any, Any], bias: bool) -> None:
    X, y = data
    bounds = error_bounds(X, y, through_origin=not bias, time_limit=None)
    check_true(bounds.certificate, X, y)


SMALL = labelled(classes=2, n=5, d=2) | labelled(n=4, d=1)


@given(SMALL, st.sampled_from([1.0, 0.0, -2.5]))
def test_bounds_of_mistakes_verify(data: tuple[Any, Any], bias: float) -> None:
    X, y = data
    bound = mistake_bound(X, y, bias=bias)
    assert bound.certificate.claim == ("mistakes" if bound.theorem else "not_strict")
    check_true(bound.certificate, X, y)


@given(labelled(classes=2, n=5), st.lists(st.integers(-2, 2), min_size=4, max_size=4))
def test_bounds_of_one_pass_verify(data: tuple[Any, Any], w: list[int]) -> None:
    X, y = data
    weights = [float(a) for a in w[: len(X[0])]]
    weights[0] = weights[0] or 1.0
    check_true(mistake_bound(X, y, hyperplane=Hyperplane(weights, w[-1] / 4)).certificate, X, y)


@given(SMALL, st.sampled_from([0.0, 1.0, 0.3]), st.sampled_from([1.0, 0.0, 2.0]))
def test_runs_of_perceptrons_verify(data: tuple[Any, Any], margin: float, bias: float) -> None:
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BudgetWarning)
        model = Perceptron(margin=margin, bias=bias, max_epochs=30).fit(np.array(X, dtype=np.float64), y)
    certificate = model.certificate(np.array(X, dtype=np.float64), y)
    check_true(certificate, np.array(X, dtype=np.float64).tolist(), y)
    assert certificate.body["updates"] == model.n_updates_


WILD: list[Any] = [
    *[[[1e200], [0.0]], [[1e-300, 1e300], [-1e-300, 1e300]], [[5e-324, 1.7e308], [0.0, -1.7e308]]],
    *[[[10**300], [10**300 + 1]], [[10**400, 1], [10**400 + 1, 1]], [[1e-320, 1e308], [-1e-320, 1e308]]],
    [[5e-324, 0.0], [0.0, 1.7e308], [-5e-324, 0.0], [0.0, -1.7e308], [5e-324, 8e307]],
]


@pytest.mark.parametrize("X", WILD, ids=lambda X: repr(X)[:30])
@pytest.mark.parametrize("make", [separability, error_bounds])
def test_numbers_of_all_sizes_verify(make: Any, X: Any) -> None:
    y = [0, 1, 1, 0, 0][: len(X)]
    certificate = make(X, y).certificate
    assert certificate.verify(X, y)
    assert Certificate.from_json(certificate.to_json()).verify(X, y)


@pytest.mark.parametrize("X", WILD, ids=lambda X: repr(X)[:30])
def test_bounds_of_mistakes_verify_or_are_beyond_the_floats(X: Any) -> None:
    y = [0, 1, 1, 0, 0][: len(X)]
    with contextlib.suppress(DataError):  # the margin or the radius is no float
        certificate = mistake_bound(X, y).certificate
        assert certificate.verify(X, y)
        assert Certificate.from_json(certificate.to_json()).verify(X, y)


@any_sample
def test_the_storage_of_data_does_not_matter(name: str) -> None:
    X, y, certificate = sample(name)
    cells = np.array(X)
    forms = [cells, cells.tolist(), cells.astype(float), cells.astype(object), scipy.sparse.csr_array(cells)]
    forms += [
        scipy.sparse.coo_array(cells.astype(float)),
        pd.DataFrame(cells),
        pl.DataFrame(cells.tolist(), orient="row"),
    ]
    for form in [*forms, np.asfortranarray(cells)]:
        assert certificate.verify(form, y)
    for labels in (tuple(y), np.array(y), np.array(y)[:, np.newaxis], pd.Series(y), np.array(y, dtype=object)):
        assert certificate.verify(X, labels)


@pytest.mark.parametrize(
    "make", [list, np.array, scipy.sparse.csr_array, scipy.sparse.csc_array, pd.DataFrame, pl.DataFrame]
)
def test_integers_that_floats_cannot_tell_apart_are_told_apart(make: Any) -> None:
    X, y = np.array([[2**53, 1], [2**53 + 1, 1], [2**53 + 2, 1]]), [0, 1, 1]
    verdict = separability(make(X), y)
    assert verdict.kind == "strict"
    assert verdict.certificate is not None
    for storage in (list, np.array, scipy.sparse.csr_array, pd.DataFrame):
        assert verdict.certificate.verify(storage(X), y)


def test_labels_that_a_text_cannot_hold_are_an_error() -> None:
    y = np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]")
    with contextlib.suppress(DataError):
        certificate = separability([[0], [1]], y).certificate
        assert certificate is not None
        assert Certificate.from_json(certificate.to_json()).verify([[0], [1]], y)


# ---------------------------------------------------------------------------------------------------------------------
# A changed text


def changes(node: Any) -> Iterator[Any]:
    """All ways to change one part anywhere in a certificate."""
    if isinstance(node, dict):
        for key, part in node.items():
            yield {k: p for k, p in node.items() if k != key}
            yield {f"{k}!" if k == key else k: p for k, p in node.items()}
            for other in changes(part):
                yield {**node, key: other}
        yield {**node, "new": None}
    elif isinstance(node, list):
        for t, part in enumerate(node):
            yield node[:t] + node[t + 1 :]
            yield [*node[: t + 1], *node[t:]]
            yield [*node[:t], *node[t + 1 : t + 2], part, *node[t + 2 :]]
            for other in changes(part):
                yield [*node[:t], other, *node[t + 1 :]]
        yield node[::-1]
        yield [*node, None]
    elif isinstance(node, str):
        yield from (
            node[:-1],
            node + "0",
            node + " ",
            f"-{node}",
            node.upper(),
            node.replace("1", "2"),
            "",
            "0x1",
            None,
        )
        if node.startswith("0x"):
            yield hex(int(node.partition("p")[0], 16) + 1) + "".join(node.partition("p")[1:])
    elif isinstance(node, bool):
        yield from (not node, int(node), str(node), None)
    elif isinstance(node, int | float):
        yield from (node + 1, node - 1, -node, 2 * node, str(node), None, [node], node != 1)
        yield float(np.nextafter(node, 1e308)) if isinstance(node, float) else float(node)


@any_sample
def test_no_change_of_the_text_verifies(name: str) -> None:
    X, y, certificate = sample(name)
    text, count = certificate.to_json(), 0
    for body in changes(json.loads(text)):
        changed = json.dumps(body, ensure_ascii=False)
        if changed == text:
            continue
        count += 1
        if body.get("format") != certificate.body["format"] or body.get("version") not in (1, 2):
            with pytest.raises(DataError, match=r"not a certificate|of version"):
                Certificate.from_json(changed)
            continue
        read = Certificate.from_json(changed)
        found = read.verify(X, y)
        assert not found, changed
        assert "its seal does not match its text" in found.why
        assert not Certificate(body).verify(X, y)
    assert count > 100


# ---------------------------------------------------------------------------------------------------------------------
# Changed data


@any_sample
def test_no_change_of_the_data_verifies(name: str) -> None:
    X, y, certificate = sample(name)
    cells = np.array(X, dtype=np.float64)
    labels = sorted(set(y))
    n, d = cells.shape
    for i in range(n):
        for j in range(d):
            for end in (-1e9, 1e9):
                changed = cells.copy()
                changed[i, j] = np.nextafter(changed[i, j], end)
                found = certificate.verify(changed, y)
                assert not found
                assert "was made for other data" in found.why
        strange = {"unknown"} if isinstance(y[i], str) else {99} if type(y[i]) is not bool else set()
        for label in {*labels, *strange} - {y[i]}:
            other = [*y[:i], label, *y[i + 1 :]]
            assert not certificate.verify(cells, np.array(other, dtype=object))
        for label in (1 if isinstance(y[i], str) else "unknown", None):  # of another kind, or missing
            with pytest.raises(DataError, match=r"y must hold class labels of one kind|every row needs a class label"):
                certificate.verify(cells, np.array([*y[:i], label, *y[i + 1 :]], dtype=object))
        for t in range(i):
            order = list(range(n))
            order[i], order[t] = t, i
            if not np.array_equal(cells[order], cells) or [y[k] for k in order] != y:
                assert not certificate.verify(cells[order], [y[k] for k in order])
    for other_X in (
        cells[:, :-1],
        np.column_stack([cells, np.zeros(n)]),
        np.column_stack([cells, cells[:, 0]]),
        cells.T,
    ):
        if other_X.size and len(other_X) == n:
            found = certificate.verify(other_X, y)
            assert not found
            assert f"these are {n} of {other_X.shape[1]}" in found.why
    assert not certificate.verify(np.vstack([cells, cells[-1]]), [*y, y[-1]])
    assert not certificate.verify(cells[:-1], y[:-1])
    assert certificate.verify(cells, y)


def test_an_unknown_label_is_named() -> None:
    certificate = sample("overlap").certificate
    found = certificate.verify(XOR[0], ["even", "even", "odd", "other"])
    assert not found
    assert "'other'" in found.why


@pytest.mark.parametrize("X", [[[1, 2], [3]], [1, 2], [[float("nan"), 1]] * 4, "text", None, [["a", 1]] * 4])
def test_data_that_are_no_table_are_an_error(X: Any) -> None:
    with pytest.raises(DataError, match=r"X must|finite"):
        sample("overlap").certificate.verify(X, XOR[1])


@pytest.mark.parametrize("y", [["even"], None, [["even"], ["even", "odd"], ["odd"], ["odd"]], [["even", "odd"]] * 4])
def test_labels_that_are_not_one_for_each_row_are_an_error(y: Any) -> None:
    with pytest.raises(DataError, match=r"each row needs one label|one class label for each row|y is None"):
        sample("overlap").certificate.verify(XOR[0], y)


# ---------------------------------------------------------------------------------------------------------------------
# Text and objects


@pytest.mark.parametrize(
    "text",
    [
        *["", "{", "null", "[]", "3", '"strict"', "{}", '{"format": "another"}', b"\xff", "[" * 100_000, "9" * 5000],
        *[f'{{"format": "rosenblatt certificate"{rest}' for rest in ("}", ', "version": 8}', ', "version": NaN}')],
        '{"format": "rosenblatt certificate", "version": 1, "data": Infinity}',
        '{"format": "rosenblatt certificate", "version": 1, "data": 1e999}',
    ],
)
def test_other_texts_are_no_certificates(text: str | bytes) -> None:
    with pytest.raises(DataError, match=r"This is not a certificate|is of version"):
        Certificate.from_json(text)


@pytest.mark.parametrize("part", ['"claim": "overlap"', '"data": {}', '"seal": ""', '"format": "another"'])
def test_a_part_that_is_there_twice_is_refused(part: str) -> None:
    """With a key twice, a reader might see the first value and the checker the last."""
    text = sample("strict").certificate.to_json()
    with contextlib.suppress(DataError):
        assert not Certificate.from_json(f"{{{part}, {text[1:]}").verify(*sample("strict")[:2])


def test_certificates_are_equal_if_their_texts_are() -> None:
    certificate = sample("strict").certificate
    assert certificate == Certificate(copy.deepcopy(certificate.body))
    assert certificate != sample("weak").certificate
    assert certificate != certificate.to_json()
    assert len({certificate, Certificate(copy.deepcopy(certificate.body)), sample("weak").certificate}) == 2
    assert repr(certificate) == "<Certificate: strict, 4 rows of 1>"
    assert seal_of(certificate.body) == certificate.body["seal"] == seal_of(dict(reversed(certificate.body.items())))


def test_labels_may_be_any_text() -> None:
    y = ['\u2028"\\', '\u2028"\\', "日本", "日本"]
    certificate = separability(sample("strict").X, y).certificate
    check_true(certificate, sample("strict").X, y)
    assert certificate is not None
    assert "日本" in certificate.to_json()
    assert "\n" not in certificate.to_json()


def test_the_checker_stands_alone() -> None:
    code = "import sys, rosenblatt.certificate.certificate; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "llvmlite", "sklearn"} & set(loaded)
    rooms = {name.split(".")[1] for name in loaded if name.startswith("rosenblatt.")}
    assert rooms == {"base", "certificate", "errors"}

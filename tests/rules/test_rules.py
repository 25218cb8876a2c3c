"""Compiled = interpreted = exact oracle; dense = sparse; chunks = whole: to the last bit."""

import hashlib
import itertools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt.classifiers.training.scores import packed
from rosenblatt.data.compiled import rows as storage
from rosenblatt.data.validation import rows as as_rows
from rosenblatt.rules import binary, multiclass
from rosenblatt.rules.multiclass import Machine, longest
from tests.support import oracle
from tests.support.effort import by_day
from tests.support.places import COMPILED, PACKAGE

TIES = (-1, 0, 1)


class Case(NamedTuple):
    """Rows X with their bias constant, labels, an order, and the options of a rule."""

    X: np.ndarray
    bias: float
    y: np.ndarray
    order: np.ndarray
    weight: np.ndarray
    k: int
    rate: np.ndarray
    margin: float
    tie: float

    def exact(self) -> list[list[Fraction]]:
        return [[*map(Fraction, row), Fraction(self.bias)] for row in self.X.tolist()]

    def start(self) -> np.ndarray:
        d = self.X.shape[1] + 1
        return np.zeros(d) if self.k == 2 else np.zeros((self.k, d))

    @property
    def rules(self) -> ModuleType:
        return binary if self.k == 2 else multiclass

    @property
    def signs(self) -> np.ndarray:
        """The labels in the form that the rule expects."""
        return (2 * self.y - 1).astype(np.int8) if self.k == 2 else self.y


@st.composite
def cases(draw: st.DrawFn, numbers: st.SearchStrategy[float], k: st.SearchStrategy[int] | None = None) -> Case:
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    classes = draw(k if k is not None else st.integers(2, 4))
    rows = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n))
    order = draw(st.lists(st.integers(0, n - 1), min_size=0, max_size=25))
    return Case(
        X=np.array(rows, dtype=np.float64).reshape(n, d),
        bias=draw(st.sampled_from([0.0, 1.0, 2.0])),
        y=np.array(y, dtype=np.int64),
        order=np.array(order, dtype=np.int64),
        weight=np.array(draw(st.lists(st.sampled_from([1.0, 0.25, 2.5]), min_size=n, max_size=n))),
        k=classes,
        rate=np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=classes, max_size=classes))),
        margin=draw(st.sampled_from([0.0, 1.0, 2.5, 0.3, 1e16])),
        tie=float(draw(st.sampled_from(TIES))),
    )


whole = st.integers(-4, 4).map(float)
#: Sums of these cancel to nothing but rounding: 0.1 + 0.2 - 0.3 is 5.6e-17 in one order and 0 in another.
treacherous = st.sampled_from(
    [0.0, 0.1, 0.2, 0.3, 0.7, 0.9, 1.1, -0.1, -0.2, -0.3, -0.7, -0.9, -1.1, 1e16, -1e16, 1e-16]
)
wild = st.floats(-1e120, 1e120, allow_subnormal=True) | st.sampled_from([5e-324, -5e-324, 1e-200, 3.0, 0.0])


def stored(case: Case, form: str) -> Any:
    X = np.ascontiguousarray(case.X.astype(np.float32 if "32" in form.split("/")[0] else np.float64))
    if form.startswith("dense"):
        return as_rows(X, case.bias)
    csr = scipy.sparse.csr_array(X)
    index = np.int64 if form.endswith("/64") else np.int32
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
    return as_rows(csr, case.bias)


COMMON_FORMS = ["dense64", "dense32", "sparse64/32"]
FORMS = by_day(COMMON_FORMS, [*COMMON_FORMS, "sparse64/64", "sparse32/32"])  # each form compiles every rule once more
EXACT_FORMS = [form for form in FORMS if not form.startswith(("dense32", "sparse32"))]


def plain(case: Case, rows: Any, rule: Callable[..., Any]) -> tuple[np.ndarray, int]:
    w = case.start()
    mistakes = rule(rows, case.signs, case.order, case.weight, packed(w), case.rate, case.margin, case.tie)
    return w, int(mistakes)


def all_held(case: Case, voters: np.ndarray) -> Any:
    return voters if case.k == 2 else Machine(voters, longest(voters))


def history(case: Case) -> list[Any]:
    """Return the oracle's weights before the first row and after each row."""
    start = [[Fraction(0)] * (case.X.shape[1] + 1) for _ in range(case.k)]
    rate, order = [Fraction(r) for r in case.rate.tolist()], case.order.tolist()
    weight = [Fraction(v) for v in case.weight.tolist()]
    margin, tie = Fraction(case.margin), int(case.tie)
    if case.k == 2:
        signs = [int(s) for s in case.signs]
        return list(oracle.perceptron(case.exact(), signs, order, start[0], rate, margin, tie, weight))
    return list(oracle.multiclass(case.exact(), case.y.tolist(), order, start, rate, margin, tie, weight))


def updates(steps: list[Any]) -> int:
    """Return how often the oracle's weights changed; updates by rows of zeros are counted separately."""
    return sum(a != b for a, b in itertools.pairwise(steps))


# ---------------------------------------------------------------------------------------------------------------------
# Compiled = interpreted = oracle


@pytest.mark.parametrize("form", FORMS)
@given(cases(whole))
def test_perceptron_compiled_interpreted_and_oracle_agree(form: str, case: Case) -> None:
    rows, steps = stored(case, form), history(case)
    for rule in (case.rules.perceptron, case.rules.perceptron.run_as_python):
        w, mistakes = plain(case, rows, rule)
        assert w.tolist() == [[float(v) for v in u] for u in steps[-1]] if case.k > 2 else w.tolist() == steps[-1]
        if case.X.any(axis=1).all() or case.bias:
            assert mistakes == updates(steps)


@pytest.mark.parametrize("form", FORMS)
@given(cases(whole))
def test_averaged_is_the_mean_of_the_weights_after_each_row(form: str, case: Case) -> None:
    if not len(case.order):
        return
    after = np.array(history(case)[1:], dtype=object)
    mean = (after.sum(axis=0) / len(after)).tolist()
    for rule in (case.rules.averaged, case.rules.averaged.run_as_python):
        w, late = case.start(), case.start()
        rows = stored(case, form)
        rule(rows, case.signs, case.order, case.weight, packed(w), late, 0, case.rate, case.margin, case.tie)
        exact = np.array([Fraction(a) - Fraction(b) / len(after) for a, b in zip(w.flat, late.flat, strict=True)])
        assert exact.reshape(w.shape).tolist() == mean


@pytest.mark.parametrize("form", FORMS)
@given(cases(whole))
def test_voted_keeps_each_weight_vector_with_the_rows_it_came_after(form: str, case: Case) -> None:
    after = history(case)[1:]
    for rule in (case.rules.voted, case.rules.voted.run_as_python):
        room = len(case.order) + 1
        voters, votes = np.zeros((room, *case.start().shape)), np.zeros(room)
        all_of_them = all_held(case, voters)
        rows = stored(case, form)
        done, k = rule(
            rows, case.signs, case.order, case.weight, all_of_them, votes, 0, case.rate, case.margin, case.tie
        )
        assert done == len(case.order)
        assert votes.sum() == len(case.order)
        kept = [voter for voter, count in zip(voters[: k + 1].tolist(), votes, strict=False) for _ in range(int(count))]
        assert kept == after


@given(cases(whole))
def test_voted_stops_where_there_is_no_room_and_goes_on_there(case: Case) -> None:
    rows, rule = stored(case, "dense64"), case.rules.voted
    room = len(case.order) + 1
    voters, votes = np.zeros((room, *case.start().shape)), np.zeros(room)
    steps = case.rate, case.margin, case.tie
    _, last = rule(rows, case.signs, case.order, case.weight, all_held(case, voters), votes, 0, *steps)
    k, done = 0, 0
    again, counts = np.zeros((1, *case.start().shape)), np.zeros(1)
    while done < len(case.order):
        now, k = rule(rows, case.signs, case.order[done:], case.weight, all_held(case, again), counts, k, *steps)
        done += now
        again = np.concatenate([again, np.zeros_like(again[:1])])
        counts = np.append(counts, 0.0)
    assert k == last
    assert again[: k + 1].tolist() == voters[: last + 1].tolist()
    assert counts[: k + 1].tolist() == votes[: last + 1].tolist()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("variant", ["I", "II"])
@given(cases(whole, k=st.just(2)))
def test_passive_aggressive_follows_the_oracle(variant: str, form: str, case: Case) -> None:
    steps = oracle.passive_aggressive(
        case.exact(),
        [int(s) for s in case.signs],
        case.order.tolist(),
        [Fraction(0)] * (case.X.shape[1] + 1),
        [Fraction(r) for r in case.rate.tolist()],
        variant,
        [Fraction(v) for v in case.weight.tolist()],
    )
    cap, slack = (case.rate, np.zeros(2)) if variant == "I" else (np.full(2, np.inf), 0.5 / case.rate)
    rules: list[Callable[..., Any]] = [binary.passive_aggressive, binary.passive_aggressive.run_as_python]
    for rule in rules:
        w = case.start()
        rule(stored(case, form), case.signs, case.order, case.weight, w, cap, slack)
        assert w == pytest.approx(np.array(steps[-1], dtype=float), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["perceptron", "passive_aggressive"])
@given(cases(whole, k=st.just(2)))
def test_multiclass_of_two_classes_is_the_binary_rule(name: str, case: Case) -> None:
    """W[1] - W[0] = 2 w for the perceptron; for PA, W[1] - W[0] = w."""
    rows, w, W = stored(case, "dense64"), case.start(), np.zeros((2, case.X.shape[1] + 1))
    rate, weight = np.ones(2), case.weight
    if name == "perceptron":
        mistakes = binary.perceptron(rows, case.signs, case.order, weight, w, rate, 0.0, case.tie)
        assert mistakes == multiclass.perceptron(rows, case.y, case.order, weight, packed(W), rate, 0.0, case.tie)
        assert (W[1] - W[0]).tolist() == (2 * w).tolist()
    else:
        cap, slack = np.full(2, np.inf), np.zeros(2)
        binary.passive_aggressive(rows, case.signs, case.order, weight, w, cap, slack)
        multiclass.passive_aggressive(rows, case.y, case.order, weight, packed(W), cap, slack)
        assert W[1] - W[0] == pytest.approx(w, rel=1e-9, abs=1e-9)


# ---------------------------------------------------------------------------------------------------------------------
# Storage and chunks do not change the answer


@pytest.mark.parametrize("numbers", [treacherous, wild], ids=["treacherous", "wild"])
@given(data=st.data())
def test_dense_sparse_and_interpreted_agree_to_the_last_bit(numbers: Any, data: st.DataObject) -> None:
    case = data.draw(cases(numbers))
    expected, mistakes = plain(case, stored(case, "dense64"), case.rules.perceptron)
    for form in EXACT_FORMS:
        for rule in (case.rules.perceptron, case.rules.perceptron.run_as_python):
            w, count = plain(case, stored(case, form), rule)
            assert w.tobytes() == expected.tobytes()
            assert count == mistakes
    late = {}
    for form in EXACT_FORMS:
        w, late[form] = case.start(), case.start()
        rows, steps = stored(case, form), (case.rate, case.margin, case.tie)
        case.rules.averaged(rows, case.signs, case.order, case.weight, packed(w), late[form], 0, *steps)
        assert w.tobytes() == expected.tobytes()
        assert late[form].tobytes() == late["dense64"].tobytes()


@pytest.mark.parametrize("k", [2, 3])
@given(seed=st.integers(0, 2**32 - 1), d=st.integers(20, 70), margin=st.sampled_from([0.0, 0.1, 1.0]))
def test_long_rows_whose_scores_are_all_rounding_agree_to_the_last_bit(
    k: int, seed: int, d: int, margin: float
) -> None:
    """Tenths cancel to rounding errors, and the storages add long rows up in different orders."""
    rng = np.random.default_rng(seed)
    case = Case(
        X=rng.choice([0.0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3], size=(8, d)),
        bias=0.1,
        y=rng.integers(0, k, size=8),
        order=rng.integers(0, 8, size=60),
        weight=np.ones(8),
        k=k,
        rate=np.ones(k),
        margin=margin,
        tie=0.0,
    )
    expected = np.array(plain_in_exact_decisions(case))
    for form in EXACT_FORMS:
        for rule in (case.rules.perceptron, case.rules.perceptron.run_as_python):
            w, _ = plain(case, stored(case, form), rule)
            assert w.tobytes() == expected.tobytes()


def plain_in_exact_decisions(case: Case) -> list[Any]:
    """The perceptron with float weights, where the oracle makes each decision on these floats."""
    Z, w = case.exact(), case.start()
    for i in case.order.tolist():
        z = np.append(case.X[i], case.bias)
        exact = [[Fraction(v) for v in row] for row in np.atleast_2d(w).tolist()]
        y, margin = int(case.signs[i]), Fraction(case.margin)
        if case.k == 2 and oracle.is_mistake(y * oracle.dot(exact[0], Z[i]) - margin, y, 0):
            w += y * z
        elif case.k > 2 and (v := oracle.winner(Z[i], exact, y, margin, 0)) != y:
            w[y] += z
            w[v] -= z
    return list(w)


@given(cases(st.floats(-1e300, 1e300) | st.sampled_from([1e300, -1e300, 3e299, 1e-300, 2.0, 0.0])))
def test_rows_whose_scores_overflow_are_decided_exactly(case: Case) -> None:
    case = case._replace(rate=np.ones(case.k), weight=np.ones(len(case.y)), margin=0.0, tie=0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        expected = np.array(plain_in_exact_decisions(case))
        assume(np.isfinite(expected).all())
        for form in EXACT_FORMS:
            for rule in (case.rules.perceptron, case.rules.perceptron.run_as_python):
                w, _ = plain(case, stored(case, form), rule)
                assert w.tobytes() == expected.tobytes()


@given(cases(treacherous))
def test_float32_and_float64_of_the_same_numbers_agree_to_the_last_bit(case: Case) -> None:
    single = case._replace(X=case.X.astype(np.float32).astype(np.float64))
    expected, _ = plain(single, stored(single, "dense64"), case.rules.perceptron)
    for form in by_day(["dense32"], ["dense32", "sparse32/32"]):
        w, _ = plain(single, stored(single, form), case.rules.perceptron)
        assert w.tobytes() == expected.tobytes()


@given(cases(treacherous), st.integers(0, 25))
def test_chunks_equal_the_whole(case: Case, cut: int) -> None:
    rows, rules, steps = stored(case, "sparse64/32"), case.rules, (case.rate, case.margin, case.tie)
    whole_w, late = case.start(), case.start()
    rules.averaged(rows, case.signs, case.order, case.weight, packed(whole_w), late, 0, *steps)
    w, parts, seen = case.start(), case.start(), 0
    for chunk in (case.order[:cut], case.order[cut:]):
        rules.averaged(rows, case.signs, chunk, case.weight, packed(w), parts, seen, *steps)
        seen += len(chunk)
    assert w.tobytes() == whole_w.tobytes()
    assert parts.tobytes() == late.tobytes()


# ---------------------------------------------------------------------------------------------------------------------
# Rows and exact sums

finite = st.floats(allow_nan=False, allow_infinity=False)
pairs = st.lists(st.tuples(finite | treacherous, finite | treacherous), min_size=1, max_size=8)


def scored(products: list[tuple[float, float]], form: str) -> tuple[Any, np.ndarray, Fraction]:
    """One row and weights whose products are given, and the exact score; the bias constant is 1 and its weight 0."""
    x, w = (np.array(column) for column in zip(*products, strict=True))
    exact = sum((Fraction(a) * Fraction(b) for a, b in products), Fraction(0))
    X = x.reshape(1, -1)
    return as_rows(X if form == "dense" else scipy.sparse.csr_array(X), 1.0), np.append(w, 0.0), exact


@pytest.mark.parametrize("form", ["dense", "sparse"])
@given(pairs, st.integers(1, 3))
def test_products_are_within_their_error_bound(form: str, products: list[tuple[float, float]], k: int) -> None:
    rows, w, exact = scored(products, form)
    out = np.empty(k)
    with np.errstate(over="ignore", invalid="ignore"):
        storage.products(np.array([w] * k), rows, 0, out)
        bound = storage.blur(len(w), storage.length(rows, 0), longest(w)[0])
    assert (out == out[0]).all() or np.isnan(out).all()
    if math.isfinite(bound) and math.isfinite(out[0]):
        assert abs(Fraction(out[0]) - exact) <= Fraction(bound)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@given(pairs)
def test_dot_is_within_its_error_bound(form: str, products: list[tuple[float, float]]) -> None:
    rows, w, exact = scored(products, form)
    out = np.empty(1)
    with np.errstate(over="ignore", invalid="ignore"):
        total, error = storage.dot(w, rows, 0)
    if math.isfinite(error):
        assert abs(Fraction(float(total)) - exact) <= Fraction(float(error))
    binary.scores(rows, w, out)
    assert np.sign(out[0]) == (exact > 0) - (exact < 0)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@given(pairs)
def test_exact_lead_has_the_sign_and_size_of_the_exact_sum(form: str, products: list[tuple[float, float]]) -> None:
    rows, w, exact = scored(products, form)
    score = storage.exact_lead(w, rows, 0, 1.0, 0.0)
    assert (score > 0) - (score < 0) == (exact > 0) - (exact < 0)
    if 2.0**-1000 < abs(exact) < 2.0**990:
        assert abs(Fraction(score) - exact) <= abs(exact) * Fraction(2) ** -50


@given(pairs, st.sampled_from([math.nan, math.inf, -math.inf]), st.integers(0, 7))
def test_a_number_that_is_not_finite_makes_the_score_nan(
    products: list[tuple[float, float]], bad: float, at: int
) -> None:
    rows, w, _ = scored(products, "dense")
    w[at % (len(w) - 1)] = bad
    assert math.isnan(storage.exact_lead(w, rows, 0, 1.0, 0.0))


def test_rounding_alone_would_have_decided_otherwise() -> None:
    """1e16 + 1 rounds to 1e16, so that 1e16 + 1 - 1e16 - 0.5 comes out as -0.5; the exact sum is 0.5."""
    x = np.array([[1e16, 1.0, -1e16, -0.5]])
    exact = sum(map(Fraction, x[0].tolist()))
    assert sum(x[0].tolist()) < 0 < exact
    out = np.empty(1)
    binary.scores(as_rows(x, 0.0), np.array([1.0, 1.0, 1.0, 1.0, 0.0]), out)
    assert out[0] == 0.5


def test_scores_beyond_the_floats_stay_in_order() -> None:
    x = np.array([[1e101], [1e105], [1e110], [1e200], [-1e200]])
    out = np.empty(5)
    binary.scores(as_rows(x, 0.0), np.array([1e200, 0.0]), out)
    assert out[0] == pytest.approx(1e301)
    assert out[1] == pytest.approx(1e305)
    assert (np.diff(out[:4]) >= 0).all()
    assert out[3] == np.finfo(float).max == -out[4]
    binary.scores(as_rows(np.array([[1e308, 1e308, -1e308]]), 0.0), np.array([1.0, 1.0, 1.0, 0.0]), out[:1])
    assert out[0] == 1e308  # though 1e308 + 1e308 is beyond the floats


@given(cases(whole))
def test_scores_winners_and_first_mistake_follow_their_definitions(case: Case) -> None:
    rows, w, Z = stored(case, "dense64"), history(case)[-1], case.exact()
    weights, margin, tie = np.array(w, dtype=float), Fraction(case.margin), int(case.tie)
    products = np.array(Z, dtype=object) @ np.array(w, dtype=object).T
    out = np.empty(products.shape)
    case.rules.scores(rows, packed(weights), out)
    assert out.tolist() == products.tolist()
    if case.k == 2:
        signs = [int(s) for s in case.signs]
        wrong = [oracle.is_mistake(s * p - margin, s, tie) for s, p in zip(signs, products, strict=True)]
    else:
        wrong = [oracle.winner(z, w, y, margin, tie) != y for z, y in zip(Z, case.y.tolist(), strict=True)]
        won = np.empty(len(Z), dtype=np.int64)
        multiclass.winners(rows, packed(weights), -1.0, won)
        assert won.tolist() == [int(np.argmax(row)) for row in products]
    first = case.rules.first_mistake(
        rows, case.signs, np.arange(len(case.signs)), packed(weights), case.margin, case.tie
    )
    assert first == next((i for i, bad in enumerate(wrong) if bad), -1)


@pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.stem)
def test_the_cache_stamps_of_imported_kernels_are_true(path: Path) -> None:
    """numba's cache depends on one file only; without the stamp, a change in an imported file would run old code."""
    text = path.read_text(encoding="utf-8")
    imported = re.findall(r"^from rosenblatt\.((?:rules|data\.compiled)\.\w+) import", text, flags=re.MULTILINE)
    for name in imported:
        if name == "data.compiled.jit":  # it does not change the code
            continue
        file = PACKAGE.joinpath(*name.split(".")).with_suffix(".py")
        stamp = f'{file.stem.upper()} = "{hashlib.sha256(file.read_bytes()).hexdigest()[:16]}"'
        assert stamp in text, f"in {path.name}, write {stamp}"
    assert imported or path.stem in ("__init__", "jit")

"""Certificates of the worst error: the claims of `Anderson` are proved again in fractions, false claims are refused.

The oracle completes a proof to one without a remainder: weights and points of ellipsoids that combine the classes to
exactly one point. It shares no code with `worst_error.py`.
"""

import copy
import itertools
import json
import math
import re
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from rosenblatt import Anderson, Certificate, DataError, Verification
from rosenblatt.certificate.check_claims import CLAIMS
from rosenblatt.certificate.exact_table import read_table
from rosenblatt.certificate.worst_error import ceiling, gaussians, is_semidefinite, semidefinite
from rosenblatt.cli import main as cli
from tests.certificate.test_certificate import changes
from tests.certificate.test_tampered import NOT_FLOATS, NOT_WHOLE, Change, put, put_all, sealed
from tests.support.claims_oracle import Body, number, numbers
from tests.support.effort import examples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
fractions = np.vectorize(lambda x: Fraction(float(x)), otypes=[object])


class Task(NamedTuple):
    means: Any
    covariances: Any
    labels: list[Any]  # the later one is positive

    @property
    def signs(self) -> list[int]:
        return [1 if label == max(self.labels) else -1 for label in self.labels]

    @property
    def moments(self) -> Any:
        return np.column_stack([self.means, np.reshape(self.covariances, (len(self.means), -1))])


def exact(task: Task) -> list[Any]:
    """For each Gaussian y, m = y (mu, 1), and C with a border of zeros, in fractions."""
    rows = zip(task.signs, task.means, task.covariances, strict=True)
    return [(y, y * fractions([*mean, 1]), fractions(np.pad(C, (0, 1)))) for y, mean, C in rows]


def points_of(part: Body, task: Task) -> list[Any]:
    """The Gaussians of a proof from above, each with its weight and direction."""
    every, rows = exact(task), zip(part["rows"], numbers(part["weights"]), part["directions"], strict=True)
    return [(*every[i], weight, fractions([*a, 0])) for i, weight, a in rows]


def solution(G: Any, right: Any) -> Any:
    """A solution x of G x = right by Gaussian elimination; None if there is none."""
    rows, pivots, x = np.column_stack([G, right]), list[int](), fractions(np.zeros(len(G)))
    for j in range(len(G)):
        top = len(pivots)
        at = next((i for i in range(top, len(G)) if rows[i, j]), None)
        if at is not None:
            rows[[top, at]] = rows[[at, top]]
            first = rows[top] / rows[top, j]
            rows = rows - np.outer(rows[:, j], first)
            rows[top] = first
            pivots.append(j)
    x[pivots] = rows[: len(pivots), -1]
    return None if any(rows[len(pivots) :, -1]) else x


def sums(points: list[Any]) -> tuple[Any, Any]:
    """e and G of the theorem."""
    e = [weight * (m + y * (C @ a)) for y, m, C, weight, a in points]
    return sum(e), sum(weight**2 * (np.outer(m, m) + C) for _, m, C, weight, _ in points)


def excludes(upper: Fraction, points: list[Any]) -> bool:
    """Do the completed points combine the classes to one, and are their ellipsoids no larger than `upper`?"""
    e, G = sums(points)
    h = solution(G, -e)
    if h is None or upper < 0:
        return False
    left, good = e * 0, True
    for y, m, C, weight, a in points:
        full, q = weight * (1 + weight * (h @ m)), weight * a + weight**2 * y * h
        good = good and full > 0 and q @ C @ q <= (upper * full) ** 2
        left = left + full * m + y * (C @ q)
    return bool(good and not any(left))


def reaches(lower: Fraction, v: Any, given: list[Any]) -> bool:
    """Has every Gaussian a lead of `lower` deviations?"""
    seen = [(v @ m, v @ C @ v) for _, m, C, *_ in given]
    enough = (lead * abs(lead) >= lower * abs(lower) * square and (lead > 0 or lower <= 0) for lead, square in seen)
    return any(v[:-1]) and all(enough)


def falsehoods(part: Body, task: Task) -> list[str]:
    """The bounds of the radius that the proof does not prove."""
    lower, upper = part["lower"], part["upper"]
    true = {"lower": lower is None or reaches(Fraction(lower), np.array(numbers(part["hyperplane"])), exact(task))}
    true["upper"] = upper is None or excludes(Fraction(upper), points_of(part, task))
    return [end for end in true if not true[end]]


def is_psd(C: Any) -> bool:
    """Is the matrix positive semidefinite?  By elimination: each pivot is positive, or 0 with zeros beside it."""
    if not len(C) or C[0, 0] <= 0:
        return not len(C) or (not any(C[0]) and is_psd(C[1:, 1:]))
    return is_psd(C[1:, 1:] - np.outer(C[0, 1:], C[0, 1:]) / C[0, 0])


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    d, m, rank, apart, seed = (draw(st.integers(*ends)) for ends in ((1, 4), (2, 6), (0, 5), (0, 8), (0, 2**32 - 1)))
    how = draw(st.sampled_from(["", "", "close", "scales", "far", "scales, far", "close, far"]))
    rng, alone, whole, some = np.random.default_rng(seed), *(draw(st.booleans()) for _ in range(3))
    labels = np.minimum(np.arange(m), 1) if alone else np.arange(m) % 2
    roots, means = rng.standard_normal((m, d, rank)), rng.standard_normal((m, d)) * 2
    roots, means = (np.round(roots), np.round(means)) if whole else (roots, means)
    roots *= rng.random((m, 1, 1)) < (0.7 if some else 1.0)  # the others are points
    C, means = roots @ roots.transpose(0, 2, 1), means + apart * labels[:, np.newaxis]
    if "close" in how:
        means = means[:1] + 2.0 ** -rng.integers(10, 60) * means
    scales = 2.0 ** (rng.integers(-100, 100, d) * ("scales" in how))
    means = means * scales + (10.0 ** rng.integers(2, 18) if "far" in how else 0.0)
    return Task(means, (C + C.transpose(0, 2, 1)) / 2 * np.outer(scales, scales), labels.tolist())


def check_true(model: Anderson, task: Task) -> Certificate:
    """The certificate of a model verifies, also as text, has the bounds of the model, and the oracle proves it."""
    used, (lower, upper) = task._replace(covariances=model.covariances_), model.radius_bounds_
    certificate = Certificate.from_json(text := model.certificate_.to_json())
    assert (certificate, certificate.to_json()) == (model.certificate_, text)
    found = certificate.verify_gaussians(*used)
    assert found
    assert found.why.startswith("Checked in whole numbers: the claim 'worst_error' is true")
    part = json.loads(text)["worst_error"]
    assert lower <= upper
    assert part["lower"] == (None if lower == -math.inf else min(lower, sys.float_info.max))
    assert part["upper"] == (None if upper == math.inf else upper)
    assert falsehoods(part, used) == []
    return certificate


@settings(max_examples=examples(1.5))
@given(tasks(), st.sampled_from(["auto", "auto", "ascent", "gradient"]), st.sampled_from([None, None, 0.2, 0.01]))
def test_what_is_claimed_is_proved_in_fractions(task: Task, solver: Any, target: float | None) -> None:
    for epsilon, budget in ((1e-9, 40), (1e-2, 2)):
        model = Anderson(solver=solver, epsilon=epsilon, max_error=target, max_iter=budget).fit_gaussians(*task)
        if model.radius_bounds_ != (-math.inf, math.inf):
            check_true(model, task)
            continue
        with pytest.raises(AttributeError, match="neither bound"):  # means that differ by less than floats can tell
            _ = model.certificate_


def test_no_hyperplane_exceeds_the_bound_of_the_theorem() -> None:
    """Of proofs that are rounded and shaken."""
    rng, bounds, near, more = np.random.default_rng(0), 0, 0, 1 + Fraction(1, 2**50)
    for d, m, _ in itertools.product((1, 2, 3), (2, 3, 4, 5), range(12)):
        labels, roots = np.arange(m) % 2, rng.integers(-3, 4, (m, d, d + 1)) / 2
        means = rng.integers(-4, 5, (m, d)) / 2 + 3 * labels[:, np.newaxis]
        task = Task(means, roots @ roots.transpose(0, 2, 1), labels.tolist())
        model = Anderson(epsilon=1e-2, max_iter=30).fit_gaussians(*task)
        part = model.certificate_.body["worst_error"]
        if not part["upper"]:
            continue
        weights = np.maximum(64 * model.dual_weights_ + rng.integers(-3, 4, len(model.tight_)), 1).astype(int).tolist()
        a = (np.round(np.array(part["directions"]) * 16 + rng.integers(-1, 2, (len(weights), d))) / 16).tolist()
        points = points_of({**part, "weights": [hex(weight) for weight in weights], "directions": a}, task)
        given, (e, G) = gaussians(read_table(task.moments)), sums(points)
        limit = ceiling([given[i] for i in part["rows"]], [point[0] for point in points], weights, a)
        square, longest = e @ solution(G, e), max(b @ C @ b for _, _, C, _, b in points)
        assert (limit is None) == (square >= 1)
        if limit is not None:
            size, E = (Fraction(math.sqrt(x)) * more for x in (longest, square))
            assert float(limit) == pytest.approx(float((size + E) / (1 - E)), rel=1e-9)
            assert excludes((size + E) / (1 - E), points)
            best, planes = numbers(part["hyperplane"]), rng.integers(-4, 5, (8, d))
            for v in [np.array(best), *(fractions([*w, -(means @ w).mean()]) for w in planes)]:
                assert not reaches((size + E) / (1 - E) * more, v, points)
            bounds, near = bounds + 1, near + reaches(limit / 2, np.array(best), points)
    assert min(bounds, near) > 50


ROUND = np.eye(2)
TWO = Task([[0, 0], [6, 0]], [ROUND, 4 * ROUND], ["a", "b"])
HAND: Body = {  # the boundary is at x = 2, two deviations from both; the points meet in (2, 0)
    "hyperplane": ["0x1", "0x0", "-0x1p1"], "lower": 2.0, "upper": 2.0,
    "rows": [0, 1], "weights": ["0x1", "0x1"], "directions": [[2.0, 0.0], [-1.0, 0.0]],
}  # fmt: skip
DRAWN = np.random.default_rng(8).standard_normal((5, 3, 4))
SAMPLES: dict[str, Task] = {
    "two": TWO,
    "one column": Task([[0.1], [2.3], [4.7]], [[[0.3]], [[1.1]], [[0.7]]], [0, 0, 1]),
    "five": Task(DRAWN[:, :, 3] + 9.0 * np.eye(5, 3), DRAWN @ DRAWN.transpose(0, 2, 1), [0, 1, 1, 0, 0]),
    "overlap": Task([[-1, 0], [1, 0], [0, 0]], [ROUND] * 3, [0, 0, 1]),
    "points": Task([[0, 0], [3, 1]], np.zeros((2, 2, 2)), [0, 1]),
    "a segment and a point": Task([[0, 0], [3, 0.5]], [[[1, 0.5], [0.5, 0.25]], 0 * ROUND], [0, 1]),
}
any_sample = pytest.mark.parametrize("name", SAMPLES)


@cache
def sample(name: str) -> Certificate:
    return check_true(Anderson().fit_gaussians(*SAMPLES[name]), SAMPLES[name])


def about(task: Task, part: Any, X: Any = None) -> Certificate:
    """A certificate with this claim and a valid seal."""
    codes, table = np.maximum(task.signs, 0), read_table(task.moments if X is None else X)
    return Certificate.of("worst_error", table, codes, sorted(set(task.labels)), (0, 1), 1.0, worst_error=part)


def answer(certificate: Certificate, task: Task) -> Verification:
    """The certificate is refused with a reason, or the oracle proves it."""
    found = certificate.verify_gaussians(*task)
    assert len(found.why) > 10
    assert not found or falsehoods(certificate.body["worst_error"], task) == []
    return found


def refused(why: str, *changes: Change, **parts: Any) -> None:
    """A proof by hand with a change and a new seal."""
    body = copy.deepcopy(about(TWO, {**HAND, **parts}).body)
    put_all(*changes)(body)
    found = answer(sealed(body), TWO)
    assert not found, body
    assert re.search(why, found.why, re.IGNORECASE), found.why


def test_a_proof_by_hand_verifies() -> None:
    assert answer(about(TWO, {**HAND, "weights": ["0x1p99999"] * 2, "hyperplane": ["0x1p9", "0x0", "-0x1p10"]}), TWO)
    for lower, upper in itertools.product([-1e308, -0.0, 2.0, None], [2.0, 2.0000000000000004, 1e308, None]):
        claimed = lower is not None or upper is not None
        assert answer(about(TWO, {**HAND, "lower": lower, "upper": upper}), TWO).verified == claimed


PARTS: list[tuple[str, list[Any], str]] = [
    ("lower", [2.0000000000000004, 3.0, 1e308], "radius of Gaussian 0 is less than"),
    ("upper", [1.9999999999999998, 0.0, -1.0, -1e308], "points do not exclude"),
    ("lower", [*NOT_FLOATS[:1], *NOT_FLOATS[2:]], "lower end of the radius.* is not a finite float"),
    ("upper", [*NOT_FLOATS[:1], *NOT_FLOATS[2:]], "upper end of the radius.* is not a finite float"),
    ("hyperplane", [["0x1", "0x0", "-0x3"], ["0x1", "0x1", "-0x1p1"], ["-0x1", "0x0", "0x1p1"]], "is less than 2.0"),
    ("hyperplane", [["0x0"] * 3, ["0x0", "0x0", "0x1"]], "no direction"),
    ("hyperplane", [["0x1", "0x0"], [], ["0x1", "0x0", "-0x1p1", "0x0"]], "weights, expected 3"),
    ("hyperplane", [None, "0x1", {}, *([bad, "0x0", "0x1"] for bad in NOT_WHOLE)], "not a whole number"),
    ("rows", [[0, 2], [-1, 1], [0, 10**400], [0, 0], [1, 1], [-2, -1]], "a Gaussian that does not exist, or one twice"),
    ("rows", [[1, 0]], "do not exclude"),
    ("rows", [[0], [], [0, 1, 1]], "differ in number"),
    ("rows", [[False, True], [0.0, 1.0], ["0", "1"], [[0], [1]], None, "01", {"0": 1}, 1], "Gaussian is not a whole"),
    ("weights", [["0x1", "0x2"], ["0x1p99999", "0x1"], [hex(10**400), "0x1"]], "do not exclude"),
    ("weights", [["0x1", "-0x1"], ["-0x1", "-0x1"], ["0x1", "0x0"]], "not positive"),
    ("weights", [["0x1"], [], ["0x1"] * 3], "differ in number"),
    ("weights", [None, "0x1", {}, *([bad, "0x1"] for bad in NOT_WHOLE)], "not a whole number"),
    ("directions", [[[2.0, 0.0], [-1.0, 0.5]], [[0.0, 0.0]] * 2, [[2.0, 1e308], [-1.0, 0.0]]], "do not exclude"),
    ("directions", [[[2.0], [-1.0]], [[], []], [[2.0, 0.0], [-1.0, 0.0, 0.0]]], "numbers, expected 2"),
    ("directions", [[[2.0, 0.0]], [], [[2.0, 0.0]] * 3], "differ in number"),
    ("directions", [[[bad, 0.0], [-1.0, 0.0]] for bad in [*NOT_FLOATS, 10**400]], "direction.* is not a finite float"),
    ("directions", [None, "ab", {}, [None, None], ["ab", "cd"], [{}, {}]], "not lists"),
]  # fmt: skip


def test_another_proof_is_refused() -> None:
    for key, values, why in PARTS:
        for new in values:
            refused(why, **{key: new})
    for bad in [None, [1], "worst", 1]:
        refused("worst_error is not an object", put("worst_error", bad))
    for key in HAND:
        refused(f"worst_error lacks {key}", put("worst_error", {k: part for k, part in HAND.items() if k != key}))
    refused("unknown part 'note'", note=1)
    refused("unknown part 'margin'", lambda body: body.update(margin={}))
    refused("differ in number", rows=[], weights=[], directions=[])
    for t in (0, 1):
        refused("do not exclude", rows=[t], weights=["0x1"], directions=HAND["directions"][t : t + 1])
    for claim in set(CLAIMS) - {"worst_error"}:
        refused("the certificate lacks", put("claim", claim))
    refused("digests differ", put("data", "labels", ["b", "a"]))
    for between in ([1, 0], [0], [0, 0], [0, 2], [False, True], None):
        refused("class", put("about", "between", between))


def nudged(part: Any, rng: np.random.Generator) -> Any:
    """Change one number of a certificate a little or much."""
    if isinstance(part, list):
        at = rng.integers(len(part)) if part else 0
        return [nudged(x, rng) if k == at else x for k, x in enumerate(part)]
    sign = int(rng.choice([-1, 1]))
    if isinstance(part, str):
        return hex(number(part) + sign * 2 ** int(rng.integers(number(part).bit_length() + 1)))
    return part * (1 + sign * 2.0 ** -int(rng.integers(1, 54))) if isinstance(part, float) else part


@any_sample
def test_no_change_verifies_but_what_is_true_and_sealed_again(name: str) -> None:
    body, rng, answers = sample(name).body, np.random.default_rng(1), list[bool]()
    others = list(changes(body))
    for key in ["lower", "upper", "hyperplane", "weights", "directions"] * 20:
        others.append({**body, "worst_error": {**body["worst_error"], key: nudged(body["worst_error"][key], rng)}})
    for certificate in (Certificate(other) for other in others if json.dumps(other) != json.dumps(body)):
        found = certificate.verify_gaussians(*SAMPLES[name])
        assert not found
        assert "its seal does not match its text" in found.why
        answers.append(answer(sealed(certificate.body), SAMPLES[name]).verified)
    assert min(answers.count(False), answers.count(True)) > 10


@any_sample
def test_no_change_of_the_data_verifies(name: str) -> None:
    (means, covariances, labels), certificate, d = SAMPLES[name], sample(name), len(SAMPLES[name].means[0])
    for i, j in np.ndindex(*SAMPLES[name].moments.shape):
        for end in (-1e9, 1e9):
            moments = SAMPLES[name].moments
            moments[i, j] = np.nextafter(moments[i, j], end)
            found = certificate.verify_gaussians(moments[:, :d], moments[:, d:].reshape(-1, d, d), labels)
            assert not found
            assert "was made for other data" in found.why
    for i, label in enumerate(labels):
        for other in {*labels, "unknown" if isinstance(label, str) else 99} - {label}:
            assert not certificate.verify_gaussians(means, covariances, [*labels[:i], other, *labels[i + 1 :]])
        for other in (1 if isinstance(label, str) else "unknown", None):  # of another kind, or missing
            with pytest.raises(DataError, match=r"labels of one kind|every row needs a class label"):
                certificate.verify_gaussians(means, covariances, [*labels[:i], other, *labels[i + 1 :]])
    assert certificate.verify_gaussians(*SAMPLES[name])


def test_what_are_no_gaussians_is_an_error() -> None:
    bad: dict[str, list[Any]] = {
        "means": [[0, 6], None, [[0], [6, 0]], [["x", 0], [6, 0]], [[math.nan, 0], [6, 0]], [[0, 0, 0], [6, 0, 0]]],
        "covariances": [[1, 4], None, ROUND, [ROUND], np.ones((2, 3, 3)), [ROUND, np.diag([1, math.inf])]],
        "labels": [None, ["a"], ["a", "b", "b"], [["a", "b"]] * 2, "ab"],
    }
    for key, new in [(key, new) for key, values in bad.items() for new in values]:
        with pytest.raises(DataError):
            about(TWO, HAND).verify_gaussians(*TWO._replace(**{key: new}))


SLANTED = [[1, x, 0.5, 1] for x in (0.25, 0.0, -0.5, 0.5 + 2.0**-53)]
SADDLES = [[1, x, x, 1] for x in (2, 1 + 2.0**-52)] + [[x, 0, 0, 4] for x in (-1, -5e-324)] + [[1 - 2.0**-53, 1, 1, 1]]


@pytest.mark.parametrize("C", [*SLANTED, *SADDLES], ids=str)
def test_what_is_no_covariance_is_refused_even_if_sealed(C: list[float]) -> None:
    task = TWO._replace(covariances=[ROUND, np.reshape(C, (2, 2))])
    for lower, upper in ((2.0, 2.0), (None, 1e300), (-1e300, None)):
        certificate = about(task, {**HAND, "lower": lower, "upper": upper})
        found = certificate.verify_gaussians(*task)
        assert not found
        assert f"Gaussian 1 is not {'symmetric' if C in SLANTED else 'positive semidefinite'}" in found.why


def test_integers_that_no_float_holds_are_taken_as_they_are() -> None:
    """With 2^53, 2^53 + 1 and 2^53 + 2 the determinant is -1. With the nearest floats it is positive."""
    n, first = 2**53, [0, 0, 1, 0, 0, 1]
    words = {n + 2: "Gaussian 1 is not positive", n + 3: "Checked", None: "columns are not those of a mean"}
    for last, why in words.items():
        X = [first, [6, 0, n, n + 1, n + 1, last]] if last else [first[1:]] * 2
        certificate = about(TWO, {**HAND, "lower": -1e300, "upper": None}, X)
        found = certificate.verify(X, TWO.labels)
        assert found.verified == (why == "Checked")
        assert why in found.why


def test_semidefinite_matrices_are_told_exactly() -> None:
    rng, answers = np.random.default_rng(2), list[bool]()
    for d, kind in itertools.product((1, 2, 3, 4), ("gram", "whole", "exact", "any")):
        batch = []
        for roots in rng.standard_normal((90, d, int(rng.integers(1, d + 2)))) * 3:
            C = roots @ roots.T if kind == "gram" else np.round(roots) @ np.round(roots).T
            C = np.round(rng.standard_normal((d, d)) + np.eye(d)) if kind == "any" else C
            C, (j, k), scales = C + C.T, rng.integers(d, size=2), 2.0 ** (rng.integers(-200, 200, d) * rng.integers(2))
            if kind != "exact" and C[j, k]:  # off by one unit in the last place
                C[j, k] = C[k, j] = np.nextafter(C[j, k], rng.choice([-1e9, 1e9]))
            batch.append(C * np.outer(scales, scales))
            answers.append(is_psd(fractions(batch[-1])))
            assert is_semidefinite(batch[-1]) == answers[-1], batch[-1].tolist()
            assert semidefinite((roots @ roots.T + np.eye(d))[np.newaxis])[0]
        assert (semidefinite(np.stack(batch)) <= answers[-90:]).all()
    assert min(answers.count(True), answers.count(False)) > 300


def test_it_tells_the_errors() -> None:
    both, error = about(TWO, HAND).explain(), f"{norm.sf(2):.6g}"
    assert f"The hyperplane given here has an error of at most {error} on each of them (a radius of at least 2 " in both
    assert f"Every hyperplane has an error of at least {error} on one of them (no radius is above 2)" in both
    assert both == about(TWO, {**HAND, "upper": None}).explain() + both[both.index(" Every") :]
    assert "has an error of at least 0.5 on one of them (" in sample("overlap").explain()


def test_the_command_verifies_a_file(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    cert, data, part = tmp_path / "cert.json", tmp_path / "data.csv", sample("five").body["worst_error"]
    cert.write_text(sample("five").to_json(), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["rosenblatt", "verify", str(cert), str(data), "--target", "label"])
    cells = np.column_stack([SAMPLES["five"].moments.astype(object), SAMPLES["five"].labels]).tolist()
    for rows, code, word in ((cells, 0, "verified"), (cells[::-1], 1, "refused")):
        lines = [["m1", "m2", "m3", *(f"c{j}{k}" for j in (1, 2, 3) for k in (1, 2, 3)), "label"], *rows]
        data.write_text("\n".join(",".join(map(str, line)) for line in lines), encoding="utf-8")
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out = capsys.readouterr().out
        assert (ended.value.code, out.partition("\n")[0]) == (code, f"{word}: worst_error")
        assert all((f"{norm.sf(part[end]):.6g}" in out) == (code == 0) for end in ("lower", "upper"))

"""What a verdict comes to, as a statistician would put it: the answer in a line, and what to do about it."""

import math

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom

from rosenblatt.base.words import listed
from rosenblatt.proof.error_bounds import ErrorBounds
from rosenblatt.proof.verdict import HEADS, Verdict

FEW = 4  # pairs of classes that a sentence lists
SURPRISE = 0.01  # a separation that chance brings about more often than this says nothing


def headline(verdict: Verdict, fewest: ErrorBounds | None = None) -> str:
    """The answer in a sentence; its first word is the kind of the verdict."""
    if verdict.kind == "undecided":
        return "undecided - the time was used up before there was a proof either way."
    two = len(verdict.classes) == 2
    who = " and ".join(map(repr, verdict.classes)) if two else f"these {len(verdict.classes)} classes"
    by = "hyperplane" if two else "linear rule (one weight vector a class)"
    if verdict.kind == "strict":
        return f"strict - a {by} separates {who}, every row strictly on its right side. Proved."
    if verdict.kind == "weak":
        where = "must lie on it" if two else "must tie with another class"
        return (
            f"weak - a {by} has no row of {who} on its wrong side, but {len(verdict.stuck):,} of {verdict.n:,} rows "
            f"{where}. Proved."
        )
    text = f"{verdict.kind} - no {by} separates {who}"
    if fewest is not None:
        low, high = max(fewest.lower, 1), fewest.upper  # one is what the verdict proves
        count = f"exactly {low:,}" if low == high else f"{low:,} to {high:,}"
        text += f"; the best errs on {count} of {fewest.n:,} rows"
    return f"{text}. Proved."


def evidence(verdict: Verdict) -> str:
    """How it is known: what `explain` says after its first sentence."""
    return verdict.explain().removeprefix(HEADS.get(verdict.kind, "")).strip()


def advice(verdict: Verdict, smaller: int | None = None) -> str:
    """What to do now; `smaller` is how many rows the smaller of two classes has."""
    if verdict.kind == "undecided":
        return "Give it more time with --budget, or leave --budget out: the search always ends."
    if verdict.kind == "strict":
        text = _when_strict(verdict, smaller)
    else:
        text = _when_weak(verdict) if verdict.kind == "weak" else _when_overlapping(verdict)
    if verdict.contradictions:
        i, j = verdict.contradictions[0]
        text = f"Look at rows {i} and {j} first: they are equal but labelled differently. {text}"
    return text


def chance(n: int, k: int, d: int) -> float:
    """How probable it is at most that n points in d columns are separable, if k labels of one kind fall by chance.

    T. M. Cover's count (IEEE Transactions on Electronic Computers 14, 1965): hyperplanes can label the points in at
    most 2 sum_j<=d C(n-1, j) ways. There are C(n, k) ways to give k of them one label.

    >>> chance(4, 2, 1), chance(20, 10, 1) < 0.001
    (1.0, True)
    """
    ways = math.log(2) * n + binom.logcdf(d, n - 1, 0.5)
    return float(np.exp(min(0.0, ways - (gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)))))


def _when_strict(verdict: Verdict, smaller: int | None) -> str:
    text = ""
    if verdict.narrow:
        text += "The gap is as narrow as the rounding of numbers: do not rely on it. "
    if verdict.hyperplane is not None and smaller is not None:
        d = len(verdict.hyperplane.w)
        share = chance(verdict.n, smaller, d)
        if share > SURPRISE:
            text += (
                f"It may be an accident: with {smaller:,} of {verdict.n:,} labels in {d:,} columns, labels given by "
                f"chance may be separable too, with a probability of up to {share:.2g} (Cover's count). "
            )
        else:
            text += (
                f"It is no accident: as many labels given by chance to {verdict.n:,} rows in {d:,} columns are "
                f"separable with a probability of at most {max(share, 1e-12):.1g} (Cover's count). "
            )
    return (
        f"{text}`rosenblatt fit` finds the widest gap; `--test 0.2` tells how it does on new rows. Plain logistic "
        "regression has no finite estimate here (complete separation): its coefficients grow for ever, so penalise it."
    )


def _when_weak(verdict: Verdict) -> str:
    if len(verdict.classes) > 2:
        where = _pairs_that_are_not_strict(verdict)
    else:
        where = (
            "Find the columns with a weight in the hyperplane above, often a rare category, and merge or drop them, or "
            f"look again at {listed(verdict.stuck)}. "
        )
    return (
        "Plain logistic regression has no finite estimate here (quasi-complete separation), and its standard errors "
        f"mean nothing: penalise it. {where}A perceptron never ends on these rows; `rosenblatt fit` takes the averaged "
        "one."
    )


def _when_overlapping(verdict: Verdict) -> str:
    safe = "Logistic regression has finite estimates here. " if verdict.kind == "overlap" else ""
    return (
        f"{_pairs_that_are_not_strict(verdict)}A perceptron never ends on these rows; `rosenblatt fit` takes the "
        f"averaged one, `--algorithm pocket` looks for the fewest errors. {safe}If the errors are too many, the "
        "columns are not enough for a straight boundary: add products or squares of them, or try `--algorithm kernel`."
    )


def _pairs_that_are_not_strict(verdict: Verdict) -> str:
    """Which classes are at fault, if not all are."""
    mixed = [pair for pair, found in verdict.pairs.items() if found.kind not in ("strict", "undecided")]
    if not mixed or len(mixed) == len(verdict.pairs):
        return ""
    said = "; ".join(f"{a!r} and {b!r}" for a, b in mixed[:FEW]) + "; ..." * (len(mixed) > FEW)
    return f"The trouble is between {said}: ask about them with `--classes`. The other pairs are separable. "

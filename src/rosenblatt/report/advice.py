"""A verdict in words: the answer in one sentence, the evidence, and what to do."""

import math

import numpy as np

from rosenblatt.base.words import count_of, listed
from rosenblatt.proof.error_bounds import ErrorBounds
from rosenblatt.proof.pair_words import words_of_pairs
from rosenblatt.proof.verdict import Verdict

MAX_LISTED_PAIRS = 4
MAX_CHANCE = 0.01  # if random labels are separable with a higher probability, separation says nothing


def headline(verdict: Verdict, fewest: ErrorBounds | None = None) -> str:
    """The answer in one sentence; its first word is the kind of the verdict."""
    if verdict.kind == "undecided":
        return "undecided - the time ran out before a proof was found."
    two = len(verdict.classes) == 2
    classes = " and ".join(map(repr, verdict.classes)) if two else f"these {len(verdict.classes)} classes"
    rule = "hyperplane" if two else "linear rule (one weight vector per class)"
    if verdict.kind == "strict":
        return f"strict - a {rule} separates {classes}, with every row strictly on its correct side. Proved."
    which = "" if two else f"; {words_of_pairs(verdict._kinds)}" * bool(verdict.pairs)
    if verdict.kind == "weak":
        ties = f"{len(verdict.stuck):,} of {verdict.n:,} rows must lie on it" if two else f"some rows must tie{which}"
        return f"weak - a {rule} has no row of {classes} on the wrong side, but {ties}. Proved."
    text = f"{verdict.kind} - no {rule} separates {classes}{which}"
    if fewest is not None:
        low, high = max(fewest.lower, 1), fewest.upper  # the verdict itself proves at least 1
        count = f"exactly {low:,}" if low == high else f"{low:,} to {high:,}"
        text += f"; the best one misclassifies {count} of {fewest.n:,} rows"
        text += "" if fewest.complete else " (the time limit cut this search short)"
    return f"{text}. Proved."


def evidence(verdict: Verdict) -> str:
    """The proof in words: the text of `explain` after its first sentence."""
    return verdict._evidence()


def advice(verdict: Verdict, smaller: int | None = None) -> str:
    """What to do; `smaller` is the number of rows in the smaller of two classes."""
    if verdict.kind == "undecided":
        return "Give more time with --time-limit, or leave it out: without it the search always ends."
    if verdict.kind == "strict":
        text = _when_strict(verdict, smaller)
    else:
        text = _when_weak(verdict) if verdict.kind == "weak" else _when_overlapping(verdict)
    if verdict.contradictions:
        i, j = verdict.contradictions[0]
        text = f"Look at rows {i} and {j} first: they are equal but have different labels. {text}"
    return text


def chance(n: int, k: int, d: int) -> float:
    """An upper bound of the probability that n points in d columns are separable if k random points get one label.

    By T. M. Cover's count (IEEE Transactions on Electronic Computers 14, 1965), hyperplanes can label the points in at
    most 2 sum_j<=d C(n-1, j) ways. There are C(n, k) ways to give k of them one label.

    >>> chance(4, 2, 1), chance(20, 10, 1) < 0.001
    (1.0, True)
    """
    i = np.arange(min(d, n - 1))
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - 1 - i) / (i + 1)))])  # of the binomials of n - 1 and 0, 1, ...
    ways = math.log(2) + logs.max() + math.log(np.exp(logs - logs.max()).sum())
    all_ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return float(np.exp(min(0.0, ways - all_ways)))


def _when_strict(verdict: Verdict, smaller: int | None) -> str:
    text = ""
    if verdict.narrow:
        text += "The gap is no wider than the rounding of numbers, so do not rely on it. "
    if verdict.hyperplane is not None and smaller is not None:
        d = len(verdict.hyperplane.w)
        probability = chance(verdict.n, smaller, d)
        if probability > MAX_CHANCE:
            text += (
                f"The separation may be an accident: in {count_of(d, 'column')}, random labels for {smaller:,} of "
                f"{verdict.n:,} rows are separable with a probability of up to {probability:.2g} (Cover's count). "
            )
        else:
            text += (
                f"The separation is no accident: in {count_of(d, 'column')}, random labels for {smaller:,} of "
                f"{verdict.n:,} rows are separable with a probability of at most {max(probability, 1e-12):.1g} "
                "(Cover's count). "
            )
    return (
        f"{text}`rosenblatt fit --algorithm kozinec` finds the widest gap, and `--test 0.2` measures the accuracy on "
        "new rows. Plain logistic regression has no finite estimate here (complete separation): its coefficients grow "
        "without limit, so use a penalty."
    )


def _when_weak(verdict: Verdict) -> str:
    if len(verdict.classes) > 2:
        where = _pairs_that_are_not_strict(verdict)
    else:
        where = (
            "Merge or drop the columns that separate rows (often a rare category; `rosenblatt check --model logit` "
            f"names them and prints code), or check {listed(verdict.stuck)}. "
        )
    return (
        "Plain logistic regression has infinite estimates here (quasi-complete separation), and its standard errors "
        f"mean nothing, so use a penalty. {where}A perceptron never stops by itself on these rows; `rosenblatt fit` "
        "tries the averaged perceptron, and the largest margin with slack."
    )


def _when_overlapping(verdict: Verdict) -> str:
    finite = "Logistic regression has finite estimates here. " if verdict.kind == "overlap" else ""
    return (
        f"{_pairs_that_are_not_strict(verdict)}A perceptron never stops by itself on these rows; `rosenblatt fit` "
        "tries the averaged perceptron, and the largest margin with slack; `--algorithm pocket` looks for the fewest "
        "errors. "
        f"{finite}If there are too many errors, these columns do not allow a straight boundary: add products or "
        "squares of them, or try `--algorithm kernel`."
    )


def _pairs_that_are_not_strict(verdict: Verdict) -> str:
    """The pairs that are not strictly separable, and what is known of the others; empty if there is no such pair."""
    mixed = [pair for pair, found in verdict.pairs.items() if found.kind not in ("strict", "undecided")]
    if not mixed or len(mixed) == len(verdict.pairs):
        return ""
    pairs = "; ".join(f"{a!r} and {b!r}" for a, b in mixed[:MAX_LISTED_PAIRS])
    more = "; ..." * (len(mixed) > MAX_LISTED_PAIRS)
    undecided = sum(found.kind == "undecided" for found in verdict.pairs.values())
    others = (
        "The other pairs are separable. " if not undecided else f"Of the other pairs, {undecided:,} are undecided. "
    )
    return f"These pairs of classes are not strictly separable: {pairs}{more}. Check them with `--classes`. {others}"

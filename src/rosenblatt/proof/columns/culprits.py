"""Which columns separate the classes?  `culprits` names them, with the equation in these columns only."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.exact import number_of, whole
from rosenblatt.base.html import Markup, element, shown
from rosenblatt.base.json_forms import FLAG, FRACTION, LABEL, TEXT, WHOLE, Form, list_of, one_of, optional, parts_of
from rosenblatt.base.parameters import Flag, check_argument
from rosenblatt.base.result import NoTruthValue, Result
from rosenblatt.base.words import count_of
from rosenblatt.certificate.check_claims import view
from rosenblatt.certificate.merges import merged
from rosenblatt.certificate.regression.recession_rows import INTERCEPT
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.coefficient_statuses import ProvedCone
from rosenblatt.proof.columns.class_scores import ClassRows, ClassScore, range_texts
from rosenblatt.proof.columns.column_sets import ColumnSet, Places, column_of, column_sets, separates
from rosenblatt.proof.columns.short_equation import Equation, number_text, short_equation
from rosenblatt.proof.decide import Labelled, deadline_of, decide, labelled
from rosenblatt.proof.several_classes import decide_several
from rosenblatt.proof.verdict import Verdict

MAX_SHOWN = 3  # sets in a sentence
Kind = Literal["strict", "weak", "overlap", "undecided"]


class Culprit(NamedTuple):
    """Columns that separate.

    Attributes
    ----------
    columns : their names
    weights : exact numbers, one for each column; empty if there are several classes, each with weights of its own
    threshold : an exact number: rows of the second class have a weighted sum above it, those of the first below it, or
        either at it if the separation is weak. None if there are several classes
    rows : how many rows are not at the threshold; of several classes, how many score more in their own class than in
        some other one (in an ordinal model, a neighbour)
    minimal : is it proved that no column can be left out?
    text : the equation in words, in which long numbers are rounded
    scores : of several classes, the score of each: no row scores more in another class than in its own, and each row
        scores most in its own class unless the separation is weak
    """

    columns: list[str]
    weights: list[Fraction]
    threshold: Fraction | None
    rows: int
    minimal: bool
    text: str
    scores: list[ClassScore]


@dataclass(frozen=True, eq=False, repr=False)
class Culprits(NoTruthValue, Result):
    """Columns that separate the classes. Two results are equal if all attributes are.

    Attributes
    ----------
    kind : {"strict", "weak", "overlap", "undecided"}
        The verdict on all columns; see `separability`. There are sets of columns if it is "strict" or "weak".
    sets : list of Culprit
        All single columns that separate; or else pairs; or else one set. Each has `columns`, `weights`, `threshold`
        (the equation), `rows` (how many rows it separates), `minimal` (True if it is proved that no column can be left
        out) and `text`. With the kind "weak" a set separates some rows, and has no row on the wrong side. With several
        classes a set has `scores` instead of `weights` and `threshold`: for each class its `label`, `weights` and
        `constant`.
    pairs : int
        How many pairs of columns were looked at. It is limited, so that the answer comes soon.
    possible_pairs : int
        How many pairs there are; 0 if pairs were not needed.
    n : int
        The number of rows.

    See Also
    --------
    culprits : Returns one of these.
    separability : Asks whether all columns together separate.

    Examples
    --------
    >>> from rosenblatt import culprits
    >>> found = culprits([[1, 5], [2, 1], [3, 4], [4, 2]], ["a", "a", "b", "b"])
    >>> found.sets[0].columns, found.sets[0].minimal
    (['x1'], True)
    """

    _ask_instead: ClassVar[str] = "Look at its attribute sets."

    _forms: ClassVar[dict[str, Form]] = {
        "kind": one_of("strict", "weak", "overlap", "undecided"),
        "sets": list_of(
            parts_of(
                Culprit,
                columns=list_of(TEXT),
                weights=list_of(FRACTION),
                threshold=optional(FRACTION),
                rows=WHOLE,
                minimal=FLAG,
                text=TEXT,
                scores=list_of(parts_of(ClassScore, label=LABEL, weights=list_of(FRACTION), constant=FRACTION)),
            )
        ),
        "pairs": WHOLE,
        "possible_pairs": WHOLE,
        "n": WHOLE,
    }

    kind: Kind
    sets: list[Culprit]
    pairs: int
    possible_pairs: int
    n: int

    def explain(self) -> str:
        """Name the columns in plain words.

        Returns
        -------
        str
            A paragraph.
        """
        if not any(one.minimal and "scores " in one.text for one in self.sets[:MAX_SHOWN]):
            return self._sentence()
        if self.kind == "strict":
            return f"{self._sentence()} Each row scores most in its own class."
        return f"{self._sentence()} No row scores more in another class than in its own."

    def _sentence(self) -> str:
        """The columns, or why there are none."""
        if self.kind == "undecided":
            return "Undecided: the time limit was reached. Give it more time."
        if self.kind == "overlap":
            return "No set of columns separates the classes: they overlap."
        first, every = self.sets[0], self.kind == "strict"
        them = "the classes" if every else "any rows"
        if not first.columns:
            return "No column is needed: the intercept alone separates the rows."
        if not first.minimal:
            rule = "linear rule" if first.scores else "hyperplane"
            return (
                f"A {rule} in {count_of(len(first.columns), 'column')} separates {self._rows(first)}. Whether "
                "fewer columns are enough was not decided."
            )
        if len(first.columns) == 1:
            if len(self.sets) == 1:
                return f"One column alone separates {self._rows(first)}: {self._texts()}."
            return (
                f"{len(self.sets):,} columns separate {'all' if every else 'some'} rows, each alone: {self._texts()}."
            )
        if len(first.columns) == 2 and self.possible_pairs > 0:
            which = "a pair does" if len(self.sets) == 1 else f"{len(self.sets):,} pairs do"
            return f"No single column separates {them}, but {which}: {self._texts()}."
        pairs = "no pair"
        if self.pairs < self.possible_pairs:
            pairs = f"none of {self.pairs:,} pairs that were tried (of {self.possible_pairs:,})"
        return (
            f"No single column separates {them}, and {pairs}. These {len(first.columns):,} columns separate "
            f"{self._rows(first)}, and none of them can be left out: {first.text}."
        )

    def _rows(self, one: Culprit) -> str:
        return "all rows" if self.kind == "strict" else f"{one.rows:,} of {count_of(self.n, 'row')}"

    def _texts(self) -> str:
        counts = self.kind == "weak" and len(self.sets) > 1
        texts = [one.text + f" ({count_of(one.rows, 'row')})" * counts for one in self.sets[:MAX_SHOWN]]
        more = [f"and {len(self.sets) - MAX_SHOWN:,} more"] if len(self.sets) > MAX_SHOWN else []
        return "; ".join([*texts, *more])

    def __repr__(self) -> str:
        return f"<Culprits: {self.kind}, {count_of(len(self.sets), 'set')} of columns, {count_of(self.n, 'row')}>"

    def _repr_html_(self) -> Markup:
        return shown(element("p", self.explain()))


def culprits(X: TableLike, y: LabelsLike, *, through_origin: bool = False, time_limit: float | None = None) -> Culprits:
    """Name the columns that separate the classes: single columns, pairs, or a set without a column to spare.

    Every set comes with an equation in its columns only. That it separates is proved in whole numbers, and so is that
    no column of it can be left out.

    Parameters
    ----------
    X : array, sparse matrix, data frame or list of shape (n, d)
        The rows.
    y : array of shape (n,)
        The labels of two or more classes.
    through_origin : bool, default=False
        True: only hyperplanes through the origin.
    time_limit : float, optional
        In seconds. When the time is over, the set may not be minimal, or the kind is "undecided".

    Returns
    -------
    Culprits
        Its `sets` are the columns with their equations; `explain()` says it in words.

    Raises
    ------
    DataError
        The rows or labels cannot be used, or all rows have one label.

    See Also
    --------
    separability : Asks whether all columns together separate.
    estimates : Asks which coefficients of a regression are infinite.

    Notes
    -----
    Every column is looked at by itself; at most 50 that separate alone are listed. Pairs are looked at if no column
    separates alone, the most promising ones first, up to a fixed number. A larger set starts from a linear program in
    floats, and columns are left out one by one. Other sets of the same size may exist.

    Examples
    --------
    >>> from rosenblatt import culprits
    >>> X = [[30, 20, 1], [50, 14, 2], [20, 30, 2], [60, 2, 1], [44, 9, 2], [10, 12, 1], [20, 19, 2]]
    >>> print(culprits(X, ["cured", "cured", "cured", "ill", "ill", "ill", "ill"]).explain())
    No single column separates the classes, but a pair does: 0.4 x1 + x2 < 30: 'ill'.
    """
    check_argument("culprits", "through_origin", through_origin, Flag())
    deadline = deadline_of(time_limit)
    given = labelled(X, y)
    constant = 0.0 if through_origin else 1.0
    if len(given.labels) > 2:
        verdict = decide_several(given, constant, True, deadline)
    else:
        verdict = decide(given, (0, 1), constant, True, deadline).verdict
    return culprits_of_verdict(given, verdict, deadline)


def culprits_of_verdict(given: Labelled, verdict: Verdict, deadline: float) -> Culprits:
    """The culprits of classes whose verdict is known. The rows are those of the verdict."""
    if verdict.kind not in ("strict", "weak") or verdict.certificate is None:
        kind: Kind = "overlap" if verdict.kind == "overlap" else "undecided"
        return Culprits(kind, [], 0, 0, verdict.n)
    w, constant = (
        [number_of(text) for text in verdict.certificate.body["hyperplane"]],
        float(not verdict.through_origin),
    )
    if len(given.labels) > 2:
        rows = ClassRows.of_classes(given, constant)
        w = weights_of_groups(w, verdict.certificate.body.get("merges", []), len(given.labels))
        return culprits_of_classes(rows, w, np.flatnonzero(rows.signed.leads(w)[1] > 0), deadline)
    seen = view(given.table, given.codes, (0, 1), constant)
    moving = np.setdiff1d(np.arange(seen.signed.n), verdict.stuck)
    return culprits_of_rows(seen.signed, given.table.names, side_words(verdict.classes), w, moving, deadline)


def weights_of_groups(w: list[int], merges: Sequence[dict[str, Any]], k: int) -> list[int]:
    """The weights of k classes, where those of a certificate are of groups of merged classes."""
    groups = np.arange(k)
    for step in merges:
        groups = merged(groups, step["between"])
    own, places = np.unique(groups, return_inverse=True)
    if len(own) == 2:  # one weight vector: the score of the second group minus that of the first
        w = [*[0] * len(w), *w]
    width = len(w) // len(own)
    return [number for place in places.tolist() for number in w[place * width : (place + 1) * width]]


def culprits_of_classes(rows: ClassRows, w: Sequence[int], moving: NDArray[Any], deadline: float) -> Culprits:
    """The culprits of several classes; w has no row on its wrong side, and the moving rows strictly on their right."""
    names = rows.table.names or [f"x{j + 1}" for j in range(rows.table.d)]
    strictly, sides = len(moving) == rows.signed.n, side_words(rows.labels)
    found = column_sets(rows.signed, rows.places(), w, moving, deadline)
    sets = []
    for one in found.sets:
        weights = rows.short(one.weights, lambda numbers: separates(rows.signed, numbers, strictly))
        text = rows.text(weights, one.columns, names, sides, strictly) if one.columns else "the intercepts alone"
        count = len(np.unique(rows.numbers[rows.signed.leads(whole(weights))[1] > 0]))
        scores = rows.scores(weights, one.columns)
        own = [names[j] for j in one.columns]
        sets.append(Culprit(own, [], None, count, one.is_minimal, text, scores))
    return Culprits("strict" if strictly else "weak", sets, found.pairs, found.possible_pairs, rows.table.n)


def culprits_of_cone(cone: ProvedCone, names: Sequence[str], sides: Sequence[str], n: int, deadline: float) -> Culprits:
    """The culprits of a regression with two outcomes, or counts, in n rows, some of which are separated."""
    is_column = not cone.signed.constant and names[-1] == INTERCEPT  # is the intercept a column of the rows?
    bias = len(names) - 1 if is_column else None
    return culprits_of_rows(cone.signed, names, sides, cone.vectors[0], cone.moving, deadline, bias, n)


def side_words(labels: Sequence[Any]) -> list[str]:
    """Labels as words of a sentence."""
    return [repr(label) if isinstance(label, str) else f"class {label!r}" for label in labels]


def culprits_of_rows(
    signed: Signed,
    names: Sequence[str] | None,
    sides: Sequence[str],
    w: Sequence[int],
    moving: NDArray[Any],
    deadline: float,
    bias: int | None = None,
    n: int | None = None,
) -> Culprits:
    """The culprits of signed rows.

    Parameters
    ----------
    signed : the rows
    names : the names of the columns
    sides : words for the rows of the sign -1, and of the sign 1
    w : a hyperplane with no row on its wrong side, and the moving rows strictly on their right side
    moving : the rows that can be strictly on their right side
    deadline : when to give up, on the monotonic clock
    bias : the column that stands for the constant, if the rows have one as a column
    n : the number of rows of the data, if it is another one
    """
    columns = [[j] for j in range(signed.table.d) if j != bias]
    found = column_sets(signed, Places(columns, [] if bias is None else [bias]), w, moving, deadline)
    names = names or [f"x{j + 1}" for j in range(signed.table.d)]
    strictly = len(moving) == signed.n
    place = signed.table.d if signed.constant else bias
    sets = [_culprit(one, signed, names, sides, place, strictly) for one in found.sets]
    return Culprits("strict" if strictly else "weak", sets, found.pairs, found.possible_pairs, n or signed.n)


def _culprit(
    one: ColumnSet, signed: Signed, names: Sequence[str], sides: Sequence[str], bias: int | None, strictly: bool
) -> Culprit:
    if not one.columns:
        return Culprit([], [], Fraction(0), one.rows, one.is_minimal, "the intercept alone", [])
    equation = short_equation(signed, one.weights, one.columns, bias, lambda w: separates(signed, w, strictly))
    is_right = signed.leads(equation.numbers)[1] > 0
    if strictly and len(one.columns) == 1 and signed.constant:
        text = _threshold_text(signed, one.columns[0], names, sides)
    else:
        there = {sign: bool(is_right[signed.y == sign].any()) for sign in (1, -1)}
        text = _equation_text(equation, names, sides, there, strictly)
    own = [names[j] for j in one.columns]
    return Culprit(own, equation.weights, equation.threshold, int(is_right.sum()), one.is_minimal, text, [])


def _threshold_text(signed: Signed, j: int, names: Sequence[str], sides: Sequence[str]) -> str:
    """The numbers of both classes in a column that separates them."""
    column = column_of(signed.table, j)
    parts = ((column[signed.y == sign], side) for sign, side in zip((-1, 1), sides, strict=True))
    found = sorted((part.min(), part.max(), side) for part, side in parts)
    return f"{names[j]}: {', '.join(range_texts(found))}"


def _equation_text(
    equation: Equation, names: Sequence[str], sides: Sequence[str], there: dict[int, bool], strictly: bool
) -> str:
    """The equation, and the class on each side that has rows."""
    signs = {1: ">", -1: "<"}
    if equation.weights[0] < 0:
        signs = {1: "<", -1: ">"}
        equation = equation._replace(weights=[-x for x in equation.weights], threshold=-equation.threshold)
    left, right = equation.left_side(names), number_text(equation.threshold)
    words = {1: sides[1], -1: sides[0]}
    rounded = " (rounded)" if equation.is_rounded else ""
    if strictly:
        return f"{left} {signs[1]} {right}: {words[1]}{rounded}"
    parts = [f"{signs[sign]} {right}: only {words[sign]}" for sign in (1, -1) if there[sign]]
    return f"{left} {', '.join(parts)}{rounded}"

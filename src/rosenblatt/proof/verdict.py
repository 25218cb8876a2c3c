"""The answer to "can these classes be separated?", with its proof and in words."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.html import Markup, details, element, facts, interval, shown, table
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.json_forms import (
    FLAG,
    FRACTION,
    LABEL,
    NUMBER,
    TEXT,
    WHOLE,
    Form,
    list_of,
    one_of,
    optional,
    parts_of,
    tuple_of,
)
from rosenblatt.base.result import NoTruthValue, Result, form_of
from rosenblatt.base.words import listed
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.format import has_rounded_weights
from rosenblatt.proof.pair_words import words_of_pairs
from rosenblatt.proof.proof_drawing import DRAWING, Drawing, sketch
from rosenblatt.proof.row_labels import ROW_LABELS, ROWS, RowLabels

VerdictKind = Literal["strict", "weak", "overlap", "not_strict", "undecided"]
MAX_LISTED = 8  # rows, pairs or numbers that a sentence or a table lists
MAX_TABLE_CLASSES = 12  # with more classes there is no table of pairs
MAX_DENOMINATOR = 10**6  # fractions with a larger denominator are shown as decimals
COLOURS = {"strict": "#2b8a3e", "weak": "#b26a00", "overlap": "#d33a4b", "not_strict": "#d33a4b"}
UNDECIDED = "Undecided: the time limit was reached before either answer was proved. Give it more time."
HEADS = {
    "strict": "Strictly separable.",
    "weak": "Not strictly separable, only weakly (quasi-complete separation).",
    "overlap": "Not separable: the classes overlap.",
    "not_strict": "Not strictly separable. Whether the classes separate weakly is not decided.",
    "undecided": UNDECIDED,
}
HEADS_THROUGH_ORIGIN = {
    "strict": "Strictly separable through the origin.",
    "weak": "Not strictly separable through the origin, only weakly (quasi-complete separation).",
    "overlap": "Not separable through the origin: the classes overlap.",
    "not_strict": "Not strictly separable through the origin. Whether the classes separate weakly is not decided.",
    "undecided": UNDECIDED,
}
HEADS_OF_MANY = {
    "strict": "With a suitable weight vector for each class, every row scores most in its own class. ",
    "weak": "With a suitable weight vector for each class, no row scores more in another class than in its own, but "
    "some ties cannot be avoided. ",
    "overlap": "With any weight vectors of the classes, some row scores more in another class than in its own, or all "
    "scores are equal. ",
    "not_strict": "With any weight vectors of the classes, some row does not score most in its own class. ",
}


class WeightedRows(NamedTuple):
    """Row numbers and their weights, which are positive and sum to 1."""

    rows: list[int]
    weights: list[Fraction]
    against: list[Any] | None = None  # with more than two classes: the class that each row is compared with


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(NoTruthValue, Result):
    """Whether a hyperplane separates the classes, with a proof. Two verdicts are equal if all attributes are.

    Rows are named by their positions, from 0.

    Attributes
    ----------
    kind : {"strict", "weak", "overlap", "not_strict", "undecided"}
        The answer.

        - "strict": some hyperplane has all rows strictly on their right side.
        - "weak": some hyperplane has no row on its wrong side and does not contain all rows, but none is strict.
        - "overlap": every hyperplane has some row on its wrong side, or contains all rows.
        - "not_strict": it is not "strict"; more was not asked for (detail=False), or the time limit was reached.
        - "undecided": the time limit was reached before anything was proved.
    classes : list
        The class labels.
    certificate : Certificate, or None
        The proof, which anybody can check; None if undecided.
    hyperplane : Hyperplane, or None
        Strict, weak: every row is on its right side, or (weak) on the hyperplane. Its weights are rounded to floats;
        the certificate has all digits.
    margin_bounds : tuple of two floats, or None
        Strict: the hyperplane has at least the first as its geometric margin; no hyperplane has a margin above the
        second. None if there was no time left to prove them.
    witness : WeightedRows, or None
        Not strict: row numbers, and positive weights with which the signed rows add up to exactly 0. With many columns
        the weights may be rounded (`witness_is_rounded`); the certificate then proves that exact ones exist.
    stuck : array of int
        Not strict: the rows that lie on every hyperplane without errors ("not_strict": only some of them).
    contradictions : list of pairs of int
        Pairs of equal rows with different labels.
    pairs : dict
        More than two classes: the verdict of each pair of them, "undecided" if the time did not reach it.
    feature_names : list of str, or None
        The names of the columns, if they have any.
    row_labels : dict, or None
        The index label of each row that is named here, if X was a data frame with an index of its own.
    drawing : Drawing, or None
        Two classes: hulls and points to draw.
    narrow : bool
        Strict: True if the margin is no larger than the rounding error of decimals in floats.
    n : int
        The number of rows.
    through_origin : bool
        True if only hyperplanes through the origin were asked for.
    witness_is_rounded : bool
        True if the weights of the witness are rounded. They then add up to nearly 0.
    decimals : bool
        True if floats count as decimals, so that 0.1 is 1/10, and this matters for some number of the data.
    separable : bool, or None
        True if some hyperplane has all rows strictly on their right side; None if undecided.
    weakly_separable : bool, or None
        True for "strict" and "weak", False for "overlap", else None.

    See Also
    --------
    separability : Returns one of these.
    Certificate : Anybody can check the proof.
    plot.WitnessDisplay : Draws the witness.

    Examples
    --------
    >>> from rosenblatt import separability
    >>> verdict = separability([[0], [1], [1], [3]], ["low", "low", "high", "high"])
    >>> verdict.kind, verdict.hyperplane.equation(), verdict.stuck.tolist(), verdict.contradictions
    ('weak', '-0.5 x1 + 0.5 = 0', [1, 2], [(1, 2)])
    >>> verdict.separable, verdict.weakly_separable
    (False, True)
    """

    _ask_instead: ClassVar[str] = "Use its attributes separable (strictly) or weakly_separable, or compare its kind."

    _forms: ClassVar[dict[str, Form]] = {
        "kind": one_of(*get_args(VerdictKind)),
        "classes": list_of(LABEL),
        "certificate": optional(form_of(Certificate)),
        "hyperplane": optional(form_of(Hyperplane)),
        "margin_bounds": optional(tuple_of(NUMBER, 2)),
        "witness": optional(
            parts_of(WeightedRows, rows=list_of(WHOLE), weights=list_of(FRACTION), against=optional(list_of(LABEL)))
        ),
        "stuck": ROWS,
        "contradictions": list_of(tuple_of(WHOLE, 2)),
        "feature_names": optional(list_of(TEXT)),
        "row_labels": optional(ROW_LABELS),
        "drawing": optional(DRAWING),
        "narrow": FLAG,
        "n": WHOLE,
        "through_origin": FLAG,
    }

    kind: VerdictKind
    classes: list[Any]
    certificate: Certificate | None = None
    hyperplane: Hyperplane | None = None
    margin_bounds: tuple[float, float] | None = None
    witness: WeightedRows | None = None
    stuck: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    contradictions: Sequence[tuple[int, int]] = ()
    pairs: Mapping[tuple[Any, Any], "Verdict"] = field(default_factory=dict)
    feature_names: list[str] | None = None
    row_labels: RowLabels | None = None
    drawing: Drawing | None = None
    narrow: bool = False
    n: int = 0
    through_origin: bool = False

    @property
    def separable(self) -> bool | None:
        """Whether some hyperplane has all rows strictly on their right side; None if undecided."""
        return None if self.kind == "undecided" else self.kind == "strict"

    @property
    def witness_is_rounded(self) -> bool:
        """True if the weights of the witness are rounded, and only proved to be near exact ones."""
        return self.certificate is not None and has_rounded_weights(self.certificate.body)

    @property
    def decimals(self) -> bool:
        """True if the certificate is about decimals; False if no number of the data differs from its float."""
        return self.certificate is not None and "decimals" in self.certificate.body["data"]

    @property
    def weakly_separable(self) -> bool | None:
        """Whether some hyperplane has no row on its wrong side; None if undecided, or if the kind is "not_strict"."""
        return None if self.kind in ("undecided", "not_strict") else self.kind != "overlap"

    def explain(self) -> str:
        """Explain the verdict in plain words.

        Returns
        -------
        str
            A paragraph.
        """
        head = (HEADS_THROUGH_ORIGIN if self.through_origin else HEADS)[self.kind]
        return f"{head} {self._evidence()}".strip()

    def _evidence(self) -> str:
        """The text of `explain` after the verdict itself."""
        if self.kind == "undecided":
            return self._pairs_text().strip()
        if len(self.classes) > 2:
            text = HEADS_OF_MANY[self.kind] + self._pairs_text()
        else:
            text = self._hyperplane_text(self.hyperplane) if self.hyperplane is not None else ""
        return f"{text}{self._witness_text()}{self._contradiction_text()}".strip()

    @property
    def _noun(self) -> str:
        """The kind of hyperplanes that were asked for."""
        return "hyperplane through the origin" if self.through_origin else "hyperplane"

    @property
    def _rows(self) -> list[int]:
        """All rows that the verdict names."""
        witness = self.witness.rows if self.witness is not None else []
        drawn = self.drawing.rows if self.drawing is not None else ()
        return [*witness, *self.stuck.tolist(), *itertools.chain(*self.contradictions), *itertools.chain(*drawn)]

    def _listed(self, rows: Any) -> str:
        return listed(rows, self.row_labels)

    def _hyperplane_text(self, plane: Hyperplane) -> str:
        negative, positive = self.classes
        where = "all rows strictly on their right side" if self.kind == "strict" else "no row on its wrong side"
        text = (
            f"The {self._noun} {self._equation(plane)} has {where}: {positive!r} where the left side is positive, "
            f"{negative!r} where it is negative. "
        )
        if self.kind == "weak":
            off = self.n - len(self.stuck)
            are_off = "1 row is off it" if off == 1 else f"{off} rows are off it"
            text += (
                f"{are_off}; {self._listed(self.stuck)} must lie on it, as on every {self._noun} that has no row on "
                "its wrong side. "
            )
        return text + self._margin_text()

    def _margin_text(self) -> str:
        if not self.margin_bounds:
            return ""
        low, high = self.margin_bounds
        text = f"Its nearest row is at least {low:.6g} away. No {self._noun} has a margin above {high:.6g}"
        if self.drawing:
            own, other = (self._listed(rows) for rows in self.drawing.rows)
            text += f", because convex combinations of {own} and of {other} are only twice as far apart"
        text += ". "
        if self.narrow:
            text += (
                "This margin is no larger than the rounding error of decimals in floats. If the numbers were decimals, "
                "give them as whole numbers (of tenths, of hundredths) to get the verdict on the decimals. "
            )
        return text

    def _equation(self, plane: Hyperplane) -> str:
        if len(plane.w) > MAX_LISTED:
            return f"with {len(plane.w)} weights"
        is_rounded = any(float(f"{x:.6g}") != x for x in plane.weights.tolist())
        return plane.equation(feature_names=self.feature_names) + (" (rounded)" if is_rounded else "")

    def _witness_text(self) -> str:
        if self.witness is None or self.kind == "strict":
            return ""
        rows = sorted(set(self.witness.rows))
        text = self._proof_text(rows)
        if self.kind == "overlap" and len(rows) < self.n:
            text += (
                f"All rows are linear combinations of the witness, {self._listed(rows)}. So every {self._noun} has a "
                "row on its wrong side, or contains all rows. "
            )
        return text

    def _proof_text(self, rows: list[int]) -> str:
        """Why these rows show that there is no strict separation."""
        if self.witness_is_rounded:
            leads = "their leads" if len(self.classes) > 2 else "these rows, with the signs of their classes,"
            return (
                f"The proof: there are positive weights of {self._listed(rows)} with which {leads} add up to exactly "
                f"0, so no {self._noun} has all of them strictly on their right side. The exact weights would have "
                "thousands of digits each, so they were not computed. The certificate has rounded weights, and bounds "
                "on all rounding errors prove that exact ones exist near them. "
            )
        if self.drawing is None and len(self.classes) > 2:
            return (
                f"The proof: {self._listed(rows)}, each compared with another class, have positive weights with which "
                "their leads add up to exactly 0. The lead of a row is its score in its own class minus its score in "
                "the other class. The sum is 0 for all weight vectors, so the leads cannot all be positive. "
            )
        if len(rows) == 1:
            row = self._listed(rows)
            return f"The proof: {row} is 0 in all columns, so it lies on every hyperplane through the origin. "
        if self.through_origin or self.drawing is None:
            return (
                f"The proof: {self._listed(rows)}, with the signs of their classes and with positive weights, add up "
                f"to exactly 0. For every {self._noun} their leads add up to 0 too, so the leads cannot all be "
                "positive. "
            )
        own, other = (self._listed(rows) for rows in self.drawing.rows)
        place = _place(self.drawing, self.feature_names)
        return (
            f"The proof: a weighted mean of {own} (class {self.classes[0]!r}) and one of {other} (class "
            f"{self.classes[1]!r}) are exactly the same point{place}: {self.drawing.shape}. "
            "If a hyperplane has the first rows strictly on one side, it has this point on that side too. Then the "
            "other rows cannot all be on the other side. "
        )

    def _contradiction_text(self) -> str:
        if not self.contradictions:
            return ""
        more = f" There are {len(self.contradictions)} such pairs." if len(self.contradictions) > 1 else ""
        pair = self._listed(self.contradictions[0])
        return f"The data contradict themselves: {pair} are equal but have different labels.{more} "

    def _pairs_text(self) -> str:
        words = words_of_pairs(self._kinds)
        return f"Pair by pair: {words}. " if words else ""

    @property
    def _kinds(self) -> dict[tuple[Any, Any], str]:
        """The kind of each pair of classes."""
        return {pair: found.kind for pair, found in self.pairs.items()}

    def __repr__(self) -> str:
        return f"<Verdict: {self.kind}, {self.n} rows>"

    def _repr_html_(self) -> Markup:
        return shown(
            element("p", _word(self.kind), f", {self.n} rows"),
            element("p", self.explain()),
            self._facts(),
            self._sketch(),
            self._witness_table(),
            self._pairs_table(),
            details("certificate", self.certificate._repr_html_()) if self.certificate is not None else "",
        )

    def _facts(self) -> Markup:
        told = []
        if self.margin_bounds:
            told.append(("margin_bounds", interval(self.margin_bounds)))
        if self.hyperplane is not None and len(self.hyperplane.w) <= MAX_LISTED:
            told.append(("hyperplane", self.hyperplane.equation(feature_names=self.feature_names)))
        if self.contradictions:
            pairs = [self._listed(pair).removeprefix("rows ") for pair in self.contradictions[:MAX_LISTED]]
            more = len(self.contradictions) - MAX_LISTED
            told.append(("contradictions", ", ".join([*pairs, f"{more} more"] if more > 0 else pairs)))
        return facts(told)

    def _sketch(self) -> Markup:
        if self.drawing is None or self.drawing.points[0].size != 2 or self.through_origin:
            return Markup()
        return sketch(self.drawing, self.classes)

    def _witness_table(self) -> Markup:
        if self.witness is None:
            return Markup()
        rows, weights, against = self.witness
        shares = [str(share) if share.denominator < MAX_DENOMINATOR else f"{float(share):.6g}" for share in weights]
        columns: dict[str, Sequence[object]] = {"row": rows, "weight": shares}
        if self.row_labels is not None:
            columns["label"] = [self.row_labels[row] for row in rows]
        if against is not None:
            columns["against"] = against
        cells = list(zip(*columns.values(), strict=True))
        more = [f"and {len(rows) - MAX_LISTED} more"] if len(rows) > MAX_LISTED else []
        return table(list(columns), cells[:MAX_LISTED], *more, numbers=(0, 1), caption="witness")

    def _pairs_table(self) -> Markup:
        if not self.pairs or len(self.classes) > MAX_TABLE_CLASSES:
            return Markup()
        words = {pair: _word(verdict.kind) for pair, verdict in self.pairs.items()}
        own, others = self.classes[:-1], self.classes[1:]
        rows = [[one, *(words.get((one, other), "") for other in others)] for one in own]
        return table(["", *others], rows, caption="pairs")


def _read_pairs(bodies: Any) -> dict[tuple[Any, ...], Verdict]:
    return {tuple(pair.classes): pair for pair in list_of(form_of(Verdict)).read(bodies)}


Verdict._forms["pairs"] = Form(lambda pairs: [pair.to_dict() for pair in pairs.values()], _read_pairs)


def _place(drawing: Drawing, names: list[str] | None) -> str:
    """The coordinates of the common point, if there are not too many."""
    point = drawing.points[0].tolist()
    if len(point) > MAX_LISTED:
        return ""
    names = names or [f"x{j + 1}" for j in range(len(point))]
    return " (" + ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, point, strict=True)) + ")"


def _word(kind: str) -> Markup:
    """The kind of a verdict, with a bar in its colour."""
    bar = f"border-left: .5em solid {COLOURS.get(kind, 'currentColor')}; padding-left: .4em"
    return element("b", kind, style=bar)

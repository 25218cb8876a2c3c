"""The answer to "can these classes be separated?", in words, with its proof."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.html import Markup, details, element, facts, interval, shown, table
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.words import listed
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.proof.drawing import Drawing

FEW = 8  # rows or numbers that a sentence lists
MANY = 12  # classes whose pairs fit a table
SIGNS = ("\N{BLACK CIRCLE}", "\N{BLACK SQUARE}")  # of the classes in a sketch
SHORT = 10**6  # denominators below it make fractions that can be read
COLOURS = {"strict": "#2b8a3e", "weak": "#b26a00", "overlap": "#d33a4b", "not_strict": "#d33a4b"}


class Weighted(NamedTuple):
    """Row numbers and their weights, which are positive and sum to 1."""

    rows: list[int]
    weights: list[Fraction]
    against: list[Any] | None = None  # with more than two classes: the class that each row is seen against


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a hyperplane separates the classes, proved.

    Attributes
    ----------
    kind : "strict", "weak", "overlap"; "not_strict" if no detail was asked for; "undecided" if a budget was used up
    certificate : the proof, for others to check (None if undecided)
    hyperplane : strict, weak: every row is on its right side, or (weak) on it. In floats: where these are too coarse,
        only the certificate has all digits
    margin_bounds : strict: the hyperplane has a geometric margin of at least the first; none has more than the second
    witness : not strict: row numbers, and positive weights with which the signed rows add up to exactly 0
    stuck : not strict: the rows that no hyperplane without errors can move off itself (without detail, only some)
    contradictions : pairs of equal rows with different labels
    pairs : more than two classes: the verdict of each pair of them
    classes, names : the labels, and the names of the columns if they have any
    drawing : two classes: what there is to draw
    narrow : strict: is the margin no more than what floats round decimals by?
    n : how many rows there are
    through_origin : were only hyperplanes through the origin asked for?

    Examples
    --------
    >>> from rosenblatt import separability
    >>> verdict = separability([[0], [1], [1], [3]], ["low", "low", "high", "high"])
    >>> verdict.kind, verdict.hyperplane.equation(), verdict.stuck.tolist(), verdict.contradictions
    ('weak', '-0.5 x1 + 0.5 = 0', [1, 2], [(1, 2)])
    """

    kind: str
    classes: list[Any]
    certificate: Certificate | None = None
    hyperplane: Hyperplane | None = None
    margin_bounds: tuple[float, float] | None = None
    witness: Weighted | None = None
    stuck: NDArray[Any] = field(default_factory=lambda: np.empty(0, np.int64))
    contradictions: Sequence[tuple[int, int]] = ()
    pairs: Mapping[tuple[Any, Any], "Verdict"] = field(default_factory=dict)
    names: list[str] | None = None
    drawing: Drawing | None = None
    narrow: bool = False
    n: int = 0
    through_origin: bool = False

    def explain(self) -> str:
        """A paragraph in plain words."""
        if self.kind == "undecided":
            head = "Undecided: the budget was used up before there was a proof either way. Give it more time. "
            return (head + self._pairs_text()).strip()
        text = f"{HEADS[self.kind]} {self._hyperplane_text()}{self._witness_text()}{self._contradiction_text()}"
        if self.through_origin:
            text = re.sub(r"\bhyperplane\b(?! through)", "hyperplane through the origin", text)
            text = text.replace("eparable", "eparable through the origin", 1)
        return (text + self._pairs_text()).strip()

    def _hyperplane_text(self) -> str:
        if len(self.classes) > 2:
            ties = f"{len(self.stuck)} of {self.n} rows must tie with another class. " if self.kind == "weak" else ""
            return HEADS_OF_MANY[self.kind] + ties
        if self.hyperplane is None:
            return ""
        negative, positive = self.classes
        where = "all rows strictly on their right side" if self.kind == "strict" else "no row on its wrong side"
        text = (
            f"The hyperplane {self._equation()} has {where}: {positive!r} where the left side is positive, "
            f"{negative!r} where it is negative. "
        )
        if self.margin_bounds:
            low, high = self.margin_bounds
            text += f"Its nearest row is at least {low:.6g} away, and no hyperplane has more than {high:.6g}"
            if self.drawing:
                own, other = (listed(rows) for rows in self.drawing.rows)
                text += f", because convex combinations of {own} and of {other} are only twice that apart"
            text += ". "
        if self.narrow:
            text += (
                "That is as narrow as the rounding of decimals to floats: if the numbers were decimals, give them as "
                "whole numbers (of tenths, hundredths) to have these judged. "
            )
        if self.kind == "weak":
            off = self.n - len(self.stuck)
            text += (
                f"{off} row{'s are' if off > 1 else ' is'} off it; {listed(self.stuck)} must lie on it, whatever "
                "hyperplane is chosen, if no row is to be on a wrong side. "
            )
        return text

    def _equation(self) -> str:
        plane = self.hyperplane
        assert plane is not None  # noqa: S101
        if len(plane.w) <= FEW:
            rounded = any(float(f"{x:.6g}") != x for x in plane.weights.tolist())
            return f"{'of about ' * rounded}{plane.equation(names=self.names)}"
        return f"with {len(plane.w)} weights"

    def _witness_text(self) -> str:
        if self.witness is None or self.kind == "strict":
            return ""
        rows = self.witness.rows
        if self.drawing is None:
            text = (
                f"The proof: {listed(sorted(set(rows)))}, each held against another class, with positive weights. What "
                "they score more in their own classes than in the others adds up to exactly 0, whatever the weight "
                "vectors, so it cannot be positive for all of them. "
            )
        elif len(rows) == 1:
            text = f"The proof: {listed(rows)} is 0 in all columns, and so on every hyperplane through the origin. "
        elif self.through_origin:
            text = (
                f"The proof: {listed(rows)}, with the signs of their classes and with positive weights, add up to "
                "exactly 0. Whatever the hyperplane, so do their leads, which then cannot all be positive. "
            )
        else:
            own, other = (listed(rows) for rows in self.drawing.rows)
            text = (
                f"The proof: a weighted mean of {own} (class {self.classes[0]!r}) and one of {other} (class "
                f"{self.classes[1]!r}) are exactly the same point{self._place()}: {self.drawing.shape}. A hyperplane "
                "that has the first all strictly on one side has this point there too, so it cannot have the others "
                "all on the other side. "
            )
        if self.kind == "overlap" and len(set(rows)) < self.n:
            text += (
                f"All rows are linear combinations of the witness, {listed(sorted(set(rows)))}, so that a hyperplane "
                "has a row on its wrong side, or all rows on itself. "
            )
        return text

    def _place(self) -> str:
        point = self.drawing.points[0].tolist() if self.drawing else []
        if len(point) > FEW:
            return ""
        names = self.names or [f"x{j + 1}" for j in range(len(point))]
        return " (" + ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, point, strict=True)) + ")"

    def _contradiction_text(self) -> str:
        if not self.contradictions:
            return ""
        i, j = self.contradictions[0]
        more = f" There are {len(self.contradictions)} such pairs." if len(self.contradictions) > 1 else ""
        return f"The data contradict themselves: rows {i} and {j} are equal but have different labels.{more} "

    def _pairs_text(self) -> str:
        if not self.pairs:
            return ""
        told = list(self.pairs.items())
        text = ""
        if len(told) > FEW:
            counts = Counter(pair.kind for pair in self.pairs.values())
            text = (
                f"Of {len(told)} pairs of classes, " + ", ".join(f"{n} are {kind}" for kind, n in counts.items()) + ". "
            )
            told = [item for item in told if item[1].kind != "strict"][:FEW]
        words = ", ".join(f"{a!r} and {b!r} {pair.kind}" for (a, b), pair in told)
        return text + (f"Pair by pair: {words}." if words else "")

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
            details("certificate", self.certificate._repr_html_()) if self.certificate else "",
        )

    def _facts(self) -> Markup:
        told = []
        if self.margin_bounds:
            told.append(("margin_bounds", interval(self.margin_bounds)))
        if self.hyperplane is not None and len(self.hyperplane.w) <= FEW:
            told.append(("hyperplane", self.hyperplane.equation(names=self.names)))
        if self.contradictions:
            pairs, more = [f"{i} and {j}" for i, j in self.contradictions[:FEW]], len(self.contradictions) - FEW
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
        shares = [str(share) if share.denominator < SHORT else f"{float(share):.6g}" for share in weights]
        columns: dict[str, Sequence[object]] = {"row": rows, "weight": shares}
        if against is not None:
            columns["against"] = against
        cells = list(zip(*columns.values(), strict=True))
        more = [f"and {len(rows) - FEW} more"] if len(rows) > FEW else []
        return table(list(columns), cells[:FEW], *more, numbers=(0, 1), caption="witness")

    def _pairs_table(self) -> Markup:
        if not self.pairs or len(self.classes) > MANY:
            return Markup()
        words = {pair: _word(verdict.kind) for pair, verdict in self.pairs.items()}
        own, others = self.classes[:-1], self.classes[1:]
        rows = [[one, *(words.get((one, other), "") for other in others)] for one in own]
        return table(["", *others], rows, caption="pairs")


HEADS = {
    "strict": "Strictly separable.",
    "weak": "Not strictly separable, only weakly (quasi-complete separation).",
    "overlap": "Not separable: the classes overlap.",
    "not_strict": "Not strictly separable; whether a hyperplane without errors may have rows on it was not asked.",
}
HEADS_OF_MANY = {
    "strict": "There is a weight vector for each class, so that every row scores most in its own class. ",
    "weak": "There is a weight vector for each class, so that no row scores more in another class than in its own, but "
    "some ties cannot be avoided. ",
    "overlap": "Whatever the weight vectors of the classes, some row scores more in another class than in its own, or "
    "all scores are equal. ",
    "not_strict": "Whatever the weight vectors of the classes, some row does not score most in its own. ",
}


def sketch(drawing: Drawing, classes: Sequence[Any]) -> Markup:
    """A drawing in the plane: hulls, their points in common or nearest as crosses, the hyperplane between them.

    Columns are stretched to one length, which keeps lines and crossings; empty if that is beyond the range of floats.
    """
    every = np.concatenate([*drawing.corners, drawing.points])
    with np.errstate(over="ignore", invalid="ignore"):
        low, span = every.min(axis=0), np.ptp(every, axis=0)
    if not np.isfinite(span).all():
        return Markup()
    low, span = np.where(span > 0, low, low - 0.5), np.where(span > 0, span, 1.0)
    nearest = _pixels((drawing.points - low) / span)
    parts = [_joined(nearest, stroke_dasharray="3 3"), *(_text("\N{MULTIPLICATION SIGN}", *at) for at in nearest)]
    for rows, corners, sign in zip(drawing.rows, drawing.corners, SIGNS, strict=True):
        places = _pixels((corners - low) / span)
        parts += [_joined(places, fill_opacity=0.1), *(_text(sign, *at) for at in places)]
        away = [(x + (14 if x > 130 else -14), y + (10 if y > 80 else -10)) for x, y in places]
        parts += [_text(i, *at) for i, at in zip(rows, away, strict=True)]
    if drawing.slab:
        parts.append(_joined(_pixels(_line(drawing.slab[0], low, span))))
    legend = " ".join(f"{sign} {label}" for sign, label in zip(SIGNS, classes, strict=True))
    svg = element("svg", *parts, viewBox="0 0 260 150", width=260, height=150, role="img", aria_label=drawing.shape)
    return element("div", svg, element("p", legend))


def _line(plane: Hyperplane, low: Any, span: Any) -> Any:
    """The part of a line in and a little around the box from `low`, in units of its `span`; none where it misses it."""
    with np.errstate(over="ignore", invalid="ignore"):
        w, b = plane.w * span, plane.w @ low + plane.b
    there = w.any() and np.isfinite([*w, b]).all()
    ends = Hyperplane(w, b).segment((-0.1, 1.1), (-0.1, 1.1)) if there else None
    return np.empty((0, 2)) if ends is None else ends


def _pixels(units: Any) -> Any:
    return np.round([30, 130] + units * [200, -100], 1).tolist()


def _joined(places: Sequence[Sequence[float]], **attributes: object) -> Markup:
    points = " ".join(f"{x},{y}" for x, y in places)
    return element("polygon", points=points, stroke="currentColor", fill="currentColor", **attributes)


def _text(text: object, x: float, y: float) -> Markup:
    return element("text", text, x=x, y=y, fill="currentColor", text_anchor="middle", dominant_baseline="central")


def _word(kind: str) -> Markup:
    """The kind of a verdict, with a bar in its colour."""
    bar = f"border-left: .5em solid {COLOURS.get(kind, 'currentColor')}; padding-left: .4em"
    return element("b", kind, style=bar)

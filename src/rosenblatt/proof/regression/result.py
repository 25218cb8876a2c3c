"""The answer of `estimates`: the status of each coefficient, the rows that are separated, and the proof."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime
from rosenblatt.base.html import Markup, details, element, shown
from rosenblatt.base.json_forms import LABEL, WHOLE, Form, list_of, one_of, optional
from rosenblatt.base.result import NoTruthValue, Result, form_of
from rosenblatt.base.words import count_of, listed
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.regression.recession_rows import Model, Name
from rosenblatt.certificate.regression.status_words import status_sentences, text_of_name
from rosenblatt.errors import DataError, MissingExtraError
from rosenblatt.proof.coefficient_statuses import Kind, ProvedCone, Status
from rosenblatt.proof.columns.class_scores import ClassRows
from rosenblatt.proof.columns.culprits import Culprits, culprits_of_classes, culprits_of_cone, side_words
from rosenblatt.proof.columns.margin_signs import margin_signs
from rosenblatt.proof.decide import deadline_of
from rosenblatt.proof.row_labels import ROW_LABELS, ROWS, RowLabels

NEEDS_DATA = (
    "needs the data; ask a result of estimates() for rows in memory, not one from a cluster or one read from JSON."
)
STATUSES = ("finite", "+inf", "-inf", "undetermined", "not_estimable", "undecided")


def _write_name(name: Name) -> Any:
    return name if isinstance(name, str) else list(name)


def _read_name(value: Any) -> Name:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], str):
        return LABEL.read(value[0]), value[1]
    if not isinstance(value, str):
        raise ValueError(f"must be the name of a coefficient, not {value!r}")
    return value


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(NoTruthValue, Result):
    """Which coefficients of a regression have finite estimates. Two results are equal if all attributes are.

    Rows are named by their positions, from 0.

    Attributes
    ----------
    kind : {"none", "quasi", "complete", "undecided"}
        The kind of separation.

        - "none": all estimates are finite, but for coefficients that are not estimable.
        - "quasi": along some direction of the coefficients some rows are fitted better and better, and none worse.
        - "complete": along some direction every row is fitted better and better, against each other outcome.
        - "undecided": the time limit was reached.
    names : list
        The names of the coefficients; pairs of a class and a name in a multinomial model.
    statuses : list of str
        The status of each coefficient, in the same order; see `status`.
    separated_rows : array of int
        The rows that are fitted better and better. With two outcomes they are fitted perfectly in the limit. With more,
        some outcome becomes impossible for them.
    kept_rows : array of int
        The others. With two outcomes, or counts, the finite estimates are those of a regression on these rows. Rows of
        weight 0 are in neither.
    certificate : Certificate, or None
        The proof, which anybody can check; None if undecided.
    model : str
        The model: "logit" (for all binomial models), "multinomial", "ordinal" or "poisson".
    n : int
        The number of rows.
    row_labels : dict, or None
        The index label of each separated row, if X was a data frame with an index of its own.
    design : dict
        The rows, outcomes, trials and weights that the answer is about; `certificate.verify(**design)` checks the
        proof. A result that is undecided, is about rows on a cluster, or was read from JSON has none.
    status : dict
        The status of each coefficient by its name.

        - "finite": the estimate is finite.
        - "+inf", "-inf": the estimate is infinite, with this sign.
        - "undetermined": the estimate is infinite, and its sign depends on the way to the limit.
        - "not_estimable": the column is a combination of others; the data say nothing about the coefficient alone.
        - "undecided": the time limit was reached.

    See Also
    --------
    estimates : Returns one of these.
    separability : Asks whether a hyperplane separates classes.
    Certificate : Anybody can check the proof.

    Examples
    --------
    >>> from rosenblatt import estimates
    >>> found = estimates([[0, 3], [0, 1], [1, 2], [1, 4]], [0, 1, 1, 1])
    >>> found.kind, found.status
    ('complete', {'x1': '+inf', 'x2': '-inf', '(intercept)': '+inf'})
    """

    _ask_instead: ClassVar[str] = "Compare its attribute kind, as in kind == 'none'."

    _forms: ClassVar[dict[str, Form]] = {
        "kind": one_of("none", "quasi", "complete", "undecided"),
        "names": list_of(Form(_write_name, _read_name)),
        "statuses": list_of(one_of(*STATUSES)),
        "separated_rows": ROWS,
        "kept_rows": ROWS,
        "certificate": optional(form_of(Certificate)),
        "model": one_of("logit", "multinomial", "ordinal", "poisson"),
        "n": WHOLE,
        "row_labels": optional(ROW_LABELS),
    }

    kind: Kind
    names: list[Name]
    statuses: list[Status]
    separated_rows: NDArray[np.int64]
    kept_rows: NDArray[np.int64]
    certificate: Certificate | None
    model: Model
    n: int
    row_labels: RowLabels | None = None
    _cones: list[ProvedCone] = field(default_factory=list, init=False)  # one, or none if there are no data in memory
    _class_rows: list[ClassRows] = field(default_factory=list, init=False)  # one, if there are several classes
    _design: dict[str, Any] = field(default_factory=dict, init=False)  # empty if there are none

    @property
    def status(self) -> dict[Name, Status]:
        """The status of each coefficient by its name."""
        return dict(zip(self.names, self.statuses, strict=True))

    @property
    def design(self) -> dict[str, Any]:
        """The rows, outcomes, trials and weights: what `certificate.verify(**design)` needs."""
        if not self._design:
            raise DataError(
                "There is no design: the result is undecided, is about rows on a cluster, or was read from JSON."
            )
        return dict(self._design)

    def status_of(self, c: Any) -> Status:
        """Decide the status of a linear function of the coefficients, such as a difference of two.

        Parameters
        ----------
        c : array of float, or dict
            The factors of the coefficients, in the order of `names`; or factors by the names of coefficients.

        Returns
        -------
        str
            The status; see `status`.

        Raises
        ------
        DataError
            The result has no data, as it is from a cluster or from JSON; c does not have one number for each
            coefficient, or there is no coefficient of a name.
        """
        if not self._cones:
            raise DataError(f"status_of {NEEDS_DATA}")
        if isinstance(c, dict):
            strange = next((name for name in c if name not in self.names), None)
            if strange is not None:
                raise DataError(f"There is no coefficient {strange!r}; there are {', '.join(map(repr, self.names))}.")
            c = [c.get(name, 0.0) for name in self.names]
        try:
            factors = np.asarray(c, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"c must be {len(self.names)} finite numbers, or a dict of them by name.") from error
        if factors.shape != (len(self.names),) or not np.isfinite(factors).all():
            raise DataError(f"c must be {len(self.names)} finite numbers, one for each coefficient.")
        return self._cones[0].status_of(factors)

    def culprits(self, *, time_limit: float | None = None) -> Culprits:
        """Name the columns that separate rows.

        Parameters
        ----------
        time_limit : float, optional
            In seconds. When the time is over, the set of columns may not be minimal.

        Returns
        -------
        Culprits
            Sets of columns with their equations; none if no row is separated.

        Raises
        ------
        DataError
            The result has no data, as it is from a cluster or from JSON.
        """
        if self.kind in ("none", "undecided"):
            return Culprits("overlap" if self.kind == "none" else "undecided", [], 0, 0, self.n)
        if not self._cones:
            raise DataError(f"culprits {NEEDS_DATA}")
        cone, deadline = self._cones[0], deadline_of(time_limit)
        if self._class_rows:
            return culprits_of_classes(self._class_rows[0], cone.vectors[0], cone.moving, deadline)
        return culprits_of_cone(cone, [str(name) for name in self.names], self._sides, self.n, deadline)

    def margin_signs(self, *, time_limit: float | None = None) -> dict[Name, Literal["+", "-"]]:
        """The signs of the coefficients in the hyperplane with the largest margin, if the separation is complete.

        A ridge penalty that becomes weaker and weaker drives the coefficients of a logistic regression in this
        direction. So it tells the sign of estimates that are "undetermined". It depends on the scales of the columns.

        Parameters
        ----------
        time_limit : float, optional
            In seconds. When the time is over, no sign is given.

        Returns
        -------
        dict
            "+" or "-" by the names of coefficients; without those that are 0, or whose sign was not proved. Empty
            unless the model is "logit" and the kind is "complete".

        Raises
        ------
        DataError
            The result has no data, as it is from a cluster or from JSON.

        References
        ----------
        S. Rosset, J. Zhu and T. Hastie, Margin maximizing loss functions, NIPS 16 (2003).
        """
        if self.model != "logit" or self.kind != "complete":
            return {}
        if not self._cones:
            raise DataError(f"margin_signs {NEEDS_DATA}")
        try:
            signs = margin_signs(self._cones[0].signed, deadline_of(time_limit))
        except OutOfTime:
            return {}
        return {name: "+" if sign > 0 else "-" for name, sign in zip(self.names, signs, strict=True) if sign}

    @property
    def _sides(self) -> list[str]:
        """The outcomes in words."""
        if self.model == "poisson" or self.certificate is None:
            return ["a count of 0", "a count above 0"]
        return side_words(self.certificate.body["data"]["labels"])

    def explain(self) -> str:
        """Explain the answer in plain words.

        Returns
        -------
        str
            A paragraph.
        """
        if self.kind == "undecided":
            return f"Whether the estimates are finite was not decided in time ({count_of(self.n, 'row')})."
        sentences = []
        if self.kind == "none":
            sentences.append("No row is separated: the likelihood has a maximum.")
        else:
            every = "All rows are separated" if self.kind == "complete" else "Some rows are separated"
            sentences.append(
                f"{every}: the likelihood has no maximum. It rises without end while "
                f"{listed(self.separated_rows, self.row_labels)} {'is' if len(self.separated_rows) == 1 else 'are'} "
                "fitted better and better."
            )
        sentences += status_sentences(self.status.items())
        if self.kind == "quasi" and "finite" in self.statuses:
            others = count_of(len(self.kept_rows), "row")
            if self.model in ("logit", "poisson"):
                sentences.append(f"The finite estimates are those of the same regression on the other {others}.")
        return " ".join(sentences)

    def to_frame(self) -> Any:
        """Return the statuses as a pandas data frame, one row for each coefficient.

        Returns
        -------
        pandas.DataFrame
            The column "status", indexed by the names of the coefficients.

        Raises
        ------
        MissingExtraError
            pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("Estimates.to_frame", "frame") from error
        if self.model == "multinomial":
            index = pd.MultiIndex.from_tuples(self.names, names=["class", "coefficient"])
        else:
            index = pd.Index(self.names, name="coefficient")
        return pd.DataFrame({"status": self.statuses}, index=index)

    def __repr__(self) -> str:
        infinite = sum(status in ("+inf", "-inf", "undetermined") for status in self.statuses)
        return f"<Estimates: {self.kind}, {infinite} of {len(self.names)} infinite, {self.n} rows>"

    def _repr_html_(self) -> Markup:
        told = ((text_of_name(name), status) for name, status in self.status.items())
        rows = [element("tr", *(element("td", text) for text in line)) for line in told]
        proof = [] if self.certificate is None else [details("certificate", self.certificate._repr_html_())]
        return shown(element("p", self.explain()), element("table", *rows), *proof)

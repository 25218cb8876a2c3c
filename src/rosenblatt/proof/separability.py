"""Is this data linearly separable?  `separability` answers with a proof."""

from dataclasses import replace

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.parameters import Flag, check_argument
from rosenblatt.data.streams.stream import Stream
from rosenblatt.errors import ParameterError
from rosenblatt.proof.decide import deadline_of, decide, labelled
from rosenblatt.proof.rounds.decide_stream import stream_separability
from rosenblatt.proof.row_labels import index_of, labels_of
from rosenblatt.proof.several_classes import decide_several
from rosenblatt.proof.verdict import Verdict


def separability(
    X: TableLike,
    y: LabelsLike | None = None,
    *,
    detail: bool = True,
    through_origin: bool = False,
    time_limit: float | None = None,
    decimals: bool = False,
) -> Verdict:
    r"""Decide whether a hyperplane separates the classes, and prove it.

    With :math:`z_i = y_i [x_i, 1]` exactly one is true (Gordan): some w has :math:`w \cdot z_i > 0` for all rows, or
    some rows with positive weights add up to 0. There is no tolerance: a float counts as the exact fraction that it is.

    Parameters
    ----------
    X : array, sparse matrix, data frame or list of shape (n, d), or Stream
        The rows. Integers may be of any size. A stream is decided by passes over its chunks.
    y : array of shape (n,), optional
        The class labels; not given with a `Stream`, which has its own. With more than two classes the question is
        whether a weight vector for each class can give every row its largest score in its own class (Kessler). `pairs`
        has the verdict of each pair of classes.
    detail : bool, default=True
        Distinguish "weak" from "overlap". False stops at "not_strict", which may be much faster for very wide data.
    through_origin : bool, default=False
        True: only hyperplanes through the origin.
    time_limit : float, optional
        In seconds. When the time is over, the answer is what is proved by then: "not_strict" if only strict separation
        is ruled out, "undecided" if nothing is proved. With more than two classes half of the time is for the pairs,
        and those that are not reached are "undecided". Without a limit the answer is never "undecided".
    decimals : bool, default=False
        True: a float counts as the shortest decimal that rounds to it, so that 0.1 is 1/10. This is how the command
        `rosenblatt check` takes the numbers of a text file; see docs/inputs.md. Not for a `Stream`.

    Returns
    -------
    Verdict
        Its `kind` is "strict" (some hyperplane has all rows strictly on their right side), "weak" (some hyperplane has
        no row on its wrong side and does not contain all rows) or "overlap". `certificate` is the proof.

    See Also
    --------
    error_bounds : Bounds of the fewest errors, for classes that overlap.
    Kozinec : The hyperplane with the largest margin.
    plot.HullsDisplay : Draws the hulls of the classes.
    plot.WitnessDisplay : Draws the proof that classes overlap.

    References
    ----------
    P. Gordan, Mathematische Annalen 6 (1873); E. Stiemke, Mathematische Annalen 76 (1915); A. J. Goldman and A. W.
    Tucker, in Linear inequalities and related systems (1956), corollary 2A; A. Albert and J. A. Anderson, Biometrika 71
    (1984), for the effect of "weak" on logistic regression.

    Examples
    --------
    >>> from rosenblatt import separability
    >>> verdict = separability([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    >>> verdict.kind, verdict.witness.rows, [str(weight) for weight in verdict.witness.weights]
    ('overlap', [0, 1, 2, 3], ['1/4', '1/4', '1/4', '1/4'])
    """
    check_argument("separability", "detail", detail, Flag())
    check_argument("separability", "through_origin", through_origin, Flag())
    check_argument("separability", "decimals", decimals, Flag())
    deadline = deadline_of(time_limit)
    if isinstance(X, Stream):
        if y is not None:
            raise ParameterError("separability(y=...) must be left out with a Stream, which has its own labels.")
        if decimals:
            raise ParameterError("separability(decimals=True) is for data in memory; read(...) reads a file.")
        return stream_separability(X, detail=detail, through_origin=through_origin, deadline=deadline)
    given, index = labelled(X, y, decimals=decimals), index_of(X)

    constant = 0.0 if through_origin else 1.0
    if len(given.labels) == 2:
        verdict = decide(given, (0, 1), constant, detail, deadline).verdict
    else:
        verdict = decide_several(given, constant, detail, deadline)
    if index is None:
        return verdict
    pairs = {pair: replace(found, row_labels=labels_of(index, found._rows)) for pair, found in verdict.pairs.items()}
    return replace(verdict, row_labels=labels_of(index, verdict._rows), pairs=pairs)

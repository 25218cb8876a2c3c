"""Mistakes in each pass and in total, and the bound on the total."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import FittedModel, LabelsLike, TableLike
from rosenblatt.base.exact import number_of
from rosenblatt.base.parameters import Number
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.data.validation import Floats
from rosenblatt.errors import ParameterError
from rosenblatt.plot.style import NOT_DRAWN, SIZE, TINT, axes_of, figure_of, ink, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOG_RATIO = 10  # the axis is logarithmic if a number is this many times above the mistakes of every pass
MAX_MARKED_PASSES = 40  # with more passes, the lines have no marks
MAX_BOUND = 10**300  # a larger bound is not drawn
TOO_LARGE = f"the bound is above {float(MAX_BOUND):g}"
NOT_SEPARABLE = "no bound: no hyperplane separates the classes"
NO_START_AT_ZERO = "no bound: it needs a start at w = 0 and steps above 0"


@dataclass(eq=False, repr=False)
class MistakesDisplay:
    """The mistakes in each pass, the total so far, and Novikoff's bound on the total.

    Use it to see whether training made progress, and how near the total came to the bound.

    Parameters
    ----------
    mistakes : array of int
        The mistakes in each pass.
    stop_reason : str
        Why training stopped.
    bound : float, optional
        An upper bound on all mistakes, for any order of the rows; None if there is none or it is not known.
    remark : str, default=""
        Why there is no bound, in words.
    held_out : array of float, optional
        The errors on held-out rows after each pass; empty if no rows were held out.

    Attributes
    ----------
    so_far : array of int
        The total of mistakes up to the end of each pass.
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.

    See Also
    --------
    mistake_bound : Gives the bound.
    Perceptron.certificate : Proves it.

    Examples
    --------
    >>> from rosenblatt import Perceptron, datasets
    >>> from rosenblatt.plot import MistakesDisplay
    >>> X, y = datasets.load("and")
    >>> display = MistakesDisplay.from_estimator(Perceptron(order="cyclic").fit(X, y), X, y)
    >>> display.mistakes.tolist(), display.so_far[-1].item(), round(display.bound)
    ([2, 3, 3, 2, 2, 3, 2, 1, 0], 18, 51)
    """

    mistakes: NDArray[Any]
    stop_reason: str
    bound: float | None = None
    remark: str = ""
    held_out: Floats = field(default_factory=lambda: np.empty(0))
    ax_: "Axes" = field(default=NOT_DRAWN, init=False)
    figure_: "Figure" = field(default=NOT_DRAWN, init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedModel,
        X: TableLike | None = None,
        y: LabelsLike | None = None,
        *,
        bound: float | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the passes of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
            It learned in passes, and has `mistakes_per_epoch_`.
        X : array, sparse matrix, data frame or Arrow table of shape (n, d), optional
            The training rows of a `Perceptron`; needed for the bound in its `certificate`.
        y : array of shape (n,), optional
            Their class labels.
        bound : float, optional
            A known bound, such as `mistake_bound(X, y).max_updates`.
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        MistakesDisplay
            The display, with `ax_` and `figure_`.
        """
        if not hasattr(estimator, "mistakes_per_epoch_"):
            raise ParameterError(
                f"estimator must be a fitted classifier that learns in passes, such as Perceptron(), not {estimator!r}."
            )
        remark = ""
        if bound is not None:
            bound, remark = _given(bound)
        elif X is not None:
            bound, remark = _novikoff(estimator, X, y)
        mistakes, reason = np.asarray(estimator.mistakes_per_epoch_), str(estimator.stop_reason_)
        held_out = np.asarray(getattr(estimator, "held_out_errors_per_epoch_", ()), dtype=np.float64)
        return cls(mistakes, reason, bound, remark, held_out).plot(ax)

    @property
    def so_far(self) -> NDArray[Any]:
        """The total of mistakes up to the end of each pass."""
        return np.cumsum(self.mistakes)

    @property
    def title(self) -> str:
        """Why training stopped, and the total of mistakes, in words."""
        return (
            f"{self.stop_reason}: {count_of(int(self.so_far[-1]), 'mistake')} in {count_of(len(self.mistakes), 'pass')}"
        )

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the given axes, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        MistakesDisplay
            The display, with `ax_` and `figure_`.
        """
        own, ax = ax is None, axes_of(ax, (SIZE[0], 3.3))
        n, so_far = len(self.mistakes), self.so_far
        passes, marks = np.arange(1, n + 1), n <= MAX_MARKED_PASSES
        ax.stairs(
            self.mistakes, np.arange(n + 1) + 0.5, fill=True, color=(ink(0), 2 * TINT), label="mistakes in the pass"
        )
        ax.plot(passes, so_far, color="black", marker="o" * marks, markersize=4, label="mistakes so far")
        if len(self.held_out):
            look: dict[str, Any] = {
                "color": ink(2),
                "linestyle": ":",
                "linewidth": 2,
                "marker": "s" * marks,
                "markersize": 4,
            }
            ax.plot(passes, self.held_out, label="errors on held-out rows", **look)
        if self.bound is not None:
            said = f"bound on all mistakes: {self.bound:,.0f}" if self.bound < 1e9 else f"bound: {self.bound:.3g}"
            ax.axhline(self.bound, color=ink(1), linestyle="--", linewidth=1.8, label=said)
        if self.remark:
            ax.plot([], [], " ", label=self.remark)
        if max(so_far[-1], self.bound or 0) > LOG_RATIO * max(self.mistakes.max(), 1):
            ax.set_yscale("symlog", linthresh=1)
            ax.yaxis.set_major_formatter("{x:g}")
        ax.set(xlabel="pass", ylabel="mistakes", xlim=(0.5, n + 0.5), ylim=(0, None))
        ax.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]
        ax.set_title(self.title, fontsize="medium")
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self


def _given(bound: Any) -> tuple[float | None, str]:
    if not Number(0, infinite=True).allows(bound):
        raise ParameterError(
            f"bound must be a number of at least 0, such as mistake_bound(X, y).max_updates, or infinite for no bound, "
            f"not {bound!r}."
        )
    if bound < MAX_BOUND:
        return float(bound), ""
    return None, NOT_SEPARABLE if bound == math.inf else TOO_LARGE


def _novikoff(estimator: Any, X: Any, y: Any) -> tuple[float | None, str]:
    """Novikoff's bound for a perceptron; or None, and why there is no bound."""
    if not isinstance(estimator, Perceptron):
        raise ParameterError(
            f"Novikoff's bound is computed for a Perceptron only. For a {type(estimator).__name__}, leave X and y out, "
            "or give a bound."
        )
    certificate = estimator.certificate(X, y)
    if "mistakes" in certificate.body:
        most = number_of(certificate.body["mistakes"]["bound"])
        return (float(most), "") if most < MAX_BOUND else (None, TOO_LARGE)
    return None, NO_START_AT_ZERO if certificate.claim == "strict" else NOT_SEPARABLE

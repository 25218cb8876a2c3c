"""The largest weights of a linear classifier, with the names of their columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.base.argument_types import Label
from rosenblatt.base.parameters import Integer
from rosenblatt.data.validation import Floats
from rosenblatt.errors import ParameterError
from rosenblatt.plot.style import NOT_DRAWN, SIZE, axes_of, figure_of, ink, legend, text
from rosenblatt.plot.view import names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_NAME_LENGTH = 22  # characters; the middle of a longer name is left out


@dataclass(eq=False, repr=False)
class WeightsDisplay:
    """The largest weights of a linear classifier as bars, the largest in absolute value on top.

    Use it to see which columns decide. A weight above 0 is evidence for the class, a weight below 0 against it.
    Weights can be compared only if the columns have the same scale.

    Parameters
    ----------
    feature_names : list of str
        The names of the columns.
    weights : array of shape (m,)
        The weights, in decreasing order of their absolute value.
    label : object
        The class that positive weights speak for.
    total : int
        The number of all weights.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes of the picture.
    figure_ : matplotlib figure
        The figure of the picture.

    See Also
    --------
    Perceptron.ranked_weights : The weights as a list.
    Scaling : Gives the columns the same scale.

    Examples
    --------
    >>> from rosenblatt import Perceptron, datasets
    >>> from rosenblatt.plot import WeightsDisplay
    >>> X, y = datasets.load("iris")
    >>> model = Perceptron().fit(X, y == "setosa")
    >>> display = WeightsDisplay.from_estimator(model, feature_names=["sl", "sw", "pl", "pw"], top=3)
    >>> for name, weight in zip(display.feature_names, display.weights):
    ...     print(name, weight.round(6))
    pl -10.2
    pw -5.6
    sw 5.5
    """

    feature_names: Sequence[str]
    weights: Floats
    label: Any
    total: int
    ax_: "Axes" = field(default=NOT_DRAWN, init=False)
    figure_: "Figure" = field(default=NOT_DRAWN, init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        top: int = 20,
        label: Label = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the weights of a fitted linear classifier.

        Parameters
        ----------
        estimator : fitted classifier
            A classifier with `ranked_weights`.
        feature_names : list of str, optional
            Column names for the picture; by default those of the training data.
        top : int, default=20
            The number of weights to draw.
        label : object, optional
            The class whose weights are drawn; required for more than two classes, by default `classes_[1]` for two.
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        WeightsDisplay
            The display, with `ax_` and `figure_`.
        """
        if not (hasattr(estimator, "ranked_weights") and hasattr(estimator, "coef_")):
            raise ParameterError(f"estimator must be a linear classifier of this package, not {estimator!r}.")
        if not Integer(1).allows(top):
            raise ParameterError(f"top must be {Integer(1)}, not {top!r}.")
        ranked = estimator.ranked_weights(label)
        own = names_of(None, len(ranked), None, estimator)
        called = dict(zip(own, names_of(None, len(ranked), feature_names, estimator), strict=True))
        shown = ranked[:top]
        chosen = estimator.classes_.tolist()[1] if label is None else label
        weights = np.array([weight for _, weight in shown])
        return cls([called[name] for name, _ in shown], weights, chosen, len(ranked)).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the given axes, or on a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; a new figure if not given.

        Returns
        -------
        WeightsDisplay
            The display, with `ax_` and `figure_`.
        """
        m = len(self.weights)
        own, ax = ax is None, axes_of(ax, (SIZE[0], 0.9 + 0.2 * m))
        for code, hatch, words in ((1, "", "for"), (0, "////", "against")):
            at = np.flatnonzero((self.weights > 0) == (code == 1))
            if len(at):
                look: dict[str, Any] = {"color": ink(code), "edgecolor": "white", "hatch": hatch, "linewidth": 0}
                bars = ax.barh(at, self.weights[at], label=text(f"{words} {self.label}"), **look)
                ax.bar_label(bars, fmt="{:.3g}", padding=2, fontsize="x-small")
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_yticks(range(m), [text(short(name)) for name in self.feature_names], fontsize="small")
        ax.set(ylim=(m - 0.4, -0.6), xlabel="weight")
        ax.margins(x=0.18)
        if m < self.total:
            ax.set_title(f"the {m} largest of {self.total:,} weights", fontsize="medium")
        legend(ax, outside=own)
        self.ax_, self.figure_ = ax, figure_of(ax)
        return self


def short(name: str) -> str:
    """A name; if it is long, without its middle."""
    half = (MAX_NAME_LENGTH - 3) // 2
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 3 - half]}...{name[-half:]}"

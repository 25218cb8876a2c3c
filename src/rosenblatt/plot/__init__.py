"""Pictures of classifiers, verdicts, training runs and Gaussians.

The displays follow scikit-learn's: `BoundaryDisplay.from_estimator(...)` computes arrays and draws them, attributes
hold the arrays, `plot(ax=...)` draws again, and `ax_` and `figure_` are the axes and the figure. matplotlib is the
extra `plot`; it is imported when something is drawn.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.plot.activation import ActivationDisplay
    from rosenblatt.plot.animation import animate
    from rosenblatt.plot.boundary import BoundaryDisplay
    from rosenblatt.plot.gaussians import GaussiansDisplay
    from rosenblatt.plot.hulls import HullsDisplay
    from rosenblatt.plot.margin import MarginDisplay
    from rosenblatt.plot.mistakes import MistakesDisplay
    from rosenblatt.plot.path import PathDisplay
    from rosenblatt.plot.regions import RegionsDisplay
    from rosenblatt.plot.weights import WeightsDisplay
    from rosenblatt.plot.witness import WitnessDisplay

_MODULES = {
    "ActivationDisplay": "activation",
    "BoundaryDisplay": "boundary",
    "GaussiansDisplay": "gaussians",
    "HullsDisplay": "hulls",
    "MarginDisplay": "margin",
    "MistakesDisplay": "mistakes",
    "PathDisplay": "path",
    "RegionsDisplay": "regions",
    "WeightsDisplay": "weights",
    "WitnessDisplay": "witness",
    "animate": "animation",
}

__all__ = [
    "ActivationDisplay",
    "BoundaryDisplay",
    "GaussiansDisplay",
    "HullsDisplay",
    "MarginDisplay",
    "MistakesDisplay",
    "PathDisplay",
    "RegionsDisplay",
    "WeightsDisplay",
    "WitnessDisplay",
    "animate",
]


if not TYPE_CHECKING:  # a type checker would take every name that is misspelt for one of these

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            value = getattr(importlib.import_module(f"rosenblatt.plot.{_MODULES[name]}"), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'rosenblatt.plot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

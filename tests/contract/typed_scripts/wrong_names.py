"""Misspelt names of the package and of attributes; each marked line is an error."""

import rosenblatt
from rosenblatt import Kozinec, Perceptron, plot, separability
from rosenblatt import Perceptrn as Misspelt  # type: ignore[attr-defined]
from rosenblatt.plot import BoundryDisplay  # type: ignore[attr-defined]

X, y = [[0.0], [1.0]], [0, 1]
print(Misspelt, BoundryDisplay)
print(rosenblatt.OneVsRest)  # type: ignore[attr-defined]
print(plot.PieDisplay)  # type: ignore[attr-defined]
print(rosenblatt.datasets.lod("iris"))  # type: ignore[attr-defined]
print(rosenblatt.losses.hinge)  # type: ignore[attr-defined]

model = Perceptron().fit(X, y)
print(model.coeff_)  # type: ignore[attr-defined]
print(model.predict_proba(X))  # type: ignore[attr-defined]
print(model.fit(X, y).n_errors_)  # type: ignore[attr-defined]
print(Kozinec().fit(X, y).margin_bound_)  # type: ignore[attr-defined]
verdict = separability(X, y)
print(verdict.is_separable)  # type: ignore[attr-defined]
print(verdict.hyperplane.equation())  # type: ignore[union-attr]

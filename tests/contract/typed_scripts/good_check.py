"""Ask for proofs, and check them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import (
    Certificate,
    ErrorBounds,
    Estimates,
    Hyperplane,
    MistakeBound,
    Perceptron,
    Region,
    Verdict,
    Verification,
    error_bounds,
    estimates,
    mistake_bound,
    regions,
    separability,
)

X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]

verdict: Verdict = separability(X, y, detail=True, through_origin=False, time_limit=1.5)
if verdict.kind == "strict" and verdict.hyperplane is not None:
    equation: str = verdict.hyperplane.equation()
separable: bool | None = verdict.separable
stuck: NDArray[np.int64] = verdict.stuck
if verdict.certificate is not None:
    answer: Verification = verdict.certificate.verify(X, y)
    why: str = answer.why if not answer else "true"
    text: str = verdict.certificate.to_json()
    read_back: Certificate = Certificate.from_json(text)

bounds: ErrorBounds = error_bounds(X, y, hyperplane=Hyperplane([1.0, 1.0], b=-1.5), random_state=1)
fewest: int = bounds.lower
wrong: NDArray[np.int64] = bounds.errors
bound: MistakeBound = mistake_bound(X, y, rows="centered", bias=0.0)
most: int | None = bound.max_updates
shift: NDArray[np.float64] | None = bound.shift
same: bool = MistakeBound.from_dict(bound.to_dict()) == bound

model = Perceptron().fit(X, y)
claim: str = model.certificate(X, y).claim
found: list[Region] = regions(model, (0, 1, 0, 1))
corners: NDArray[np.float64] = found[0].polygon
label: Any = found[0].label

frame: object = {"x": [0, 1], "y": [0, 1]}  # a data frame of any library
regression: object = frame  # a model of statsmodels
plain: Estimates = estimates(X, y, model="probit", intercept=False)
by_formula: Estimates = estimates("y ~ x", frame, sample_weight="w")
by_name: Estimates = estimates("y ~ x", data=frame, model="poisson")
by_model: Estimates = estimates(regression)
by_pipeline: Estimates = estimates(regression, X, y)
design: dict[str, Any] = plain.design
if plain.certificate is not None:
    checked: Verification = plain.certificate.verify(**plain.design)

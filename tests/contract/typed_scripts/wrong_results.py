"""Results that are used as if they had another type; each marked line is an error."""

from rosenblatt import KernelPerceptron, OneVsAll, Perceptron, error_bounds, mistake_bound, regions, separability, trace

X, y = [[0.0, 0.0], [1.0, 1.0]], [0, 1]
model = Perceptron().fit(X, y)
predicted: int = model.predict(X)  # type: ignore[assignment]
scores: list[float] = model.decision_function(X)  # type: ignore[assignment]
accuracy: str = model.score(X, y)  # type: ignore[assignment]
kernel: int = KernelPerceptron().fit(X, y).predict(X)  # type: ignore[assignment]
parts: int = OneVsAll(Perceptron()).fit(X, y).predict(X)  # type: ignore[assignment]
passes: str = model.n_iter_  # type: ignore[assignment]
reason: int = model.stop_reason_  # type: ignore[assignment]
bounds: float = error_bounds(X, y).lower.real_part  # type: ignore[attr-defined]
most: int = mistake_bound(X, y).max_updates  # type: ignore[assignment]
low: float = mistake_bound(X, y).bounds  # type: ignore[assignment]
kind: int = separability(X, y).kind  # type: ignore[assignment]
verified: bool = model.certificate(X, y).verify(X, y)  # type: ignore[assignment]
label: str = trace(model, X, y)[0].task  # type: ignore[assignment]
area: int = regions(model, (0, 1, 0, 1))[0].area  # type: ignore[assignment]
plane: str = model.hyperplane_  # type: ignore[assignment]

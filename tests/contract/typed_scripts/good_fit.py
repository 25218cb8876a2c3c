"""Train, predict, and read what was learned."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Hyperplane,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    NearestMean,
    OneVsAll,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Scaling,
    StopReason,
)

X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]

model: Perceptron = Perceptron(
    order="cyclic", tie="positive", average="averaged", bias=True, class_weight="balanced", random_state=7
).fit(X, y)
predicted: NDArray[Any] = model.predict(X)
scores: NDArray[np.float64] = model.decision_function(X)
weights: NDArray[np.float64] = model.coef_
mistakes: NDArray[np.int64] = model.mistakes_per_epoch_
passes: int = model.n_iter_
updates: int = model.n_updates_
reason: StopReason = model.stop_reason_
plane: Hyperplane = model.hyperplane_
accuracy: float = model.score(X, y)
columns: int = model.n_features_in_
ranked: list[tuple[str, float]] = model.ranked_weights()
again: Perceptron = model.set_params(average=None).partial_fit(X, y).learn_one([1.0, 1.0], 1)
weighted: Perceptron = Perceptron().fit(X, y, sample_weight=[1, 1, 1, 2]).learn_one([1.0, 1.0], 1, sample_weight=2.0)
request: Perceptron = Perceptron(random_state=np.random.RandomState(0), class_weight={0: 1.0, 1: 2.0}, init=[0, 0, 1])

pocket: Pocket = Pocket(order="random", random_state=None).fit(X, y)
errors: float = pocket.n_errors_
history: NDArray[Any] = pocket.history_
aggressive: PassiveAggressive = PassiveAggressive(variant="II", C=0.5).fit(X, y)
batch: BatchPerceptron = BatchPerceptron(
    learning_rate=lambda t: 1 / t, stop=lambda best, t, t_last: best.errors < 1 and t > t_last + 5
)
halving: BatchPerceptron = BatchPerceptron(learning_rate="1/t", max_errors=1).fit(X, y, sample_weight=[1, 1, 1, 2])
kernel: KernelPerceptron = KernelPerceptron(kernel="poly", gamma="scale", max_support=10).fit(X, y)
own_kernel: KernelPerceptron = KernelPerceptron(kernel=lambda a, b: np.asarray(a) @ np.asarray(b).T, gamma=0.5)
support: NDArray[np.int64] = kernel.support_

kozinec: Kozinec = Kozinec(solver="mdm", epsilon_kind="absolute", bias="free").fit(X, y)
bounds: tuple[float, float] = kozinec.margin_bounds_
slab: tuple[Hyperplane, Hyperplane] = kozinec.slab_
anderson: Anderson = Anderson(n_components="bic", covariance_type="tied", solver="ascent").fit(X, y)
worst: tuple[float, float] = anderson.worst_error_bounds_

wrapped = OneVsAll(Perceptron()).fit(X, y)
claims: NDArray[np.bool_] = wrapped.claims(X)
pairs: list[tuple[int, int]] = OneVsOne(Kozinec()).fit(X, y).pairs_
joint: NDArray[np.float64] = Kessler(Kozinec(bias=1.0)).fit(X, y).coef_
risk: float = LeastRisk(NearestMean(), [[0, 1], [5, 0]]).fit(X, y).risk_
scaled = Scaling("standardize").fit_transform(X)

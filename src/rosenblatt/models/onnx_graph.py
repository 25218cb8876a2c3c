"""The nodes of an ONNX graph that computes what a model predicts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.models.linear_form import LinearForm, linear_form

INT64_LIMIT = 2**63
DOUBLE, INT64 = 11, 7  # ONNX's numbers of these types


class Draft:
    """The nodes and constants of a graph under construction."""

    def __init__(self) -> None:
        self.nodes: list[tuple[str, list[str], str, dict[str, Any]]] = []
        self.constants: dict[str, NDArray[Any]] = {}

    def constant(self, value: Any) -> str:
        """Add a constant; return its name."""
        name = f"constant{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def add(self, op: str, *given: str, name: str | None = None, **options: Any) -> str:
        """Add a node; return the name of its output."""
        name = name or f"value{len(self.nodes)}"
        self.nodes.append((op, list(given), name, options))
        return name

    def rename(self, names: dict[str, str]) -> None:
        """Give inputs, outputs and constants other names."""
        self.nodes = [
            (op, [names.get(each, each) for each in given], names.get(name, name), options)
            for op, given, name, options in self.nodes
        ]
        self.constants = {names.get(name, name): array for name, array in self.constants.items()}


class Drawn(NamedTuple):
    """The scores of a model in a graph, and how they decide."""

    scores: str  # the name of n scores for two classes, else of n x k scores
    classes: NDArray[Any]
    later: bool  # does the later class win a tie: equal scores, or a score of 0?


def draw(draft: Draft, rows: str, model: Any) -> Drawn:
    """Add the nodes of the scores of a fitted model; `rows` is the name of its input, n x d doubles.

    Raises
    ------
    ParameterError
        No graph can be made of the model; the message says why.
    """
    from rosenblatt.classifiers.kernel_perceptron import KernelPerceptron
    from rosenblatt.classifiers.multiclass.calibrated import Calibrated
    from rosenblatt.classifiers.multiclass.decomposition import Decomposition
    from rosenblatt.classifiers.multiclass.least_risk import LeastRisk
    from rosenblatt.classifiers.perceptron import Voted

    linear = linear_form(model)
    if linear is not None:
        return _linear(draft, rows, linear)
    if hasattr(model, "steps"):  # a Pipeline; `linear_form` has refused other steps
        *first, last = (step for _, step in model.steps)
        for scaling in first:
            rows = scaled(draft, rows, scaling)
        return draw(draft, rows, last)
    if isinstance(model, Calibrated):
        inner = draw(draft, rows, model.estimator_)
        scores = draft.add("Mul", inner.scores, draft.constant(model.slopes_))
        return Drawn(draft.add("Add", scores, draft.constant(model.offsets_)), model.classes_, later=False)
    if isinstance(model, LeastRisk):
        inner = draw(draft, rows, model.estimator_)
        return Drawn(draft.add("Add", inner.scores, draft.constant(model.offsets_)), model.classes_, later=False)
    if isinstance(model, Decomposition):
        return _members(draft, rows, model)
    if isinstance(model, KernelPerceptron):
        return _kernel(draft, rows, model)
    if isinstance(getattr(model, "_learner", None), Voted):
        return _voted(draft, rows, model)
    raise ParameterError(f"A {type(model).__name__} cannot be exported; classifiers of this package can.")


def draw_label(draft: Draft, drawn: Drawn) -> str:
    """Add the nodes of the label that wins; return the name of the n labels."""
    if len(drawn.classes) > 2:
        number = draft.add("ArgMax", drawn.scores, axis=1, keepdims=0, select_last_index=int(drawn.later))
    else:
        above = draft.add("GreaterOrEqual" if drawn.later else "Greater", drawn.scores, draft.constant(0.0))
        number = draft.add("Cast", above, to=INT64)
    return draft.add("Gather", draft.constant(onnx_labels(drawn.classes)), number)


def onnx_labels(classes: NDArray[Any]) -> NDArray[Any]:
    """Labels in a type that ONNX supports."""
    if classes.dtype.kind in "iu":
        if int(classes[-1]) >= INT64_LIMIT:
            raise DataError(f"The label {classes[-1]} does not fit the int64 of ONNX. Use strings as labels.")
        return classes.astype(np.int64)
    return classes.astype({"f": np.float64, "b": np.bool_}.get(classes.dtype.kind, object))


def scaled(draft: Draft, rows: str, scaling: Any) -> str:
    """Add the nodes of one `Scaling`; return the name of the scaled rows."""
    record = scaling.to_dict()
    if record["how"] == "unit":  # divide by the largest number first: squares may overflow
        across, zero, one = draft.constant([1]), draft.constant(0.0), draft.constant(1.0)
        largest = draft.add("ReduceMax", draft.add("Abs", rows), across, keepdims=1)
        rows = draft.add("Div", rows, draft.add("Where", draft.add("Equal", largest, zero), one, largest))
        square = draft.add("ReduceSum", draft.add("Mul", rows, rows), across, keepdims=1)
        return draft.add("Div", rows, draft.add("Max", draft.add("Sqrt", square), one))
    if record["centre"] is not None:
        rows = draft.add("Sub", rows, draft.constant(record["centre"]))
    if record["scale"] is not None:
        rows = draft.add("Div", rows, draft.constant(record["scale"]))
    return rows


def _linear(draft: Draft, rows: str, linear: LinearForm) -> Drawn:
    for scaling in linear.scalings:
        rows = scaled(draft, rows, scaling)
    product = draft.add("MatMul", rows, draft.constant(linear.coef.T.copy()))
    scores = draft.add("Add", product, draft.constant(linear.intercept))
    return Drawn(_as_vector(draft, scores, len(linear.coef)), linear.classes, linear.later)


def _as_vector(draft: Draft, scores: str, columns: int) -> str:
    """Drop the second dimension of scores with one column."""
    return scores if columns > 1 else draft.add("Squeeze", scores, draft.constant([1]))


def _members(draft: Draft, rows: str, model: Any) -> Drawn:
    """Add the nodes of one against all, or of one against one, whose members may be anything that can be drawn."""
    members = [draw(draft, rows, member) for member in model.estimators_]
    if len(members) == 1:
        return members[0]._replace(classes=model.classes_)
    across = draft.constant([1])
    table = draft.add("Concat", *(draft.add("Unsqueeze", member.scores, across) for member in members), axis=1)
    scores = table if model.scheme == "one_vs_all" else _votes_of_pairs(draft, table, model.pairs_, len(model.classes_))
    return Drawn(scores, model.classes_, later=False)


def _votes_of_pairs(draft: Draft, table: str, pairs: Sequence[tuple[int, int]], k: int) -> str:
    """Add the nodes of the votes; sums of scores, which are less than half a vote, decide among equal votes."""
    first, second = np.zeros((2, len(pairs), k))
    for row, (a, b) in enumerate(pairs):
        first[row, a] = second[row, b] = 1.0
    zero, one = draft.constant(0.0), draft.constant(1.0)
    largest = draft.add("ReduceMax", draft.add("Abs", table), draft.constant([1]), keepdims=1)
    shares = draft.add("Div", table, draft.add("Where", draft.add("Equal", largest, zero), one, largest))
    below, above = (draft.add("Cast", draft.add(op, shares, zero), to=DOUBLE) for op in ("Less", "Greater"))
    votes = draft.add(
        "Add",
        draft.add("MatMul", below, draft.constant(first)),
        draft.add("MatMul", above, draft.constant(second)),
    )
    return draft.add("Add", votes, draft.add("MatMul", shares, draft.constant((second - first) / (4 * k))))


def _kernel(draft: Draft, rows: str, model: Any) -> Drawn:
    """Add the nodes of a kernel perceptron: kernel values with the support vectors, times their weights."""
    kernel = model._kernel
    if callable(kernel.kind):
        raise ParameterError(
            "A KernelPerceptron whose kernel is a function cannot be exported, because a graph holds no Python. Use "
            "kernel='rbf', 'poly' or 'linear'."
        )
    values = draft.add("Add", _kernel_values(draft, rows, model, kernel), draft.constant(kernel.constant))
    coef = model.dual_coef_
    scores = draft.add("MatMul", values, draft.constant(np.ascontiguousarray(coef.T)))
    return Drawn(_as_vector(draft, scores, len(coef)), model.classes_, later=model._tie > 0)


def _kernel_values(draft: Draft, rows: str, model: Any, kernel: Any) -> str:
    from rosenblatt.data.matrices import dense

    if kernel.kind == "precomputed":
        return draft.add("Gather", rows, draft.constant(model.support_), axis=1)
    Z = np.asarray(dense(model.support_vectors_), dtype=np.float64)
    if kernel.kind == "rbf":
        centre = Z.mean(axis=0) if len(Z) else np.zeros(model.n_features_in_)
        Z, rows = Z - centre, draft.add("Sub", rows, draft.constant(centre))  # small numbers: their squares cancel less
    if kernel.kind == "poly":
        Z = kernel.gamma * Z  # a product of MatMul and a number would be computed in float32 by onnxruntime
    product = draft.add("MatMul", rows, draft.constant(Z.T.copy()))
    if kernel.kind == "linear":
        return product
    if kernel.kind == "poly":
        return draft.add(
            "Pow", draft.add("Add", product, draft.constant(kernel.coef0)), draft.constant(float(kernel.degree))
        )
    square = draft.add("ReduceSum", draft.add("Mul", rows, rows), draft.constant([1]), keepdims=1)
    both = draft.add("Add", square, draft.constant((Z**2).sum(axis=1)))
    apart = draft.add("Sub", both, draft.add("Add", product, product))
    positive = draft.add("Max", apart, draft.constant(0.0))
    return draft.add("Exp", draft.add("Mul", positive, draft.constant(-kernel.gamma)))


def _voted(draft: Draft, rows: str, model: Any) -> Drawn:
    """Add the nodes of a voted perceptron: the winner of each weight vector gets its votes."""
    learner, later = model._learner, model._tie_sign > 0
    voters, votes = learner.voters[: learner.k + 1], learner.votes[: learner.k + 1]
    flat = voters.reshape(-1, voters.shape[-1])
    product = draft.add("MatMul", rows, draft.constant(flat[:, :-1].T.copy()))
    table = draft.add("Add", product, draft.constant(flat[:, -1] * learner.bias))
    if voters.ndim == 2:
        above = draft.add("GreaterOrEqual" if later else "Greater", table, draft.constant(0.0))
        signs = draft.add("Where", above, draft.constant(1.0), draft.constant(-1.0))
        return Drawn(draft.add("MatMul", signs, draft.constant(votes)), model.classes_, later)
    k = voters.shape[1]
    scores = draft.add("Reshape", table, draft.constant([-1, len(voters), k]))
    winner = draft.add("ArgMax", scores, axis=2, keepdims=1, select_last_index=int(later))
    won = draft.add("Cast", draft.add("Equal", winner, draft.constant(np.arange(k))), to=DOUBLE)
    weighed = draft.add("Mul", won, draft.constant(votes[:, np.newaxis].copy()))
    return Drawn(draft.add("ReduceSum", weighed, draft.constant([1]), keepdims=0), model.classes_, later)

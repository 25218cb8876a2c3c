"""Export of linear models: as JSON that people can read, and as an ONNX graph."""

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import FittedModel
from rosenblatt.errors import DataError, MissingExtraError, ParameterError

if TYPE_CHECKING:
    import onnx

FORMAT, VERSION = "rosenblatt linear model", 1
OPSET, IR = 18, 10  # of 2022 and 2024; current runtimes support them
INT64_LIMIT = 2**63


class LinearModel(NamedTuple):
    """The numbers that a linear model predicts with.

    Predicting scales the row and computes the scores. The largest score wins; with two classes there is one score, and
    its sign decides.
    """

    coef: NDArray[np.float64]  # one row a class; a single one for two classes
    intercept: NDArray[np.float64]
    classes: NDArray[Any]
    later: bool  # does the later class win a tie: equal scores, or a score of 0?
    scalings: tuple[Any, ...] = ()


def to_json(model: FittedModel) -> str:
    """Return a linear model as plain JSON, for people and for other languages.

    Every number reads back to the same bits. `load` does not read this JSON; use `save` and `load` to keep a model.

    Parameters
    ----------
    model : fitted estimator
        A linear classifier of this package, or `OneVsAll`, `LeastRisk` or `Calibrated` with such a classifier
        inside (without its probabilities), or a scikit-learn Pipeline of Scaling and one of these.

    Returns
    -------
    str
        An object with `algorithm`, `parameters`, `classes`, `columns` (their names, or null), `scaling`, `coef`,
        `intercept` and `predict`. `predict` says in words how to compute the class of a row.

    Raises
    ------
    ParameterError
        The model is not linear: it predicts by a vote, by a kernel or by one against one.

    See Also
    --------
    to_onnx : A graph that other programs can run.
    save : A file that `load` reads.

    Examples
    --------
    >>> import json
    >>> from rosenblatt import Perceptron, to_json
    >>> model = Perceptron(order="cyclic").fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> text = json.loads(to_json(model))
    >>> print(text["coef"], text["intercept"], text["classes"])
    [[3.0, 2.0]] [-4.0] ['no', 'yes']
    >>> text["predict"]
    'The score is coef[0].x + intercept[0]; above 0 the class is classes[1], else classes[0], also at exactly 0.'
    """
    linear = _linear_model(model)
    names = getattr(model, "feature_names_in_", None)
    body = {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": type(model).__name__,
        "parameters": _plain(model.get_params(deep=False)),
        "classes": linear.classes.tolist(),
        "columns": None if names is None else list(names),
        "scaling": [_plain(scaling.to_dict()) for scaling in linear.scalings],
        "coef": linear.coef.tolist(),
        "intercept": linear.intercept.tolist(),
        "predict": _sentence(linear),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(part, allow_nan=False)}" for key, part in body.items()]
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def to_onnx(model: FittedModel) -> "onnx.ModelProto":
    """Return a linear model as an ONNX graph, which other programs can run.

    The input is `X`, rows of float64. The outputs are `label`, the class of each row, and `scores`, as
    `decision_function` returns them. An ONNX runtime adds in another order and does not compute exact signs. A row
    whose score is 0 within rounding, or whose two best scores are equal within rounding, may get the other class.

    Parameters
    ----------
    model : fitted estimator
        A linear model; see `to_json`.

    Returns
    -------
    onnx.ModelProto
        `onnx.save(graph, path)` writes it to a file. Labels have the type of the classes: int64, strings,
        booleans or doubles.

    Raises
    ------
    MissingExtraError
        The package onnx is not installed.
    ParameterError
        The model is not linear.

    See Also
    --------
    to_json : The numbers as text.
    save : A file that `load` reads.

    Examples
    --------
    >>> from rosenblatt import Perceptron, to_onnx
    >>> graph = to_onnx(Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])).graph
    >>> print([node.op_type for node in graph.node], [output.name for output in graph.output])
    ['MatMul', 'Add', 'Squeeze', 'Greater', 'Cast', 'Gather'] ['label', 'scores']
    """
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError("An ONNX graph", "onnx") from error
    linear = _linear_model(model)
    draft = Draft()
    rows = "X"
    for scaling in linear.scalings:
        rows = _scaled(draft, rows, scaling)
    number = _winner(draft, rows, linear)
    draft.add("Gather", draft.constant(_as_onnx(linear.classes)), number, name="label")
    d, two = linear.coef.shape[1], len(linear.coef) == 1
    helper, kinds = onnx.helper, onnx.TensorProto
    label = {"i": kinds.INT64, "O": kinds.STRING, "b": kinds.BOOL, "f": kinds.DOUBLE}
    outputs = [
        helper.make_tensor_value_info("label", label[_as_onnx(linear.classes).dtype.kind], ["n"]),
        helper.make_tensor_value_info("scores", kinds.DOUBLE, ["n"] if two else ["n", len(linear.coef)]),
    ]
    inputs = [helper.make_tensor_value_info("X", kinds.DOUBLE, ["n", d])]
    nodes = [helper.make_node(op, given, [name], **options) for op, given, name, options in draft.nodes]
    constants = [onnx.numpy_helper.from_array(array, name) for name, array in draft.constants.items()]
    graph = helper.make_graph(nodes, type(model).__name__, inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
    made.producer_name = "rosenblatt"
    onnx.checker.check_model(made)
    return made


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


def _scaled(draft: Draft, rows: str, scaling: Any) -> str:
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


def _winner(draft: Draft, rows: str, linear: LinearModel) -> str:
    """Add the nodes of the scores and of the winner; return the name of the winning class numbers."""
    product = draft.add("MatMul", rows, draft.constant(linear.coef.T.copy()))
    intercept = draft.constant(linear.intercept)
    if len(linear.coef) > 1:
        draft.add("Add", product, intercept, name="scores")
        return draft.add("ArgMax", "scores", axis=1, keepdims=0, select_last_index=int(linear.later))
    draft.add("Squeeze", draft.add("Add", product, intercept), draft.constant([1]), name="scores")
    above = draft.add("GreaterOrEqual" if linear.later else "Greater", "scores", draft.constant(0.0))
    return draft.add("Cast", above, to=7)  # int64


def _as_onnx(classes: NDArray[Any]) -> NDArray[Any]:
    """Labels in a type that ONNX supports."""
    if classes.dtype.kind in "iu":
        if int(classes[-1]) >= INT64_LIMIT:
            raise DataError(f"The label {classes[-1]} does not fit the int64 of ONNX. Use strings as labels.")
        return classes.astype(np.int64)
    return classes.astype({"f": np.float64, "b": np.bool_}.get(classes.dtype.kind, object))


def _linear_model(model: Any) -> LinearModel:
    """The numbers of a linear model. Raise if the model is not linear."""
    from sklearn.utils.validation import check_is_fitted

    from rosenblatt.classifiers.linear import LinearClassifier
    from rosenblatt.classifiers.multiclass.calibrated import Calibrated
    from rosenblatt.classifiers.multiclass.decomposition import Decomposition
    from rosenblatt.classifiers.multiclass.least_risk import LeastRisk
    from rosenblatt.classifiers.multiclass.one_vs_all import OneVsAll
    from rosenblatt.classifiers.perceptron import Voted
    from rosenblatt.data.scaling import Scaling

    check_is_fitted(model, msg="This %(name)s is not fitted yet, so there is nothing to export; call fit first.")
    if hasattr(model, "steps"):  # a Pipeline
        *first, last = (step for _, step in model.steps)
        if not all(isinstance(step, Scaling) for step in first):
            raise ParameterError("A Pipeline can be exported if it consists of Scaling and then a linear classifier.")
        inner = _linear_model(last)
        return inner._replace(scalings=(*first, *inner.scalings))
    if isinstance(model, Calibrated):
        inner = _linear_model(model.estimator_)
        coef, intercept = model.slopes_[:, np.newaxis] * inner.coef, model.slopes_ * inner.intercept + model.offsets_
        return inner._replace(coef=coef, intercept=intercept, later=False)
    if isinstance(model, LeastRisk):
        inner = _linear_model(model.estimator_)
        return inner._replace(intercept=inner.intercept + model.offsets_, later=False)
    if isinstance(model, Decomposition):
        members = [_linear_model(member) for member in model.estimators_]
        if any(member.scalings for member in members):
            raise ParameterError(
                f"A {type(model).__name__} of pipelines cannot be exported. Put Scaling before it, in one Pipeline."
            )
        if len(members) == 1:
            return members[0]._replace(classes=model.classes_)
        if isinstance(model, OneVsAll):
            return LinearModel(model.coef_, model.intercept_, model.classes_, later=False)
    if isinstance(model, LinearClassifier) and not isinstance(getattr(model, "_learner", None), Voted):
        return LinearModel(model.coef_, model.intercept_, model.classes_, later=model._tie_sign > 0)
    raise ParameterError(
        f"Only linear models can be exported. This {type(model).__name__} is not linear: it predicts by a vote or by a "
        "kernel. rosenblatt.save can save it."
    )


def _plain(value: Any) -> Any:
    """Parameters as JSON for people. They cannot be read back."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if hasattr(value, "get_params") and not isinstance(value, type):
        return {"algorithm": type(value).__name__, "parameters": _plain(value.get_params(deep=False))}
    return getattr(value, "__qualname__", type(value).__name__)


def _sentence(linear: LinearModel) -> str:
    """The rule of prediction, in words."""
    if len(linear.coef) == 1:
        here, there = ("classes[0]", "classes[1]") if linear.later else ("classes[1]", "classes[0]")
        side = "below" if linear.later else "above"
        rule = f"The score is coef[0].x + intercept[0]; {side} 0 the class is {here}, else {there}, also at exactly 0."
    else:
        which = "later" if linear.later else "earlier"
        rule = (
            "The score of classes[c] is coef[c].x + intercept[c]; the class with the largest score wins, of equal "
            f"scores the {which} one."
        )
    words = ["divide x by its length, unless that is 0", "x[j] becomes (x[j] - centre[j]) / scale[j], where not null"]
    steps = dict.fromkeys(words[scaling.to_dict()["how"] != "unit"] for scaling in linear.scalings)
    return (f"First, for each scaling in turn, {'; '.join(steps)}. " if steps else "") + rule

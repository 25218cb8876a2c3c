"""Linear models for others: as JSON that people can read, and as a graph for ONNX."""

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, MissingExtra, ParameterError

FORMAT, VERSION = "rosenblatt linear model", 1
OPSET, IR = 18, 10  # of 2022 and 2024: what runs graphs today knows them
LARGEST = 2**63


class Machine(NamedTuple):
    """What a linear model does: scale the row, add up, take the largest score or look at the sign of the one."""

    coef: NDArray[np.float64]  # one row a class; a single one for two classes
    intercept: NDArray[np.float64]
    classes: NDArray[Any]
    later: bool  # of equal scores, or at a score of 0, does the later class win?
    scalings: tuple[Any, ...] = ()


def to_json(model: Any) -> str:
    """A linear model as plain JSON, for people and for other languages.

    Numbers are written so that they read back to the same bits. `load` does not read it: use `save` for that.

    Parameters
    ----------
    model : a fitted linear classifier of this package, `OneVsAll` or `LeastRisk` around such, or a scikit-learn
        Pipeline of Scaling and one of them

    Returns
    -------
    str
        An object with `algorithm`, `parameters`, `classes`, `columns` (their names, or null), `scaling`, `coef`,
        `intercept`, and `predict`, which says in words what to do with them.

    Raises
    ------
    ParameterError
        The model is not linear: a vote, a kernel, one against one.

    Examples
    --------
    >>> import json
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt import to_json
    >>> model = Perceptron(order="cyclic").fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> text = json.loads(to_json(model))
    >>> print(text["coef"], text["intercept"], text["classes"])
    [[3.0, 2.0]] [-4.0] ['no', 'yes']
    >>> text["predict"]
    'The score is coef[0].x + intercept[0]; above 0 the class is classes[1], else classes[0], also at exactly 0.'
    """
    machine = _machine(model)
    names = getattr(model, "feature_names_in_", None)
    body = {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": type(model).__name__,
        "parameters": _plain(model.get_params(deep=False)),
        "classes": machine.classes.tolist(),
        "columns": None if names is None else list(names),
        "scaling": [_plain(scaling.record()) for scaling in machine.scalings],
        "coef": machine.coef.tolist(),
        "intercept": machine.intercept.tolist(),
        "predict": _sentence(machine),
    }
    lines = [f"{json.dumps(key)}: {json.dumps(part, allow_nan=False)}" for key, part in body.items()]
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def to_onnx(model: Any) -> Any:
    """A linear model as a graph for ONNX, which other programs run.

    Its input is `X`, rows of float64; its outputs are `label`, the class of each row, and `scores`, as
    `decision_function` gives them. Sums are added up in another order there, and without our care for exact signs: a
    row whose score is 0, or whose two best are equal, within rounding may get the other class.

    Parameters
    ----------
    model : as for `to_json`

    Returns
    -------
    onnx.ModelProto
        `onnx.save(it, path)` writes it to a file. Labels are int64, strings, booleans or doubles, as the classes are.

    Raises
    ------
    MissingExtra
        The package onnx is not installed.
    ParameterError
        The model is not linear.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt import to_onnx
    >>> graph = to_onnx(Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])).graph
    >>> print([node.op_type for node in graph.node], [output.name for output in graph.output])
    ['MatMul', 'Add', 'Squeeze', 'Greater', 'Cast', 'Gather'] ['label', 'scores']
    """
    try:
        import onnx
    except ImportError as error:
        raise MissingExtra("A graph for ONNX", "onnx") from error
    machine = _machine(model)
    draft = Draft()
    rows = "X"
    for scaling in machine.scalings:
        rows = _scaled(draft, rows, scaling)
    number = _won(draft, rows, machine)
    draft.add("Gather", draft.constant(_as_onnx(machine.classes)), number, name="label")
    d, two = machine.coef.shape[1], len(machine.coef) == 1
    helper, kinds = onnx.helper, onnx.TensorProto
    label = {"i": kinds.INT64, "O": kinds.STRING, "b": kinds.BOOL, "f": kinds.DOUBLE}
    outputs = [
        helper.make_tensor_value_info("label", label[_as_onnx(machine.classes).dtype.kind], ["n"]),
        helper.make_tensor_value_info("scores", kinds.DOUBLE, ["n"] if two else ["n", len(machine.coef)]),
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
    """Nodes and constants of a graph."""

    def __init__(self) -> None:
        self.nodes: list[tuple[str, list[str], str, dict[str, Any]]] = []
        self.constants: dict[str, NDArray[Any]] = {}

    def constant(self, value: Any) -> str:
        """The name of a constant."""
        name = f"constant{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def add(self, op: str, *given: str, name: str | None = None, **options: Any) -> str:
        """The name of what a node gives."""
        name = name or f"value{len(self.nodes)}"
        self.nodes.append((op, list(given), name, options))
        return name


def _scaled(draft: Draft, rows: str, scaling: Any) -> str:
    """The rows as `Scaling.transform` leaves them."""
    record = scaling.record()
    if record["how"] == "unit":  # by way of the largest number, since squares may leave the floats
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


def _won(draft: Draft, rows: str, machine: Machine) -> str:
    """The number of the class of each row; on the way, the scores."""
    product = draft.add("MatMul", rows, draft.constant(machine.coef.T.copy()))
    intercept = draft.constant(machine.intercept)
    if len(machine.coef) > 1:
        draft.add("Add", product, intercept, name="scores")
        return draft.add("ArgMax", "scores", axis=1, keepdims=0, select_last_index=int(machine.later))
    draft.add("Squeeze", draft.add("Add", product, intercept), draft.constant([1]), name="scores")
    above = draft.add("GreaterOrEqual" if machine.later else "Greater", "scores", draft.constant(0.0))
    return draft.add("Cast", above, to=7)  # int64


def _as_onnx(classes: NDArray[Any]) -> NDArray[Any]:
    """Labels in a type that ONNX has."""
    if classes.dtype.kind in "iu":
        if int(classes[-1]) >= LARGEST:
            raise DataError(f"The label {classes[-1]} does not fit the int64 of ONNX; give labels as strings.")
        return classes.astype(np.int64)
    return classes.astype({"f": np.float64, "b": np.bool_}.get(classes.dtype.kind, object))


def _machine(model: Any) -> Machine:
    """What the model does, if it is linear."""
    from sklearn.utils.validation import check_is_fitted

    from rosenblatt.classifiers.linear import LinearClassifier
    from rosenblatt.classifiers.multiclass.decomposition import Decomposition
    from rosenblatt.classifiers.multiclass.least_risk import LeastRisk

    check_is_fitted(model, msg="This %(name)s is not fitted yet, so there is nothing to export; call fit first.")
    if type(model).__name__ == "Pipeline":
        *first, last = (step for _, step in model.steps)
        if any(type(step).__name__ != "Scaling" for step in first):
            raise ParameterError("A Pipeline can be exported if it consists of Scaling and then a linear classifier.")
        inner = _machine(last)
        return inner._replace(scalings=(*first, *inner.scalings))
    if isinstance(model, LeastRisk):
        inner = _machine(model.estimator_)
        return inner._replace(intercept=inner.intercept + model.offsets_, later=False)
    if isinstance(model, Decomposition):
        members = [_machine(member) for member in model.estimators_]
        if any(member.scalings for member in members):
            raise ParameterError(f"A {type(model).__name__} of pipelines cannot be exported; scale before it.")
        if len(members) == 1:
            return members[0]._replace(classes=model.classes_)
        if model.scheme == "one_vs_all":
            return Machine(model.coef_, model.intercept_, model.classes_, later=False)
    if isinstance(model, LinearClassifier) and getattr(model, "_learner", None).__class__.__name__ != "Voted":
        return Machine(model.coef_, model.intercept_, model.classes_, later=model._tie_sign > 0)
    raise ParameterError(
        f"Only linear models can be exported, and this {type(model).__name__} is none: it answers by a vote or a "
        "kernel. rosenblatt.save keeps any model."
    )


def _plain(value: Any) -> Any:
    """Parameters as people read them; not to be read back."""
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


def _sentence(machine: Machine) -> str:
    """How to predict."""
    if len(machine.coef) == 1:
        here, there = ("classes[0]", "classes[1]") if machine.later else ("classes[1]", "classes[0]")
        side = "below" if machine.later else "above"
        rule = f"The score is coef[0].x + intercept[0]; {side} 0 the class is {here}, else {there}, also at exactly 0."
    else:
        which = "later" if machine.later else "earlier"
        rule = (
            "The score of classes[c] is coef[c].x + intercept[c]; the class with the largest score wins, of equal "
            f"scores the {which} one."
        )
    words = ["divide x by its length, unless that is 0", "x[j] becomes (x[j] - centre[j]) / scale[j], where not null"]
    steps = dict.fromkeys(words[scaling.record()["how"] != "unit"] for scaling in machine.scalings)
    return (f"First, for each scaling in turn, {'; '.join(steps)}. " if steps else "") + rule

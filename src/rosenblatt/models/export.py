"""Export of models: linear ones as JSON that people can read, all kinds as an ONNX graph."""

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.base.argument_types import FittedModel, TableLike
from rosenblatt.errors import MissingExtraError, ParameterError
from rosenblatt.models.linear_form import LinearForm, linear_form
from rosenblatt.models.onnx_graph import Draft, draw, draw_label, onnx_labels
from rosenblatt.models.skl2onnx_converters import convert_pipeline, one_row

if TYPE_CHECKING:
    import onnx

FORMAT, VERSION = "rosenblatt linear model", 1
OPSET, IR = 18, 10  # of 2022 and 2024; current runtimes support them


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
    linear = _linear(model)
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


def to_onnx(model: FittedModel, X: TableLike | None = None) -> "onnx.ModelProto":
    """Return a model as an ONNX graph, which other programs can run.

    The input is `X`, rows of float64. The outputs are `label`, the class of each row, and `scores`, as
    `decision_function` returns them. An ONNX runtime adds in another order and does not compute exact signs. A row
    whose score is 0 within rounding, or whose two best scores are equal within rounding, may get the other class.

    Parameters
    ----------
    model : fitted estimator
        A classifier of this package, or a scikit-learn Pipeline that ends in one. skl2onnx converts steps that are not
        of this package. A kernel that is a function cannot be exported.
    X : array, data frame or list, optional
        Some rows. Give them for a Pipeline whose input is not a table of numbers. The graph then has the inputs that
        skl2onnx makes of them: one for each column of a data frame.

    Returns
    -------
    onnx.ModelProto
        `onnx.save(graph, path)` writes it to a file. Labels have the type of the classes: int64, strings,
        booleans or doubles.

    Raises
    ------
    MissingExtraError
        The package onnx, or skl2onnx for a Pipeline with other steps, is not installed.
    ParameterError
        No graph can be made of the model. The message says why.

    See Also
    --------
    register_with_skl2onnx : For pipelines that end in another classifier.
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
    row = None if X is None else one_row(X)
    made: onnx.ModelProto = convert_pipeline(model, row) if has_foreign_steps(model) else _own_graph(model)
    made.producer_name = "rosenblatt"
    onnx.checker.check_model(made)
    return made


def has_foreign_steps(model: Any) -> bool:
    """Whether this is a pipeline with other steps than Scaling before its classifier."""
    from rosenblatt.data.scaling import Scaling

    return hasattr(model, "steps") and not all(isinstance(step, Scaling) for _, step in model.steps[:-1])


def _own_graph(model: Any) -> "onnx.ModelProto":
    """A graph whose nodes are all drawn here."""
    import onnx

    draft = Draft()
    drawn = draw(draft, "X", model)
    draft.rename({draw_label(draft, drawn): "label", drawn.scores: "scores"})
    helper, kinds, k = onnx.helper, onnx.TensorProto, len(drawn.classes)
    label = {"i": kinds.INT64, "O": kinds.STRING, "b": kinds.BOOL, "f": kinds.DOUBLE}
    outputs = [
        helper.make_tensor_value_info("label", label[onnx_labels(drawn.classes).dtype.kind], ["n"]),
        helper.make_tensor_value_info("scores", kinds.DOUBLE, ["n"] if k == 2 else ["n", k]),
    ]
    inputs = [helper.make_tensor_value_info("X", kinds.DOUBLE, ["n", int(model.n_features_in_)])]
    nodes = [helper.make_node(op, given, [name], **options) for op, given, name, options in draft.nodes]
    constants = [onnx.numpy_helper.from_array(array, name) for name, array in draft.constants.items()]
    graph = helper.make_graph(nodes, type(model).__name__, inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)


def _linear(model: Any) -> LinearForm:
    """The numbers of a linear model. Raise if the model is not linear."""
    linear = linear_form(model)
    if linear is None:
        raise ParameterError(
            f"Only linear models can be written as JSON. This {type(model).__name__} is not linear: it predicts by a "
            "vote or by a kernel. rosenblatt.save can save it."
        )
    return linear


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


def _sentence(linear: LinearForm) -> str:
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

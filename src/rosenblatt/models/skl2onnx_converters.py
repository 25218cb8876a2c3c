"""Converters of this package's estimators for skl2onnx, which converts scikit-learn's pipelines to ONNX."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import MissingExtraError, ParameterError
from rosenblatt.models.onnx_graph import DOUBLE, Draft, draw, draw_label, onnx_labels, scaled

CLASSIFIERS = (
    "Anderson",
    "BatchPerceptron",
    "Calibrated",
    "KernelPerceptron",
    "Kessler",
    "Kozinec",
    "LeastRisk",
    "NearestMean",
    "OneVsAll",
    "OneVsOne",
    "PassiveAggressive",
    "Perceptron",
    "Pocket",
)
OPSETS = {"": 18, "ai.onnx.ml": 3}


def register_with_skl2onnx() -> None:
    """Register the estimators of this package with skl2onnx, so that it converts pipelines that contain them.

    After one call, `skl2onnx.to_onnx` converts any pipeline of estimators that skl2onnx knows and estimators of this
    package. A classifier of this package gives two outputs: `label`, the class of each row, and `scores`, as
    `decision_function` returns them. It computes in float64, whatever the type of the input.

    Raises
    ------
    MissingExtraError
        The package skl2onnx is not installed.

    See Also
    --------
    to_onnx : Converts a model or a pipeline, and calls this function if it must.

    Examples
    --------
    >>> import importlib
    >>> from rosenblatt import register_with_skl2onnx
    >>> register_with_skl2onnx()
    >>> "RosenblattOneVsOne" in importlib.import_module("skl2onnx").supported_converters()
    True
    """
    try:
        import skl2onnx
    except ImportError as error:
        raise MissingExtraError("A conversion by skl2onnx", "onnx") from error
    rosenblatt = importlib.import_module("rosenblatt")
    for name in CLASSIFIERS:
        skl2onnx.update_registered_converter(
            getattr(rosenblatt, name), f"Rosenblatt{name}", _shapes, _convert_classifier, parser=_parse_classifier
        )
    skl2onnx.update_registered_converter(
        rosenblatt.Scaling, "RosenblattScaling", _scaling_shapes, _convert_scaling, parser=_parse_scaling
    )


def convert_pipeline(model: Any, X: Any) -> Any:
    """Convert a pipeline by skl2onnx; X is what `one_row` returns, or None if all columns are numbers.

    Raises
    ------
    ParameterError
        skl2onnx cannot convert the pipeline; the message has its reason.
    """
    register_with_skl2onnx()
    import onnx
    import skl2onnx
    from skl2onnx.common.data_types import DoubleTensorType
    from skl2onnx.common.exceptions import MissingConverter, MissingShapeCalculator

    if X is None and not hasattr(model, "n_features_in_"):
        first = type(model.steps[0][1]).__name__
        raise ParameterError(
            f"The pipeline starts with {first}, whose input is no table of numbers; give some rows, as in "
            "to_onnx(model, X)."
        )
    given = {"initial_types": [("X", DoubleTensorType([None, model.n_features_in_]))]} if X is None else {"X": X}
    try:
        made = skl2onnx.to_onnx(model, **given, target_opset=OPSETS)
    except (
        MissingConverter,
        MissingShapeCalculator,
        NotImplementedError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        named = X is None and hasattr(model, "feature_names_in_")
        hint = " Its columns have names: give some rows, as in to_onnx(model, X)." if named else ""
        raise ParameterError(f"skl2onnx cannot convert this pipeline: {_first_line(error)}{hint}") from error
    try:
        onnx.checker.check_model(made, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise ParameterError(
            "skl2onnx made a graph of this pipeline that is not valid: some of its steps exist in float32 only. Give "
            f"some rows of that type, as in to_onnx(model, X.astype('float32')). ({_first_line(error)})"
        ) from error
    return made


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def one_row(X: Any) -> Any:
    """The first row, in a type that skl2onnx knows: words of a data frame as objects, a list as an array."""
    if not hasattr(X, "iloc"):
        row = np.asarray(X[:1] if hasattr(X, "__getitem__") else X)
        return row[:, np.newaxis] if row.ndim == 1 else row  # of texts, one in a row
    few = X.iloc[:1]
    words = [name for name, kind in few.dtypes.items() if kind.kind not in "biuf"]
    return few.astype(dict.fromkeys(words, object))


def _parse_classifier(scope: Any, model: Any, inputs: Sequence[Any], custom_parsers: Any = None) -> Any:  # noqa: ARG001
    """Declare the node of a classifier, with its two outputs."""
    from skl2onnx.common.data_types import DoubleTensorType

    node = scope.declare_local_operator(f"Rosenblatt{type(model).__name__}", model)
    node.inputs.extend(inputs)
    node.outputs.append(scope.declare_local_variable("label", _label_type(model.classes_)))
    node.outputs.append(scope.declare_local_variable("scores", DoubleTensorType()))
    return node.outputs


def _label_type(classes: Any) -> Any:
    from skl2onnx.common import data_types

    types = {
        "i": data_types.Int64TensorType,
        "O": data_types.StringTensorType,
        "b": data_types.BooleanTensorType,
        "f": data_types.DoubleTensorType,
    }
    return types[onnx_labels(classes).dtype.kind]()


def _shapes(node: Any) -> None:
    n, k = node.inputs[0].get_first_dimension(), len(node.raw_operator.classes_)
    node.outputs[0].type.shape = [n]
    node.outputs[1].type.shape = [n] if k == 2 else [n, k]


def _convert_classifier(scope: Any, node: Any, container: Any) -> None:
    draft = Draft()
    drawn = draw(draft, _doubles(draft, node.inputs), node.raw_operator)
    label = draw_label(draft, drawn)
    _emit(draft, {label: node.outputs[0].full_name, drawn.scores: node.outputs[1].full_name}, scope, container)


def _parse_scaling(scope: Any, model: Any, inputs: Sequence[Any], custom_parsers: Any = None) -> Any:  # noqa: ARG001
    from skl2onnx.common.data_types import DoubleTensorType

    node = scope.declare_local_operator("RosenblattScaling", model)
    node.inputs.extend(inputs)
    node.outputs.append(scope.declare_local_variable("scaled", DoubleTensorType()))
    return node.outputs


def _scaling_shapes(node: Any) -> None:
    node.outputs[0].type.shape = [node.inputs[0].get_first_dimension(), node.raw_operator.n_features_in_]


def _convert_scaling(scope: Any, node: Any, container: Any) -> None:
    draft = Draft()
    rows = scaled(draft, _doubles(draft, node.inputs), node.raw_operator)
    _emit(draft, {rows: node.outputs[0].full_name}, scope, container)


def _doubles(draft: Draft, inputs: Sequence[Any]) -> str:
    """Add the nodes that make one table of doubles of the inputs; return its name."""
    tables = [draft.add("Cast", each.full_name, to=DOUBLE) for each in inputs]
    return tables[0] if len(tables) == 1 else draft.add("Concat", *tables, axis=1)


def _emit(draft: Draft, outputs: dict[str, str], scope: Any, container: Any) -> None:
    """Add a draft to the graph of skl2onnx, under names that are new there."""
    from skl2onnx.proto import onnx_proto

    own = [name for _, _, name, _ in draft.nodes] + list(draft.constants)
    draft.rename({name: scope.get_unique_variable_name(f"rosenblatt_{name}") for name in own} | outputs)
    types = {"i": onnx_proto.TensorProto.INT64, "f": onnx_proto.TensorProto.DOUBLE, "b": onnx_proto.TensorProto.BOOL}
    for name, array in draft.constants.items():
        words = array.dtype.kind == "O"
        content = [str(word).encode() for word in array] if words else np.ascontiguousarray(array).ravel()
        kind = onnx_proto.TensorProto.STRING if words else types[array.dtype.kind]
        container.add_initializer(name, kind, list(array.shape), content)
    for op, given, name, options in draft.nodes:
        unique = scope.get_unique_operator_name(op)
        container.add_node(op, given, [name], op_version=_version(op), name=unique, **options)


def _version(op: str) -> int:
    """The newest version of an operator in the opset that is used."""
    import onnx

    return int(onnx.defs.get_schema(op, OPSETS[""], "").since_version)

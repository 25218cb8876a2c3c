"""Transformers of scikit-learn as trees of arrays and JSON facts, and back.

The tree has all attributes of a transformer: its parameters, and what it learned. An attribute is a plain value, an
array, a container of these, or another transformer. Classes and functions come from the lists below, by name, so no
file can name other code.
"""

import importlib
from typing import Any

from rosenblatt.base.schema import Arrays, Facts, Source
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.models.plain_values import PlainReader, PlainWriter

CLASSES = {  # name: module of scikit-learn
    **dict.fromkeys(
        (
            "Binarizer",
            "FunctionTransformer",
            "KBinsDiscretizer",
            "MaxAbsScaler",
            "MinMaxScaler",
            "Normalizer",
            "OneHotEncoder",
            "OrdinalEncoder",
            "PolynomialFeatures",
            "PowerTransformer",
            "QuantileTransformer",
            "RobustScaler",
            "StandardScaler",
            "TargetEncoder",
        ),
        "preprocessing",
    ),
    **dict.fromkeys(("KNNImputer", "MissingIndicator", "SimpleImputer"), "impute"),
    **dict.fromkeys(("PCA", "TruncatedSVD"), "decomposition"),
    **dict.fromkeys(("SelectKBest", "SelectPercentile", "VarianceThreshold"), "feature_selection"),
    **dict.fromkeys(("DictVectorizer", "FeatureHasher"), "feature_extraction"),
    **dict.fromkeys(
        ("CountVectorizer", "HashingVectorizer", "TfidfTransformer", "TfidfVectorizer"), "feature_extraction.text"
    ),
    **dict.fromkeys(("Nystroem", "RBFSampler"), "kernel_approximation"),
    "ColumnTransformer": "compose",
    **dict.fromkeys(("FeatureUnion", "Pipeline"), "pipeline"),
}
FUNCTIONS = dict.fromkeys(("chi2", "f_classif", "f_regression", "mutual_info_classif"), "feature_selection")
ADDRESSES = ("_stop_words_id",)  # attributes that hold the address of an object, which is another one in each run
NO_STEP = ("passthrough", None)  # what a pipeline may have in place of a step


def is_transformer(step: Any) -> bool:
    """Whether this is a transformer of scikit-learn that a file can keep, or a word for none.

    A pipeline is one if it does not end in a classifier.
    """
    if step is None or isinstance(step, str):
        return step in NO_STEP
    return _is_listed(type(step)) and not hasattr(step, "decision_function")


def not_listed(step: Any) -> ParameterError:
    """The error that a transformer cannot be saved, which names those that can."""
    name = type(step).__name__
    if type(step).__module__.startswith("rosenblatt."):
        return ParameterError(
            f"A {name} inside a transformer of scikit-learn cannot be saved. Use a transformer of scikit-learn there, "
            "such as StandardScaler."
        )
    return ParameterError(
        f"A {name} cannot be saved. These transformers can: Scaling, and scikit-learn's {', '.join(sorted(CLASSES))}."
    )


def transformer_to_tree(step: Any) -> tuple[Arrays, Facts]:
    """The arrays and facts that make a transformer.

    Raises
    ------
    ParameterError
        The transformer has a function, or another object that a file cannot keep.
    """
    import sklearn

    writer = _Writer()
    return writer.arrays, {"transformer": writer.pack(step), "sklearn": sklearn.__version__}


def transformer_from_tree(source: Source, *, fitted: bool) -> Any:
    """The transformer that `transformer_to_tree` took apart.

    Raises
    ------
    DataError
        The tree is not that of a transformer, or another version of scikit-learn wrote it.
    """
    from sklearn.utils.validation import check_is_fitted

    _check_version(source)
    step = _Reader(source).unpack(source.fact("transformer"))
    if not is_transformer(step):
        raise source.refusal("must be a transformer of scikit-learn")
    source.end()
    if fitted and step not in NO_STEP:
        try:
            check_is_fitted(step)
        except ValueError as error:
            raise source.refusal(f"has a {type(step).__name__} that is not fitted") from error
    return step


def _check_version(source: Source) -> None:
    import sklearn

    wrote, here = source.fact("sklearn"), sklearn.__version__
    if not isinstance(wrote, str) or wrote.split(".")[:2] != here.split(".")[:2]:
        raise DataError(
            f"The model has transformers of scikit-learn {str(wrote)[:20]}, and scikit-learn {here} is installed, "
            "which may compute something else. Install the version that saved it, or fit the model and save it again. "
            "to_onnx makes a file that does not depend on the version."
        )


def _is_listed(cls: type) -> bool:
    name = cls.__name__
    return name in CLASSES and cls.__module__.startswith("sklearn.") and _listed(CLASSES, name) is cls


def _listed(table: dict[str, str], name: str) -> Any:
    return getattr(importlib.import_module(f"sklearn.{table[name]}"), name)


class _Writer(PlainWriter):
    """Takes transformers apart."""

    def pack_other(self, value: Any) -> Any:
        if _is_listed(type(value)):
            cls = type(value)
            inner = _Writer(cls.__name__, self.arrays)
            kept = {name: inner.pack(part) for name, part in vars(value).items() if name not in ADDRESSES}
            return {"class": cls.__name__, "attributes": kept}
        name = getattr(value, "__name__", type(value).__name__)
        if name in FUNCTIONS and _listed(FUNCTIONS, name) is value:
            return {"function": name}
        if hasattr(value, "get_params"):
            raise not_listed(value)
        if callable(value) and not isinstance(value, type):
            remedy = "Apply the function to the rows before the pipeline."
            if self.where == "ColumnTransformer":
                remedy = "Name the columns in a list instead."
            raise ParameterError(f"{self.where} has the function {name}, and a file holds no code. {remedy}")
        raise ParameterError(
            f"{self.where} has a {type(value).__name__}, which cannot be saved. Give strings, numbers or arrays."
        )


class _Reader(PlainReader):
    """Builds transformers from their parts."""

    def unpack_other(self, kept: Any) -> Any:
        match kept:
            case {"class": str(name), "attributes": dict(entries), **rest} if not rest and name in CLASSES:
                return self._transformer(_listed(CLASSES, name), entries)
            case {"function": str(name), **rest} if not rest and name in FUNCTIONS:
                return _listed(FUNCTIONS, name)
        raise self.source.refusal(f"has an impossible value: {str(kept)[:60]}")

    def _transformer(self, cls: Any, entries: dict[str, Any]) -> Any:
        where = f"has a {cls.__name__}"
        for name in entries:
            if not name.isidentifier() or name.startswith("__") or callable(getattr(cls, name, None)):
                raise self.source.refusal(f"{where} with the impossible attribute {name[:40]!r}")
        missing = set(cls._get_param_names()) - entries.keys()
        if missing:
            raise self.source.refusal(f"{where} without the parameter {min(missing)!r}")
        made = cls.__new__(cls)
        vars(made).update({name: self.unpack(value) for name, value in entries.items()})
        try:
            if hasattr(cls, "_parameter_constraints"):  # FeatureUnion has none
                made._validate_params()
        except ValueError as error:
            raise self.source.refusal(f"{where} with a wrong parameter: {str(error).rstrip('.')}") from error
        return made

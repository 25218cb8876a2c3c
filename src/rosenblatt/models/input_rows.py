"""Rows as a model knows them: of a file, its columns found by name and encoded as in training; scaled, if it scales."""

from typing import Any

from rosenblatt.data.files.encoding import Encoding
from rosenblatt.data.files.read import Data, read
from rosenblatt.data.files.sources import places
from rosenblatt.errors import DataError


def classifier_of(model: Any) -> Any:
    """The classifier at the end of a pipeline, or the model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def seen_by(model: Any, X: Any) -> Any:
    """The rows as they reach the classifier at the end of a pipeline."""
    return model[:-1].transform(X) if hasattr(model, "steps") else X


def rows_for(fitted: Any, source: str, target: str | None, format: str | None) -> Data:  # noqa: A002
    """The rows, and their labels if the target is given; it may be missing in the file otherwise."""
    kind = places(source, format)[0].format
    if kind == "libsvm":
        return read(source, target, format=kind, width=int(fitted.n_features_in_))
    if kind in ("vw", "npz"):
        bits = int(fitted.n_features_in_).bit_length() - 1
        return read(source, target, format=kind, hash_bits=bits if kind == "vw" else None)
    record = getattr(classifier_of(fitted), "encoding_", None)
    if record is None:
        raise DataError(f"{source}: this model was not trained on a table with named columns, but this is one.")
    known = Encoding.from_record(record)
    return read(source, target, format=format, encoding=Encoding(known.columns, None, known.hash_bits))

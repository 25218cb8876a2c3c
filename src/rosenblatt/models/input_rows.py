"""Rows of a file for a saved model: columns are found by name and encoded as in training."""

from typing import Any

from rosenblatt.data.files.encoding import Encoding
from rosenblatt.data.files.read import Data, read
from rosenblatt.data.files.sources import places
from rosenblatt.errors import DataError


def classifier_of(model: Any) -> Any:
    """The classifier at the end of a pipeline, or the model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def seen_by(model: Any, X: Any) -> Any:
    """The rows that reach the classifier: transformed by the steps of the pipeline before it, if there is one."""
    return model[:-1].transform(X) if hasattr(model, "steps") else X


def rows_for(fitted: Any, source: str, target: str | None, format: str | None) -> Data:  # noqa: A002
    """Read rows for a fitted model.

    Labels are read if `target` is given; otherwise the file need not have them.
    """
    kind = places(source, format)[0].format
    if kind == "libsvm":
        return read(source, target, format=kind, width=int(fitted.n_features_in_))
    if kind in ("vw", "npz"):
        bits = int(fitted.n_features_in_).bit_length() - 1
        return read(source, target, format=kind, hash_bits=bits if kind == "vw" else None)
    record = getattr(classifier_of(fitted), "encoding_", None)
    if record is None:
        raise DataError(
            f"{source}: the file is a table with named columns, but this model was trained on data without them."
        )
    known = Encoding.from_dict(record)
    return read(source, target, format=format, encoding=Encoding(known.columns, None, known.hash_bits))

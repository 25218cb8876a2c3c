"""Rows of a file as a saved model knows them: its columns, found by name, and encoded as in training."""

from typing import Any

from rosenblatt.encoding import Encoding
from rosenblatt.errors import DataError
from rosenblatt.files import Data, read
from rosenblatt.report import classifier_of
from rosenblatt.sources import places


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
    return read(source, target, format=kind, encoding=Encoding(known.columns, None, known.hash_bits))

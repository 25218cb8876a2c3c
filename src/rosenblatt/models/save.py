"""Fitted models in files: all that they have learned, and no code.

A file is in the safetensors format: a JSON header, then arrays. The metadata in the header have one entry,
"rosenblatt". It is JSON too: it describes the model and has a SHA-256 digest of the file.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rosenblatt.base.argument_types import FilePath, FittedModel
from rosenblatt.base.files.atomic_file import replacing
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.errors import DataError

FORMAT, VERSION = "rosenblatt model", 1
ENTRY = "rosenblatt"  # the only entry of the metadata: safetensors writes several in no fixed order
MAX_HEADER_BYTES = 100_000_000  # a limit of safetensors
BLANK_DIGEST = "0" * 64  # in place of the digest while it is computed
MALFORMED = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


def save(model: FittedModel, path: FilePath) -> None:
    """Save a fitted model.

    The bytes are a function of the model: saving twice gives equal files. An existing model is replaced only when the
    new one is complete on disk, so a failed call leaves the old file unchanged. A file that is not a model is not
    replaced, so that a wrong name destroys no data.

    Parameters
    ----------
    model : fitted estimator
        An estimator of this package, or a scikit-learn Pipeline of transformers (Scaling, and those of scikit-learn
        that docs/files.md names) and such an estimator. Parameters that are functions (a kernel, a step, a stop
        condition) or a RandomState cannot be saved. If the model has an attribute `encoding_`, a dict that can be
        written as JSON, it is saved too.
    path : str or path
        The file to write; its name usually ends with .safetensors.

    Raises
    ------
    NotFittedError
        The model is not fitted.
    DataError, ParameterError
        Something in the model cannot be saved, or the file cannot be written. The message says what.

    See Also
    --------
    load : Reads the model from the file.
    to_json : The numbers of a linear model as text.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import Perceptron, load, save
    >>> path = tempfile.mkdtemp() + "/and.safetensors"
    >>> save(Perceptron(order="cyclic").fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]), path)
    >>> model = load(path)
    >>> print(model.stop_reason_, "after", model.n_updates_, "updates:", model.hyperplane_.equation())
    mistake_free after 18 updates: 3 x1 + 2 x2 - 4 = 0
    """
    raw = to_bytes(model)
    with replacing(path, FileKind.MODEL) as file:
        file.write(raw)


def load(path: FilePath) -> FittedModel:
    """Read a model that `save` has written.

    The model predicts the same to the last bit, and `partial_fit` continues where it was. No code in the file is ever
    run: any bytes give either a model or an error.

    Parameters
    ----------
    path : str or path
        The file to read.

    Returns
    -------
    fitted estimator
        The model.

    Raises
    ------
    DataError
        The file cannot be read, is damaged, has a later version, or is not a model. The message says which.

    See Also
    --------
    save : Writes the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import NearestMean, load, save
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "means.safetensors"
    >>> save(NearestMean().fit([[0, 0], [0, 2], [4, 0]], ["a", "a", "b"]), path)
    >>> print(load(path).means_.tolist(), load(path).predict([[3, 3]]))
    [[0.0, 1.0], [4.0, 0.0]] ['b']
    >>> _ = path.write_bytes(path.read_bytes()[:-1])
    >>> load(path)
    Traceback (most recent call last):
    ...
    rosenblatt.errors.DataError: ...means.safetensors: The file is damaged: its digest does not match its contents.
    """
    path = Path(path)
    try:
        if path.exists() and not path.is_file():
            raise DataError(f"{path}: it is not a file.")
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file.") from error
    except OSError as error:
        raise DataError(f"{path}: the file cannot be read: {error.strerror}.") from error
    try:
        return from_bytes(raw)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def to_bytes(model: Any) -> bytes:
    """The bytes that `save` writes."""
    from safetensors.numpy import save as serialise

    from rosenblatt.base.schema import Source
    from rosenblatt.models.assemble import from_tree, to_tree

    arrays, facts = to_tree(model)
    try:
        text = json.dumps(facts, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"encoding_ must be a dict that can be written as JSON: {error}.") from error
    from_tree(Source(type(model).__name__, arrays, json.loads(text)))  # raises if the file could not be loaded
    body = {"digest": BLANK_DIGEST, "format": FORMAT, "version": VERSION, **facts}
    raw = serialise(dict(_flat(arrays)), {ENTRY: json.dumps(body, separators=(",", ":"))})
    if int.from_bytes(raw[:8], "little") > MAX_HEADER_BYTES:
        raise DataError(
            f"The names of columns or classes take more than {MAX_HEADER_BYTES:,} bytes. Use shorter names."
        )
    return raw.replace(
        BLANK_DIGEST.encode(), hashlib.sha256(raw).hexdigest().encode(), 1
    )  # the first one is the digest


def from_bytes(raw: bytes) -> Any:
    """The model in the bytes that `to_bytes` wrote.

    Raises
    ------
    DataError
        The bytes are not a model.
    """
    from rosenblatt.base.schema import Source
    from rosenblatt.models.assemble import from_tree

    body = _body(raw)
    arrays = _tree(_tensors(raw))
    try:
        return from_tree(Source("The model", arrays, body))
    except DataError:
        raise
    except MALFORMED as error:
        raise DataError(f"The file has contents that no model has: {type(error).__name__}, {error}.") from error


def _body(raw: bytes) -> dict[str, Any]:
    """Check format, version and digest; return the rest of the metadata."""
    length = int.from_bytes(raw[:8], "little")
    if len(raw) < 8 or length > min(len(raw) - 8, MAX_HEADER_BYTES):
        raise DataError("This is not a model, or only a part of one: a safetensors file was expected.")
    try:
        ((entry, text),) = _json(raw[8 : 8 + length].decode())["__metadata__"].items()
        body = _json(text) if entry == ENTRY else {}
        kind, version, digest = (body.pop(key) for key in ("format", "version", "digest"))
    except MALFORMED as error:
        raise DataError(
            f"This is not a model: a safetensors file with {ENTRY!r} in its metadata was expected."
        ) from error
    if kind != FORMAT or type(version) is not int or version < 1:
        raise DataError(f"This is not a model: the format {FORMAT!r} was expected, not {str(kind)[:40]!r}.")
    if version > VERSION:
        raise DataError(
            f"The model has version {version}, but this release reads version {VERSION}: upgrade rosenblatt with "
            "pip install --upgrade rosenblatt."
        )
    valid = isinstance(digest, str) and len(digest) == len(BLANK_DIGEST) and digest.isascii()
    if not valid or hashlib.sha256(raw.replace(digest.encode(), BLANK_DIGEST.encode(), 1)).hexdigest() != digest:
        raise DataError("The file is damaged: its digest does not match its contents.")
    return dict(body)


def _json(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number")


def _tensors(raw: bytes) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.numpy import load as deserialise

    try:
        return deserialise(raw)
    except (SafetensorError, *MALFORMED) as error:
        raise DataError(f"This is not a model: its arrays cannot be read ({error}).") from error


def _flat(arrays: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Nested dicts of arrays as one flat sequence; dots join the names."""
    for name, array in arrays.items():
        if isinstance(array, dict):
            yield from _flat(array, f"{before}{name}.")
        else:
            yield before + name, array


def _tree(arrays: dict[str, Any]) -> dict[str, Any]:
    """The nested dicts that `_flat` flattened."""
    tree: dict[str, Any] = {}
    for name, array in arrays.items():
        *folders, last = name.split(".")
        place = tree
        for folder in folders:
            place = place.setdefault(folder, {})
            if not isinstance(place, dict):
                raise DataError(f"The model has {name[:40]!r} inside an array.")
        if last in place:
            raise DataError(f"The model has {name[:40]!r} twice.")
        place[last] = array
    return tree

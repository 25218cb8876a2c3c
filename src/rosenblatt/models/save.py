"""Models in files: all that they have learned, and no code.

A file is in the safetensors format: arrays, and before them a header of JSON. Its metadata have one entry,
"rosenblatt", again JSON: what the model is, and a digest of all bytes of the file.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rosenblatt.base.atomic_file import replacing
from rosenblatt.errors import DataError

FORMAT, VERSION = "rosenblatt model", 1
ENTRY = "rosenblatt"  # of the metadata; there is one only, since safetensors writes several in no fixed order
LONGEST = 100_000_000  # bytes of the header, a limit of safetensors
BLANK = "0" * 64  # stands for the digest while it is computed
MALFORMED = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model.

    The same model gives the same bytes. They take the place of an old file when all of them are on the disk, and not
    before: a call that fails leaves it as it was.

    Parameters
    ----------
    model : a fitted estimator of this package, or a scikit-learn Pipeline of Scaling and such a one
        A kernel, a step or a condition that is a function cannot be saved, nor a RandomState. If the model has an
        attribute `encoding_`, a dict of what JSON knows, it is saved as well.
    path : the file, by custom with the ending .safetensors

    Raises
    ------
    NotFittedError
        It has not learned anything yet.
    DataError, ParameterError
        Something in it cannot be saved, or the file cannot be written; the message says what.

    See Also
    --------
    load : read it again.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt import load, save
    >>> path = tempfile.mkdtemp() + "/and.safetensors"
    >>> save(Perceptron(order="cyclic").fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]), path)
    >>> model = load(path)
    >>> print(model.stop_reason_, "after", model.n_updates_, "updates:", model.hyperplane_.equation())
    mistake_free after 18 updates: 3 x1 + 2 x2 - 4 = 0
    """
    raw = to_bytes(model)
    with replacing(path) as file:
        file.write(raw)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` has written.

    It predicts the same to the last bit, and goes on learning where it was. Nothing in the file is run: whatever its
    bytes are, they give a model or an error.

    Parameters
    ----------
    path : the file

    Raises
    ------
    DataError
        The file cannot be read, was damaged, is of a later version, or is no model; the message says which.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rosenblatt import NearestMean
    >>> from rosenblatt import load, save
    >>> path = Path(tempfile.mkdtemp()) / "means.safetensors"
    >>> save(NearestMean().fit([[0, 0], [0, 2], [4, 0]], ["a", "a", "b"]), path)
    >>> print(load(path).means_.tolist(), load(path).predict([[3, 3]]))
    [[0.0, 1.0], [4.0, 0.0]] ['b']
    >>> _ = path.write_bytes(path.read_bytes()[:-1])
    >>> load(path)
    Traceback (most recent call last):
    ...
    rosenblatt.errors.DataError: ...means.safetensors: The file was damaged: its digest does not fit its bytes.
    """
    path = Path(path)
    try:
        if path.exists() and not path.is_file():
            raise DataError(f"{path}: it is not a file.")
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file.") from error
    except OSError as error:
        raise DataError(f"{path}: it cannot be read: {error.strerror}.") from error
    try:
        return from_bytes(raw)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def to_bytes(model: Any) -> bytes:
    """What `save` writes."""
    from safetensors.numpy import save as serialise

    from rosenblatt.base.schema import Source
    from rosenblatt.models.assemble import apart, together

    arrays, facts = apart(model)
    try:
        text = json.dumps(facts, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"encoding_ must be a dict that can be written as JSON: {error}.") from error
    together(Source(type(model).__name__, arrays, json.loads(text)))  # what could not be loaded is not saved
    body = {"digest": BLANK, "format": FORMAT, "version": VERSION, **facts}
    raw = serialise(dict(_flat(arrays)), {ENTRY: json.dumps(body, separators=(",", ":"))})
    if int.from_bytes(raw[:8], "little") > LONGEST:
        raise DataError(f"The names of columns or classes take more than {LONGEST:,} bytes; give shorter ones.")
    return raw.replace(BLANK.encode(), hashlib.sha256(raw).hexdigest().encode(), 1)  # the first is that of the digest


def from_bytes(raw: bytes) -> Any:
    """The model that `to_bytes` has written.

    Raises
    ------
    DataError
        The bytes are no model.
    """
    from rosenblatt.base.schema import Source
    from rosenblatt.models.assemble import together

    body = _body(raw)
    arrays = _tree(_tensors(raw))
    try:
        return together(Source("The model", arrays, body))
    except DataError:
        raise
    except MALFORMED as error:
        raise DataError(f"The file makes no sense: {type(error).__name__}, {error}.") from error


def _body(raw: bytes) -> dict[str, Any]:
    """The metadata of a file whose digest is right, without format, version and digest."""
    length = int.from_bytes(raw[:8], "little")
    if len(raw) < 8 or length > min(len(raw) - 8, LONGEST):
        raise DataError("This is not a model, or a part of one only: a safetensors file was expected.")
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
            f"The model is of version {version}, and this release reads version {VERSION}: upgrade it with "
            "pip install --upgrade rosenblatt."
        )
    known = isinstance(digest, str) and len(digest) == len(BLANK) and digest.isascii()
    if not known or hashlib.sha256(raw.replace(digest.encode(), BLANK.encode(), 1)).hexdigest() != digest:
        raise DataError("The file was damaged: its digest does not fit its bytes.")
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
    """Arrays inside dicts by one name each, with dots."""
    for name, array in arrays.items():
        if isinstance(array, dict):
            yield from _flat(array, f"{before}{name}.")
        else:
            yield before + name, array


def _tree(arrays: dict[str, Any]) -> dict[str, Any]:
    """The dicts again."""
    tree: dict[str, Any] = {}
    for name, array in arrays.items():
        *folders, last = name.split(".")
        place = tree
        for folder in folders:
            place = place.setdefault(folder, {})
            if not isinstance(place, dict):
                raise DataError(f"The model has {name[:40]!r} inside of what is an array.")
        if last in place:
            raise DataError(f"The model has {name[:40]!r} twice.")
        place[last] = array
    return tree

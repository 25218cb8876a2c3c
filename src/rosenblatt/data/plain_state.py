"""The state of estimators for pickle, joblib and skops: plain values, arrays, and objects of this package.

skops asks its user to trust every class that is not plain. It turns a `StopReason` into a string, and dict keys that
are not strings into strings. So the state has such values in another form, and is restored from it.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import scipy.sparse

from rosenblatt.base.stopping import StopReason

SPARSE = {"csr_array": scipy.sparse.csr_array, "csr_matrix": scipy.sparse.csr_matrix}


class PlainState:
    """An estimator whose state is plain."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: plain(value) for name, value in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: restored(value) for name, value in state.items()})


def plain(value: Any) -> Any:
    """Return a value in its plain form: a dict with one key, which names the form, where there is no other.

    >>> plain([StopReason.BUDGET, {True: 1}])
    [{'StopReason': 'budget'}, {'pairs': [[True, 1]]}]
    """
    if isinstance(value, StopReason):
        return {"StopReason": str(value)}
    if isinstance(value, Fraction):
        return {"Fraction": list(value.as_integer_ratio())}
    kind = type(value).__name__
    if kind in SPARSE and scipy.sparse.issparse(value):
        return {kind: [value.data, value.indices, value.indptr, list(value.shape)]}
    if type(value) is dict and not (all(isinstance(key, str) for key in value) and value.keys().isdisjoint(FORMS)):
        return {"pairs": [[key, plain(part)] for key, part in value.items()]}
    return _parts(plain, value)


def restored(value: Any) -> Any:
    """Return the value whose plain form this is."""
    if type(value) is dict and len(value) == 1:
        (form, content), *_ = value.items()
        if form in FORMS:
            return FORMS[form](content)
    return _parts(restored, value)


def _parts(convert: Callable[[Any], Any], value: Any) -> Any:
    """Convert the parts of a dict, a list or a tuple."""
    if type(value) is dict:
        return {key: convert(part) for key, part in value.items()}
    if type(value) is list:
        return [convert(part) for part in value]
    if isinstance(value, tuple):
        parts = [convert(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _sparse(form: str) -> Callable[[Any], Any]:
    def rows(content: Any) -> Any:
        data, indices, indptr, shape = content
        return SPARSE[form]((data, indices, indptr), shape=tuple(shape))

    return rows


FORMS: dict[str, Callable[[Any], Any]] = {
    "StopReason": StopReason,
    "Fraction": lambda content: Fraction(*content),
    "pairs": lambda content: {key: restored(part) for key, part in content},
    **{form: _sparse(form) for form in SPARSE},
}

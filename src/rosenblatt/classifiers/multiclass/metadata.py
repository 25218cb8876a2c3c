"""Metadata, such as `sample_weight`: the way from the `fit` of a wrapper to the estimators inside it."""

import inspect
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metadata_routing import _raise_for_params as refuse_without_routing
from sklearn.utils.validation import _check_method_params as select_rows

from rosenblatt.data.validation import Codes, Matrix
from rosenblatt.data.weights import chunk_weights, row_weights
from rosenblatt.errors import ParameterError


class RoutesMetadata:
    """A wrapper whose `fit` gives metadata to the `fit` of its estimator.

    With scikit-learn's metadata routing, the estimator gets what it requests. Without it, the estimator gets
    `sample_weight`, and there is no other metadata.
    """

    estimator: Any
    fit: Any
    _routed_methods: ClassVar[tuple[str, ...]] = ("fit",)

    def get_metadata_routing(self) -> Any:
        """Return scikit-learn's `MetadataRouter`: `fit` passes metadata to the estimator, `score` uses its own.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            What scikit-learn asks for.
        """
        mapping = MethodMapping()
        for method in self._routed_methods:
            mapping.add(caller=method, callee=method)
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=mapping)

    def _metadata(self, given: dict[str, Any], classes: NDArray[Any], codes: Codes) -> dict[str, Any]:
        """Return the part of the metadata given to `fit` that the estimator takes.

        The weights of rows are checked here: a member that gets some of the rows cannot see that their number is wrong.
        """
        taken = self._taken(given, "fit")
        if taken.get("sample_weight") is not None:
            taken["sample_weight"] = row_weights(taken["sample_weight"], codes, classes)
        return taken

    def _chunk_metadata(self, given: dict[str, Any], n: int) -> dict[str, Any]:
        """Return the part of the metadata given to `partial_fit`, for n rows, that the estimator takes."""
        taken = self._taken(given, "partial_fit")
        if taken.get("sample_weight") is not None:
            taken["sample_weight"] = chunk_weights(taken["sample_weight"], n)
        return taken

    def _taken(self, given: dict[str, Any], method: str) -> dict[str, Any]:
        if get_config()["enable_metadata_routing"] or given.keys() - {"sample_weight"}:
            refuse_without_routing(given, self, method)
            return dict(process_routing(self, method, **given).estimator[method])
        if given.get("sample_weight") is not None and not _takes_weights(getattr(self.estimator, method)):
            name, inner = type(self).__name__, type(self.estimator).__name__
            raise ParameterError(
                f"{name}.{method} cannot use sample_weight, because {inner}.{method} takes none: {inner} counts every "
                f"row alike. Leave sample_weight out, or use another estimator, such as {name}(Perceptron())."
            )
        return dict(given)


def _takes_weights(method: Any) -> bool:
    """Whether a method has `sample_weight` among its arguments, or takes any metadata, as wrappers do."""
    arguments = inspect.signature(method).parameters
    return "sample_weight" in arguments or any(each.kind is each.VAR_KEYWORD for each in arguments.values())


def metadata_of(rows: Codes, points: Matrix, metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of some of the rows: the entries of these rows, where there is one entry for each row."""
    return dict(select_rows(points, metadata, indices=rows))

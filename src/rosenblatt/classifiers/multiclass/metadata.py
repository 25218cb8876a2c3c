"""Metadata, such as `sample_weight`: the way from the `fit` of a wrapper to the estimators inside it."""

from typing import Any

from numpy.typing import NDArray
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metadata_routing import _raise_for_params as refuse_without_routing
from sklearn.utils.validation import _check_method_params as select_rows

from rosenblatt.data.validation import Codes, Matrix
from rosenblatt.data.weights import row_weights


class RoutesMetadata:
    """A wrapper whose `fit` gives metadata to the `fit` of its estimator, by scikit-learn's metadata routing."""

    estimator: Any
    fit: Any

    def get_metadata_routing(self) -> Any:
        """Return scikit-learn's `MetadataRouter`: `fit` passes metadata to the estimator, `score` uses its own.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            What scikit-learn asks for.
        """
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=to_fit)

    def _metadata(self, given: dict[str, Any], classes: NDArray[Any], codes: Codes) -> dict[str, Any]:
        """Return the part of the metadata given to `fit` that the estimator requests.

        The weights of rows are checked here: a member that gets some of the rows cannot see that their number is wrong.
        """
        refuse_without_routing(given, self, "fit")
        requested = dict(process_routing(self, "fit", **given).estimator.fit)
        if requested.get("sample_weight") is not None:
            requested["sample_weight"] = row_weights(requested["sample_weight"], codes, classes)
        return requested


def metadata_of(rows: Codes, points: Matrix, metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of some of the rows: the entries of these rows, where there is one entry for each row."""
    return dict(select_rows(points, metadata, indices=rows))

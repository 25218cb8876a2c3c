"""Declarations of scikit-learn's base classes, with types. Only mypy reads this file; see `estimator_bases`."""

# mypy: disable-error-code="empty-body"

from typing import Any, Self

from numpy.typing import ArrayLike, NDArray

from rosenblatt.base.argument_types import LabelsLike, TableLike


class BaseEstimator:
    """Parameters by name, metadata requests, tags, and views for notebooks."""

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def set_fit_request(self, **metadata: bool | str | None) -> Self: ...
    def set_partial_fit_request(self, **metadata: bool | str | None) -> Self: ...
    def set_score_request(self, **metadata: bool | str | None) -> Self: ...
    def __sklearn_tags__(self) -> Any: ...
    def _html_repr(self) -> str: ...
    def _repr_html_(self) -> str: ...
    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]: ...


class ClassifierMixin:
    """A classifier, with its accuracy."""

    def score(self, X: TableLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> float: ...


class TransformerMixin:
    """A transformer."""

    def fit_transform(self, X: TableLike, y: LabelsLike | None = None, **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: str | None = None) -> Self: ...


class OneToOneFeatureMixin:
    """A transformer that keeps the number of columns."""

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]: ...


class MetaEstimatorMixin:
    """An estimator around others."""

"""Help for users: what a foreign name is called here, and where the documentation is."""

import difflib
import functools
import importlib.metadata
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, Self, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# Names of parameters elsewhere (scikit-learn, river, Vowpal Wabbit, R, earlier versions), and those of parameters here
# with the same meaning. An estimator is advised to use the first that it has.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "max_iter": ("max_epochs",),
    "n_iter": ("max_epochs", "max_iter"),
    "epochs": ("max_epochs", "max_iter"),
    "n_epochs": ("max_epochs", "max_iter"),
    "passes": ("max_epochs",),
    "maxit": ("max_epochs", "max_iter"),
    "max_epochs": ("max_iter",),
    "eta0": ("learning_rate",),
    "eta": ("learning_rate",),
    "lr": ("learning_rate",),
    "step": ("learning_rate",),
    "n_iter_no_change": ("patience",),
    "seed": ("random_state",),
    "random_seed": ("random_state",),
    "weights": ("class_weight",),
    "class_weights": ("class_weight",),
    "initial_weights": ("init",),
    "coef_init": ("init",),
    "cost": ("C",),
    "tol": ("epsilon",),
    "kernel_width": ("gamma",),
    "sigma": ("gamma",),
    "budget": ("max_support",),
    "target": ("max_errors", "max_error"),
    "relative": ("epsilon_kind",),
    "components": ("n_components",),
    "covariance": ("covariance_type",),
    "reg_covar": ("ridge",),
    "base_estimator": ("estimator",),
    "classifier": ("estimator",),
    "cost_matrix": ("penalty",),
}

# Names whose meaning is expressed by a parameter of another kind: that parameter, and how to use it.
OTHER_WAYS: Mapping[str, tuple[str, str]] = {
    "fit_intercept": ("bias", "here bias=0 leaves the intercept out, and bias=1 is the usual constant"),
    "intercept": ("bias", "here bias=0 leaves the intercept out, and bias=1 is the usual constant"),
    "intercept_scaling": ("bias", "here it is 'bias', the constant at the end of each row"),
    "shuffle": ("order", "here order='shuffled' shuffles in each pass, and order='cyclic' does not"),
    "early_stopping": ("held_out", "here held_out=0.1 keeps a tenth of the rows apart and stops by them"),
    "validation_fraction": ("held_out", "here it is 'held_out'"),
    "averaging": ("average", "here average='averaged' answers with the mean of all weights"),
    "voted": ("average", "here it is average='voted'"),
    "with_mean": ("how", "here how='standardize' subtracts the mean and divides by the deviation"),
    "with_std": ("how", "here how='standardize' subtracts the mean and divides by the deviation"),
}

# Names of what estimators here do not have, and what to do instead.
NO_PENALTY = "these rules have no penalty; Kozinec(C=...) weighs the margin against slack"
NOT_HERE: Mapping[str, str] = {
    "loss": "each class has one loss; Kozinec(C=...) minimises the squared hinge",
    "penalty": NO_PENALTY,
    "alpha": NO_PENALTY,
    "l1_ratio": NO_PENALTY,
    "l1": NO_PENALTY,
    "l2": NO_PENALTY,
    "tol": "there is no tolerance: training stops after a pass without a mistake, and stop_reason_ says why it stopped",
    "n_jobs": "training runs in one thread; GridSearchCV and others can run several fits at once",
    "verbose": "for progress, use `with rosenblatt.show_progress():`",
    "dual": "there is nothing to choose",
    "multi_class": "it learns more than two classes at once; OneVsAll and OneVsOne are classes of their own",
    "sample_weight": "it is an argument of fit",
    "classes": "it is an argument of partial_fit",
    "optimizer": "the rule of each class is fixed; compare Perceptron, PassiveAggressive and Pocket",
    "power_t": "the learning rate is constant; BatchPerceptron takes a function of t",
    "copy_X": "X is never changed, so there is nothing to choose",
    "kernel": "KernelPerceptron has kernels",
    "bounds": "call error_bounds(X, y, hyperplane=model.hyperplane_) after fit",
}


def advice(owner: str, name: str, parameters: Iterable[str]) -> str:
    """Say that `owner` has no parameter of this name, and what to use instead, if that is known.

    >>> advice("Perceptron", "max_iter", ["bias", "max_epochs"])
    "Perceptron has no parameter 'max_iter'; here it is 'max_epochs'."
    """
    known = sorted(parameters)
    start = f"{owner} has no parameter {name!r}"
    for synonym in SYNONYMS.get(name, ()):
        if synonym in known:
            return f"{start}; here it is {synonym!r}."
    parameter, way = OTHER_WAYS.get(name, ("", ""))
    if parameter in known:
        return f"{start}; {way}."
    if name in NOT_HERE:
        return f"{start}; {NOT_HERE[name]}."
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"{start}; did you mean {near[0]!r}?"
    return f"{start}; it has {', '.join(known)}." if known else f"{start}; it has none."


@functools.cache
def documentation() -> str:
    """The address of the documentation in the metadata of the installed package; empty if there is none.

    It is the entry "Documentation" of `[project.urls]` in pyproject.toml.
    """
    try:
        entries = importlib.metadata.metadata("rosenblatt").get_all("Project-URL") or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    addresses: dict[str, str] = dict(entry.replace(" ", "").split(",", 1) for entry in entries)
    return addresses.get("Documentation", "")


class Guided:
    """An estimator that explains names of parameters that it does not know, and links to its documentation."""

    _doc_link_module = "rosenblatt"  # scikit-learn's diagram in a notebook links to the documentation of such classes

    @property
    def _doc_link_template(self) -> str:
        """The address that the diagram links to. There is no link if it is empty."""
        return documentation()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _guided(cls.__init__)  # type: ignore[method-assign]

    def set_params(self, **params: Any) -> Self:
        """Set parameters of this estimator, and, as `estimator__name`, of those inside it.

        Parameters
        ----------
        **params : object
            The parameters by name.

        Returns
        -------
        Self
            The estimator.
        """
        own: Any = type(self)
        for name in params:
            first = name.partition("__")[0]
            if first not in own._get_param_names():
                raise ValueError(advice(own.__name__, first, own._get_param_names()))
        super().set_params(**params)  # type: ignore[misc]
        return self


def _guided(init: Callable[..., None]) -> Callable[..., None]:
    known = [name for name in inspect.signature(init).parameters if name != "self"]

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **given: Any) -> None:
        for name in given:
            if name not in known:
                raise TypeError(advice(type(self).__name__, name, known))
        init(self, *args, **given)

    return checked


def counts_rows_alike(instead: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a method that takes no `sample_weight` say so; `instead` is a sentence that names what takes weights."""

    def explained(fit: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(fit)
        def checked(*args: P.args, **given: P.kwargs) -> R:
            if given.pop("sample_weight", None) is not None:
                name = type(args[0]).__name__
                raise TypeError(
                    f"{name}.{fit.__name__} takes no sample_weight: {name} counts every row alike. Leave it out. "
                    f"{instead}"
                )
            return fit(*args, **given)

        return checked

    return explained

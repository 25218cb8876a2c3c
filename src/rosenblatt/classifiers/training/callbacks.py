"""scikit-learn's callbacks during a fit."""

from collections.abc import Callable
from typing import Any, Self, TypeVar

T = TypeVar("T")


class TakesCallbacks:
    """An estimator that scikit-learn's callbacks can follow."""

    fit: Any

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Let callbacks, such as scikit-learn's `ProgressBar`, follow each fit from now on; if none is given, none do.

        A fit is a task "fit" with a task "pass" for each pass. At the end of a pass a callback is handed, if it asks
        for it, a copy of the estimator as it would be if no more passes were allowed. If it returns True there, the fit
        ends, and `stop_reason_` is "condition". An error in a callback leaves the estimator as it was.

        Parameters
        ----------
        callbacks : objects with the methods of `sklearn.callback.FitCallback`
        """
        from sklearn.callback import CallbackSupportMixin  # it loads rich, which few need

        CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self


class Callbacks:
    """The callbacks of an estimator during a fit.

    Parameters
    ----------
    model : the estimator
    keep : called with another one and what a fit reached; makes it what the estimator would be
    told : X, y and metadata
    """

    def __init__(self, model: Any, keep: Callable[[Any, Any], object], told: dict[str, Any]) -> None:
        self._model, self._keep, self._told = model, keep, told

    def run(self, work: Callable[["Callbacks"], T], most: int | None) -> T:
        """Do the work as the task "fit", of at most so many tasks."""
        from sklearn.callback import CallbackSupportMixin

        self._root = CallbackSupportMixin._init_callback_context(self._model, max_subtasks=most)
        self._root.call_on_fit_task_begin(estimator=self._model, **self._told)
        reached = work(self)
        self._end(self._root, lambda: reached)
        return reached

    def begin(self) -> None:
        """A pass begins."""
        self._pass = self._root.subcontext(task_name="pass")
        self._pass.call_on_fit_task_begin(estimator=self._model, **self._told)

    def end(self, reached: Callable[[], Any]) -> bool:
        """The pass has ended; shall the fit?  What it has reached is asked for only if a callback does."""
        return self._end(self._pass, reached)

    def fit(self, member: Any, X: Any, y: Any, name: str) -> None:
        """Fit an estimator that the model is made of, as a task of its own."""
        task = self._root.subcontext(task_name=name)
        with task.propagate_callback_context(member):
            task.call_on_fit_task_begin(estimator=self._model, X=X, y=y)
            member.fit(X, y)
            task.call_on_fit_task_end(estimator=self._model, X=X, y=y)

    def _end(self, task: Any, reached: Callable[[], Any]) -> bool:
        def attributes() -> dict[str, Any]:
            twin = type(self._model)(**self._model.get_params(deep=False))
            self._keep(twin, reached())
            return {"__dict__": vars(twin)}  # all there are: nothing of an earlier fit stays

        return bool(
            task.call_on_fit_task_end(estimator=self._model, reconstruction_attributes=attributes, **self._told)
        )


def followed(
    model: Any,
    work: Callable[[Callbacks | None], T],
    keep: Callable[[Any, T], object],
    most: int | None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> T:
    """Do the work of a fit, followed by the callbacks of the model if it has any; what was reached.

    Parameters
    ----------
    model : the estimator, which is not changed
    work : what to do; it tells the callbacks of each of its passes
    keep : called with a new estimator and what was reached; makes it what the model would be
    most : how many passes there may be, None if that is not known
    X, y, sample_weight : for the callbacks, if there are such
    """
    if not hasattr(model, "_skl_callbacks"):
        return work(None)
    from sklearn.callback import with_callbacks

    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    callbacks = Callbacks(model, keep, {"X": X, "y": y, "metadata": metadata})
    return with_callbacks(lambda _: callbacks.run(work, most))(model)  # type: ignore[no-any-return]


def fit_member(member: Any, X: Any, y: Any, callbacks: Callbacks | None, name: str) -> None:
    """Fit an estimator that another is made of, as a task of the other's fit if that is followed."""
    if callbacks is None:
        member.fit(X, y)
    else:
        callbacks.fit(member, X, y, name)

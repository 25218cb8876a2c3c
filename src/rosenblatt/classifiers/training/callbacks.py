"""scikit-learn callbacks during a fit, and the steps that every fit has."""

import copy
from collections.abc import Callable
from typing import Any, Self


class TakesCallbacks:
    """An estimator whose fits can be followed by scikit-learn's callbacks.

    A fit has two steps: `problem.train(callbacks)` returns what training reached and changes no estimator;
    `_keep(problem, result)`, which a subclass defines, makes that result the state of the estimator.
    """

    fit: Any

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Let callbacks, such as scikit-learn's `ProgressBar`, follow every later fit; without arguments, remove them.

        A fit is a task "fit" with a task "pass" for each pass. At the end of a pass a callback can ask for a copy of
        the estimator as it would be if no more passes were allowed. If the callback returns True, the fit ends, and
        `stop_reason_` is "condition". If a callback raises, the estimator stays as it was.

        Parameters
        ----------
        *callbacks : objects
            They have the methods of `sklearn.callback.FitCallback`.

        Returns
        -------
        Self
            The estimator.
        """
        from sklearn.callback import CallbackSupportMixin  # it imports rich, which few users need

        CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self

    def _keep(self, problem: Any, result: Any) -> Any:
        """Make what training reached the state of this estimator."""
        raise NotImplementedError

    def _fit(
        self,
        problem: Any,
        max_passes: int | None,
        X: Any = None,
        y: Any = None,
        metadata: dict[str, Any] | None = None,
    ) -> Any:
        """Train on a problem, with the callbacks of this estimator if it has any; return what `_keep` returns.

        Parameters
        ----------
        problem : a `Problem` or `StreamProblem`
        max_passes : the largest number of passes; None if it is not known
        X, y, metadata : what `fit` was given, for the callbacks
        """
        if not hasattr(self, "_skl_callbacks"):
            return self._keep(problem, problem.train(None))
        from sklearn.callback import with_callbacks

        given = {name: value for name, value in (metadata or {}).items() if value is not None}
        callbacks = Callbacks(self, problem, {"X": X, "y": y, "metadata": given or None})
        return self._keep(problem, with_callbacks(lambda _: callbacks.run(max_passes))(self))


class Callbacks:
    """The callbacks of an estimator during one fit.

    Parameters
    ----------
    model : the estimator
    problem : what it is trained on
    given : X, y and metadata, as `fit` was given them
    """

    def __init__(self, model: TakesCallbacks, problem: Any, given: dict[str, Any]) -> None:
        self._model, self._problem, self._given = model, problem, given

    def run(self, max_passes: int | None) -> Any:
        """Train as the task "fit", which has at most so many tasks."""
        from sklearn.callback import CallbackSupportMixin

        self._root = CallbackSupportMixin._init_callback_context(self._model, max_subtasks=max_passes)
        self._root.call_on_fit_task_begin(estimator=self._model, **self._given)
        result = self._problem.train(self)
        self._end(self._root, lambda: result)
        return result

    def begin(self) -> None:
        """A pass begins."""
        self._pass = self._root.subcontext(task_name="pass")
        self._pass.call_on_fit_task_begin(estimator=self._model, **self._given)

    def end(self, result: Callable[[], Any]) -> bool:
        """A pass has ended; return True if a callback wants the fit to end. `result` is called only if one asks."""
        return self._end(self._pass, result)

    def fit(self, member: Any, X: Any, y: Any, metadata: dict[str, Any], name: str) -> None:
        """Fit an estimator that the model consists of, as a task of its own."""
        task = self._root.subcontext(task_name=name)
        with task.propagate_callback_context(member):
            task.call_on_fit_task_begin(estimator=self._model, X=X, y=y, metadata=metadata or None)
            member.fit(X, y, **metadata)
            task.call_on_fit_task_end(estimator=self._model, X=X, y=y, metadata=metadata or None)

    def _end(self, task: Any, result: Callable[[], Any]) -> bool:
        def attributes() -> dict[str, Any]:
            twin = type(self._model)(**self._model.get_params(deep=False))  # type: ignore[attr-defined]
            twin._keep(self._problem, copy.deepcopy(result()))
            return {"__dict__": vars(twin)}  # all attributes, so that nothing of an earlier fit stays

        return bool(
            task.call_on_fit_task_end(estimator=self._model, reconstruction_attributes=attributes, **self._given)
        )


def fit_member(member: Any, X: Any, y: Any, metadata: dict[str, Any], callbacks: Callbacks | None, name: str) -> None:
    """Fit an estimator that another one consists of, as a task of the other's fit if that has callbacks."""
    if callbacks is None:
        member.fit(X, y, **metadata)
    else:
        callbacks.fit(member, X, y, metadata, name)

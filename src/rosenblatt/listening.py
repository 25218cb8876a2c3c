"""Who listens to work that takes long: whoever asked how far it is, and the callbacks of an estimator.

Work calls `tell` once a pass, look, chunk or round, and knows nothing of who listens. A fit that makes passes is run by
`followed`, which makes tasks for scikit-learn's callbacks of it; without any it is run as it is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Self, TypeVar

T = TypeVar("T")


class News(NamedTuple):
    """How far some work is."""

    what: str  # runs
    done: float
    total: float | None  # what `done` ends with, if that is known
    words: str  # if there are none, those said last of the same work hold


Listener = Callable[[News], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def tell(what: str, done: float, total: float | None = None, words: str = "", *facts: object) -> None:
    """Say how far work is, if anybody listens; only then are the facts put into the words."""
    listener = _listener.get()
    if listener is not None:
        listener(News(what, done, total, words.format(*facts)))


def heard() -> bool:
    """Does anybody listen?  To be asked before finding out what costs something to know."""
    return _listener.get() is not None


def megabytes(done: float, total: float | None) -> str:
    """How much was read, in words."""
    return f"{done / 1e6:,.0f} MB" + ("" if total is None else f" of {total / 1e6:,.0f} MB")


def chunks_of(stream: Any, what: str, words: str = "") -> Iterator[Any]:
    """The chunks of a stream; after each it is told how much was read."""
    read, total = 0, stream.size if heard() else None
    tell(what, read, total, words)
    for chunk in stream.chunks():
        yield chunk
        read += chunk.size
        tell(what, read, total, words)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Hear all that this thread tells while the block runs, in place of whoever listened; None: nobody does.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.listening import listening
    >>> with listening(lambda news: print(f"{news.what}: {news.words}")):
    ...     model = Perceptron(order="cyclic").fit([[0], [2]], [0, 1])
    Perceptron: first pass
    Perceptron: pass 1 of 100, 2 mistakes
    Perceptron: pass 2 of 100, 1 mistakes
    Perceptron: pass 3 of 100, 0 mistakes
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


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

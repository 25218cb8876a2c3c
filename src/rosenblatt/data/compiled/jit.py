"""Rules that run as Python while the work is small, and are compiled when that pays. Both give the same bits.

A `Rule` is called like a function. It runs as Python until it has spent `PATIENCE` seconds, or expects the next call to
do so. Then numba is imported, and the rule is compiled for the types of its arguments, or loaded from numba's cache on
disk. Work of many calls can ask for rules that are in the cache sooner (`loaded_soon`). The functions that rules call
are marked by `helper`, or made by `by_storage`; numba learns of them at that time.
"""

import contextlib
import functools
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from rosenblatt.base.events import has_listener, report_progress

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE = 0.5  # seconds that a rule may run as Python; compiling takes a few
LOADING_PART = 0.04  # of the patience, for a rule that only has to be loaded
FIRST_GUESS = 2e-6  # seconds per operation in Python, before the first call
_untold: list[Callable[[Any], None]] = []  # what numba must be told of, and has not been told yet
_compiling = threading.RLock()
_said = False  # was the user told that rules are being compiled?
_compile_seconds = 0.0


class _Thread(threading.local):
    runs_python = False  # does a rule run as Python in this thread?
    compiles = False  # is a rule compiled or loaded in this thread?
    part = 1.0  # of the patience, in this thread, for a rule that only has to be loaded


_thread = _Thread()


class Rule(Generic[P, R]):
    """A function of arrays that is compiled when that pays.

    Attributes
    ----------
    py_func : the function in Python
    quick : what to call for types of arguments that were used before: this rule, or, once it is compiled, numba's
        dispatcher, which takes less time and raises TypeError for other types

    Parameters
    ----------
    function : the function in Python
    work : the number of operations for the given arguments, about; by default the number of numbers in them
    of_text : its first argument is an array of bytes, which Python gets as `bytes`, whose elements do not overflow
    options : of `numba.njit`
    """

    def __init__(
        self,
        function: Callable[P, R],
        *,
        work: Callable[..., int] | None = None,
        of_text: bool = False,
        **options: Any,
    ) -> None:
        self.py_func = function
        functools.update_wrapper(self, function)
        self._work, self._of_text, self._options = work or count_numbers, of_text, options
        self._compiled: Any = None
        self.quick: Callable[..., Any] = self
        self._spent, self._pace = 0.0, FIRST_GUESS

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if _thread.runs_python:  # called by a rule that runs as Python
            return self.py_func(*args, **kwargs)
        if self._compiled is None:
            work = self._work(*args)
            part = _thread.part if _thread.part < 1.0 and self._is_cached else 1.0
            if part and self._spent + self._pace * work <= PATIENCE * part:
                return self._run_timed(work, *args, **kwargs)
            return self._compile_and_run(*args, **kwargs)
        try:
            return self._compiled(*args, **kwargs)  # type: ignore[no-any-return]
        except TypeError:  # no version for these types yet, or wrong arguments, which numba then explains
            return self._compile_and_run(*args, **kwargs)

    def _run_timed(self, work: int, *args: Any, **kwargs: Any) -> R:
        start = time.perf_counter()
        result = self.run_as_python(*args, **kwargs)
        seconds = time.perf_counter() - start
        self._spent += seconds
        self._pace = max(self._pace / 2, seconds / max(work, 1))
        return result

    def run_as_python(self, *args: Any, **kwargs: Any) -> R:
        """Run without the compiler; the rules that this rule calls are not compiled either."""
        if self._of_text:
            args = args[0].tobytes(), *args[1:]
        _thread.runs_python = True
        try:
            with np.errstate(all="ignore"):
                return self.py_func(*args, **kwargs)
        finally:
            _thread.runs_python = False

    def _compile_and_run(self, *args: Any, **kwargs: Any) -> R:
        with _compiling, _waited_for(self.py_func.__name__):
            # Other threads call `made` meanwhile. They must not find it ready to compile, so `within` does that.
            made, compiler = self._compiled or self._new_dispatcher(), self.within
            types = tuple(compiler.typeof_pyval(arg) for arg in args)
            with _alone(Path(compiler.stats.cache_path), self.py_func):
                compiler.compile(types)
            if types not in made.overloads:  # another thread may have asked for the same
                made.add_overload(compiler.overloads[types])
            made.disable_compile()
            self._compiled = self.quick = made
        return made(*args, **kwargs)  # type: ignore[no-any-return]

    @functools.cached_property
    def _is_cached(self) -> bool:
        """Does numba's cache beside the source have this rule, for some types?"""
        source = Path(self.py_func.__code__.co_filename)
        index = f"{source.stem}.{self.py_func.__qualname__}-{self.py_func.__code__.co_firstlineno}.py*.nbi"
        return any((source.parent / "__pycache__").glob(index))

    @functools.cached_property
    def within(self) -> Any:
        """A dispatcher that compiles whenever it must: for calls from other rules, and for the versions of this one."""
        return self._new_dispatcher()

    def _new_dispatcher(self) -> Any:
        import numba

        _tell_numba()
        return numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True, **self._options)(self.py_func)


@contextlib.contextmanager
def compiled_at_once() -> Iterator[None]:
    """Within this block, rules are compiled at their first call."""
    global PATIENCE
    before, PATIENCE = PATIENCE, -1.0
    try:
        yield
    finally:
        PATIENCE = before


@contextlib.contextmanager
def loaded_soon(part: float = LOADING_PART) -> Iterator[None]:
    """Within this block, rules that are in numba's cache are loaded after a part of the patience: many calls follow.

    With part 0, they are loaded at their first call.
    """
    before, _thread.part = _thread.part, part
    try:
        yield
    finally:
        _thread.part = before


def rule(function: Callable[P, R] | None = None, **options: Any) -> Any:
    """Make a rule of a function; the options are those of `Rule`."""
    if function is None:
        return functools.partial(rule, **options)
    return Rule(function, **options)


def helper(function: Callable[P, R] | None = None, **options: Any) -> Any:
    """Mark a function that rules call; the options are those of `numba.extending.overload`."""
    if function is None:
        return functools.partial(helper, **options)
    register(lambda extending: extending.overload(function, strict=False, **options)(lambda *_: function))
    return function


def register(tell: Callable[[Any], None]) -> Callable[[Any], None]:
    """Call `tell`, with `numba.extending`, before the first rule is compiled."""
    _untold.append(tell)
    return tell


def _tell_numba() -> None:
    """Register all helpers with numba, rules as functions that rules can call, and who is told of compilations."""
    from numba import extending
    from numba.core import event

    if not hasattr(Rule, "_numba_knows"):
        extending.typeof_impl.register(Rule)(lambda made, _: made.within._numba_type_)

        class Notice(event.Listener):
            """Says which rule is compiled, to the listener of progress or else on the terminal."""

            depth = 0  # rules, and the functions that they call

            def on_start(self, begun: Any) -> None:
                if self.depth == 0 and _thread.compiles:  # not for numba functions of the user
                    _say(begun.data["dispatcher"].py_func.__name__)
                self.depth += 1

            def on_end(self, ended: Any) -> None:  # noqa: ARG002
                self.depth -= 1

        event.register("numba:compile", Notice())
        Rule._numba_knows = True  # type: ignore[attr-defined]
    while _untold:
        _untold.pop(0)(extending)


@contextlib.contextmanager
def _waited_for(name: str) -> Iterator[None]:
    """Tell the listener of progress when the wait for compiled code begins (`done` is 0) and ends (`done` is 1)."""
    global _compile_seconds
    report_progress("compiler", 0, None, "loading compiled code ({})", name)
    _thread.compiles = True
    began = time.perf_counter()
    try:
        yield
    finally:
        _compile_seconds += time.perf_counter() - began
        _thread.compiles = False
        report_progress("compiler", 1)


def compile_seconds() -> float:
    """The seconds that this process has spent on compiling rules, or on loading compiled ones."""
    return _compile_seconds


def _say(name: str) -> None:
    global _said
    if has_listener():
        report_progress("compiler", 0, None, "compiling {}, once; it is then kept on disk", name)
    elif not _said and sys.stderr is not None and sys.stderr.isatty():
        print("rosenblatt compiles its rules for this machine, once; that takes a few seconds.", file=sys.stderr)
    _said = True


def count_numbers(*args: Any) -> int:
    """The number of numbers in the arguments, which are arrays, scalars and tuples of them."""
    total = 0
    for arg in args:
        if isinstance(arg, np.ndarray):
            total += arg.size
        elif isinstance(arg, tuple):
            total += count_numbers(*arg)
    return total


@contextlib.contextmanager
def _alone(folder: Path, function: Callable[..., Any]) -> Iterator[None]:
    """Let one process at a time compile this function. A process that had to wait then finds the version on disk.

    All functions share a file; each locks a byte of its own.
    """
    try:
        import fcntl

        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "compiling.lock").open("ab")
    except (ImportError, OSError):  # not on Windows, or a folder that cannot be written to
        yield
        return
    with lock:
        with contextlib.suppress(OSError):  # some network drives have no locks
            byte = zlib.crc32(f"{function.__module__}.{function.__qualname__}".encode())
            fcntl.lockf(lock, fcntl.LOCK_EX, 1, byte)
        yield

"""Worker processes that do the jobs of the page, so that no job blocks the server.

A few interchangeable processes wait for requests, each at its own pipe, and do one at a time. A job that takes too
long, or whose client has left, is stopped by killing its process; a new process replaces it. The time in which a
process loads or compiles code does not count, and it is not killed then: the next one would have to begin again.

A process sends messages as JSON: ["doing", words] when it begins to load or compile something, ["doing", ""] when that
ends, ["ready"] once, and ["reply", status, media type, name of the file], with the body as the next message.
"""

import asyncio
import contextlib
import importlib
import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self, TypeVar

from rosenblatt.base.events import ProgressEvent, listening
from rosenblatt.lab.web.replies import Jobs, Reply, answer, refusal

Result = TypeVar("Result")
JOBS = "rosenblatt.lab.jobs"
WORKERS = 2
MAX_WAITING = 16  # requests that wait for a process; more are refused
JOB_SECONDS = 30.0
SECONDS_BY_JOB = {"export": 120.0}  # an animation is drawn frame by frame
RETRY_SECONDS = 1.0  # after which the start of a process is tried again
LOOK_SECONDS = 0.1  # between two looks at a process that loads or compiles code
LOADING, TRYING = "loading the library", "running the first example"
BUSY = "The lab is busy with earlier requests; try again in a moment."
DIED = "The process that computed this ended unexpectedly; another has taken its place, so you can try again."
CLOSED = "The lab has ended."
BOARD = {
    "rosenblatt_lab": 1,
    "names": ["x1", "x2"],
    "classes": [-1, 1],
    "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 2, 1]],
    "gaussians": [],
    "panes": [{"algorithm": "perceptron", "options": {}}],
    "view": [-1, 3, -0.5, 2.5],
    "step": 0,
}
WARM_UP = {"verdict": {"board": BOARD}, "run": {"board": BOARD, "pane": 0}}  # the first requests of a page


# ---------------------------------------------------------------------------------------------------------------------
# In the worker process


def work(connection: "Connection[Any, Any]", module: str) -> None:
    """Do jobs, one after the other, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which closes the pipe
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def tell(*message: str | int) -> None:
        with contextlib.suppress(OSError):  # the server has closed the pipe
            connection.send_bytes(json.dumps(message).encode())

    def hear(event: ProgressEvent) -> None:
        if event.what == "compiler":
            tell("doing", "" if event.done else event.words)

    tell("doing", LOADING)
    jobs: Jobs = importlib.import_module(module).JOBS
    with listening(hear), contextlib.suppress(EOFError, OSError):
        tell("doing", TRYING)
        for name in WARM_UP.keys() & jobs.keys():
            answer(jobs, name, json.dumps(WARM_UP[name]).encode())
        tell("doing", "")
        tell("ready")
        while True:
            reply = answer(jobs, connection.recv_bytes().decode(), connection.recv_bytes())
            tell("reply", reply.status, reply.media_type, reply.name)
            connection.send_bytes(reply.body)


def _end_with_parent() -> None:
    """End this process when the server ends; in the middle of a job it would not notice that the pipe is closed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


# ---------------------------------------------------------------------------------------------------------------------
# In the server


class Stopwatch:
    """Counts the seconds of a job, without those in which it is paused. One thread starts and pauses it, others read.

    Parameters
    ----------
    now : the clock
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._state: tuple[float, float | None] = (0.0, None)  # the seconds before, and since when it runs

    def restart(self) -> None:
        """Count from 0."""
        self._state = (0.0, self._now())

    def pause(self) -> None:
        """Stop counting until `go_on`."""
        self._state = (self.seconds, None)

    def go_on(self) -> None:
        """Count again."""
        self._state = (self.seconds, self._now())

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        before, since = self._state
        return before if since is None else before + self._now() - since


class Worker:
    """A worker process at the other end of a pipe. All methods block, so they are called in threads.

    Attributes
    ----------
    doing : what it loads or compiles now, in words; "" if nothing
    ready : whether it can do jobs
    spent : the time that its job has taken so far
    """

    def __init__(self, module: str) -> None:
        self.doing, self.ready, self.spent = "", False, Stopwatch()
        context = multiprocessing.get_context("spawn")
        self._connection, inner = context.Pipe()
        self.process = context.Process(target=work, args=(inner, module), name="rosenblatt lab", daemon=True)
        with _ignoring_interrupts():
            self.process.start()
        inner.close()  # else the pipe would stay open when the process ends

    def wait_until_ready(self) -> None:
        """Wait until the process is ready; if it has ended, the next request reports it."""
        with contextlib.suppress(EOFError, OSError):
            self._receive()
            self.ready = True
        self.doing = ""

    def ask(self, name: str, body: bytes) -> Reply:
        """Have a job done. Raise EOFError or OSError if the process ends."""
        try:
            self._connection.send_bytes(name.encode())
            self._connection.send_bytes(body)
            status, media_type, file = self._receive()
            return Reply(status, self._connection.recv_bytes(), media_type, file)
        finally:
            self.doing = ""

    def _receive(self) -> list[Any]:
        """Return the next message that does not say what the process loads or compiles."""
        while True:
            rest: list[Any]
            kind, *rest = json.loads(self._connection.recv_bytes())
            if kind != "doing":
                return rest
            (self.doing,) = rest
            if self.doing:
                self.spent.pause()
            else:
                self.spent.go_on()

    def end(self) -> None:
        """Kill the process; a waiting `ask` raises EOFError."""
        self.process.kill()
        self.process.join()


@contextlib.contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Block Ctrl-C for a process that is started here, from its first moment."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Pool:
    """A pool of worker processes; each request takes the first that is free.

    Parameters
    ----------
    module : the module with `JOBS`, the functions by name
    size : the number of processes
    waiting : the number of requests that may wait for a process
    seconds : the time limit of a job
    more_seconds : the time limit of some jobs, by name
    """

    def __init__(
        self,
        module: str = JOBS,
        size: int = WORKERS,
        waiting: int = MAX_WAITING,
        seconds: float = JOB_SECONDS,
        more_seconds: Mapping[str, float] = SECONDS_BY_JOB,
    ) -> None:
        self.module, self.size, self.waiting = module, size, waiting
        self.seconds, self.more_seconds = seconds, more_seconds
        self.workers: set[Worker] = set()
        self._free: asyncio.Queue[Worker] = asyncio.Queue()
        self._queued = 0
        self._closed = False
        self._starting: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(2 * size + 2, thread_name_prefix="lab")

    async def __aenter__(self) -> Self:
        for _ in range(self.size):
            self._start_soon()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def state(self) -> dict[str, Any]:
        """Return whether a process is ready, and what one of them loads or compiles now."""
        ready = any(worker.ready for worker in self.workers)
        return {"ready": ready, "doing": next((worker.doing for worker in self.workers if worker.doing), "")}

    async def call(self, name: str, body: bytes) -> Reply:
        """Have a job done. If the call is cancelled, or takes too long, the process of the job is killed."""
        if self._free.empty() and self._queued >= self.waiting:
            return refusal(503, BUSY)
        self._queued += 1
        try:
            worker = await self._free.get()
        finally:
            self._queued -= 1
        if self._closed:
            self._free.put_nowait(worker)  # for the next waiting request
            return refusal(503, CLOSED)
        seconds = self.more_seconds.get(name, self.seconds)
        reply = None
        worker.spent.restart()
        try:
            reply = await self._in_time(worker, self._in_thread(worker.ask, name, body), seconds)
        except TimeoutError:
            return refusal(504, f"This took longer than {seconds:g} seconds and was stopped; try fewer points.")
        except (EOFError, OSError):
            return refusal(503, CLOSED) if self._closed else refusal(500, DIED)
        finally:
            if reply is None and not self._closed:
                self._start_soon(instead_of=worker)
            else:
                self._free.put_nowait(worker)
        return reply

    async def _in_time(self, worker: Worker, asked: asyncio.Future[Reply], seconds: float) -> Reply:
        """Return the reply, or raise TimeoutError when the job itself has taken this long."""
        try:
            while not asked.done():
                left = seconds - worker.spent.seconds
                if left <= 0 and not worker.doing:
                    raise TimeoutError
                await asyncio.wait({asked}, timeout=max(left, LOOK_SECONDS))
            return asked.result()
        finally:
            asked.cancel()  # its thread goes on until the process replies or ends

    async def close(self) -> None:
        """Kill all processes; requests that still wait are refused."""
        if self._closed:
            return
        self._closed = True
        await asyncio.gather(*(self._in_thread(worker.end) for worker in self.workers))
        await asyncio.gather(*self._starting)
        self._threads.shutdown(wait=False)

    def _start_soon(self, instead_of: Worker | None = None) -> None:
        task = asyncio.create_task(self._start(instead_of))
        self._starting.add(task)  # the event loop keeps no reference to a task
        task.add_done_callback(self._starting.discard)

    async def _start(self, instead_of: Worker | None) -> None:
        if instead_of is not None:
            while instead_of.doing and not self._closed:
                await asyncio.sleep(LOOK_SECONDS)
            self.workers.discard(instead_of)
            await self._in_thread(instead_of.end)
        try:
            worker = await self._in_thread(Worker, self.module)
        except OSError:  # the system cannot start a process now
            await asyncio.sleep(RETRY_SECONDS)
            if not self._closed:
                self._start_soon()
            return
        self.workers.add(worker)
        if self._closed:
            await self._in_thread(worker.end)
        await self._in_thread(worker.wait_until_ready)
        self._free.put_nowait(worker)

    def _in_thread(self, function: Callable[..., Result], *arguments: object) -> asyncio.Future[Result]:
        return asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

"""Processes that do the jobs of the page: a long one can be ended, and none blocks the server.

A few interchangeable processes wait for requests, each at its pipe, one request at a time. A job that nobody waits for
any more, or that takes too long, is ended with its process, and another process takes its place.
"""

import asyncio
import contextlib
import importlib
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self, TypeVar

from rosenblatt.lab.web.replies import Jobs, Reply, answer, refusal

Result = TypeVar("Result")
JOBS = "rosenblatt.lab.jobs"
SIZE = 2
WAITING = 16  # requests that wait for a process; more are refused
SECONDS = 30.0
MORE_SECONDS = {"export": 120.0}  # an animation is drawn frame by frame
RETRY = 1.0  # seconds after which another process is tried
BUSY = "The lab is busy with earlier requests; try again in a moment."
ENDED = "The process that computed this ended unexpectedly; another has taken its place, so you can try again."
FAREWELL = "The lab has ended."
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
WARMING = {"verdict": {"board": BOARD}, "run": {"board": BOARD, "pane": 0}}  # what a page asks for first


# ---------------------------------------------------------------------------------------------------------------------
# In the process


def work(connection: "Connection[Any, Any]", module: str) -> None:
    """Do one job after the other until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which closes the pipe
    threading.Thread(target=_end_with_parent, daemon=True).start()
    jobs: Jobs = importlib.import_module(module).JOBS
    for name in WARMING.keys() & jobs.keys():
        answer(jobs, name, json.dumps(WARMING[name]).encode())
    with contextlib.suppress(EOFError, OSError):  # nobody is at the other end any more
        connection.send_bytes(b"ready")
        while True:
            reply = answer(jobs, connection.recv_bytes().decode(), connection.recv_bytes())
            connection.send_bytes(json.dumps([reply.status, reply.media_type, reply.name]).encode())
            connection.send_bytes(reply.body)


def _end_with_parent() -> None:
    """A server that is killed closes its pipe, but a process in the midst of a job does not see it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


# ---------------------------------------------------------------------------------------------------------------------
# In the server


class Worker:
    """A process at the other end of a pipe. All methods block: they are called in threads."""

    def __init__(self, module: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, inner = context.Pipe()
        self.process = context.Process(target=work, args=(inner, module), name="rosenblatt lab", daemon=True)
        with _deaf_to_interrupts():
            self.process.start()
        inner.close()  # else the end of the process would not be seen

    def wait_until_ready(self) -> None:
        """Until it is warm, or has ended; then the next request says so."""
        with contextlib.suppress(EOFError, OSError):
            self._connection.recv_bytes()

    def ask(self, name: str, body: bytes) -> Reply:
        """Do a job; EOFError or OSError if the process ends."""
        self._connection.send_bytes(name.encode())
        self._connection.send_bytes(body)
        status, media_type, file = json.loads(self._connection.recv_bytes())
        return Reply(status, self._connection.recv_bytes(), media_type, file)

    def end(self) -> None:
        """At once, whatever it does; whoever waits in `ask` is told by an EOFError."""
        self.process.kill()
        self.process.join()


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """A process that is started here gets no Ctrl-C, not even before its first line."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Pool:
    """Workers, of whom each request takes the first that is free.

    Parameters
    ----------
    module : where `JOBS` is, the table of what can be asked for.
    size : how many processes.
    waiting : how many requests may wait for one of them.
    seconds : how long a job may take; `more_seconds` says otherwise for some.
    """

    def __init__(
        self,
        module: str = JOBS,
        size: int = SIZE,
        waiting: int = WAITING,
        seconds: float = SECONDS,
        more_seconds: Mapping[str, float] = MORE_SECONDS,
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

    async def call(self, name: str, body: bytes) -> Reply:
        """Have a job done. If this is cancelled, or takes too long, the job's process is ended."""
        if self._free.empty() and self._queued >= self.waiting:
            return refusal(503, BUSY)
        self._queued += 1
        try:
            worker = await self._free.get()
        finally:
            self._queued -= 1
        if self._closed:
            self._free.put_nowait(worker)  # for the next that waits
            return refusal(503, FAREWELL)
        seconds = self.more_seconds.get(name, self.seconds)
        reply = None
        try:
            reply = await asyncio.wait_for(self._in_thread(worker.ask, name, body), seconds)
        except TimeoutError:
            return refusal(504, f"This took longer than {seconds:g} seconds and was stopped; try fewer points.")
        except (EOFError, OSError):
            return refusal(503, FAREWELL) if self._closed else refusal(500, ENDED)
        finally:
            if reply is None and not self._closed:
                self._start_soon(instead_of=worker)
            else:
                self._free.put_nowait(worker)
        return reply

    async def close(self) -> None:
        """End all processes; requests that still wait are told so."""
        if self._closed:
            return
        self._closed = True
        await asyncio.gather(*(self._in_thread(worker.end) for worker in self.workers))
        await asyncio.gather(*self._starting)
        self._threads.shutdown(wait=False)

    def _start_soon(self, instead_of: Worker | None = None) -> None:
        task = asyncio.create_task(self._start(instead_of))
        self._starting.add(task)  # the loop itself keeps no task alive
        task.add_done_callback(self._starting.discard)

    async def _start(self, instead_of: Worker | None) -> None:
        if instead_of is not None:
            self.workers.discard(instead_of)
            await self._in_thread(instead_of.end)
        try:
            worker = await self._in_thread(Worker, self.module)
        except OSError:  # the system has no room for a process now
            await asyncio.sleep(RETRY)
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

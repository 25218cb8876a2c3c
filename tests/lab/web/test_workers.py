"""Worker processes of the lab: a job can be stopped, a process may die, and the next job is still done."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rosenblatt.lab.web.replies import Reply
from rosenblatt.lab.web.workers import LOADING, Pool, Stopwatch
from tests.support.places import ROOT

JOBS = "tests.support.lab_jobs"
PATIENCE = 60.0  # seconds after which something that must happen has not


class Running:
    """Two workers, and the loop that they belong to, in a thread."""

    def __init__(self, **options: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.pool: Pool = self.begin(self._open(options)).result(PATIENCE)

    async def _open(self, options: dict[str, Any]) -> Pool:
        return await Pool(JOBS, **options).__aenter__()

    async def _finish(self) -> None:
        """Close the pool, and let the calls that were waiting end before the loop does."""
        await self.pool.close()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    def begin(self, coroutine: Coroutine[Any, Any, Any]) -> "Future[Any]":
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def ask(self, name: str, /, **request: Any) -> "Future[Reply]":
        return self.begin(self.pool.call(name, json.dumps(request).encode()))

    def answer(self, name: str, /, **request: Any) -> Any:
        reply = self.ask(name, **request).result(PATIENCE)
        return json.loads(reply.body) if reply.status == 200 else (reply.status, json.loads(reply.body)["error"])

    def close(self) -> None:
        self.begin(self._finish()).result(PATIENCE)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    running = Running()
    yield running
    running.close()
    assert not any(worker.process.is_alive() for worker in running.pool.workers)


def until(path: Path) -> int:
    """The process that writes its number into this file."""
    for _ in range(int(PATIENCE / 0.01)):
        if path.exists() and (text := path.read_text()):
            return int(text)
        time.sleep(0.01)
    raise AssertionError(path)


def gone(process: int) -> bool:
    """It is no more, soon; one that is dead but not yet buried by its parent has ended."""
    stat = Path(f"/proc/{process}/stat")
    for _ in range(int(PATIENCE / 0.01)):
        with contextlib.suppress(OSError):
            if stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_jobs_are_done_by_other_processes(running: Running) -> None:
    done = {running.answer("catalogue")["process"] for _ in range(8)}
    assert os.getpid() not in done
    assert 1 <= len(done) <= 2


def test_a_request_comes_as_it_was_sent(running: Running) -> None:
    request = {"board": {"points": [[0.1, -2, 0]] * 30_000, "names": ["größe", "x2"]}}
    assert running.answer("verdict", **request) == {"heard": request}


def test_a_large_answer(running: Running) -> None:
    assert running.answer("table", size=5_000_000) == {"text": "x" * 5_000_000}


def test_a_file(running: Running) -> None:
    expected = Reply(200, bytes(range(256)), "image/gif", "größe.gif")
    assert running.ask("export", name="größe.gif").result(PATIENCE) == expected


def test_what_is_wrong_is_told(running: Running) -> None:
    assert running.answer("view", **{"with": "data"}) == (400, "points[3] must have 3 entries, not 2.")
    assert running.answer("nonsense") == (404, "The lab has no job 'nonsense'.")


def test_a_defect_leaves_the_process_alive(running: Running) -> None:
    status, said = running.answer("view", **{"with": "defect"})
    assert (status, "defect of rosenblatt" in said) == (500, True)
    assert "process" in running.answer("catalogue")


def test_a_job_that_is_cancelled_ends_with_its_process(running: Running, tmp_path: Path) -> None:
    asked = running.ask("fewest", begun=str(tmp_path / "begun"))
    process = until(tmp_path / "begun")
    asked.cancel()
    with pytest.raises(CancelledError):
        asked.result(PATIENCE)
    assert gone(process)
    assert {running.answer("catalogue")["process"] for _ in range(4)}.isdisjoint({process})


def test_while_one_is_slow_the_other_answers(running: Running, tmp_path: Path) -> None:
    asked = running.ask("fewest", begun=str(tmp_path / "begun"))
    process = until(tmp_path / "begun")
    assert {running.answer("catalogue")["process"] for _ in range(4)}.isdisjoint({process})
    assert not asked.done()
    asked.cancel()


def test_a_job_that_kills_its_process(running: Running) -> None:
    status, said = running.answer("check")
    assert (status, "ended unexpectedly" in said) == (500, True)
    assert "process" in running.answer("catalogue")


def test_a_process_that_is_killed_by_others(running: Running, tmp_path: Path) -> None:
    asked = running.ask("fewest", begun=str(tmp_path / "begun"))
    os.kill(until(tmp_path / "begun"), 9)
    assert asked.result(PATIENCE).status == 500
    assert "process" in running.answer("catalogue")


def test_limits(tmp_path: Path) -> None:
    """Of time, of jobs that wait; those who wait are told when the lab ends."""
    running = Running(size=1, waiting=1, seconds=PATIENCE, more_seconds={"fewest": 2.0})
    try:
        process = running.answer("catalogue")["process"]
        asked = running.ask("fewest", begun=str(tmp_path / "first"))
        assert asked.result(PATIENCE).status == 504
        assert b"longer than 2 seconds" in asked.result().body
        assert gone(process)

        running.pool.more_seconds = {}
        first = running.ask("fewest", begun=str(tmp_path / "second"))
        process = until(tmp_path / "second")
        second = running.ask("catalogue")
        status, said = running.answer("catalogue")
        assert (status, "busy" in said) == (503, True)
        assert not second.done()
    finally:
        running.close()
    assert [first.result(PATIENCE).status, second.result(PATIENCE).status] == [503, 503]
    assert gone(process)


# ---------------------------------------------------------------------------------------------------------------------
# Getting ready, and the compiler


def test_a_stopwatch_stands_still_while_it_is_paused() -> None:
    now = [100.0]
    watch = Stopwatch(lambda: now[0])
    watch.restart()
    now[0] += 2
    assert watch.seconds == 2
    watch.pause()
    now[0] += 50
    watch.pause()  # what is loaded or compiled has changed
    now[0] += 50
    assert watch.seconds == 2
    watch.go_on()
    now[0] += 3
    assert watch.seconds == 5
    watch.restart()
    assert watch.seconds == 0


class Files(NamedTuple):
    """The files by which a test and the job `compiling` tell each other how far they are."""

    begun: Path
    compiled: Path
    ended: Path

    @property
    def request(self) -> dict[str, str]:
        return {name: str(path) for name, path in self._asdict().items()}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path / "begun", tmp_path / "compiled", tmp_path / "ended")


def test_a_time_limit_does_not_count_the_compiler(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock jumps far beyond the limit, first while a job compiles, then while it works."""
    ahead = [0.0]
    monkeypatch.setattr(Stopwatch.__init__, "__defaults__", (lambda: time.monotonic() + ahead[0],))
    running = Running(size=1, seconds=PATIENCE)
    try:
        asked = running.ask("data", **files.request)
        until(files.begun)
        wait_for(lambda: running.pool.state() == {"ready": True, "doing": "compiling rule"})
        ahead[0] += 1000.0
        (worker,) = running.pool.workers
        assert worker.spent.seconds < PATIENCE
        files.compiled.touch()
        until(files.ended)
        wait_for(lambda: running.pool.state() == {"ready": True, "doing": ""})
        assert worker.spent.seconds < PATIENCE
        assert not asked.done()
    finally:
        running.close()


def test_a_job_that_compiles_longer_than_its_limit_is_answered(files: Files) -> None:
    running = Running(size=1, seconds=2.0)
    try:
        asked = running.ask("data", **files.request, seconds=0)
        until(files.begun)
        time.sleep(3.0)  # longer than the limit
        files.compiled.touch()
        assert asked.result(PATIENCE).status == 200
    finally:
        running.close()


def test_a_process_that_compiles_is_stopped_only_when_it_has_compiled(files: Files) -> None:
    running = Running(size=2)
    try:
        asked = running.ask("data", **files.request)
        process = until(files.begun)
        wait_for(lambda: running.pool.state()["doing"])
        asked.cancel()
        assert running.answer("catalogue")["process"] != process  # the other works meanwhile
        os.kill(process, 0)
        files.compiled.touch()
        assert until(files.ended) == process
        assert gone(process)
    finally:
        running.close()


def test_what_a_process_does_before_it_is_ready() -> None:
    """Nothing is asked yet: the state is told without a process that answers."""

    async def states() -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = []
        async with Pool("tests.support.slow_lab_jobs", size=1) as pool:
            while not seen or not seen[-1]["ready"]:
                seen.append(pool.state())
                await asyncio.sleep(0.001)
        return seen

    with ThreadPoolExecutor(1) as thread:
        seen = thread.submit(asyncio.run, states()).result(PATIENCE)
    assert seen[0] == {"ready": False, "doing": ""}
    assert {"ready": False, "doing": LOADING} in seen
    assert seen[-1] == {"ready": True, "doing": ""}


def wait_for(is_so: Callable[[], Any]) -> None:
    """Return when it is so, soon."""
    for _ in range(int(PATIENCE / 0.01)):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError


SERVER = """
import asyncio, sys
from rosenblatt.lab.web.workers import Pool
async def main():
    async with Pool("tests.support.lab_jobs") as pool:
        await pool.call("fewest", b'{"begun": "' + sys.argv[1].encode() + b'"}')
asyncio.run(main())
"""


def test_a_process_in_the_midst_of_a_job_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    path = [str(ROOT), *sys.path]
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, (tmp_path / "begun").as_posix()],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
    ) as server:
        process = until(tmp_path / "begun")
        server.kill()
    assert gone(process)

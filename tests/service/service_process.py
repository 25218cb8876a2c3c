"""A service in a process of its own."""

import json
import multiprocessing
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosenblatt.service.running.models import Models
from rosenblatt.service.running.settings import Settings


class Service:
    """A service in a process of its own; `address` is where it answers."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "rosenblatt.cli", "serve", str(folder), "--port", "0", "--json", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1].decode()
        self.address: str = json.loads(line)["address"]

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.communicate()

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Ask it to end; return its exit code, and what it said."""
        self.process.send_signal(number)
        said = self.process.communicate(timeout=60)[1].decode()
        return self.process.returncode, said


@contextmanager
def running(folder: Path, *options: str) -> Iterator[str]:
    """The address of a service, while the block runs."""
    service = Service(folder, *options)
    try:
        yield service.address
    finally:
        service.kill()


QUICK = multiprocessing.get_context("forkserver")
QUICK.set_forkserver_preload(["rosenblatt.service.http.serving", "rosenblatt.classifiers.perceptron"])


def _serve(folder: Path, settings: Any, pipe: Any) -> None:
    from rosenblatt.service.http.serving import Door, serve
    from rosenblatt.web.serving import listen_at

    with listen_at("127.0.0.1", 0) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        serve(Models(folder, settings), listening, Door(), None, lambda: pipe.send(address))


class QuickService:
    """A service in a process that need not import the library, because it is forked from one that has."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        here, there = QUICK.Pipe()
        self.process = QUICK.Process(target=_serve, args=(folder, settings, there), daemon=True)
        self.process.start()
        there.close()
        with here:
            self.address: str = here.recv()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.join()
        self.process.close()

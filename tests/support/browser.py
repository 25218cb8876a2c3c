"""A running lab and a browser to look at it with: the fixtures of the tests in test_page_*.py.

They need Debian's `chromium`, or another Chromium of that name on the path; nothing is downloaded. Where
ROSENBLATT_BROWSER=required is set, as in CI, its absence is a failure; elsewhere these tests are skipped.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, WebError, expect, sync_playwright

NONE = "There is no Chromium: apt-get install chromium fonts-dejavu-core, then run these tests again."
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LONG = 300  # seconds: the first start on a machine compiles the kernels
PATIENCE = 60_000  # milliseconds that a busy machine may take to show what is expected
Visit = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, started once."""
    program = shutil.which("chromium")
    if program is None:
        (pytest.fail if os.environ.get("ROSENBLATT_BROWSER") == "required" else pytest.skip)(NONE)
    expect.set_options(timeout=PATIENCE)
    arguments = ARGUMENTS + ["--no-sandbox"] * (hasattr(os, "geteuid") and os.geteuid() == 0)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=arguments)
        yield chromium
        chromium.close()


@contextmanager
def started(command: Sequence[str], errors: Any) -> Iterator["subprocess.Popen[str]"]:
    """A process that does not outlive what is done here, however that ends."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running lab, which is warm; in the end, it must have nothing to complain of."""
    said = tmp_path_factory.mktemp("lab") / "errors.txt"
    command = [str(Path(sys.executable).with_name("rosenblatt")), "lab", "--port", "0", "--no-browser", "--json"]
    with said.open("w") as errors, started(command, errors) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        job = urllib.request.Request(  # noqa: S310  (it is our own)
            f"{address}api/data", b'{"name": "xor"}', {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(job, timeout=LONG):  # noqa: S310
            pass  # so a worker is ready
        yield address
        process.send_signal(signal.SIGINT)
    assert (process.returncode, said.read_text()) == (0, "")


@pytest.fixture
def complaints() -> list[str]:
    """Errors on the browser's console, those of the content security policy among them, and those of the page's code.

    A test fails if there are any in the end; one that provokes some asserts what they are and clears the list.
    """
    return []


@pytest.fixture
def visit(browser: Browser, lab: str, complaints: list[str]) -> Iterator[Visit]:
    """Opens the lab in a context of its own: `visit(fragment, viewport=..., has_touch=True, color_scheme="dark")`."""
    contexts = []

    def hear(message: ConsoleMessage) -> None:
        unfinished = "400" in message.text and message.location["url"].endswith("/api/run")
        if message.type == "error" and not unfinished:  # points of one class only, say: the page tells the reader
            complaints.append(message.text)

    def fail(error: WebError) -> None:
        complaints.append(str(error.error))

    def opened(fragment: str = "", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | options)
        contexts.append(context)
        context.on("console", hear)
        context.on("weberror", fail)
        page = context.new_page()
        page.goto(lab + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(visit: Visit) -> Page:
    """The lab as it opens, 1280 by 800."""
    return visit()

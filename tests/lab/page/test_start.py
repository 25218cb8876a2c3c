"""The start of the page: what is shown first needs no worker process, and the status says what Python does."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect

from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab.web.first_answers import with_first_answers
from rosenblatt.lab.web.replies import Reply
from rosenblatt.lab.web.server import app_of
from rosenblatt.web.guard import HOST
from rosenblatt.web.serving import listen

BOARD = Board.of_rows([[0, 0], [1, 1.5], [2, 0]], ["größe", "no", "no"], names=["ä", "b"])


class ColdLab:
    """A lab in a thread, whose workers are not ready; it records what they are asked."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"ready": False, "doing": "loading the library"}
        self.asked: list[str] = []
        self.socket = listen(HOST, 0)
        self.port = self.socket.getsockname()[1]
        app = app_of(with_first_answers(self.call, "/" + BOARD.to_link()), self.port, state=lambda: self.state)
        self.server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],))

    async def call(self, name: str, _: bytes) -> Reply:
        self.asked.append(name)
        await asyncio.Event().wait()
        raise AssertionError

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()


@pytest.fixture
def cold() -> Iterator[ColdLab]:
    lab = ColdLab()
    lab.thread.start()
    yield lab
    lab.close()


@pytest.fixture
def page(browser: Browser, cold: ColdLab) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{cold.port}/")
        yield page


def test_the_first_page_needs_no_worker(page: Page, cold: ColdLab) -> None:
    expect(page.locator(".verdict")).to_contain_text("Separable")
    expect(page.locator(".points [data-point]")).to_have_count(5)
    expect(page.get_by_text("The run starts from w = (0, 0), b = -1.")).to_be_visible()
    page.get_by_role("button", name="Lessons").click()
    expect(page.locator("#lesson")).to_contain_text("From the neuron to the perceptron")
    assert cold.asked == []


def test_the_status_says_what_python_does_until_it_is_ready(page: Page, cold: ColdLab) -> None:
    status = page.locator("#status")
    expect(status).to_contain_text("Python is getting ready: loading the library.")
    expect(status.get_by_role("progressbar")).to_be_visible()
    cold.state = {"ready": False, "doing": "running the first example"}
    expect(status).to_contain_text("Python is getting ready: running the first example.")
    cold.state = {"ready": True, "doing": ""}
    expect(status).to_be_hidden()


def test_slow_work_says_what_is_compiled(page: Page, cold: ColdLab) -> None:
    cold.state = {"ready": True, "doing": ""}
    status = page.locator("#status")
    expect(status).to_be_hidden()
    page.get_by_role("button", name="Fewest errors of a line").click()
    expect(status).to_contain_text("Working")
    cold.state = {"ready": True, "doing": "compiling rule, once"}
    expect(status).to_contain_text("Working: compiling rule, once.")
    page.get_by_role("button", name="Stop").click()
    expect(status).to_contain_text("Stopped.")


def test_the_board_of_the_command_is_drawn_without_a_worker(page: Page, cold: ColdLab) -> None:
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{cold.port}/{BOARD.to_link()}")
    expect(page.locator(".points [data-point]")).to_have_count(3)
    expect(page.locator("#status")).to_contain_text("Python is getting ready")
    assert "table" not in cold.asked

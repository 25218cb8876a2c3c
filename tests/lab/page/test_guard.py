"""Security in a browser: the content security policy holds, and pages of other origins get no data."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page

from rosenblatt.data.files.lab_board import Board
from tests.support.browser import Visit


def test_the_page_opens_without_a_complaint(page: Page, lab: str) -> None:
    page.wait_for_load_state("networkidle")
    assert page.url.startswith(lab)
    assert page.title()


def test_a_board_in_the_address_is_opened(visit: Visit) -> None:
    board = Board.of_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    page = visit(board.to_link())
    page.wait_for_load_state("networkidle")
    assert Board.from_link(page.url).points == board.points


@pytest.mark.parametrize(
    "script",
    [
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.head.append(s)",
        "document.body.setAttribute('onclick', 'window.ran = 1'); document.body.click()",
        "const s = document.createElement('style'); s.textContent = 'body {color: red}'; document.head.append(s)",
        "fetch('http://127.0.0.1:9/').catch(() => 0)",
    ],
    ids=["script", "handler", "style", "another address"],
)
def test_what_the_policy_forbids(page: Page, complaints: list[str], script: str) -> None:
    with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        page.evaluate(script)
    assert page.evaluate("window.ran") is None
    complaints.clear()


class Stranger(BaseHTTPRequestHandler):
    """A site at another port of this machine. The browser itself lets it send requests to the lab."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>stranger</title>")

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture
def stranger(browser: Browser) -> Iterator[Page]:
    """A page of another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as site, browser.new_context() as context:
        thread = threading.Thread(target=site.serve_forever)
        thread.start()
        try:
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{site.server_port}/")
            yield page
        finally:
            site.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("api/verdict", "{method: 'POST', body: '{}'}"),
        ("api/verdict", "{method: 'POST', mode: 'no-cors', body: '{}'}"),
        ("api/verdict", "{method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}"),
        ("api/catalogue", "{mode: 'no-cors'}"),
        ("page/base/api.js", "{}"),
    ],
)
def test_a_stranger_can_read_nothing(stranger: Page, lab: str, path: str, options: str) -> None:
    script = f"fetch('{lab}{path}', {options}).then(answer => answer.text(), () => 'refused')"
    assert stranger.evaluate(script) == "refused"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_of_a_stranger_is_refused(stranger: Page, lab: str, kind: str) -> None:
    script = f"""
        const form = document.createElement('form');
        Object.assign(form, {{action: '{lab}api/verdict', method: 'POST', enctype: '{kind}'}});
        document.body.append(form);
        form.submit();
    """
    with stranger.expect_response(f"{lab}api/verdict") as caught:
        stranger.evaluate(script)
    assert caught.value.status == 403


def test_a_stranger_cannot_lead_into_the_lab(stranger: Page, lab: str) -> None:
    with stranger.expect_response(lab) as caught:
        stranger.evaluate(f"location.href = '{lab}'")
    assert caught.value.status == 403

"""Make the two pictures of the lab that the README has: `python -m docs.screens`, with Chromium and the dev extra."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab.loading import data

HERE = Path(__file__).parent
SIZE = ViewportSize(width=1180, height=800)


def board_of(name: str, step: int) -> Board:
    return replace(Board.of({"rosenblatt_lab": 1, **data({"name": name})["board"]}), step=step)


def opened(page: Page, address: str, board: Board) -> None:
    page.goto(address + board.to_link())
    page.get_by_text(f"step {board.step} of").first.wait_for()
    page.get_by_text("eparable").first.wait_for()


def main() -> None:
    command = [sys.executable, "-m", "rosenblatt.cli", "lab", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab, sync_playwright() as playwright:  # noqa: S603
        assert lab.stdout is not None  # noqa: S101
        address = lab.stdout.readline().split()[1]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, device_scale_factor=1.5)
        opened(page, address, board_of("berkeley_points", 5))
        page.screenshot(path=HERE / "lab.png")
        opened(page, address, board_of("xor", 3))
        page.get_by_label("draw the proof").check()
        page.wait_for_timeout(500)
        page.screenshot(path=HERE / "lab-xor.png")
        browser.close()
        lab.terminate()


if __name__ == "__main__":
    main()

"""The lab's plane as a test sees it: where a place is on the screen, and what the page says of a point."""

from playwright.sync_api import Locator, Page

from rosenblatt.data.files.lab_board import Board


def board(page: Page) -> Board:
    """The board in the address of the page."""
    page.wait_for_function("() => location.hash.startsWith('#board=')")
    return Board.from_link(page.evaluate("location.hash"))


def spot(page: Page, x: float, y: float, pane: int = 0) -> tuple[float, float]:
    """Pixels of a place in data coordinates."""
    plane = page.locator(".plane[data-view]").nth(pane)
    left, right, low, high = map(float, (plane.get_attribute("data-view") or "").split())
    box = plane.locator(".frame").bounding_box()
    assert box is not None
    return (
        box["x"] + (x - left) / (right - left) * box["width"],
        box["y"] + (high - y) / (high - low) * box["height"],
    )


def points(page: Page, pane: int = 0) -> Locator:
    """All points of a plane."""
    return page.locator(".plane").nth(pane).locator("[data-point]")


def point(page: Page, number: int, label: object, x: object, y: object, pane: int = 0) -> Locator:
    """A point, by what a screen reader says of it."""
    name = f"point {number}, class {label}, at ({x}, {y})"
    return page.locator(".plane").nth(pane).get_by_role("button", name=name, exact=True)


def shown(page: Page) -> Locator:
    """Which step of how many is shown."""
    return page.locator(".time .where")

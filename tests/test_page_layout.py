"""The lab on narrow screens, in the dark, and while answers come in."""

from playwright.sync_api import Page, expect

from rosenblatt.board import Board
from tests.browser import Visit
from tests.plane import shown

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
SHIFTS = """() => { window.shifts = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  window.shifts += one.value; })).observe({ type: 'layout-shift', buffered: false }); }"""
SMALL = """() => [...document.querySelectorAll('button, select, summary, input:not([type=checkbox])')]
  .filter((one) => one.offsetParent !== null && one.closest('dialog, .options') === null)
  .map((one) => [one.getAttribute('aria-label') ?? one.textContent, one.getBoundingClientRect()])
  .filter(([, box]) => box.height < 35.5).map(([name]) => name)"""
NAMELESS = """() => [...document.querySelectorAll('button, select, input, [role=button], [role=slider]')]
  .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length))
  .map((one) => one.outerHTML)"""


def test_a_narrow_screen_needs_no_scrolling_sideways(visit: Visit) -> None:
    page = visit(**PHONE)
    expect(shown(page)).to_have_text("0 / 5")
    for panel in page.locator("summary").all():
        panel.tap()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("button", name="Compare").tap()
    expect(page.locator(".plane")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate(SMALL) == []


def test_stepping_moves_nothing_else(page: Page) -> None:
    expect(shown(page)).to_have_text("0 / 5")
    page.evaluate(SHIFTS)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".table-box tr[aria-current=step]")).to_have_attribute("data-step", "5")
    assert page.evaluate("window.shifts") < 0.01


def test_every_control_has_a_name(page: Page) -> None:
    expect(shown(page)).to_have_text("0 / 5")
    assert page.evaluate(NAMELESS) == []


def test_the_theme_follows_the_system_until_it_is_chosen(visit: Visit) -> None:
    page = visit(color_scheme="dark")
    expect(shown(page)).to_have_text("0 / 5")
    scheme = "getComputedStyle(document.documentElement).colorScheme"
    assert page.evaluate(scheme) == "dark"
    while page.locator("#theme").get_attribute("title") != "Theme: light":
        page.locator("#theme").click()
    assert page.evaluate(scheme) == "light"
    page.reload()
    expect(shown(page)).to_have_text("0 / 5")
    assert page.evaluate(scheme) == "light"


def test_while_a_point_is_dragged_only_its_own_mark_changes(visit: Visit) -> None:
    rows = [[i % 25, i // 25] for i in range(500)]
    page = visit(Board.of_rows(rows, [-1 if x < 12 else 1 for x, _ in rows]).to_link())
    expect(page.locator(".points [data-point]")).to_have_count(500)
    expect(page.locator(".verdict")).to_have_attribute("data-kind", "strict")
    page.evaluate(
        """() => { window.changed = new Set(); new MutationObserver((list) => list.forEach((one) =>
        window.changed.add(one.target.dataset.point))).observe(document.querySelector('.points'),
        { subtree: true, attributes: true, attributeFilter: ['transform', 'd', 'class'] }); }"""
    )
    box = page.locator("[data-point='7']").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] - 40, steps=6)
    page.mouse.up()
    expect(page.locator("[data-point='7']")).not_to_have_attribute("aria-label", "point 7, class -1, at (7, 0)")
    assert page.evaluate("[...window.changed]") == ["7"]

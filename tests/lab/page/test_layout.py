"""The layout: narrow screens, the dark theme, and no movement of the page while answers come in."""

from playwright.sync_api import Page, expect

from rosenblatt.data.files.lab_board import Board
from tests.support.browser import Visit
from tests.support.plane import points, shown, spot

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
FITS = "() => document.documentElement.scrollWidth === 360"  # once answers have come and panels are open
SHIFTS = """() => { window.shifts = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  window.shifts += one.value; })).observe({ type: 'layout-shift', buffered: false }); }"""
SMALL = """() => [...document.querySelectorAll('button, select, summary, input:not([type=checkbox])')]
  .filter((one) => one.offsetParent !== null && one.closest('dialog, .options') === null)
  .map((one) => [one.getAttribute('aria-label') ?? one.textContent, one.getBoundingClientRect()])
  .filter(([, box]) => box.height < 35.5).map(([name]) => name)"""
NAMELESS = """() => [...document.querySelectorAll('button, select, input, [role=button], [role=slider]')]
  .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length))
  .map((one) => one.outerHTML)"""


def test_on_a_narrow_screen_a_finger_does_it_all_without_scrolling_sideways(visit: Visit) -> None:
    page = visit(**PHONE)
    expect(shown(page)).to_have_text("0 / 5")
    page.touchscreen.tap(*spot(page, 4, 1))
    expect(points(page)).to_have_count(6)
    page.get_by_role("button", name="Classes").tap()
    page.get_by_role("button", name="Add a class").tap()
    page.get_by_label("Name of class 3").fill("third")
    page.get_by_role("button", name="Close").tap()
    expect(page.get_by_role("radio", name="class third")).to_be_visible()
    for panel in page.locator("summary").all():
        panel.tap()
    page.wait_for_function(FITS)
    page.get_by_role("button", name="Compare").tap()
    expect(page.locator(".plane")).to_have_count(2)
    page.wait_for_function(FITS)
    assert page.evaluate(SMALL) == []


def test_neither_steps_nor_other_points_move_the_page_and_what_belongs_together_is_seen_together(page: Page) -> None:
    expect(shown(page)).to_have_text("0 / 5")
    assert page.evaluate(NAMELESS) == []
    page.evaluate(SHIFTS)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".table-box tr[aria-current=step]")).to_have_attribute("data-step", "5")
    page.mouse.move(*spot(page, 2, 3))
    page.mouse.down()
    page.mouse.move(*spot(page, 2.13, 3.37), steps=4)  # more decimals, longer sentences
    page.mouse.up()
    expect(page.locator(".score")).to_contain_text(".")
    assert page.evaluate("window.shifts") < 0.01
    for width, height in ((1024, 768), (1280, 800), (1366, 650)):
        page.set_viewport_size({"width": width, "height": height})
        for part in (".plane", ".time", ".verdict", ".step"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)  # all of them at once


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

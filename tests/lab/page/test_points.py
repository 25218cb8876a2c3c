"""Points on the plane: they are added, moved, painted and deleted with the mouse and the keyboard."""

from playwright.sync_api import Page, expect

from rosenblatt.data.files.lab_board import Board
from tests.support.browser import Visit
from tests.support.plane import point, points, shown, spot


def test_a_press_adds_a_point_of_the_chosen_class_and_leaves_the_keys_to_time(page: Page) -> None:
    page.get_by_role("radio", name="class 1", exact=True).click()
    page.mouse.click(*spot(page, 1, 2))
    expect(point(page, 5, 1, 1, 2)).to_be_visible()
    expect(shown(page)).to_have_text("0 / 6")  # one pass over six points
    page.keyboard.press("ArrowRight")
    expect(shown(page)).to_have_text("1 / 6")
    expect(point(page, 5, 1, 1, 2)).to_be_visible()  # where it was put
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name="class -1", exact=True)).to_be_checked()  # of new points
    page.mouse.click(*spot(page, 1, 2))  # the point itself
    page.keyboard.press("1")
    expect(point(page, 5, -1, 1, 2)).to_be_visible()
    page.keyboard.press("Delete")
    expect(points(page)).to_have_count(5)
    page.mouse.move(*spot(page, 2, 3))
    page.mouse.down()
    for share in (0.2, 0.4, 0.6, 0.8, 1.0):
        page.mouse.move(*spot(page, 2 + share, 3))
    page.mouse.up()
    expect(point(page, 4, -1, 3, 3)).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(point(page, 4, -1, 2, 3)).to_be_visible()  # the drag is taken back as a whole
    page.keyboard.press("Control+Shift+Z")
    expect(point(page, 4, -1, 3, 3)).to_be_visible()


def test_a_third_class_comes_and_goes_with_all_that_depends_on_it(page: Page) -> None:
    chosen, names = page.locator(".chosen-options"), page.get_by_label("Name of class")
    expect(chosen).to_contain_text("Start weights: 0, 0, -1")  # CS188's, for two classes
    page.get_by_role("button", name="Classes").click()
    page.get_by_role("button", name="Add a class").click()
    expect(names).to_have_count(3)
    page.keyboard.press("Control+z")
    expect(names).to_have_count(2)  # the open dialog follows
    page.keyboard.press("Control+Shift+Z")
    names.nth(0).fill("cat")
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="class 2", exact=True).click()
    page.mouse.click(*spot(page, 1, 3))
    expect(chosen).not_to_contain_text("Start weights")
    expect(page.locator(".step-head")).to_have_text("start")  # there is a run
    page.locator(".algorithm-panel summary").click()
    expect(page.get_by_label("Start weights, w1")).to_have_count(3)
    page.get_by_label("Passes at most").fill("-5")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("Passes at most must be a whole number from 1")
    expect(page.get_by_label("Passes at most")).to_have_value("1")  # as before
    page.get_by_role("button", name="Undo").click()
    expect(chosen).to_contain_text("Start weights: 0, 0, -1")


def test_points_are_erased_and_painted(page: Page) -> None:
    page.get_by_role("button", name="Erase points").click()
    page.mouse.click(*spot(page, 3, 2))
    expect(points(page)).to_have_count(4)
    page.get_by_role("button", name="Delete all points").click()
    expect(points(page)).to_have_count(0)
    expect(page.locator(".sentence").first).to_contain_text("There are no points yet.")
    page.get_by_role("button", name="Paint many points").click()
    page.mouse.move(*spot(page, 0, 2))
    page.mouse.down()
    page.mouse.move(*spot(page, 4, 3), steps=12)
    page.mouse.up()
    expect(points(page)).not_to_have_count(1)
    page.keyboard.press("Control+z")
    expect(points(page)).to_have_count(0)  # the whole stroke at once


def test_the_keyboard_alone_puts_moves_names_and_deletes(visit: Visit) -> None:
    page = visit(Board(view=(0, 8, 0, 6)).to_link())
    page.locator(".plane").focus()
    page.keyboard.press("ArrowRight")  # the cursor starts in the middle, (4, 3); lines are 1 apart
    page.keyboard.press("Enter")
    expect(point(page, 0, -1, 4.1, 3)).to_be_visible()
    page.keyboard.press("2")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Enter")
    second = point(page, 1, 1, 4.1, 3.5)
    expect(second).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(second).to_be_focused()
    page.keyboard.press("Shift+ArrowRight")
    expect(point(page, 1, 1, 4.6, 3.5)).to_be_focused()
    page.keyboard.press("1")
    expect(point(page, 1, -1, 4.6, 3.5)).to_be_focused()
    page.keyboard.press("Delete")
    expect(points(page)).to_have_count(1)
    expect(page.locator(".plane")).to_have_attribute("aria-label", "Plane with 1 point. "
           "Arrow keys move the cursor, Enter adds a point, N goes to the next point.")  # fmt: skip


def test_ellipses_are_drawn_and_pulled(page: Page) -> None:
    page.get_by_role("combobox", name="Algorithm").select_option("anderson")
    page.get_by_role("button", name="Draw Gaussians as ellipses").click()
    page.mouse.move(*spot(page, 1, 2))
    page.mouse.down()
    page.mouse.move(*spot(page, 2, 2), steps=4)
    page.mouse.up()
    knob = page.get_by_role("button", name="ellipse 0, class -1, first half-axis")
    before = knob.bounding_box()
    knob.focus()
    page.keyboard.press("Shift+ArrowUp")
    assert before is not None
    page.wait_for_function(
        "y => document.activeElement.dataset.handle && document.activeElement.getBoundingClientRect().y < y",
        arg=before["y"],
    )
    page.keyboard.press("Delete")
    expect(knob).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(knob).to_have_count(1)
    knob.focus()
    page.keyboard.press("2")
    other = page.get_by_role("button", name="ellipse 0, class 1, first half-axis")
    expect(other).to_have_class("handle h1 c1")  # no trace of the class it had
    page.get_by_role("combobox", name="Algorithm").select_option("neuron")
    expect(page.get_by_role("slider", name="Threshold")).to_be_visible()

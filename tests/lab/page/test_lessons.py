"""Lessons and exercises on the page: they ask first, Python checks the answer, then the page shows the result."""

from playwright.sync_api import Page, expect

from tests.support.browser import Visit
from tests.support.plane import points, spot


def test_a_lesson_asks_before_it_shows(page: Page) -> None:
    expect(page.locator(".verdict")).to_have_attribute("data-kind", "strict")
    page.get_by_role("button", name="Lessons").click()
    page.get_by_role("button", name="From the neuron to the perceptron").click()
    for part in (".verdict", ".chart-panel", ".proof"):
        expect(page.locator(part)).to_be_hidden()
    page.get_by_label("θ for OR").fill("1")
    page.get_by_label("θ for AND").fill("1")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".checked")).to_have_attribute("data-right", "false")
    expect(page.locator(".verdict")).to_be_hidden()
    page.get_by_role("button", name="Show the answer").click()
    expect(page.get_by_label("θ for OR")).to_have_value("1")
    expect(page.get_by_label("θ for AND")).to_have_value("2")
    expect(page.locator(".verdict")).to_be_visible()
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".checked")).to_have_attribute("data-right", "true")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#lesson")).to_contain_text("Step 2 of")


def test_an_address_opens_a_lesson_which_is_seen_beside_two_planes(visit: Visit) -> None:
    page = visit("#lesson=margin.4")
    expect(page.locator("#lesson")).to_contain_text("Step 4 of")
    expect(page.locator(".plane")).to_have_count(2)
    for part in (page.locator("#lesson"), *page.locator(".plane").all(), page.locator(".time")):
        expect(part).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Next").click()
    page.wait_for_url("**/#lesson=margin.5")


def test_an_exercise_shows_neither_steps_nor_verdict_until_it_is_solved(visit: Visit) -> None:
    page = visit("#exercise=will-it-converge.7")
    expect(page.get_by_label("Number of the exercise")).to_have_value("7")
    for part in (".verdict", ".time", ".chart-panel", ".proof"):
        expect(page.locator(part)).to_be_hidden()
    page.locator("body").press("End")
    expect(page.locator(".step-head")).to_have_text("start")
    page.get_by_role("button", name="Show the answer").click()
    for part in (".verdict", ".time"):
        expect(page.locator(part)).to_be_visible()
    page.evaluate("location.hash = '#exercise=why-it-overfits.7'")
    expect(page.locator("#lesson")).to_contain_text("overfit")
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".time .last")).to_be_disabled()  # the plane shows the answer, at the last step of its run
    expect(page.locator(".outcome").first).not_to_have_text("")


def test_a_line_is_drawn_as_an_answer(page: Page) -> None:
    page.get_by_role("button", name="Lessons").click()
    page.get_by_role("button", name="Draw the boundary").click()
    expect(page.get_by_role("button", name="Draw a line")).to_be_visible()
    expect(points(page)).to_have_count(0)  # the plane shows the board of the exercise
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".checked")).to_have_text('"your line" has no answer yet.')
    page.mouse.move(*spot(page, -7.9, 5))
    page.mouse.down()
    page.mouse.move(*spot(page, -7, 5.9), steps=3)
    page.mouse.up()
    expect(page.locator(".plane .shape.answer")).to_have_count(1)
    page.locator("#lesson").get_by_role("radio").first.check()
    page.get_by_role("button", name="Check").click()
    # this line is 9 away from the origin; with whole weights and a bias of at most 6, the right line is nearer
    expect(page.locator(".checked")).to_have_attribute("data-right", "false")

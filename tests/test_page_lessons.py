"""Lessons and exercises on the lab's page: asked first, checked by Python, then shown."""

from playwright.sync_api import Page, expect

from tests.plane import points, spot


def test_a_lesson_asks_before_it_shows(page: Page) -> None:
    page.get_by_role("button", name="Lessons").click()
    page.get_by_role("button", name="From the neuron to the perceptron").click()
    page.get_by_label("θ for OR").fill("1")
    page.get_by_label("θ for AND").fill("1")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".checked")).to_have_attribute("data-right", "false")
    page.get_by_label("θ for AND").fill("2")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".checked")).to_have_attribute("data-right", "true")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#lesson")).to_contain_text("2 of")


def test_a_reader_who_gives_up_is_shown(page: Page) -> None:
    page.get_by_role("button", name="Lessons").click()
    page.get_by_role("button", name="From the neuron to the perceptron").click()
    page.get_by_role("button", name="Show me").click()
    expect(page.get_by_label("θ for OR")).to_have_value("1")
    expect(page.get_by_label("θ for AND")).to_have_value("2")


def test_a_line_is_drawn_as_an_answer(page: Page) -> None:
    page.get_by_role("button", name="Lessons").click()
    page.get_by_role("button", name="Draw the boundary").click()
    expect(page.get_by_role("button", name="Draw a line")).to_be_visible()
    expect(points(page)).to_have_count(0)  # the exercise's own board is on the plane
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".checked")).to_have_text('"your line" has no answer yet.')
    page.mouse.move(*spot(page, -7.9, 5))
    page.mouse.down()
    page.mouse.move(*spot(page, -7, 5.9), steps=3)
    page.mouse.up()
    expect(page.locator(".shape.answer")).to_have_count(1)
    page.locator("#lesson").get_by_role("radio").first.check()
    page.get_by_role("button", name="Check").click()
    # 9 away from 0; weights are whole and the bias is at most 6, so that the right line is nearer
    expect(page.locator(".checked")).to_have_attribute("data-right", "false")

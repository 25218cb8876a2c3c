"""The time bar: steps forward, back and to any step. The table of Berkeley CS188 has the numbers of the lecture."""

from playwright.sync_api import Page, expect

from rosenblatt.data.files.lab_board import Board, Pane
from tests.support.browser import Visit
from tests.support.plane import shown

SCORES = ["-1", "-1", "14", "17", "12"]  # CS188
MISTAKES = ["no", "yes", "no", "no", "yes"]
WRITTEN = "-1*1 + 0*3 + 0*2 = -1"  # the second score
AFTER = {"b": "-1", "w f1": "1", "w f2": "-1"}


def column(page: Page, name: str) -> list[str]:
    """The cells below a head of the table."""
    heads = page.locator(".table-box th").all_inner_texts()
    return page.locator(f".table-box tbody td:nth-child({heads.index(name) + 1})").all_inner_texts()


def test_the_table_of_the_lecture_grows_row_by_row(page: Page) -> None:
    expect(shown(page)).to_have_text("0 / 5")
    for step in range(1, 6):
        page.get_by_role("button", name="Step forward").click()
        expect(page.locator(".table-box tr[aria-current=step]")).to_have_attribute("data-step", str(step))
        assert column(page, "score") == SCORES[:step]
        assert column(page, "mistake") == MISTAKES[:step]
        if step == 2:
            expect(page.locator(".score")).to_have_text(WRITTEN)
    assert {name: column(page, name)[-1] for name in AFTER} == AFTER


def test_steps_go_on_and_back_by_button_key_table_slider_chart_and_clock(page: Page) -> None:
    expect(shown(page)).to_have_text("0 / 5")
    page.keyboard.press("End")
    expect(shown(page)).to_have_text("5 / 5")
    page.get_by_role("button", name="Step back").click()
    expect(shown(page)).to_have_text("4 / 5")
    page.keyboard.press("ArrowLeft")
    expect(shown(page)).to_have_text("3 / 5")
    page.locator(".table-box tr[data-step='1']").click()
    expect(shown(page)).to_have_text("1 / 5")
    expect(page.locator(".step-head")).to_have_text("step 1 of 5, pass 1")
    page.get_by_role("slider", name="Step", exact=True).fill("2")
    expect(page.locator(".score")).to_have_text(WRITTEN)
    page.keyboard.press("Home")
    expect(shown(page)).to_have_text("0 / 5")
    chart = page.get_by_role("slider", name="Chart")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] - 14, "y": 40})
    expect(shown(page)).to_have_text("5 / 5")
    chart.press("ArrowLeft")
    expect(shown(page)).to_have_text("4 / 5")
    page.get_by_label("Speed").select_option("20 a second")
    page.locator("body").press("Home")
    page.locator("body").press(" ")
    expect(shown(page)).to_have_text("5 / 5")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_of_a_long_run_only_the_rows_on_the_screen_exist(visit: Visit) -> None:
    xor = Board.of_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1], panes=[Pane("perceptron", {})])
    page = visit(xor.to_link())
    expect(shown(page)).to_have_text("0 / 400")  # four rows, a hundred passes
    page.keyboard.press("End")
    expect(page.locator(".table-box tr[aria-current=step]")).to_be_in_viewport()
    assert page.locator(".table-box tbody tr").count() < 60
    page.locator(".table-box").press("Home")
    expect(shown(page)).to_have_text("0 / 400")

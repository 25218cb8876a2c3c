"""Whole boards in the lab: in the address, in files, built in; two algorithms side by side; verdicts with proofs."""

import csv
import io
import json

from playwright.sync_api import Page, expect

from rosenblatt.board import Board, Pane
from rosenblatt.datasets import load
from tests.browser import Visit
from tests.plane import board, point, points, shown, spot

GATE = [[0, 0], [0, 1], [1, 0], [1, 1]]
XOR = [-1, 1, 1, -1]
ADDRESSED = """async (step) => {
  const { fromLink } = await import('/page/link.js');
  while (JSON.parse(await fromLink(location.hash)).step !== step) {
    await new Promise(requestAnimationFrame);
  }
}"""


def test_the_address_holds_the_whole_board(visit: Visit) -> None:
    panes = [Pane("perceptron", {"order": "shuffled", "random_state": 3}), Pane("pocket", {})]
    given = Board.of_rows(GATE, ["no", "yes", "yes", "no"], names=("p", "q"), panes=panes)
    page = visit(given.to_link())
    expect(points(page, 1)).to_have_count(4)
    expect(shown(page)).to_have_text("0 / 400")
    page.keyboard.press("ArrowRight")
    expect(shown(page)).to_have_text("1 / 400")
    page.evaluate(ADDRESSED, 1)
    assert board(page).document() == {**given.document(), "step": 1}


def test_a_table_is_uploaded_and_another_column_shown(page: Page) -> None:
    page.get_by_role("button", name="Data").click()
    text = "a,b,c,kind\n1,2,9,x\n3,4,8,y\n5,1,7,x\n"
    page.get_by_label("File").set_input_files({"name": "own.csv", "mimeType": "text/csv", "buffer": text.encode()})
    expect(point(page, 1, "y", 3, 4)).to_be_visible()
    page.get_by_role("combobox", name="Up").select_option("c")
    expect(point(page, 1, "y", 3, 8)).to_be_visible()


def test_a_saved_lab_is_opened_again(page: Page) -> None:
    document = Board.of_rows(GATE, XOR).to_json().encode()
    page.get_by_role("button", name="Data").click()
    page.get_by_label("File").set_input_files({"name": "lab.json", "mimeType": "application/json", "buffer": document})
    expect(point(page, 3, -1, 1, 1)).to_be_visible()


def test_a_table_that_cannot_be_read_is_refused_in_a_sentence(page: Page, complaints: list[str]) -> None:
    page.get_by_role("button", name="Data").click()
    page.get_by_label("Table as text").fill("nothing to see")
    page.get_by_role("button", name="Use the text").click()
    expect(page.locator("#status")).to_contain_text(".")
    expect(points(page)).to_have_count(5)
    assert len(complaints) == 1
    assert "400" in complaints.pop()


def test_two_columns_of_iris_are_chosen(page: Page) -> None:
    page.get_by_role("button", name="Data").click()
    page.get_by_role("button", name="Iris").click()
    expect(points(page)).to_have_count(150)
    page.get_by_role("combobox", name="Across").select_option("petal length (cm)")
    x, y = load("iris").X[0][[2, 1]]
    expect(point(page, 0, "setosa", f"{x:g}", f"{y:g}")).to_be_visible()


def test_two_panes_go_in_step_on_the_same_points(page: Page) -> None:
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("combobox", name="Algorithm").nth(1).select_option("batch")
    expect(page.locator("figcaption").nth(1)).to_contain_text("BatchPerceptron")
    page.locator("body").press("ArrowRight")
    expect(page.locator(".step-head").nth(0)).to_contain_text("step 1")
    expect(page.locator(".step-head").nth(1)).to_contain_text("1")
    page.mouse.click(*spot(page, 4, 1, pane=1))
    expect(points(page, 0)).to_have_count(6)
    expect(points(page, 1)).to_have_count(6)


def test_the_witness_of_xor_is_drawn(visit: Visit) -> None:
    page = visit(Board.of_rows(GATE, XOR).to_link())
    expect(page.locator(".verdict")).to_contain_text("Not separable")
    page.get_by_label("draw the proof").check()
    expect(page.locator(".proof-shapes .segment")).to_have_count(2)  # the diagonals of the square
    expect(page.locator(".witness tbody tr")).to_have_count(4)
    page.get_by_role("button", name="Fewest errors").click()
    expect(page.locator(".fewest-answer")).to_contain_text("1")  # one of four points at least


def test_the_verdict_follows_a_point_as_it_is_moved(visit: Visit) -> None:
    page = visit(Board.of_rows(GATE, XOR).to_link())
    expect(page.locator(".verdict")).to_contain_text("Not separable")
    page.locator("[data-point='3']").focus()
    page.keyboard.press("2")  # of class 1: OR
    expect(page.locator(".verdict")).to_have_attribute("data-kind", "strict")


def test_files_of_the_lab_agree_with_the_board(page: Page) -> None:
    expect(shown(page)).to_have_text("0 / 5")
    page.get_by_role("button", name="Export").click()
    expect(page.locator(".code")).to_contain_text("Perceptron(")
    saved = {}
    for kind in ("svg", "png", "csv", "lab"):
        with page.expect_download() as caught:
            page.locator(f"[data-kind={kind}]").click()
        saved[kind] = caught.value.path().read_bytes()
    assert saved["svg"].startswith(b"<svg")
    assert saved["svg"].count(b"data-point=") == 5
    assert b"#0072b2" in saved["svg"] or b"rgb(0, 114, 178)" in saved["svg"]  # the look is inside
    assert saved["png"].startswith(b"\x89PNG")
    assert len(list(csv.DictReader(io.StringIO(saved["csv"].decode())))) == 5
    assert Board.of(json.loads(saved["lab"])) == board(page)


def test_what_takes_long_can_be_stopped_and_the_next_change_asks_again(page: Page) -> None:
    expect(page.locator(".verdict")).to_have_attribute("data-kind", "strict")
    page.route("**/api/verdict", lambda _route: None)  # never answered
    page.mouse.click(*spot(page, 1, 3))
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#status")).to_contain_text("Stopped.")
    expect(page.locator(".verdict")).to_have_attribute("data-kind", "strict")
    page.unroute("**/api/verdict")
    page.get_by_role("button", name="Delete all points").click()
    expect(page.locator(".verdict")).to_have_attribute("data-kind", "empty")

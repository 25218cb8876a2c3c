"""Whole boards: in the address, in files and built-in data; two panes; verdicts with proofs; exported files."""

import io
import json

from PIL import Image
from playwright.sync_api import Page, expect

from rosenblatt import Perceptron, Trace, trace
from rosenblatt.data.files.lab_board import Board, Pane
from rosenblatt.datasets import load
from tests.support.browser import Visit
from tests.support.plane import board, point, points, shown, spot

GATE = [[0, 0], [0, 1], [1, 0], [1, 1]]
XOR = [-1, 1, 1, -1]
ADDRESSED = """async (step) => {
  const { fromLink } = await import('/page/board/link.js');
  while (JSON.parse(await fromLink(location.hash))?.step !== step) {
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
    page.evaluate("location.hash = location.hash.slice(0, 40)")  # the end of the address is missing
    expect(page.locator("#status")).to_contain_text("The address does not contain a readable board")
    page.evaluate(ADDRESSED, 1)
    assert board(page).document() == {**given.document(), "step": 1}


def test_the_readers_own_table_or_board_is_read_or_refused_in_a_sentence(page: Page, complaints: list[str]) -> None:
    page.get_by_role("button", name="Data").click()
    page.get_by_label("Table as text").fill("nothing to see")
    page.get_by_role("button", name="Use the text").click()
    expect(page.locator("#status[data-kind=refusal]")).to_contain_text(".")
    expect(points(page)).to_have_count(5)
    assert len(complaints) == 1
    assert "400" in complaints.pop()
    text = "a,b,c,kind\n1,2,9,x\n3,4,8,y\n5,1,7,x\n"
    page.get_by_label("File").set_input_files({"name": "own.csv", "mimeType": "text/csv", "buffer": text.encode()})
    expect(point(page, 1, "y", 3, 4)).to_be_visible()
    expect(page.locator("#status-words")).to_have_text("")  # the error is gone
    page.get_by_role("combobox", name="Vertical").select_option("c")
    expect(point(page, 1, "y", 3, 8)).to_be_visible()
    label = page.get_by_role("combobox", name="Class")
    expect(label).to_have_value("kind")
    label.select_option("b")
    expect(page.get_by_role("radio", name="class 4", exact=True)).to_be_visible()
    label.select_option("kind")  # and back
    expect(point(page, 1, "y", 3, 4)).to_be_visible()
    document = Board.of_rows(GATE, XOR).to_json().encode()
    page.get_by_label("File").set_input_files({"name": "lab.json", "mimeType": "application/json", "buffer": document})
    expect(point(page, 3, -1, 1, 1)).to_be_visible()


def test_two_columns_of_iris_are_chosen(page: Page) -> None:
    page.get_by_role("button", name="Data").click()
    page.get_by_role("button", name="Iris").click()
    expect(points(page)).to_have_count(150)
    page.get_by_role("combobox", name="Horizontal").select_option("petal length (cm)")
    x, y = load("iris").X[0][[2, 1]]
    expect(point(page, 0, "setosa", f"{x:g}", f"{y:g}")).to_be_visible()


def test_two_panes_go_in_step_on_the_same_points(page: Page) -> None:
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("combobox", name="Algorithm").nth(1).select_option("batch")
    expect(page.locator("figcaption").nth(1)).to_contain_text("Batch perceptron")
    page.locator("body").press("ArrowRight")
    expect(page.locator(".step-head").nth(0)).to_contain_text("step 1")
    expect(page.locator(".step-head").nth(1)).to_contain_text("1")
    page.mouse.click(*spot(page, 4, 1, pane=1))
    expect(points(page, 0)).to_have_count(6)
    expect(points(page, 1)).to_have_count(6)


def test_the_witness_of_xor_is_drawn_and_the_verdict_follows_the_points(visit: Visit) -> None:
    page = visit(Board.of_rows(GATE, XOR).to_link())
    expect(page.locator(".verdict")).to_contain_text("Not separable")
    page.get_by_label("draw the proof").check()
    expect(page.locator(".plane .segment")).to_have_count(2)  # the diagonals of the square
    expect(page.locator(".plane-legend")).to_contain_text("in both hulls")
    expect(page.locator(".witness tbody tr")).to_have_count(4)
    page.get_by_role("button", name="Fewest errors").click()
    expect(page.locator(".fewest-answer")).to_contain_text("1")  # one of four points at least
    page.locator("[data-point='3']").focus()
    page.keyboard.press("2")  # of class 1: OR
    verdict = page.locator(".verdict")
    expect(verdict).to_have_attribute("data-kind", "strict")
    page.mouse.move(*spot(page, 0, 0))
    page.mouse.down()
    for move in range(400):  # into the triangle of the other points, without a pause
        page.mouse.move(*spot(page, 0.7 + 0.01 * (move % 10), 0.7))
        if verdict.get_attribute("data-kind") == "overlap":
            break
    else:
        raise AssertionError("the verdict does not follow a moving point")
    page.mouse.up()


def test_files_of_the_lab_agree_with_the_board(page: Page) -> None:
    expect(shown(page)).to_have_text("0 / 5")
    page.get_by_role("button", name="Export").click()
    expect(page.locator(".code")).to_contain_text("Perceptron(")
    saved = {}
    for kind in ("svg", "png", "csv", "jsonl", "gif", "html", "lab"):
        with page.expect_download() as caught:
            page.locator(f"[data-kind={kind}]").click()
        saved[kind] = caught.value.path().read_bytes()
    assert saved["svg"].startswith(b"<svg")
    assert saved["svg"].count(b"data-point=") == 5
    assert b"#0072b2" in saved["svg"] or b"rgb(0, 114, 178)" in saved["svg"]  # the styles are in the file
    assert saved["png"].startswith(b"\x89PNG")
    X, y = load("berkeley_points")
    steps = trace(Perceptron(order="cyclic", tie="positive", init=[0, 0, -1], max_epochs=1), X, y)
    assert saved["csv"].decode() == steps.to_csv()
    assert Trace.from_jsonl(saved["jsonl"].decode()) == steps
    with Image.open(io.BytesIO(saved["gif"])) as picture:
        assert getattr(picture, "n_frames", 0) == len(steps) + 1
    assert saved["html"].count(b"<img") == len(steps) + 1
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

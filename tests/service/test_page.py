"""The live page in a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from rosenblatt import Client
from tests.service.service_process import Service
from tests.service.streams import numbers


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path)
    yield made
    made.kill()


@pytest.fixture
def page(browser: Browser, service: Service) -> Iterator[Page]:
    problems: list[str] = []
    with browser.new_context(viewport={"width": 900, "height": 1200}) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(service.address)
        yield page
    assert problems == []


def fact(page: Page, name: str) -> Any:
    return page.locator(".fact", has_text=name).locator("b").first


def test_the_page_follows_a_model(page: Page, service: Service) -> None:
    expect(page.locator("#none")).to_contain_text(f"{service.address}v1/models")
    with Client(service.address) as client:
        client.create("m", columns=3, classes=["no", "yes"])
        examples = numbers(300)
        learned = client.learn_many("m", [one["x"] for one in examples], [one["y"] for one in examples])
        wrong = sum(one.mistake for one in learned)
        expect(fact(page, "examples")).to_have_text("300")
        expect(fact(page, "wrong predictions")).to_have_text(str(wrong))
        expect(page.locator("#none")).to_be_hidden()
        expect(page.locator("#weights rect")).to_have_count(3)
        expect(page.locator("#mistakes tr").first).to_contain_text(str(max(o.example for o in learned if o.mistake)))
        client.learn("m", [1.0, 1.0, 1.0], "yes")
        expect(fact(page, "examples")).to_have_text("301")
    service.kill()
    expect(page.locator("#state")).to_have_class("problem")

"""The link to the documentation in a notebook's diagram: to the address in the package's metadata, or to none."""

import importlib.metadata
import re
from collections.abc import Iterator
from email.message import Message
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Calibrated,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    NearestMean,
    OneVsAll,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Scaling,
)
from rosenblatt.errors.guidance import documentation

ADDRESS = "https://documentation.invalid/pages"  # .invalid is reserved: no such host can exist
ESTIMATORS = (
    Anderson(),
    BatchPerceptron(),
    KernelPerceptron(),
    Kessler(Perceptron()),
    Kozinec(),
    LeastRisk(Perceptron()),
    Calibrated(Perceptron()),
    NearestMean(),
    OneVsAll(Perceptron()),
    OneVsOne(Perceptron()),
    PassiveAggressive(),
    Perceptron(),
    Pocket(),
    Scaling(),
)


class OfAUser(Perceptron):
    """A class that the package does not document."""


def links(estimator: Any) -> list[str]:
    return re.findall(r'href="([^"#]*)', estimator._repr_html_())


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    documentation.cache_clear()
    yield
    documentation.cache_clear()


def installed_with(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    metadata = Message()
    for address in addresses:
        metadata["Project-URL"] = address
    monkeypatch.setattr(importlib.metadata, "metadata", lambda _: metadata)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_without_an_address_there_is_no_link(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    installed_with(monkeypatch, "Source Code, https://code.invalid")
    assert links(estimator) == []


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_link_is_to_the_address_in_the_metadata(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    installed_with(monkeypatch, "Source Code, https://code.invalid", f"Documentation, {ADDRESS}")
    assert set(links(estimator)) == {ADDRESS}
    assert f"Documentation for {type(estimator).__name__}" in estimator._repr_html_()


def test_with_a_link_the_parameters_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """scikit-learn shows the docstring of each parameter if there is a link."""
    installed_with(monkeypatch, f"Documentation, {ADDRESS}")
    page = Pocket()._repr_html_()
    assert page.count('<a class="param-doc-link"') == len(Pocket().get_params())
    assert "order: {&quot;shuffled&quot;" in page


def test_a_package_that_is_not_installed_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Message:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "metadata", missing)
    assert documentation() == ""


def test_classes_of_users_and_of_other_libraries_keep_their_own_links(monkeypatch: pytest.MonkeyPatch) -> None:
    installed_with(monkeypatch, f"Documentation, {ADDRESS}")
    assert links(OfAUser()) == []
    assert {link.split("/")[2] for link in links(OneVsAll(LogisticRegression()))} == {
        "documentation.invalid",
        "scikit-learn.org",
    }

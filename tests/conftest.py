"""Fixtures that any test may ask for."""

from tests.support.browser import browser, complaints, lab, page, visit

__all__ = ["browser", "complaints", "lab", "page", "visit"]

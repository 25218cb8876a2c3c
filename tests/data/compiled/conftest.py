"""These tests compare compiled rules with Python: rules are compiled at their first call."""

from collections.abc import Iterator

import pytest

from rosenblatt.data.compiled.jit import compiled_at_once


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> Iterator[None]:
    with compiled_at_once():
        yield

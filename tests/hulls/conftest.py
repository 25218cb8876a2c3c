"""These tests compare compiled rules with Python: rules are compiled at their first call."""

from collections.abc import Iterator

import pytest

from rosenblatt.data.compiled import jit


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jit, "PATIENCE", -1.0)
        yield

"""Settings for all tests; set before scipy and scikit-learn are imported."""

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.effort import EXAMPLES

os.environ["SCIPY_ARRAY_API"] = "1"  # scikit-learn's checks of array API input are skipped without it
os.environ["MPLBACKEND"] = "Agg"

# A shell starts background jobs with Ctrl-C ignored, and processes inherit that; tests of Ctrl-C need it heard.
signal.signal(signal.SIGINT, signal.default_int_handler)
gc.set_threshold(50_000, 20, 20)  # compiling and drawing examples make millions of small objects

# No test is timed: the first use of a kernel compiles it, and the machine may be busy.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", patient, derandomize=True, max_examples=EXAMPLES["default"])
settings.register_profile("nightly", patient, max_examples=EXAMPLES["nightly"])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_finish() -> None:
    """Thousands of collected tests are there to stay: the garbage collector need not walk over them again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_picture_stays_open() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")

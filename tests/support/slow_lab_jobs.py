"""The jobs of `lab_jobs`, in a module that takes a second to load, so that a test can see a process load it."""

import time

time.sleep(1.0)

from tests.support.lab_jobs import JOBS  # noqa: E402

__all__ = ["JOBS"]

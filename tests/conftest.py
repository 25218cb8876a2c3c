"""Settings for all tests; set before scipy and scikit-learn are imported."""

import os

from hypothesis import settings

os.environ["SCIPY_ARRAY_API"] = "1"  # scikit-learn's checks of array API input are skipped without it

settings.register_profile("default", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("nightly", deadline=None, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

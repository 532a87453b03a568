"""Random examples are the same in every run, so that a change that fails is this change's fault.

New ones are looked for with `HYPOTHESIS_PROFILE=search python -m pytest ...`.
"""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

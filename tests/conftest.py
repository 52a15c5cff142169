"""What all tests share: settings of Hypothesis, and which tests run in one process when there are several."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "gossamer",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("gossamer")

ONE_PORT = ("test_demo_tour.py", "test_readme.py")  # both serve the demo web where its links lead


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of one file stay together, as they share what is made once for a file."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "one port" if file.endswith(ONE_PORT) else file

    return ByFile(config, log)

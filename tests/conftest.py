"""What all tests share: settings of Hypothesis, and which tests run in one process when there are several."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "gossamer",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("gossamer")

ONE_PORT = {"test_demo_tour.py", "test_readme.py"}  # both serve the demo web where its links lead


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file stay together, as they share what is made once for a file."""
    for item in items:
        group = "one port" if item.path.name in ONE_PORT else item.path.name
        item.add_marker(pytest.mark.xdist_group(group))

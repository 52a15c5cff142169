"""What all tests share: pages made from a few words, and a compiled-code cache that outlives the run."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "gossamer",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("gossamer")

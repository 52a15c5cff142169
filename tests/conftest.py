"""What all tests share: settings of Hypothesis, what runs together and first, how processes end."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from gossamer.cli.progress import compile_kernels
from gossamer.kernels.warm_up import STAGES

settings.register_profile(
    "gossamer",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("gossamer")

# Begun first, in this order: they take longest, and would be waited for in the end.
BEGUN_FIRST = (
    "extract/test_extract_targets.py",
    "search/test_search_algorithms.py",
    "index/test_index_roundtrip.py",
    "graph/test_graph_sweeps.py",
    "query/test_query_conditions.py",
    "graph/test_graph_structure.py",
    "answer/test_answer_clustering.py",
    "jobs/test_jobs_killed.py",
    "crawl/test_crawl_hostile_answers.py",
    "project/test_readme.py",
    "browser/test_browser_tour.py",
    "browser/test_browser_owner.py",
    "crawl/test_crawl_control.py",
    "browser/test_browser_safety.py",
    "browser/test_browser_hostile_web.py",
    "browser/test_browser_access.py",
    "extract/test_extract_workers.py",
    "cli/test_cli_whole.py",
    "crawl/test_crawl_continuous.py",
    "graph/test_graph_reader.py",
    "index/test_index_full_disk.py",
    "project/test_benchmark_passages.py",
    "project/test_plugin_examples.py",
    "project/test_kernel_cache.py",
    "anchor_text/test_anchor_text_end_to_end.py",
    "evaluate/test_evaluate_demo_floor.py",
)
ONE_PORT = ("test_demo_tour.py", "test_readme.py")  # both serve the demo web where its links lead


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of one file stay together, as they share what is made once for a file."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # it would begin with files of many tests, which are short ones

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "one port" if file.endswith(ONE_PORT) else file

    return ByFile(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Orders the files for several processes: all of them must come to the same order."""
    if not hasattr(config, "workerinput"):
        return
    places = {name: place for place, name in enumerate(BEGUN_FIRST)}
    items.sort(key=lambda item: places.get("/".join(item.path.parts[-2:]), len(places)))


RUN = "GOSSAMER_TEST_RUN"  # the process of the whole run, by its number, in the environment of all others


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the usual kernels first, in several processes: no test waits for one, or shows that it does."""
    if not hasattr(session.config, "workerinput"):
        compile_kernels(STAGES)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        os.environ[RUN] = str(os.getpid())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Kill the servers that a crashed worker left behind: they would keep the output of the run open."""
    if hasattr(config, "workerinput"):
        return
    mark = f"{RUN}={os.getpid()}\0".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # gone, or another user's
            if mark in (folder / "environ").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)

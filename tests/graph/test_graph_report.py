"""A report on a crawled web: at every level, with names, whatever the pages are called."""

import sys

import numpy as np
import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.graph.build import graph_of
from gossamer.graph.structure.report import LevelGraph, _Reporting, examine
from gossamer.model import BadSetting, GossamerError, UsageError
from gossamer.model.progress import unobserved

FILL = "A text of its own about number "
WEB = ScriptedWeb(
    {
        "a.test": ScriptedHost(
            {
                "/": page("Home", f"{FILL} one", ["/two", "http://b.test/", "http://www.b.test/"]),
                "/two": page("Two", f"{FILL} two hundred", ["/", "/pit"]),
                "/pit": page("A pit", f"{FILL} three thousand", ["/pit2"]),
                "/pit2": page("Its floor", f"{FILL} forty", ["/pit"]),
            }
        ),
        "b.test": ScriptedHost({"/": page("B & <B>", f"{FILL} five and a half", ["http://a.test/"])}),
        "www.b.test": ScriptedHost({"/": page("End", f"{FILL} six dozen of them")}),
    }
)
SETTINGS = {"frontier": {"delay": 0}, "extract": {"workers": 0}}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    place = tmp_path_factory.mktemp("report") / "c"
    with Engine.open(place, create=True, settings=SETTINGS) as opened:
        with pytest.raises(GossamerError, match="gossamer rank"):
            opened.graph_report()
        opened.crawl("http://a.test/", transport=ScriptedTransport(WEB))
        opened.rank()
        yield opened


def test_without_scipy_the_extra_is_named(engine, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(UsageError, match=r"needs scipy: pip install 'gossamer-search\[graph\]'"):
        engine.graph_report()


def test_pages_have_their_names(engine):
    told = []
    found = engine.graph_report(observer=told.append)
    assert (found.level, found.pages, found.links) == ("pages", 6, 8)
    assert {part.name: part.pages for part in found.bow_tie if part.pages} == {"core": 3, "out": 3}
    assert [(one.url, one.title) for one in found.dead_ends] == [("http://www.b.test/", "End")]
    assert found.unfetched_dead_ends == 0
    (trap,) = found.traps
    assert (trap.pages, trap.entrances, trap.period) == (2, 1, 2)
    assert {one.title for one in trap.first} == {"A pit", "Its floor"}
    assert not found.ergodic
    assert sum(one.pages for one in found.communities) <= 6
    assert {host for one in found.communities for host, _ in one.hosts} <= {"a.test", "b.test", "www.b.test"}
    assert told[-1][0] == "done"


def test_pages_whose_host_nobody_knows_count_in_their_community():
    """Four pages that all link to each other: two of one host, one of another, one of none that is known."""
    graph = graph_of([(source, target) for source in range(4) for target in range(4) if source != target])
    found = LevelGraph(graph, np.array([0, 0, 1, -1]), ["a.test", "b.test"])
    structure = examine(graph, 0.85, unobserved)
    (community,) = _Reporting(found, structure, "pages", 0.85, [])._communities()
    assert community.hosts == (("a.test", 0.5), ("b.test", 0.25))


def test_hosts_and_domains_are_levels_of_their_own(engine):
    hosts = engine.graph_report("hosts")
    assert (hosts.pages, hosts.links) == (3, 3)
    assert [one.url for one in hosts.dead_ends] == ["www.b.test"]
    domains = engine.graph_report("domains")
    assert (domains.pages, domains.links, domains.period) == (2, 2, 2)
    assert not domains.dead_ends
    assert not domains.traps


def test_other_levels_are_refused(engine):
    with pytest.raises(BadSetting, match="pages, hosts, domains"):
        engine.graph_report("planets")


def test_an_empty_graph_is_said_so(tmp_path):
    with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as opened:
        opened.rank()
        with pytest.raises(GossamerError, match="the graph is empty"):
            opened.graph_report()

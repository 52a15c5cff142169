"""A web ranked with beta 1: pages may have no PageRank at all, and the walk may never rest."""

from __future__ import annotations

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page

PAGES = {
    "/": page("Home", "Nobody links to the first of all pages.", ["/side", "/more"]),
    "/more": page("More", "A second way leads from home to those two.", ["/tick"]),
    "/side": page("Side", "One page links here, and it has nothing to give.", ["/tick"]),
    "/tick": page("Tick", "Two pages go round for ever, and this is one.", ["/tock"]),
    "/tock": page("Tock", "The other one of those two has its own words.", ["/tick"]),
}
SETTINGS = {"frontier": {"delay": 0}, "extract": {"workers": 0}, "rank": {"damping": 1.0}}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain") / "c"
    with Engine.open(folder, create=True, settings=SETTINGS) as opened:
        opened.crawl(
            "http://a.test/", transport=ScriptedTransport(ScriptedWeb({"a.test": ScriptedHost(PAGES)}))
        )
        opened.rank()
        yield opened


def test_a_page_without_pagerank_has_links_too(engine):
    found = engine.links("http://a.test/side")
    assert found.pagerank == 0
    assert [link.page.url for link in found.in_links] == ["http://a.test/"]
    assert [(flow.flows, flow.share) for flow in found.flows] == [(0.0, 0.0)]


def test_a_walk_alone_that_does_not_rest_is_told(engine):
    done = engine.rank(only=["indegree", "pagerank"])
    assert (done.converged, done.steps) == (False, 200)
    assert done.residual > 0.1
    assert "the walk is periodic" in done.diagnosis
    assert done.notes == (f"pagerank: {done.diagnosis}",)
    assert engine.rank(only=["indegree"]).converged

"""Links from other answers count when a query comes, in every number of partitions, and are explained."""

from __future__ import annotations

import pytest

from gossamer import Engine
from gossamer.cli.output import explained
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html

HOSTS = 9
SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}, "crawl": {"sitemaps": False}}
SAYS = "The otter is a fish eater of the river."


def web():
    """Two pages say the same of otters; those that speak of otters link to one, all to the other."""
    hosts = {"a.test": {"/otter": html(f"<title>Otter</title><p>{SAYS} Here.</p>")}}
    hosts["b.test"] = {"/otter": html(f"<title>Otter</title><p>{SAYS} There.</p>")}
    for number in range(HOSTS):
        own = {}
        for page in range(6):
            about = f"Otter tales {page}" if page == 0 else f"Chess {page}"
            links = ["http://b.test/otter", f"/{(page + 1) % 6}"]
            links += ["http://a.test/otter"] if page == 0 else []
            said = "".join(f'<a href="{href}">see</a> ' for href in links)
            own[f"/{page}"] = html(f"<title>{about}</title><p>{about} number {number}. {said}</p>")
        hosts[f"h{number}.test"] = own
    return ScriptedWeb({name: ScriptedHost(pages) for name, pages in hosts.items()})


def answered(folder, partitions):
    with Engine.open(folder, create=True, partitions=partitions, settings=SETTINGS) as engine:
        engine.crawl([f"http://h{n}.test/0" for n in range(HOSTS)], transport=ScriptedTransport(web()))
        engine.rank()
        found = {rank: engine.search("otter", rank=rank, explain=True) for rank in (None, "none", "pagerank")}
    return {
        rank: [(hit.url, hit.score, hit.explanation) for hit in page.hits] for rank, page in found.items()
    }


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    return answered(tmp_path_factory.mktemp("one"), 1)


def test_what_other_answers_link_to_comes_first(one):
    (first, score, why), (second, _, other) = one["pagerank"][:2]
    assert (first, second) == ("http://a.test/otter", "http://b.test/otter")
    assert why.support == pytest.approx(1 + 0.2 * 0.3 * HOSTS / (HOSTS + 12))
    assert other.support == pytest.approx(1 + 0.2 * (HOSTS - 0.7 * 6 * HOSTS) / (6 * HOSTS + 12))
    assert sum(part.score for part in why.contributions) * why.factor == pytest.approx(score, abs=1e-3)
    assert f"x {why.support:.3f} for links from other results" in explained(why, score)


def test_without_links_nothing_is_supported(one):
    assert {why.support for _, _, why in one["none"]} == {1.0}


@pytest.mark.parametrize("partitions", [2, 5])
def test_the_number_of_partitions_changes_nothing(tmp_path, one, partitions):
    assert answered(tmp_path, partitions) == one

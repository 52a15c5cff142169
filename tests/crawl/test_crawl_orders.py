"""Each URL order on a small web, computed by hand."""

import numpy as np
import pytest
from queues import queues_in_memory

from gossamer.crawl.frontier.url_order import ORDERS, order
from gossamer.crawl.settings import FrontierSettings
from gossamer.model import BadSetting, CrawlRequest, Url
from gossamer.storage.seen_urls import DONE

# who links to whom; each page on a host of its own, so that politeness does not mix in
FOUR = {"a": "bc", "b": "c", "c": "ad", "d": "c"}
TREE = {"a": "bcd", "b": "ef", "c": "g", "d": "", "e": "h", "f": "", "g": "", "h": ""}


def url(page):
    return Url.parsed(f"http://{page}/")


def crawled(web, name, look=None):
    """Return the pages in the order of fetching; `look(page, cash)` gets the scores of all after each."""
    rule = order(name)
    frontier = queues_in_memory(FrontierSettings(delay=0.0, front_queues=1))
    seen, depths = frontier.seen, {"a": 0}
    frontier.add_new(CrawlRequest(url("a"), priority=rule.score(url("a").fingerprint, 0)))
    fetched = []
    while request := frontier.next(0.0):
        page = request.url.host
        fetched.append(page)
        seen.set_state(request.url.fingerprint, DONE)
        for target in web[page]:
            depths.setdefault(target, depths[page] + 1)
            score = rule.score(url(target).fingerprint, depths[target])
            frontier.add_new(CrawlRequest(url(target), depths[target], score))
        amount = rule.share(seen, request.url.fingerprint, len(web[page]))
        seen.pay(np.array([url(target).fingerprint for target in web[page]], np.uint64), amount)
        frontier.done(request.url.authority, 0.0, 0.0)
        if look:
            look(page, {known: seen.score(url(known).fingerprint) for known in depths})
    return "".join(fetched)


def test_opic_by_hand():
    """Check that a page passes on 0.15 + 0.85 of its cash, in equal shares.

    a has 1       and hands on 0.15 + 0.85           = 1          : 0.5 to b and c
    b has 0.5     and hands on 0.15 + 0.425          = 0.575      : all to c, which has 1.075 then
    c has 1.075   and hands on 0.15 + 0.91375        = 1.06375    : 0.531875 to a and d
    d has 0.531875 and hands on 0.15 + 0.45209375    = 0.60209375 : all to c
    """
    cash = {}
    assert crawled(FOUR, "opic", cash.__setitem__) == "abcd"
    assert cash["a"] == pytest.approx({"a": 0.0, "b": 0.5, "c": 0.5})
    assert cash["b"] == pytest.approx({"a": 0.0, "b": 0.0, "c": 1.075})
    assert cash["c"] == pytest.approx({"a": 0.531875, "b": 0.0, "c": 0.0, "d": 0.531875})
    # what comes to a page that was fetched already stays with it
    assert cash["d"] == pytest.approx({"a": 0.531875, "b": 0.0, "c": 0.60209375, "d": 0.0})


def test_opic_prefers_what_many_pages_link_to(monkeypatch):
    """This holds even if the score changes while the page's host only waits for its turn."""
    monkeypatch.setattr("gossamer.crawl.frontier.host_queues.LEAST_DRAWN", 0)
    many = [f"h{number}" for number in range(40)]
    web = {"a": [*many, "z"], "z": "", **dict.fromkeys(many, "z")}
    pages = []
    crawled(web, "opic", lambda page, cash: pages.append(page))
    assert len(pages) == 42
    assert pages.index("z") < 24


def test_a_page_without_links_hands_on_nothing():
    assert crawled({"a": ""}, "opic", lambda page, cash: cash == {"a": 0.0}) == "a"


def test_breadth_first():
    assert crawled(TREE, "breadth-first") == "abcdefgh"
    assert crawled(FOUR, "breadth-first") == "abcd"


def test_depth_first():
    assert crawled(TREE, "depth-first") == "abehfcgd"


def test_random_is_the_same_every_time():
    hosts = [f"h{number}" for number in range(30)]
    web = {"a": hosts, **dict.fromkeys(hosts, "")}
    rule = order("random")
    scores = {host: rule.score(url(host).fingerprint, 1) for host in hosts}
    assert all(0.0 <= score < 1.0 for score in scores.values())
    found = crawled(web, "random")
    assert found == crawled(web, "random")
    assert found == "a" + "".join(sorted(hosts, key=scores.__getitem__, reverse=True))
    assert found != "a" + "".join(hosts)
    assert rule.score(2**64 - 1, 0) < 1.0


@pytest.mark.parametrize("name", ORDERS)
def test_every_order_gets_everything(name):
    assert sorted(crawled(TREE, name)) == list("abcdefgh")


def test_an_unknown_order_is_refused():
    with pytest.raises(BadSetting, match=r"opic, breadth-first, depth-first, random, not 'best'"):
        order("best")

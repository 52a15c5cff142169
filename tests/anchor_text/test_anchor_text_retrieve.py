"""Links speak for pages: in ranking, before pages are fetched, and whatever the number of partitions."""

from __future__ import annotations

import shutil

import pytest
from pages import url

from gossamer import Engine
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedTransport, ScriptedWeb, error, html, page

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}


def web():
    """A portal and two others speak of pages, some of which are not fetched within one link."""
    far = {
        "http://far.test/one": "lighthouse keeper",
        "http://far.test/secret": "lighthouse secret",
        "http://far.test/picture.png": "lighthouse picture",
        "http://dead.test/gone": "lighthouse ruin",
    }
    links = {"http://sea.test/tower": "lighthouse", "http://sea.test/wall": "harbour wall", "/deep": "deeper"}
    also = {"http://sea.test/tower": "the old lighthouse", "/far": "far away"}
    return ScriptedWeb(
        {
            "portal.test": ScriptedHost(
                {"/": page("Portal", "a portal", links), "/deep": page("Deep", "deep", far)}
            ),
            "other.test": ScriptedHost(
                {"/": page("Other", "another", also), "/far": page("Far", "far", far)}
            ),
            "sea.test": ScriptedHost(
                {
                    "/": page("Sea", "the sea has a lighthouse", ["/tower", "/wall"]),
                    "/tower": page("Tower", "it shines over the water"),
                    "/wall": page("Wall", "a lighthouse stands near this wall of the harbour"),
                }
            ),
            "far.test": ScriptedHost(
                {
                    "/": page("F", "f"),
                    "/one": page("One", "found at last"),
                    "/robots.txt": Reply(200, b"User-agent: *\nDisallow: /secret\n"),
                }
            ),
            "dead.test": ScriptedHost({"/gone": error(404)}),
        }
    )


def collection(folder, partitions=1, **settings):
    """Crawled one link deep from the seeds: what the pages there link to is known, and waits."""
    chosen = {**SETTINGS, "crawl": {"max_pages": 7, "sitemaps": False}, **settings}
    with Engine.open(folder, create=True, partitions=partitions, settings=chosen) as engine:
        seeds = ["http://portal.test/", "http://other.test/", "http://sea.test/"]
        engine.crawl(seeds, transport=ScriptedTransport(web()))
        engine.rank()
    return folder


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    return collection(tmp_path_factory.mktemp("linked") / "c")


@pytest.fixture
def copy(ranked, tmp_path):
    return shutil.copytree(ranked, tmp_path / "c")


def search(folder, query, k=10, **settings):
    with Engine.open(folder, settings={**SETTINGS, "search": settings}) as engine:
        return engine.search(query, k, explain=True, correct=False)


def urls(found):
    return [hit.url.removeprefix("http://") for hit in found.hits]


def test_a_page_is_found_by_what_links_say(ranked):
    found = search(ranked, "lighthouse")
    assert "sea.test/tower" in urls(found)
    assert found.total == len(found.hits)
    assert "sea.test/tower" not in urls(search(ranked, "lighthouse", anchor_text_weight=0.0))


def when(hit):
    """What was not fetched has no date, and comes last."""
    return float("-inf") if hit.unfetched else hit.fetched_at if hit.published is None else hit.published


@pytest.mark.parametrize("partitions", [1, 3])
def test_the_newest_are_all_that_match_also_by_links_alone(tmp_path, partitions):
    with Engine.open(collection(tmp_path / "c", partitions), settings=SETTINGS) as engine:
        best = engine.search("lighthouse", 100, facets=True)
        newest = engine.search("lighthouse", 100, newest_first=True, facets=True)
        pages = [engine.search("lighthouse", 2, at, newest_first=True) for at in range(0, newest.total, 2)]
    assert sorted(urls(newest)) == sorted(urls(best))
    assert "sea.test/tower" in urls(newest)
    assert newest.total == best.total == len(newest.hits)
    assert newest.facets == best.facets
    assert any(hit.unfetched for hit in newest.hits)
    assert list(newest.hits) == sorted(newest.hits, key=lambda hit: (-when(hit), hit.fingerprint))
    assert [hit.url for one in pages for hit in one.hits] == [hit.url for hit in newest.hits]


def test_the_sum_behind_the_score_holds(ranked):
    for hit in search(ranked, "old lighthouse").hits:
        why = hit.explanation
        total = sum(one.score for one in why.contributions) * why.factor
        assert total == pytest.approx(hit.score, abs=1e-3)


def near_web():
    """Two pages that say the same; words near a link speak of one."""
    said = (
        '<p>About ferries there is <a href="http://sea.test/b">this page</a> for travellers to islands.</p>'
    )
    menu = '<p>About ferries there is <a href="http://sea.test/a" rel="nofollow">that page</a> too.</p>'
    others = {"/a": page("A", "a harbour with ferries"), "/b": page("B", "a harbour with ferries too")}
    return ScriptedWeb(
        {
            "portal.test": ScriptedHost({"/": html(f"<title>Portal</title>{said}{menu}")}),
            "sea.test": ScriptedHost({"/": page("Sea", "sea", list(others)), **others}),
        }
    )


def test_words_near_links_add_to_what_pages_say(tmp_path):
    with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
        engine.crawl(["http://portal.test/", "http://sea.test/"], transport=ScriptedTransport(near_web()))
        engine.rank()
        assert not engine.check().problems
    without, found = (search(tmp_path / "c", "ferries", nearby_text_weight=share) for share in (0.0, 1.0))
    before, after = ({hit.url: hit for hit in one.hits} for one in (without, found))
    assert after["http://sea.test/b"].score > before["http://sea.test/b"].score
    assert after["http://sea.test/a"].score == before["http://sea.test/a"].score
    word = after["http://sea.test/b"].explanation.contributions[0]
    assert (word.links, round(word.near_links, 2)) == (0.0, 0.55)
    assert urls(search(tmp_path / "c", "islands", nearby_text_weight=1.0)) == ["portal.test/"]


def test_pages_that_nobody_fetched_are_marked(ranked):
    (hit,) = [hit for hit in search(ranked, "keeper").hits if hit.unfetched]
    assert hit.url == "http://far.test/one"
    assert hit.title == "lighthouse keeper"
    assert hit.snippet.text == "lighthouse keeper"
    assert hit.snippet.highlights == ((11, 17),)
    assert hit.score > 0


def test_pages_that_were_not_fetched_can_be_left_out(ranked):
    assert not any(hit.unfetched for hit in search(ranked, "lighthouse", unfetched=False).hits)


CONDITIONS = {
    "keeper site:far.test": ["far.test/one"],
    '"lighthouse keeper"': ["far.test/one"],
    "inanchor:keeper": ["far.test/one"],
    "keeper AND lighthouse": ["far.test/one"],
    "keeper -site:far.test": [],
    "keeper lang:en": [],
    "intitle:keeper": [],
    '"keeper lighthouse"': [],
    "keeper -lighthouse": [],
}


@pytest.mark.parametrize("query", CONDITIONS)
def test_conditions_ask_what_links_say(ranked, query):
    assert [url for url in urls(search(ranked, query)) if "far.test" in url] == CONDITIONS[query]


def changed(folder, change):
    with Engine.open(folder, settings=SETTINGS) as engine:
        partition = engine._partitions[0]
        with engine._writing():
            change(partition.catalogue)
            partition.catalogue.commit()


def test_what_was_forbidden_since_is_not_shown(copy):
    changed(copy, lambda catalogue: catalogue.refuse(url("http://far.test/one").fingerprint, "robots"))
    found = search(copy, "keeper")
    assert urls(found) == urls(search(copy, "keeper", unfetched=False))
    assert found.total == len(found.hits) == 2, "the pages on which the links stand"


def test_robots_and_filters_are_asked_when_texts_are_indexed(tmp_path):
    folder = collection(tmp_path / "c")
    assert "far.test/secret" in urls(search(folder, "secret")), "nobody has asked far.test yet"
    chosen = {**SETTINGS, "crawl": {"exclude": ["/one$"], "max_pages": 1}}
    with Engine.open(folder, settings=chosen) as engine:
        engine.crawl(["http://far.test/"], transport=ScriptedTransport(web()))
        engine.rank()
    found = urls(search(folder, "lighthouse"))
    assert not {"far.test/secret", "far.test/one", "far.test/picture.png"} & set(found)


QUERIES = ["lighthouse", "old lighthouse", "keeper lighthouse", "harbour wall",
           '"lighthouse keeper"', "lighthouse site:test"]  # fmt: skip


def answers(folder):
    found = {}
    for query in QUERIES:
        result = search(folder, query)
        hits = [(h.url, h.score, h.title, h.snippet, h.unfetched, h.more_from_host) for h in result.hits]
        found[query] = (result.total, hits)
    return found


@pytest.mark.parametrize("partitions", [2, 5])
def test_the_number_of_partitions_changes_no_answer(ranked, tmp_path, partitions):
    assert answers(collection(tmp_path / "c", partitions)) == answers(ranked)

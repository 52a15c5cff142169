"""Searches in which links count by another rank, or are asked for themselves."""

from __future__ import annotations

import re
import shutil

import pytest
from linked_web import CATS, crawled, settings

from gossamer import Engine
from gossamer.answer import prepare as topic_guess
from gossamer.answer.prepare import RequestReader
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html
from gossamer.graph.ranks import registry as columns
from gossamer.model import BadQuery, BadSetting, DamagedFile, UsageError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return crawled(tmp_path_factory.mktemp("by-links") / "c", partitions=2)


@pytest.fixture(scope="module")
def engine(folder):
    with Engine.open(folder, settings=settings()) as engine:
        yield engine


def urls(page):
    return [hit.url for hit in page.hits]


def find(engine, text, **how):
    return engine.search(text, 50, everything=True, **how)


def score(engine, text, url, **how):
    return next(hit.score for hit in find(engine, text, **how).hits if hit.url == url)


def factor(engine, url, rank):
    """What its rank makes of a page's score."""
    hits = find(engine, "cat", rank=rank, explain=True).hits
    return next(hit.explanation.static_factor for hit in hits if hit.url == url)


def test_links_count_by_the_rank_that_is_named(engine):
    target, lion = "http://farm.test/target", "http://cats.test/lion"
    assert factor(engine, target, "none") == factor(engine, lion, "none") == 1
    assert factor(engine, target, "pagerank") > 1
    assert factor(engine, target, "trust") == 1  # trust does not reach it
    assert factor(engine, lion, "trust") > 1
    for name in ("indegree", "popularity", "harmonic", "topic:cats"):
        page = find(engine, "cat", rank=name)
        assert page.hits
        assert page.ranked_by == name


def test_a_rank_that_is_not_there_is_told(engine):
    with pytest.raises(
        BadSetting, match=r"there is no rank 'fame'; choose from: .*pagerank.*, hits, hubs, salsa, none"
    ):
        find(engine, "cat", rank="fame")
    with pytest.raises(BadSetting, match="there is no topic 'dogs'; choose from: cats, harbours, ships"):
        find(engine, "cat", topic="dogs")
    with pytest.raises(UsageError, match="not both"):
        find(engine, "cat", rank="trust", topic="cats")


@pytest.mark.parametrize("name", ["distrust", "spam-mass"])
def test_what_speaks_against_pages_lifts_none(engine, name):
    with pytest.raises(BadSetting, match=f"{name} marks bad pages"):
        find(engine, "cat", rank=name)
    with pytest.raises(BadSetting) as told:
        find(engine, "cat", rank="fame")
    assert name not in str(told.value)


def test_how_to_get_a_rank_that_is_not_there_is_told(tmp_path):
    crawled(tmp_path / "c", trusted=[], spam=[], topics=[])
    with Engine.open(tmp_path / "c", settings=settings(trusted=[], spam=[], topics=[])) as engine:
        with pytest.raises(BadSetting, match=r"`trusted` in \[rank\], then run: gossamer rank"):
            find(engine, "cat", rank="trust")
        with pytest.raises(BadSetting, match=r"there is no topic 'cats'; name some as \[\[rank.topics\]\]"):
            find(engine, "cat", topic="cats")
        with pytest.raises(BadSetting, match=r"`spam` in \[rank\], then run: gossamer rank"):
            engine.top(1, "hosts:distrust")


def test_a_topic_lifts_its_pages(engine):
    lion = "http://cats.test/lion"
    assert find(engine, "cat", topic="cats").ranked_by == "topic:cats"
    assert score(engine, "cat", lion, topic="cats") > score(engine, "cat", lion, topic="ships")


def test_a_preferred_topic_is_half_of_what_links_count(engine):
    lion = "http://cats.test/lion"
    plain, own = find(engine, "cat", rank="editorial"), find(engine, "cat", preferred_topic="cats")
    assert (own.ranked_by, own.preferred_topic) == ("2/4 topic:cats + 2/4 editorial", "cats")
    assert plain.preferred_topic == ""
    assert score(engine, "cat", lion, preferred_topic="cats") > score(
        engine, "cat", lion, preferred_topic="ships"
    )
    assert engine.topics() == ("cats", "harbours", "ships")


@pytest.mark.parametrize(
    "how",
    [{"preferred_topic": "dogs"}, {"rank": "trust"}, {"topic": "ships"}, {"rank": "hits"}, {"rank": "none"}],
)
def test_a_preferred_topic_is_passed_over_where_another_is_named_or_it_is_unknown(engine, how):
    found = find(engine, "cat", **{"preferred_topic": "cats", **how})
    assert found.preferred_topic == ""
    assert "topic:cats" not in found.ranked_by or how == {"preferred_topic": "dogs"}


def test_the_topic_is_guessed_when_the_best_pages_belong_to_it(folder):
    with Engine.open(folder, settings={**settings(), "search": {"anchor_text_weight": 0.0}}) as engine:
        told = engine.search("wild family lion tiger lynx", explain=True)
        assert told.ranked_by.startswith(("3/4 topic:cats", "topic:cats"))
        assert any(
            note.startswith(("ranked for the topic cats", "ranked for the topics cats"))
            for note in told.notes
        )
        assert engine.search("wild family lion tiger lynx").notes == ()
        assert engine.search("offer number").ranked_by == "editorial"
        assert engine.search("wild family lion tiger lynx", rank="pagerank").ranked_by == "pagerank"
    off = {**settings(), "search": {"guess_topics": False}}
    with Engine.open(folder, settings=off) as engine:
        assert engine.search("wild family lion tiger lynx").ranked_by == "editorial"


def test_a_guess_counts_only_pages_of_the_topics_that_it_names():
    counts = {"topic:cats": 13, "topic:ships": 2, "topic:harbours": 0}
    found = topic_guess._blended(counts, 18, "editorial")
    assert found.blend == (("topic:cats", 3), ("editorial", 1))
    assert found.note == "ranked for the topic cats: 13 of the best 18 pages belong to it"
    assert topic_guess._blended({"topic:cats": 8}, 18, "editorial") is None


def test_auto_is_the_best_rank_that_is_stored(folder, tmp_path, monkeypatch):
    with Engine.open(folder, settings=settings()) as engine:
        assert engine.search("cat", rank="auto").ranked_by == "editorial"
        assert engine.search("cat").hits == engine.search("cat", rank="editorial").hits
    monkeypatch.setattr(columns, "EDITORIAL_LINKS", 0)  # as if the graph were too large
    large = shutil.copytree(folder, tmp_path / "large")
    with Engine.open(large, settings=settings()) as engine:
        engine.rank()
        assert engine.search("cat").ranked_by == "pagerank"
        assert engine.search("cat").hits == engine.search("cat", rank="pagerank").hits


def test_hubs_are_lists_and_authorities_what_they_name(engine):
    hubs = find(engine, "lion tiger lynx", rank="hubs")
    assert urls(hubs)[0] == "http://portal.test/cats"
    authorities = find(engine, "lion tiger lynx", rank="hits", explain=True)
    assert set(urls(authorities)[:3]) == {f"http://cats.test/{cat}" for cat in CATS}
    assert authorities.hits[0].explanation.links.startswith("authority ")
    assert "links around the query" in authorities.hits[0].explanation.links
    assert authorities.ranked_by == "hits"
    assert len(urls(authorities)) == len(set(urls(authorities))) <= authorities.total


def test_what_all_the_web_names_is_no_authority_on_a_query(tmp_path):
    """Both lists on whales name the blue whale and the maker of their pages, as all others do."""
    maker = '<a href="http://maker.test/">made with this</a>'
    hosts = {
        f"h{number}.test": ScriptedHost({"/": html(f"<title>Number {number}</title><p>Knots.</p>{maker}")})
        for number in range(30)
    }
    blue = '<a href="http://blue.test/">it</a>'
    for number in range(2):
        text = f"<title>Whales {number}</title><p>A list of whales, part {number}.</p>{blue}{maker}"
        hosts[f"list{number}.test"] = ScriptedHost({"/": html(text)})
    hosts["blue.test"] = ScriptedHost({"/": html("<title>Blue</title><p>The largest animal.</p>")})
    hosts["maker.test"] = ScriptedHost({"/": html("<title>Maker</title><p>Makes pages.</p>")})
    with Engine.open(tmp_path / "c", create=True, settings=settings(topics=[])) as engine:
        seeds = [f"http://{host}/" for host in hosts]
        engine.crawl(seeds, transport=ScriptedTransport(ScriptedWeb(hosts)))
        engine.rank()
        assert engine.top(1)[0].title == "Maker"
        found = find(engine, "whales", rank="hits", explain=True)
        lists = find(engine, "whales", rank="hubs", explain=True)
    assert [hit.title for hit in found.hits[:2]] == ["Blue", "Maker"]
    assert found.hits[0].score > 2 * found.hits[1].score
    said = [hit.explanation.links for hit in found.hits[:2]]
    blue, maker = (
        float(re.match(r"authority 0\.707 times focus (\S+), hub 0 among 4 ", one)[1]) for one in said
    )
    assert found.hits[0].score / found.hits[1].score == pytest.approx(blue / maker, rel=0.01)
    assert lists.hits[0].explanation.links.startswith("authority 0, hub 0.707 among 4 pages and 4 links")


def test_links_to_hosts_that_nobody_read_tell_of_no_authorities(tmp_path):
    """A site that links much to others, none of which was fetched: its own links are all there is."""
    outside = "".join(f'<a href="http://other{number}.test/">other</a>' for number in range(5))
    pages = {
        f"/{number}": html(
            f'<title>Whales {number}</title><p>On whales, part {number}.</p><a href="/blue">it</a>{outside}'
        )
        for number in range(5)
    }
    pages["/blue"] = html('<title>Blue</title><p>The largest animal.</p><a href="/0">back</a>')
    web = ScriptedWeb({"a.test": ScriptedHost(pages)})
    with Engine.open(tmp_path / "c", create=True, settings=settings(topics=[])) as engine:
        engine.crawl([f"http://a.test{path}" for path in pages], transport=ScriptedTransport(web))
        engine.rank()
        found = find(engine, "whales", rank="hits")
    assert found.hits[0].title == "Blue"


def test_salsa_leaves_every_community_its_share(engine):
    found = find(engine, "lion tiger lynx frigate", rank="salsa", explain=True)
    assert found.ranked_by == "salsa"
    best = urls(found)[:8]
    assert {f"http://cats.test/{cat}" for cat in CATS} <= set(best)
    assert any(url.startswith("http://ships.test/") for url in best)
    assert sum(hit.score for hit in found.hits) == pytest.approx(1, abs=0.01)
    assert found.hits[0].explanation.links.startswith("authority ")
    assert urls(found) != urls(find(engine, "lion tiger lynx frigate", rank="hits"))


@pytest.mark.parametrize(
    ("text", "how"), [("cat", {"rank": "hits"}), ("link:cats.test/lion", {}), ("related:cats.test/lion", {})]
)
def test_searches_by_links_go_on_when_new_ranks_come_meanwhile(folder, tmp_path, monkeypatch, text, how):
    """The arrays of the graph are opened when a query needs them; the old ones may be gone by then."""
    own = shutil.copytree(folder, tmp_path / "c")
    with Engine.open(own, settings=settings()) as engine:
        expected = urls(find(engine, text, **how))
    with Engine.open(own, settings=settings()) as engine, monkeypatch.context() as patch:
        read, ranked = RequestReader.prepare, []

        def prepare(asking, text, options):
            found = read(asking, text, options)
            if not ranked:
                ranked.append(True)  # before: the topic's query is asked too
                engine.rank()
            return found

        patch.setattr(RequestReader, "prepare", prepare)
        assert urls(find(engine, text, **how)) == expected
        assert ranked


def test_a_damaged_graph_is_told(folder, tmp_path):
    own = shutil.copytree(folder, tmp_path / "c")
    (array,) = own.glob("graph/gen-*/sources.arrays")
    array.write_bytes(array.read_bytes()[:-4])
    with Engine.open(own, settings=settings()) as engine, pytest.raises(DamagedFile, match="sources"):
        find(engine, "cat", rank="hits")


def test_authorities_need_not_hold_the_words_but_what_is_demanded(engine):
    found = find(engine, "guest book anybody", rank="hits")
    assert "http://farm.test/target" in urls(found)
    held = find(engine, "guest book anybody -cheap", rank="hits")
    assert "http://farm.test/target" not in urls(held)
    assert all("cats.test" in url for url in urls(find(engine, "lion site:cats.test", rank="hits")))


def test_hubs_of_words_that_nobody_links_or_holds(engine):
    assert find(engine, "zzzz", rank="hubs").hits == ()
    only_filter = find(engine, "site:cats.test", rank="hits")
    assert len(only_filter.hits) == 4


def test_pages_that_link_to_a_page(engine):
    found = find(engine, "link:http://cats.test/lion")
    assert set(urls(found)) == {"http://portal.test/cats", "http://cats.test/", "http://fans.test/"}
    assert urls(find(engine, "fans link:cats.test/lion")) == ["http://fans.test/"]
    without = urls(find(engine, "cat -link:cats.test/lion"))
    assert without
    assert "http://fans.test/" not in without
    either = urls(find(engine, "link:cats.test/lion OR intitle:harbour"))
    assert set(either) == {*urls(found), "http://ships.test/harbour"}


def test_pages_that_are_named_together(engine):
    found = find(engine, "related:http://cats.test/tiger", explain=True)
    assert set(urls(found)) >= {"http://cats.test/lion", "http://cats.test/lynx"}
    assert urls(found)[0] == "http://cats.test/lynx"  # fewer others name it than the lion
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert "linked from the same pages" in found.hits[0].explanation.links
    assert urls(find(engine, "lynx related:cats.test/tiger"))[0] == "http://cats.test/lynx"


def test_what_is_known_of_a_page(engine):
    found = find(engine, "info:cats.test/lion")
    assert urls(found) == ["http://cats.test/lion"]
    (note,) = found.notes
    assert "3 pages link to it, it links to 1; pagerank" in note
    (note,) = find(engine, "info:fans.test/guest").notes
    assert ": 1 page links to it, it links to 2; pagerank" in note


def test_addresses_that_nobody_knows(engine, tmp_path):
    for way in ("link", "related", "info"):
        found = find(engine, f"{way}:http://elsewhere.test/")
        assert (found.total, found.notes) == (
            0,
            ("the page http://elsewhere.test/ is not in the link graph",),
        )
        with pytest.raises(BadQuery, match=f"{way}: needs a URL"):
            find(engine, f"{way}:http://")
    with Engine.open(tmp_path / "c", create=True) as empty:
        assert "link: finds nothing yet; run: gossamer rank" in empty.search("link:a.test").notes
        assert "the links are not ranked yet; run: gossamer rank" in empty.search("cat", rank="hits").notes
        assert empty.search("cat").ranked_by == "none"


def test_any_number_of_partitions_agrees(engine, tmp_path):
    crawled(tmp_path / "c", partitions=1)
    with Engine.open(tmp_path / "c", settings=settings()) as alone:
        for text, how in [
            ("cat", {"rank": "hits"}),
            ("cat ship", {"rank": "hubs"}),
            ("cat", {"topic": "cats"}),
        ]:
            assert urls(find(engine, text, **how)) == urls(find(alone, text, **how))
        for text in ("related:cats.test/tiger", "cat link:cats.test/lion"):
            assert urls(find(engine, text)) == urls(find(alone, text))

"""Rules for sites: the file that people and programs edit, and what searches make of it."""

from __future__ import annotations

import os
import stat
from threading import Thread

import numpy as np
import pytest
from pages import page

from gossamer import Engine
from gossamer.answer.pipeline import AnswerPipeline
from gossamer.collection.site_rules import NAME, TEMPLATE, SiteRule, SiteRules
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import BadSetting
from gossamer.search.retrieve.choose import EXACT
from gossamer.search.settings import SearchSettings

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
NOTHING = np.empty(0, np.uint64)


@pytest.fixture
def sites(tmp_path):
    return SiteRules(tmp_path / NAME, tmp_path / "owner")


# The file


def test_a_new_collection_has_a_file_that_says_what_to_write_and_no_rule(tmp_path):
    with Engine.open(tmp_path / "new", create=True) as engine:
        assert (engine.directory / NAME).read_text(encoding="utf-8") == TEMPLATE
        assert engine.sites.rules() == ()
        assert engine.sites.problems() == ()


def test_rules_are_put_changed_and_taken_back_and_the_rest_of_the_file_stays(sites):
    begin = "# my sites\nblock a.test  # spam\n\nnonsense here\nboost b.test 2\n"
    sites.path.write_text(begin, encoding="utf-8")
    sites.block("http://B.test/x")
    sites.boost("a.test", 3)
    sites.block("*.c.test")
    text = sites.path.read_text(encoding="utf-8")
    assert text == "# my sites\nboost a.test 3  # spam\n\nnonsense here\nblock b.test\nblock *.c.test\n"
    assert sites.rules() == (
        SiteRule("boost", "a.test", 3.0),
        SiteRule("block", "b.test"),
        SiteRule("block", "*.c.test"),
    )
    assert not sites.unblock("a.test"), "it is boosted, not blocked"
    assert sites.unblock("b.test")
    assert sites.clear("a.test")
    assert not sites.clear("c.test"), "another pattern"
    assert sites.path.read_text(encoding="utf-8") == "# my sites\n\nnonsense here\nblock *.c.test\n"


def test_a_pattern_that_stands_there_twice_stands_there_once_afterwards(sites):
    sites.path.write_text("block a.test\n# between\nboost a.test 2\n", encoding="utf-8")
    sites.boost("a.test", 4)
    assert sites.path.read_text(encoding="utf-8") == "boost a.test 4\n# between\n"


def test_mistakes_are_told_with_their_lines_and_the_others_count(sites, caplog):
    sites.path.write_text("block a.test\nblok b.test\nboost c.test 99\n", encoding="utf-8")
    assert sites.rules() == (SiteRule("block", "a.test"),)
    first, second = sites.problems()
    assert first.startswith(f"{sites.path}, line 2: ")
    assert second.startswith(f"{sites.path}, line 3: ")
    assert caplog.messages == [first, second], "told once, however often it is asked"


def test_the_file_is_read_anew_when_it_changes_and_only_then(sites):
    assert sites.rules() == ()
    sites.block("a.test")
    first = sites.book()
    assert first.blocks("a.test")
    assert sites.book() is first
    sites.path.write_text("block bb.test\n", encoding="utf-8")
    assert sites.book().blocks("bb.test")
    sites.path.unlink()
    assert not sites.book()


def test_what_cannot_be_read_leaves_the_rules_as_they_were(sites):
    sites.block("a.test")
    assert sites.book().blocks("a.test")
    sites.path.write_bytes(b"\xff\xfe\n")
    assert sites.book().blocks("a.test")
    assert "UTF-8" in sites.problems()[0]
    with pytest.raises(BadSetting, match="UTF-8"):
        sites.block("b.test")
    assert sites.path.read_bytes() == b"\xff\xfe\n"
    sites.path.unlink()
    sites.path.mkdir()
    assert "cannot be read" in sites.problems()[0]


def test_many_may_change_it_at_once(sites):
    def work(number):
        other = SiteRules(sites.path, sites.path.parent / "owner")
        for place in range(10):
            other.block(f"h{place}.w{number}.test")

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sites.rules()) == 40
    assert stat.S_IMODE(os.stat(sites.path.parent / "owner").st_mode) == 0o700


# Searching


def committed(folder, batches):
    index = Index(folder)
    for batch in batches:
        writer = SegmentWriter("xx")
        for one in batch:
            writer.add(one)
        index.commit(writer, NOTHING, PIVOTS)
    return index


def searching(folder, pages, partitions=1):
    indexes = [committed(folder / str(n), [pages[n::partitions]]) for n in range(partitions)]
    sites = SiteRules(folder / NAME, folder / "owner")
    return AnswerPipeline(indexes, None, SearchSettings(), sites=sites), sites


PAGES = [
    page("http://a.test/one", "jaguar cat forest", "Jaguar"),
    page("http://b.test/two", "jaguar jaguar cat", "Jaguar"),
    page("http://x.b.test:8080/three", "jaguar car forest engine", "Car"),
    page("http://c.test/four", "nothing of that kind"),
]


def urls(answer):
    return [hit.url for hit in answer.hits]


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("algorithm", [*EXACT, "champion"])
def test_what_is_blocked_is_gone_at_once_and_back_at_once(tmp_path, partitions, algorithm):
    search, sites = searching(tmp_path, PAGES, partitions)
    before = urls(search.search("jaguar", algorithm=algorithm))
    assert len(before) == 3
    sites.block("b.test")
    for typed in (
        "jaguar",
        '"jaguar"',
        "jaguar AND (cat OR car)",
        "site:b.test",
        "jaguar -nothing",
        "jagua*",
    ):
        found = search.search(typed, algorithm=algorithm, correct=False)
        assert "http://b.test/two" not in urls(found)
        assert found.total == len(found.hits)
    assert urls(search.search("jaguar", newest_first=True)).count("http://b.test/two") == 0
    sites.block("*.b.test")
    assert urls(search.search("jaguar", algorithm=algorithm)) == ["http://a.test/one"]
    assert search.search("site:b.test", algorithm=algorithm, correct=False).total == 0
    sites.unblock("*.b.test")
    sites.unblock("b.test")
    assert urls(search.search("jaguar", algorithm=algorithm)) == before


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_factor_multiplies_the_score_and_is_explained(tmp_path, partitions):
    search, sites = searching(tmp_path, PAGES, partitions)
    plain = {hit.url: hit.score for hit in search.search("jaguar").hits}
    sites.boost("*.b.test", 0.1)
    sites.boost("a.test", 10)
    found = search.search("jaguar", explain=True)
    assert urls(found)[0] == "http://a.test/one"
    for hit in found.hits:
        factor = {"http://a.test/one": 10.0}.get(hit.url, 0.1)
        assert hit.explanation.site == factor
        assert hit.score == pytest.approx(plain[hit.url] * factor, abs=2e-4)
        total = sum(one.score for one in hit.explanation.contributions)
        assert hit.score == pytest.approx(total * hit.explanation.factor, abs=1e-3)


def test_other_schemes_and_queries_without_words_are_boosted_too(tmp_path):
    search, sites = searching(tmp_path, PAGES)
    sites.boost("c.test", 4)
    first = search.search("site:test", explain=True).hits[0]
    assert (first.url, first.explanation.site) == ("http://c.test/four", 4.0)
    sites.boost("x.b.test", 10)
    for scheme in ("bm25", "tfidf"):
        first = search.search("jaguar", scheme=scheme, explain=True).hits[0]
        assert first.url == "http://x.b.test:8080/three"
        total = sum(one.score for one in first.explanation.contributions)
        assert first.score == pytest.approx(total * first.explanation.factor, rel=1e-3)


def test_a_boost_reaches_pages_far_below_the_best(tmp_path):
    """Not only among the few hundred that get full scores."""
    pages = [page(f"http://h.test/{n}", "word " * 20) for n in range(1_500)]
    pages.append(page("http://far.test/", "word and " + "other words " * 40))
    search, sites = searching(tmp_path, pages)
    assert "http://far.test/" not in urls(search.search("word", 300, everything=True))
    sites.boost("far.test", 10)
    assert urls(search.search("word", 10, everything=True))[0] == "http://far.test/"

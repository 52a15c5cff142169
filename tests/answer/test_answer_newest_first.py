"""All that match by date, what they can be narrowed by, and the copy of a page: one partition or three."""

from __future__ import annotations

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html, text
from gossamer.model import BadUrl

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
HEAD = '<html lang="{}"><title>{}</title><meta property="article:published_time" content="{}">'


def dated(day, words, language="en", more=""):
    head = HEAD.format(language, f"About {day or 'nothing'}", day)
    return html(f"{head}{more}<body><h1>Harbours</h1><p>{words}</p><script>alert(1)</script>")


def web():
    hosts = {}
    for n in range(6):
        own = {
            f"/{i}": dated(f"20{10 + n}-0{i + 1}-15", f"harbour {'quay ' * i}and page{n}x{i}")
            for i in range(5)
        }
        hosts[f"host{n}.test"] = ScriptedHost(
            {"/": html("".join(f'<a href="{path}">x</a>' for path in own)), **own}
        )
    hosts["undated.test"] = ScriptedHost({"/": dated("", "harbour of no date", more='<link rel="x">')})
    hosts["german.test"] = ScriptedHost(
        {
            "/": dated(
                "2001-01-01", "Der Hafen liegt am Fluss und die Schiffe im harbour warten auf den Wind", "de"
            )
        }
    )
    hosts["private.test"] = ScriptedHost(
        {"/": dated("2002-01-01", "harbour nobody copies", more='<meta content="NOARCHIVE" name=robots>')}
    )
    notes = text("A plain harbour\n\nwith its quay.\n")
    hosts["plain.test"] = ScriptedHost({"/notes.txt": notes})
    return ScriptedWeb(hosts)


@pytest.fixture(scope="module", params=[1, 3])
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("newest") / "c"
    with Engine.open(folder, create=True, partitions=request.param, settings=SETTINGS) as engine:
        seeds = [f"http://{host}/" for host in web().hosts] + ["http://plain.test/notes.txt"]
        engine.crawl(seeds, transport=ScriptedTransport(web()))
        engine.rank()
        yield engine


def when(hit):
    return hit.fetched_at if hit.published is None else hit.published


def test_all_that_match_come_by_date(engine):
    found = engine.search("harbour quay", k=100, newest_first=True)
    assert found.total == len(found.hits) == 34
    expected = sorted(found.hits, key=lambda hit: (-when(hit), hit.fingerprint))
    assert list(found.hits) == expected
    assert {hit.fingerprint for hit in found.hits} == {
        hit.fingerprint for hit in engine.search("harbour quay", k=100, everything=True).hits
    }
    assert found.hits[-1].url == "http://german.test/"


def test_pages_of_results_join_without_a_seam(engine):
    whole = [hit.url for hit in engine.search("harbour", k=40, newest_first=True).hits]
    pages = [engine.search("harbour", k=7, offset=at, newest_first=True).hits for at in range(0, 40, 7)]
    assert [hit.url for page in pages for hit in page] == whole


@pytest.mark.parametrize(
    "query", ["harbour -quay", '"harbour of"', "harbour AND quay", "site:host3.test", "quay OR lang:de"]
)
@pytest.mark.parametrize("scheme", ["bm25f", "tfidf"])
def test_conditions_hold_and_scores_are_sums(engine, query, scheme):
    found = engine.search(query, k=100, newest_first=True, explain=True, scheme=scheme)
    by_score = engine.search(query, k=100, everything=True, scheme=scheme)
    assert sorted(hit.url for hit in found.hits) == sorted(hit.url for hit in by_score.hits)
    assert found.total == by_score.total
    for hit in found.hits:
        sums = hit.explanation
        words = 1.0 if query.startswith("site:") else sum(part.score for part in sums.contributions)
        factor = sums.static_factor * sums.freshness * sums.language * sums.address
        assert hit.score == pytest.approx(words * factor, abs=2e-3)


def test_facets_count_what_was_found(engine):
    found = engine.search("harbour", facets=True)
    counts = {(facet.kind, facet.value): facet.count for facet in found.facets}
    assert counts["site", "host3.test"] == 5
    assert counts["language", "de"] == 1
    assert counts["type", "txt"] == 1
    assert counts["type", "html"] == 33
    assert counts["time", "1"] == 2, "one has no date, and one is plain text: they are as old as their fetch"
    assert engine.search("harbour").facets == ()


@pytest.mark.parametrize("query", ["harbour", "harbour -quay", "site:host3.test OR lang:de"])
def test_facets_do_not_depend_on_the_order(engine, query):
    best = engine.search(query, k=3, facets=True).facets
    assert best
    assert engine.search(query, k=3, facets=True, newest_first=True).facets == best


def test_facets_of_a_kind_come_by_count_and_narrow(engine):
    sites = [facet for facet in engine.search("harbour", facets=True).facets if facet.kind == "site"]
    assert [facet.count for facet in sites] == sorted((facet.count for facet in sites), reverse=True)
    narrowed = engine.search("harbour site:host3.test", facets=True)
    assert narrowed.total == 5
    assert not [facet for facet in narrowed.facets if facet.kind in {"site", "type"}], "of one value"
    undated = engine.search("site:undated.test", facets=True).facets
    assert undated == (), "all are of today"
    assert engine.search("nothingofthesort", facets=True).facets == ()


def test_a_copy_is_the_page_as_fetched_with_the_words_of_the_query(engine):
    copy = engine.cached("http://host1.test/2", "harbours AND quay")
    assert copy.url == "http://host1.test/2"
    assert copy.title == "About 2011-03-15"
    assert "<script>alert(1)</script>" in copy.html
    assert copy.words == {"Harbours", "harbour", "quay"}
    assert engine.cached("http://host1.test/2").words == frozenset()


@pytest.mark.parametrize("typed", ["host1.test/2", "https://host1.test/2", "www.host1.test/2/"])
def test_a_copy_is_found_by_its_address_as_people_type_it(engine, typed):
    assert engine.page(typed).url == engine.cached(typed).url == "http://host1.test/2"


def test_of_other_documents_the_copy_is_their_text(engine):
    copy = engine.cached("http://plain.test/notes.txt", "harbour")
    assert (copy.html, copy.media_type, copy.words) == ("", "text/plain", {"harbour"})
    assert "with its quay" in copy.text


def test_there_is_no_copy_of_what_nobody_fetched_or_may_show(engine):
    assert engine.cached("http://host1.test/99") is None
    assert engine.cached("http://elsewhere.test/") is None
    assert engine.cached("http://private.test/", "harbour") is None
    with pytest.raises(BadUrl):
        engine.cached("javascript:alert(1)")

"""What the benchmark of killed crawls reads, and what it complains of."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from sites.folder import FolderWeb
from sites.reading import links, reached
from sites.surviving import Crawled, Evidence, faults, table
from sites.web import ROBOTS, Kind, Place

HOST = "a-docs.test"
PAGE = "http://a-docs.test/x/y.html"


@pytest.fixture
def web(tmp_path):
    files = {
        "index.html": '<a href="/index.html">Home</a><a href="x">X</a><a href=gone.html>Gone</a>',
        "x/index.html": '<base href="/z/"><a href="one.html?q=1#part">1</a><a href="/a.pdf">2</a>',
        "z/one.html": '<a rel="nofollow" href=two.html>2</a><iframe src="three%20.html"></iframe>',
        "z/two.html": "nobody leads here",
        "z/three .html": '<meta http-equiv=refresh content="0; URL=four.html"><a href="http://[">broken</a>',
        "z/four.html": '<meta name=robots content="noindex, nofollow"><a href=two.html>2</a>',
        "a.pdf": "%PDF-1.4",
        "b.png": "no text",
    }
    for name, content in files.items():
        file = tmp_path / "sites" / HOST / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return FolderWeb(tmp_path, 0)


def test_a_reader_follows_what_people_follow(web):
    root = web.folder / "sites" / HOST
    found = {str(file.relative_to(root)): place.path for file, place in reached(web).items()}
    assert found.pop("index.html") in {"/", "/index.html"}
    assert found == {
        "x/index.html": "/x/",
        "z/one.html": "/z/one.html?q=1",
        "z/three .html": "/z/three%20.html",
        "z/four.html": "/z/four.html",
        "a.pdf": "/a.pdf",
    }


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="b">', ["http://a-docs.test/x/b"]),
        ("<A HREF='../b?c=d'>", ["http://a-docs.test/b?c=d"]),
        ('<area href="//b-docs.test/">', ["http://b-docs.test/"]),
        ('<frame src="f.html">', ["http://a-docs.test/x/f.html"]),
        ('<a href="b" href="c">', ["http://a-docs.test/x/b"]),
        ('<!-- <a href="b"> --><script>"<a href=c>"</script>', []),
        ('<a name="b">', []),
        ('<meta name="robots" content="none"><a href="b">', []),
    ],
)
def test_links(html, expected):
    assert links(html, PAGE) == expected


def test_addresses_of_files(web):
    root = web.folder / "sites" / HOST
    assert web.file(HOST, "/") == web.file(HOST, "/index.html?x") == root / "index.html"
    assert web.file(HOST, "/x") is None
    assert web.kind(Place(HOST, "/x")) is Kind.REDIRECT
    assert web.file(HOST, "/../a-docs.test/a.pdf") is None
    assert web.file("b-docs.test", "/") is None
    assert web.kind(Place(HOST, "/b.png")) is Kind.MISSING


@pytest.fixture
def evidence(web):
    found = reached(web)
    places = [*found.values(), Place(HOST, ROBOTS)]
    urls = {file: [f"http://{place.host}{place.path}"] for file, place in found.items()}
    home = web.folder / "sites" / HOST / "index.html"
    urls[home] = ["http://a-docs.test/", "http://a-docs.test/index.html"]
    fetched = {url: "keep" for some in urls.values() for url in some}
    fetched["http://a-docs.test/index.html"] = "duplicate same-content"
    whole = Crawled(fetched, urls, 0, len(urls), "")
    return Evidence(found, whole, whole, Counter(places), Counter([*places, Place(HOST, ROBOTS)]), 2, 3)


def complaints(evidence):
    return {fault.rule: fault.count for fault in faults(evidence) if fault.count}


def test_nothing_to_complain_of(evidence):
    assert complaints(evidence) == {}
    assert "FAULT" not in table(evidence)


def test_a_page_that_is_lost_or_indexed_twice(evidence):
    whole = evidence.whole
    lost = replace(whole, files=dict(list(whole.files.items())[1:]))
    assert sum(complaints(replace(evidence, survived=lost)).values()) == 1
    twice = replace(whole, fetched=dict.fromkeys(whole.fetched, "keep"), documents=whole.documents + 1)
    found = complaints(replace(evidence, survived=twice))
    assert found == {"killed: a file is indexed under two addresses": 1}
    unindexed = replace(whole, documents=whole.documents - 2, waiting=3, problems="damaged")
    assert sorted(complaints(replace(evidence, survived=unindexed)).values()) == [1, 2, 3]


def test_crawls_that_differ(evidence):
    more = {**evidence.whole.fetched, "http://a-docs.test/more": "keep"}
    other = replace(evidence.whole, fetched=more, documents=evidence.whole.documents + 1)
    found = complaints(replace(evidence, survived=other))
    assert found == {"an address was fetched by one of the two only": 1}


def test_what_is_asked_for_again(evidence):
    again = evidence.asked_again + Counter({Place(HOST, "/a.pdf"): 6})
    assert complaints(replace(evidence, asked_again=again)) == {}
    again[Place(HOST, "/")] += 2
    found = complaints(replace(evidence, asked_again=again))
    assert found in ({"killed: asked for again, more than 3 for each kill": count} for count in (1, 2))
    assert "asked for twice" in table(replace(evidence, asked=again))

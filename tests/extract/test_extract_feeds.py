"""Feeds as documents: their content can be found, and their links are followed."""

# ruff: noqa: E501
import json

import numpy as np
import pytest

from gossamer.extract.document import extract
from gossamer.model import FetchResult
from gossamer.web.url import canonical

URL = canonical("http://cats.example/feed.xml")
NOW = 1_800_000_000.0
MAY = 1_714_521_600.0  # 1 May 2024

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>Cat news</title><link>http://cats.example/</link>
<description>All about cats</description><language>en-gb</language><managingEditor>Ada</managingEditor>
<lastBuildDate>Thu, 02 May 2024 00:00:00 GMT</lastBuildDate>
<item><title>Jaguars</title><link>/jaguars</link><description>&lt;p&gt;They &lt;b&gt;are&lt;/b&gt; big.&lt;/p&gt;</description>
<pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate></item>
<item><title>Lions</title><link>/lions</link></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Cat news</title><subtitle>All about cats</subtitle>
<author><name>Ada</name><email>a@cats.example</email></author><updated>2024-05-02T00:00:00Z</updated>
<entry><title>Jaguars</title><link href="/jaguars"/><summary>They are big.</summary>
<updated>2024-05-01T00:00:00Z</updated></entry>
<entry><title>Lions</title><link href="/lions"/><author><name>Ben</name></author></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Cat news</title><description>All about cats</description>
<dc:language>en</dc:language><dc:creator>Ada</dc:creator><dc:date>2024-05-02</dc:date></channel>
<item><title>Jaguars</title><link>http://cats.example/jaguars</link><description>They are big.</description>
<dc:date>2024-05-01</dc:date></item><item><title>Lions</title><link>http://cats.example/lions</link></item></rdf:RDF>"""
JSON = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Cat news",
        "description": "All about cats",
        "language": "en-US",
        "authors": [{"name": "Ada"}, 7],
        "items": [
            {
                "id": "1",
                "url": "/jaguars",
                "title": "Jaguars",
                "summary": "They are big.",
                "date_modified": "2024-05-01",
            },
            {"id": "2", "url": "/lions", "title": "Lions"},
        ],
    }
)


def read(body, content_type="application/xml"):
    headers = (("Content-Type", content_type),)
    return extract(FetchResult(URL, NOW, status=200, headers=headers, body=body.encode()))


@pytest.mark.parametrize("body", [RSS, ATOM, RDF, JSON], ids=["rss", "atom", "rdf", "json"])
def test_a_feed_can_be_found(body):
    page = read(body, "application/json" if body is JSON else "text/xml")
    assert (page.kind, page.problem) == ("feed", "")
    assert (page.title, page.author, page.language) == ("Cat news", "Ada", "en")
    assert (page.text, page.surroundings) == ("All about cats", "Jaguars\nThey are big.\nLions")
    assert page.headings == ()
    assert page.published == (MAY if body is JSON else MAY + 86_400)
    assert page.words > 8
    assert page.digest


@pytest.mark.parametrize("body", [RSS, ATOM, RDF, JSON], ids=["rss", "atom", "rdf", "json"])
def test_links_and_dates_of_a_feed(body):
    page = read(body, "application/json" if body is JSON else "text/xml")
    assert [link.target.path for link in page.links] == ["/jaguars", "/lions"]
    assert page.links.words() == ["", ""]
    first, second = np.frombuffer(page.modified, "<f8").tolist()
    assert first == MAY
    assert np.isnan(second)


def test_feeds_of_one_site_are_not_duplicates():
    assert read(RSS).digest != read(RSS.replace("Lions", "Tigers")).digest


def test_an_empty_feed():
    page = read("<rss><channel></channel></rss>")
    assert (page.kind, page.title, page.text, page.published) == ("feed", "", "", None)

"""Feeds: RSS, Atom and JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.web.feed import SUMMARY_LENGTH, FeedEntry, is_feed, read_feed
from gossamer.web.url import canonical

URL = canonical("https://blog.example.com/feed/")
MAY = 1714521600.0  # 2024-05-01

RSS2 = b"""<?xml version="1.0"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"
     xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel>
  <image><title>Logo</title><link>http://x.com/</link></image>
  <title>Liftoff &amp; News</title><link>http://liftoff.example.com/</link>
  <atom:link href="https://blog.example.com/feed/" rel="self"/>
  <item>
    <media:title>not this</media:title>
    <title>Star City</title>
    <link>http://liftoff.example.com/star?a=1&amp;b=2</link>
    <description><![CDATA[<p>How do <b>Americans</b> get ready? Caf&eacute; &amp; more</p>]]></description>
    <content:encoded>the whole of it</content:encoded>
    <pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate>
    <guid isPermaLink="false">573</guid>
    <source url="http://other.example.com/"><title>Other</title></source>
  </item>
  <item><title>By guid</title><guid>http://liftoff.example.com/guid</guid></item>
  <item><title>By atom</title><atom:link rel="alternate" href="/atom"/><link></link></item>
  <item><title>Nowhere</title><guid isPermaLink="false">http://liftoff.example.com/no</guid></item>
</channel></rss>"""

RSS1 = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
  xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel rdf:about="http://xml.com/"><title>XML.com</title>
    <items><rdf:Seq><rdf:li resource="x"/></rdf:Seq></items>
  </channel>
  <item rdf:about="http://xml.com/one"><title>One</title><link>http://xml.com/one.html</link>
    <dc:date>2024-05-01</dc:date></item>
  <item rdf:about="http://xml.com/two"><title>Two</title></item>
</rdf:RDF>"""

ATOM = b"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://example.org/blog/">
  <title type="html">Dive &lt;em&gt;in&lt;/em&gt;</title>
  <link rel="self" href="/feed.atom"/>
  <entry xml:base="2024/">
    <id>tag:example.org,2024:3</id>
    <author><name>Mark</name><uri>http://mark.example.org/</uri></author>
    <link rel="enclosure" href="http://example.org/audio.mp3"/>
    <link rel="alternate" type="application/json" href="three.json"/>
    <link rel="alternate" type="text/html" href="three"/>
    <title>Atom</title>
    <published>2024-04-30T20:00:00-04:00</published><updated>2024-05-01T00:00:01Z</updated>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><title>inner</title>
      <p>Some <i>text</i></p></div></content>
  </entry>
  <entry><id>http://example.org/by-id</id><title>By id</title></entry>
  <entry><link href="plain" xml:base="/x/"/><source><id>http://other.org/</id><updated>2001-01-01</updated></source></entry>
</feed>"""


def test_rss_2():
    feed = read_feed(RSS2, URL)
    first, second, third = feed.entries
    assert (feed.title, feed.problem) == ("Liftoff & News", "")
    assert first == FeedEntry(
        canonical("http://liftoff.example.com/star?a=1&b=2"),
        "Star City",
        MAY,
        None,
        "How do Americans get ready? Caf\u00e9 & more",
    )
    assert (second.url.text, third.url.text) == (
        "http://liftoff.example.com/guid",
        "https://blog.example.com/atom",
    )


def test_rss_1():
    feed = read_feed(RSS1, URL)
    assert feed.title == "XML.com"
    assert [(entry.url.text, entry.published) for entry in feed.entries] == [
        ("http://xml.com/one.html", MAY),
        ("http://xml.com/two", None),
    ]


def test_atom():
    feed = read_feed(ATOM, URL)
    assert feed.title == "Dive in"
    first, second, third = feed.entries
    assert first == FeedEntry(
        canonical("http://example.org/blog/2024/three"), "Atom", MAY, MAY + 1, "inner Some text"
    )
    assert (second.url.text, second.title) == ("http://example.org/by-id", "By id")
    assert (third.url.text, third.updated) == ("http://example.org/x/plain", None)


def test_prefixes_of_the_root_are_no_obstacle():
    body = b"<a:feed xmlns:a='x'><a:entry><a:link href='/x'/><a:title>T</a:title></a:entry></a:feed>"
    (entry,) = read_feed(body, URL).entries
    assert (entry.url.path, entry.title) == ("/x", "T")


def test_feedburner_keeps_the_address_of_the_page():
    body = b"""<rss><item><link>http://feeds.example.com/~r/1</link>
        <feedburner:origLink>http://example.com/1</feedburner:origLink></item></rss>"""
    assert read_feed(body, URL).entries[0].url.text == "http://example.com/1"


JSON = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "My <b>Feed</b>",
    "items": [
        {
            "id": "2",
            "url": "/second",
            "content_text": "Hello,\n world",
            "date_published": "2024-05-01T00:00:00Z",
        },
        {
            "id": "https://example.org/by-id",
            "title": "T",
            "content_html": "<p>Hi</p>",
            "date_modified": "2024-05-01",
        },
        {"id": 3, "external_url": "https://example.org/three", "title": 5, "summary": None},
        {"id": "nowhere"},
        "no item",
    ],
}


def test_json():
    feed = read_feed(b"\xef\xbb\xbf\n" + json.dumps(JSON).encode(), URL)
    first, second, third = feed.entries
    assert feed.title == "My Feed"
    assert first == FeedEntry(canonical("/second", URL), "", MAY, None, "Hello, world")
    assert second == FeedEntry(canonical("https://example.org/by-id"), "T", None, MAY, "Hi")
    assert third == FeedEntry(canonical("https://example.org/three"))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"{", "JSON is invalid"),
        (b'{"items": ' + b"[" * 100_000, "JSON is invalid"),
        (b'{"items": 3}', "no items"),
        (b"{" + b" " * 5_300_000, "larger than 5 MB"),
        (b"<html><body>", "its root is <html>"),
        (b"", "its root is <>"),
        (RSS2[:-20], "ends too early"),
    ],
)
def test_problems(body, problem):
    assert problem in read_feed(body, URL).problem


def test_what_stands_before_the_damage_counts():
    for body in (RSS2[: RSS2.index(b"By guid")], RSS2.replace(b"</item>", b"").replace(b"&amp;", b"&")):
        assert read_feed(body, URL).entries[0].url.text == "http://liftoff.example.com/star?a=1&b=2"


def test_an_address_that_is_cut_is_none():
    assert read_feed(b"<rss><item><title>T</title><link>http://example.com/a-long-na", URL).entries == ()


def test_limits():
    assert read_feed(RSS2, URL, most=1).problem == "more than 1 entries"
    assert len(read_feed(RSS2, URL, most=1).entries) == 1
    assert read_feed(json.dumps(JSON).encode(), URL, most=1).problem == "more than 1 entries"
    long = b"<rss><item><link>/x</link><description>" + b"word " * 10_000 + b"</description></item></rss>"
    assert len(read_feed(long, URL).entries[0].summary) == SUMMARY_LENGTH


@pytest.mark.parametrize(
    ("media_type", "body", "expected"),
    [
        ("application/rss+xml", RSS2, True),
        ("text/html", RSS2, True),
        ("", RSS1, True),
        ("text/xml", ATOM, True),
        ("text/xml", ATOM.decode().encode("utf-16"), True),
        ("application/json", json.dumps(JSON).encode(), True),
        ("application/json", json.dumps(JSON).replace("/", "\\/").encode(), True),
        ("application/feed+json", b'{"items": []}', True),
        ("application/rss+xml", b"<channel><item/></channel>", True),
        ("application/json", b'{"items": []}', False),
        ("application/rss+xml", b"<!DOCTYPE html><html>sorry</html>", False),
        ("text/xml", b"<urlset></urlset>", False),
        ("application/rdf+xml", b"<rdf:RDF xmlns:rdf='x'><foaf:Person/></rdf:RDF>", False),
        ("text/html", b"<html><head><link type='application/rss+xml'></head></html>", False),
        ("", b"", False),
    ],
)
def test_what_is_a_feed(media_type, body, expected):
    assert is_feed(media_type, body) is expected


HOSTILE = [
    b"<item>",
    b"<item><title>",
    b"<title>",
    b"<entry><link ",
    b"<item a='",
    b"<![CDATA[",
    b"<source>",
    b"<",
]


@pytest.mark.parametrize("mark", HOSTILE)
def test_hostile_feeds(mark):
    # Anything quadratic would take minutes here.
    assert read_feed(b"<rss><item>" + mark * (1_000_000 // len(mark)), URL).entries == ()


@given(
    st.lists(
        st.sampled_from(
            [b"<item>", b"<link>", b"/a", b"</link>", b"<link href='", b"'/>", b"<title>", b"<source>"]
        )
        | st.binary(max_size=6),
        max_size=25,
    ).map(b"".join),
    st.sampled_from([b"<rss>", b"<feed>", b"{", b""]),
)
def test_anything_can_be_read(rest, start):
    feed = read_feed(start + rest, URL)
    assert all(entry.url.host for entry in feed.entries)

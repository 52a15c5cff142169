"""Sitemaps: every form of the protocol, and common deviations."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.web import sitemap as module
from gossamer.web.sitemap import SitemapEntry, read_sitemap, speaks_for
from gossamer.web.url import canonical

URL = canonical("https://www.example.com/sitemap.xml")
MAY = 1714521600.0  # 2024-05-01

SAMPLE = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
   <url>
      <loc>http://www.example.com/</loc>
      <lastmod>2024-05-01</lastmod>
      <changefreq>monthly</changefreq>
      <priority>0.8</priority>
   </url>
   <url><loc>http://www.example.com/catalog?item=12&amp;desc=vacation_hawaii</loc><changefreq>Weekly</changefreq></url>
   <url>
      <image:image><image:loc>http://img.example.com/a.jpg?x=1&amp;y=2</image:loc></image:image>
      <loc>http://www.example.com/caf%C3%A9</loc>
      <image:image><image:title>B</image:title><image:loc><![CDATA[/b.jpg]]></image:loc></image:image>
      <xhtml:link rel="alternate" hreflang="de" href="http://www.example.com/de/?a=1&amp;b=2"/>
      <xhtml:link rel='alternate' hreflang='x-default' href='http://www.example.com/'/>
      <lastmod>2024-05-01T02:00+02:00</lastmod>
   </url>
</urlset>
"""


def entries_of(body, **more):
    found = read_sitemap(body, URL, **more)
    assert found.problem == ""
    return found.entries


def addresses(found):
    return [entry.url.text for entry in found.entries]


def urlset(*locs):
    blocks = "".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
    return f"<urlset>{blocks}</urlset>".encode()


def test_the_sample_of_the_protocol():
    first, second, third = entries_of(SAMPLE)
    assert first == SitemapEntry(canonical("http://www.example.com/"), MAY)
    assert second.url.path == "/catalog?item=12&desc=vacation_hawaii"
    assert second.lastmod is None
    assert (third.url.path, third.lastmod) == ("/caf%C3%A9", MAY)
    assert third.images == ("http://img.example.com/a.jpg?x=1&y=2", "/b.jpg")
    assert third.alternates == (
        ("de", "http://www.example.com/de/?a=1&b=2"),
        ("x-default", "http://www.example.com/"),
    )


def test_an_index_has_children():
    body = b"""<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <sitemap><loc>http://www.example.com/sitemap1.xml.gz</loc><lastmod>2024-05-01T00:00:00+00:00</lastmod></sitemap>
        <sitemap><loc>http://www.example.com/sitemap2.xml.gz</loc></sitemap></sitemapindex>"""
    found = read_sitemap(body, URL)
    assert [(url.path, when) for url, when in found.children] == [
        ("/sitemap1.xml.gz", MAY),
        ("/sitemap2.xml.gz", None),
    ]
    assert (found.entries, found.problem) == ((), "")


@pytest.mark.parametrize(
    "variant",
    [
        SAMPLE.replace(b"<url", b"<sm:url").replace(b"</url", b"</sm:url").replace(b"<loc", b"<sm:loc"),
        SAMPLE.replace(b"image:", b"i:").replace(b"xhtml:", b"x:"),
        SAMPLE.replace(b"<loc>", b"<loc>\n <![CDATA[")
        .replace(b"</loc>", b"]]>\n</loc>")
        .replace(b"&amp;d", b"&d"),
        SAMPLE.replace(b"&amp;", b"&"),
        SAMPLE.replace(b"</url>", b""),
        SAMPLE.replace(b"<url>", b"<URL>").replace(b"<loc", b"<LOC").replace(b"/loc", b"/LOC"),
        SAMPLE.replace(b"<url>", b"<!-- <url><loc>http://x.com/</loc></url> --><url id='1'>"),
        b"\xef\xbb\xbf" + SAMPLE,
        b"\n\n  " + SAMPLE,
        SAMPLE.decode().encode("utf-16"),
        SAMPLE.replace(b"UTF-8", b"utf-16"),
        SAMPLE.replace(b"<urlset", b"<!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset"),
        gzip.compress(SAMPLE, mtime=0),
        gzip.compress(gzip.compress(SAMPLE, mtime=0)),
        gzip.compress(SAMPLE[:200]) + gzip.compress(SAMPLE[200:]) + b"padding",
    ],
)
def test_spellings_of_the_sample(variant):
    assert [entry.url for entry in entries_of(variant)] == [entry.url for entry in entries_of(SAMPLE)]
    assert [entry.lastmod for entry in entries_of(variant)] == [MAY, None, MAY]


def test_plain_text():
    body = b"\xef\xbb\xbfhttp://www.example.com/a\r\nhttp://www.example.com/b?x=1&y=2\n\n# no address\n/c\n"
    assert addresses(read_sitemap(body, URL)) == [
        "http://www.example.com/a",
        "http://www.example.com/b?x=1&y=2",
    ]
    assert addresses(read_sitemap(gzip.compress(body), URL))[0] == "http://www.example.com/a"


def test_a_feed_is_a_sitemap_too():
    rss = b"""<rss version="2.0"><channel><item><link>/news</link>
        <pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate></item></channel></rss>"""
    atom = b"""<feed><entry><link href="/news"/><updated>2024-05-01T00:00:00Z</updated></entry></feed>"""
    for body in (rss, atom):
        assert entries_of(body) == (SitemapEntry(canonical("/news", URL), MAY),)


def test_what_is_no_address_is_left_out():
    locs = [
        "/a",
        "mailto:x@y.com",
        "",
        "   ",
        "see below",
        "ftp://example.com/",
        "//b.com/",
        "http://u:p@c.com/",
    ]
    assert [entry.url.text for entry in entries_of(urlset(*locs))] == [
        "https://www.example.com/a",
        "https://b.com/",
    ]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "no URL"),
        (b"nothing here", "no URL"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "its root is <html>"),
        (b"<?xml version='1.0'?>", "its root is <>"),
        (gzip.compress(SAMPLE, mtime=0)[:15], "ends too early"),
        (b"\x1f\x8bnot gzip at all", "invalid"),
    ],
)
def test_what_cannot_be_read(body, problem):
    found = read_sitemap(body, URL)
    assert found.entries == ()
    assert problem in found.problem


def test_what_stands_before_the_damage_counts():
    end = SAMPLE.index(b"/caf")
    found = read_sitemap(SAMPLE[:end], URL)
    assert len(found.entries) == 2, "an address that is cut is none"
    assert found.problem == "the file ends too early"
    many = urlset(*(f"http://www.example.com/{number * 7919 % 100_003}" for number in range(5_000)))
    packed = gzip.compress(many)
    found = read_sitemap(packed[: len(packed) // 2], URL)
    assert 1_000 < len(found.entries) < 5_000
    assert "ends too early" in found.problem


def test_limits(monkeypatch):
    body = urlset("/a", "mailto:x", "/c")
    assert read_sitemap(body, URL, most=2).problem == "more than 2 entries"
    assert len(read_sitemap(body, URL, most=2).entries) == 1
    assert read_sitemap(b"http://a.com/\nhttp://b.com/\n", URL, most=1).problem == "more than 1 lines"
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    for packed in (body + b" " * 100, gzip.compress(body + b" " * 100)):
        found = read_sitemap(packed, URL)
        assert found.problem == "larger than 50 MB"
        assert found.entries


HOSTILE = {
    "entities": b"<!DOCTYPE u [<!ENTITY a 'aaaaaaaaaa'>"
    + b"".join(b"<!ENTITY b%d '%s'>" % (n, b"&a;" * 10) for n in range(50))
    + b"]><urlset><url><loc>http://a.com/&b49;</loc></url></urlset>",
    "deep": b"<urlset>" + b"<a>" * 300_000,
    "open tags": b"<urlset>" + b"<url" * 200_000,
    "empty blocks": b"<urlset>" + b"<url>" * 200_000,
    "one block": b"<urlset><url>" + b"<loc>x<" * 200_000,
    "long tag": b"<urlset><url><loc " + b"a" * 1_000_000,
    "long prefix": b"<urlset>" + b"<" + b"a" * 1_000_000 + b":url>",
    "open sections": b"<urlset>" + b"<![CDATA[" * 100_000,
    "open comments": b"<urlset>" + b"<!--" * 200_000,
    "images": b"<urlset><url><loc>/a</loc>" + b"<image:image><image:loc>x" * 50_000,
    "lines": b"a\n" * 400_000,
    "bomb": gzip.compress(gzip.compress(b"<urlset>" + b" " * 60_000_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name):
    # Anything quadratic would take minutes here.
    found = read_sitemap(HOSTILE[name], URL)
    assert len(found.entries) <= 1
    assert found.problem or name == "entities"


def test_entities_stay_as_they_are_written():
    (entry,) = entries_of(HOSTILE["entities"])
    assert entry.url.text == "http://a.com/&b49;"


@given(
    st.lists(
        st.sampled_from(
            [b"<url>", b"<loc>", b"http://a.com/", b"</loc>", b"<image:image>", b"<", b">", b"<x:", b"]]>"]
        )
        | st.binary(max_size=6),
        max_size=25,
    ).map(b"".join),
    st.sampled_from([b"", b"<urlset>", b"<rss>", b"<feed>", b"\x1f\x8b", b"{"]),
)
def test_anything_can_be_read(rest, start):
    found = read_sitemap(start + rest, URL)
    assert all(entry.url.host for entry in found.entries)


def test_whom_a_sitemap_speaks_for():
    sitemap = canonical("https://maps.example.com/s.xml")
    own, other = canonical("http://maps.example.com/x"), canonical("http://www.example.com:8080/x")
    assert speaks_for(sitemap, None, own)
    assert not speaks_for(sitemap, None, other)
    assert speaks_for(sitemap, "www.example.com:8080", other)
    assert not speaks_for(sitemap, "www.example.com", other)
    assert speaks_for(sitemap, "www.example.com", own)

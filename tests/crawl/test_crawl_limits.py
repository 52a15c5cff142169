"""Limits of a crawl: depth, pages of a host, endless sitemaps."""

from __future__ import annotations

import pytest
from replies import slow

from gossamer import Engine
from gossamer.crawl.frontier import frontier as sitemaps
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedTransport, ScriptedWeb, html, page, text

QUICK = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def crawl(folder, web, *seeds, **settings):
    with Engine.open(folder, create=True, settings={**QUICK, "crawl": settings}) as engine:
        return engine.crawl(seeds, transport=ScriptedTransport(web))


def web_of(**hosts):
    return ScriptedWeb({name.replace("_", "."): ScriptedHost(routes) for name, routes in hosts.items()})


def asked(web):
    return sorted(f"{one.authority}{one.path}" for one in web.asked if one.path != "/robots.txt")


def said(name, *links):
    return page(name, f"{name} speaks of {name}", links)


def test_what_is_too_far_by_one_way_is_fetched_by_a_shorter_one(tmp_path):
    web = web_of(
        s_test={"/": said("start", "http://a.test/", "http://b.test/")},
        a_test={"/": said("alpha", "/near")} | {"/near": said("near", "http://x.test/")},
        b_test={"/robots.txt": slow(text(""), 0.5), "/": said("beta", "http://x.test/")},
        x_test={"/": said("treasure", "/beyond"), "/beyond": said("beyond")},
    )
    crawl(tmp_path, web, "http://s.test/", depth=2)
    assert asked(web) == ["a.test/", "a.test/near", "b.test/", "s.test/", "x.test/"]


def test_a_shorter_way_to_what_waits_counts(tmp_path):
    web = web_of(
        s_test={"/": said("start", "http://a.test/", "http://b.test/")},
        a_test={"/": said("alpha", "/near")} | {"/near": said("near", "http://x.test/")},
        b_test={"/robots.txt": slow(text(""), 0.3), "/": said("beta", "http://x.test/")},
        x_test={"/robots.txt": slow(text(""), 0.9), "/": said("treasure", "/inner"), "/inner": said("inner")},
    )
    crawl(tmp_path, web, "http://s.test/", depth=3)
    assert "x.test/inner" in asked(web)


@pytest.mark.parametrize("head", ["", '<link rel="canonical" href="http://a.test{path}">'])
def test_as_many_pages_of_a_host_are_fetched_as_may_be(tmp_path, head):
    def numbered(path):
        following = f"/{int(path[1:]) + 1}"
        links = f"<a href={following}>on</a><a href={path}>here</a><a href=/0>first</a>"
        return html(f"<title>{path}</title>{head.format(path=path)}<p>word{path[1:]} stands here</p>{links}")

    web = ScriptedWeb({"a.test": ScriptedHost({"/robots.txt": text("")}, fallback=numbered)})
    assert crawl(tmp_path, web, "http://a.test/0", max_pages_per_host=20).pages == 20
    assert crawl(tmp_path, web, max_pages_per_host=20).pages == 0
    assert len(asked(web)) == 20


def sitemap(name, block, *addresses):
    blocks = "".join(f"<{block}><loc>{address}</loc></{block}>" for address in addresses)
    body = f'<?xml version="1.0"?><{name} {NAMESPACE}>{blocks}</{name}>'
    return Reply(200, body.encode(), {"Content-Type": "application/xml"})


def endless(path):
    stem = path.removesuffix(".xml")
    return sitemap("sitemapindex", "sitemap", *(f"http://a.test{stem}-{i}.xml" for i in range(3)))


def trap(robots="Sitemap: http://a.test/s.xml"):
    routes = {"/robots.txt": text(robots), "/": said("home")}
    return ScriptedWeb({"a.test": ScriptedHost(routes, fallback=endless)})


def test_indexes_of_indexes_come_to_an_end(tmp_path):
    web = trap()
    crawl(tmp_path, web, "http://a.test/")
    maps = [one for one in asked(web) if one.endswith(".xml")]
    assert len(maps) == 1 + 3 + 9
    assert max(one.count("-") for one in maps) == sitemaps.DEEPEST


def test_a_host_names_so_many_sitemaps_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(sitemaps, "MOST_SITEMAPS", 5)
    monkeypatch.setattr(sitemaps, "MOST_NAMED", 3)
    web = trap()
    crawl(tmp_path, web, "http://a.test/")
    assert len([one for one in asked(web) if one.endswith(".xml")]) == 5


def test_an_index_that_a_page_links_to_ends_sooner(tmp_path):
    web = trap(robots="")
    web.hosts["a.test"].routes["/"] = said("home", "/s.xml")
    crawl(tmp_path, web, "http://a.test/")
    assert len([one for one in asked(web) if one.endswith(".xml")]) == 1 + 3


def test_filters_of_hosts_and_schemes_hold_for_sitemaps(tmp_path):
    web = web_of(
        a_test={
            "/robots.txt": text(
                "Sitemap: http://ads.test/s.xml\nSitemap: https://a.test/t.xml\nSitemap: /u.xml"
            ),
            "/": said("home"),
            "/u.xml": sitemap("urlset", "url", "http://a.test/page"),
            "/page": said("found"),
        },
        ads_test={"/s.xml": sitemap("urlset", "url", "http://a.test/other")},
    )
    crawl(tmp_path, web, "http://a.test/", exclude_hosts=["ads.*"], schemes=["http"], exclude=["xml"])
    assert asked(web) == ["a.test/", "a.test/page", "a.test/u.xml"]


def test_a_page_that_ends_in_xml_is_a_page(tmp_path):
    web = web_of(
        a_test={
            "/robots.txt": text("Sitemap: http://a.test/s.xml"),
            "/": said("home"),
            "/s.xml": sitemap("urlset", "url", "http://a.test/one.xml", "http://a.test/two.xml"),
            "/one.xml": said("one"),
            "/two.xml": said("two"),
        }
    )
    crawl(tmp_path, web, "http://a.test/", exclude=["two"])
    assert asked(web) == ["a.test/", "a.test/one.xml", "a.test/s.xml"]


def test_translations_that_a_sitemap_names_are_followed(tmp_path):
    links = '<xhtml:link rel="alternate" hreflang="de" href="http://a.test/katze"/>'
    body = f"<urlset {NAMESPACE}><url><loc>http://a.test/cat</loc>{links}</url></urlset>"
    web = web_of(
        a_test={
            "/robots.txt": text("Sitemap: http://a.test/s.xml"),
            "/": said("home"),
            "/s.xml": Reply(200, body.encode(), {"Content-Type": "application/xml"}),
            "/cat": said("cat"),
            "/katze": said("katze"),
        }
    )
    crawl(tmp_path, web, "http://a.test/")
    assert asked(web) == ["a.test/", "a.test/cat", "a.test/katze", "a.test/s.xml"]

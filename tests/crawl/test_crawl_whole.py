"""The crawl loop with scripted hosts: what is fetched, what is not, and with which delays."""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import pairwise

import pytest
from replies import huge, slow

from gossamer import Engine
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.demo.scripted_web import (
    Reply,
    ScriptedHost,
    ScriptedTransport,
    ScriptedWeb,
    error,
    html,
    page,
    redirect,
    text,
)
from gossamer.model import Failure, FetchResult

QUICK = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}, "crawl": {"retry_delay": 0.01}}

IMPATIENT = FetchSettings(connect_timeout=0.5, read_timeout=0.5, total_timeout=1.0)


def web_of(**hosts):
    """Make a web of hosts given as name=routes; underscores in names become dots."""
    return ScriptedWeb({name.replace("_", "."): ScriptedHost(routes) for name, routes in hosts.items()})


def crawl(folder, web, *seeds, partitions=1, **settings):
    merged = {section: dict(values) for section, values in QUICK.items()}
    for section, values in settings.items():
        merged.setdefault(section, {}).update(values)
    with Engine.open(folder, create=True, partitions=partitions, settings=merged) as engine:
        return engine.crawl(seeds, transport=ScriptedTransport(web, IMPATIENT))


def states(folder):
    found = {}
    for path in folder.glob("partition-*/catalogue.sqlite"):
        with sqlite3.connect(path) as connection:
            found.update({url: (state, reason) for url, state, reason in
                          connection.execute("SELECT url, state, reason FROM urls")})  # fmt: skip
        connection.close()
    return found


def hits(folder, query, **more):
    with Engine.open(folder) as engine:
        return [hit.url for hit in engine.search(query, **more).hits]


def asked(web):
    return Counter(f"{one.authority}{one.path}" for one in web.asked)


def test_links_are_followed_and_searchable_at_once(tmp_path):
    web = web_of(
        a_test={
            "/": page("Home", "front door", ["/cat", "http://b.test/"]),
            "/cat": page("Cat", "a spotted cat"),
        },
        b_test={"/": page("Other", "another host")},
    )
    progress = crawl(tmp_path, web, "http://a.test/")
    assert (progress.pages, progress.kept, progress.failed, progress.queue) == (3, 3, 0, 0)
    assert hits(tmp_path, "spotted") == ["http://a.test/cat"]
    assert hits(tmp_path, "another") == ["http://b.test/"]
    assert asked(web)["a.test/robots.txt"] == 1


def test_everything_that_can_be_said_has_its_state(tmp_path):
    links = ["/moved", "/gone", "/secret", "/loop", "/noindex", "/copy", "/dead.png", "/slow", "/broken",
             "/nofollow", "/flaky", "http://unknown.test/"]  # fmt: skip
    web = web_of(
        a_test={
            "/robots.txt": text("User-agent: *\nDisallow: /secret\n"),
            "/": page("Home", "home", links),
            "/moved": redirect("/target"),
            "/target": page("Target", "here it is now"),
            "/gone": error(410),
            "/secret": page("Secret", "never fetched"),
            "/loop": redirect("/loop2"),
            "/loop2": redirect("/loop"),
            "/noindex": html('<meta name="robots" content="noindex">hush <a href="/behind">b</a>'),
            "/behind": page("Behind", "reached through a hidden page"),
            "/copy": page("Home", "home", links),
            "/slow": slow(page("Slow", "it took a while"), 0.05),
            "/broken": Reply(failure=Failure.DISCONNECTED),
            "/nofollow": html('<meta name="robots" content="nofollow">nf <a href="/never">n</a>'),
            "/flaky": error(503),
        },
    )  # fmt: skip
    progress = crawl(tmp_path, web, "http://a.test/")
    found = states(tmp_path)
    assert found["http://a.test/target"] == ("fetched", "")
    assert found["http://a.test/moved"] == ("redirect", "")
    assert found["http://a.test/gone"] == ("failed", "http-410")
    assert found["http://a.test/secret"] == ("refused", "robots")
    assert found["http://a.test/loop"][0] == found["http://a.test/loop2"][0] == "redirect"
    assert found["http://a.test/broken"] == ("failed", "disconnected")
    assert found["http://a.test/flaky"] == ("failed", "http-503")
    assert found["http://unknown.test/"] == ("queued", "dns")
    assert found["http://a.test/behind"] == ("fetched", "")
    assert "http://a.test/never" not in found
    assert "http://a.test/dead.png" not in found
    counts = asked(web)
    assert "a.test/secret" not in counts
    assert counts["a.test/broken"] == counts["a.test/flaky"] == 3
    assert progress.refused == 1
    assert progress.duplicates == 1
    assert progress.errors == {"http-410": 1, "disconnected": 1, "http-503": 1, "dns": 1}
    assert hits(tmp_path, "hush") == []
    assert hits(tmp_path, "home")[0] == "http://a.test/"


def test_a_server_that_recovers_is_believed(tmp_path):
    answers = iter([error(503), page("Back", "again here")])
    web = web_of(a_test={"/": lambda path: next(answers)})
    progress = crawl(tmp_path, web, "http://a.test/")
    assert (progress.pages, progress.failed) == (1, 0)
    assert hits(tmp_path, "again") == ["http://a.test/"]


def test_robots_trouble_means_later_not_never(tmp_path):
    web = web_of(a_test={"/robots.txt": error(503), "/": page("A", "behind trouble")})
    progress = crawl(tmp_path, web, "http://a.test/")
    assert (progress.pages, progress.queue) == (0, 1)
    assert states(tmp_path)["http://a.test/"] == ("queued", "robots-unreachable")
    assert "robots" in progress.seed_errors["http://a.test/"]
    well = web_of(a_test={"/": page("A", "behind trouble")})
    assert crawl(tmp_path, well).pages == 1, "a new crawl asks anew"


def test_nothing_is_lost_when_the_network_is_away(tmp_path):
    hosts = {name: {"/": page(name, f"{name} here", ["/x"]), "/x": page("X", f"x of {name}")}
             for name in ("a_test", "b_test")}  # fmt: skip
    seeds = ["http://a.test/", "http://b.test/"]
    away = web_of(c_test={})
    assert crawl(tmp_path, away, *seeds).pages == 0
    assert set(states(tmp_path).values()) == {("queued", "dns")}
    assert crawl(tmp_path, web_of(**hosts), *seeds).pages == 4


@pytest.mark.parametrize("failure", [Failure.CONNECT, Failure.TIMEOUT])
def test_nothing_is_lost_when_the_network_goes_between_two_crawls(tmp_path, failure):
    """The robots.txt is known by then, so the pages fail. But this does not count against a page."""
    chain = {f"/{i}": page(f"Page {i}", f"text {i}", [f"/{i + 1}"]) for i in range(6)}
    assert crawl(tmp_path, web_of(a_test=chain), "http://a.test/0", crawl={"max_pages": 2}).pages == 2
    away = web_of(a_test={f"/{i}": Reply(failure=failure) for i in range(6)})
    progress = crawl(tmp_path, away, "http://a.test/0")
    assert (progress.pages, progress.queue) == (0, 1)
    assert states(tmp_path)["http://a.test/2"] == ("queued", failure.value)
    assert crawl(tmp_path, web_of(a_test=chain), "http://a.test/2").pages == 4


def test_one_page_that_hangs_is_not_its_host(tmp_path):
    routes = {"/": page("A", "a", ["/hangs", "/fine"]), "/hangs": Reply(failure=Failure.TIMEOUT),
              "/fine": page("F", "fine")}  # fmt: skip
    assert crawl(tmp_path, web_of(a_test=routes), "http://a.test/").pages == 2
    assert states(tmp_path)["http://a.test/hangs"] == ("failed", "timeout")


def test_a_host_that_answers_again_starts_with_a_clean_slate(tmp_path):
    well = web_of(a_test={f"/{i}": page(f"Page {i}", f"text {i}", [f"/{i + 1}"]) for i in range(4)})
    for _ in range(4):
        crawl(tmp_path, web_of(), "http://a.test/0")
    crawl(tmp_path, well, "http://a.test/0", crawl={"max_pages": 1})
    crawl(tmp_path, web_of(), "http://a.test/1")
    assert states(tmp_path)["http://a.test/1"] == ("queued", "dns")


def test_a_host_that_stays_silent_is_given_up_in_the_end(tmp_path):
    for _ in range(5):
        crawl(tmp_path, web_of(), "http://gone.test/", "http://gone.test/other")
    assert {state for state, _ in states(tmp_path).values()} == {"queued"}
    crawl(tmp_path, web_of(), "http://gone.test/")
    assert set(states(tmp_path).values()) == {("failed", "dns")}


def test_retry_after_binds_the_whole_host(tmp_path):
    busy = Reply(429, b"", {"Retry-After": "600"})
    web = web_of(
        a_test={"/": page("A", "a", [f"/{i}" for i in range(8)]), **{f"/{i}": busy for i in range(8)}}
    )
    progress = crawl(tmp_path, web, "http://a.test/")
    assert (progress.pages, progress.queue) == (1, 8)
    assert sum(count for path, count in asked(web).items() if path != "a.test/robots.txt") == 2


def test_forbidden_links_cost_no_request(tmp_path):
    links = [f"/secret/{i}" for i in range(200)]
    web = web_of(a_test={"/robots.txt": text("User-agent: *\nDisallow: /secret"), "/": page("A", "a", links)})
    progress = crawl(tmp_path, web, "http://a.test/", frontier={"delay": 0.1})
    assert progress.refused == 200
    assert asked(web) == {"a.test/robots.txt": 1, "a.test/": 1}


@pytest.mark.parametrize("partitions", [1, 3])
def test_of_many_copies_one_is_kept(tmp_path, partitions):
    same = page("Same", "copied all over the web")
    hosts = {f"m{i}_test": {"/": same} for i in range(6)}
    hosts["hub_test"] = {"/": page("Hub", "hub", [f"http://m{i}.test/" for i in range(6)])}
    progress = crawl(tmp_path, web_of(**hosts), "http://hub.test/", partitions=partitions)
    assert (progress.pages, progress.kept, progress.duplicates) == (7, 2, 5)
    assert len(hits(tmp_path, "copied")) == 1


@pytest.mark.parametrize("first", ["mirror_of_a_test", "a_test"])
def test_of_two_hosts_equally_far_the_shorter_name_is_kept(tmp_path, first):
    same = page("Same", "copied once")
    late = {name: slow(same, 0.0 if name == first else 0.1) for name in ("a_test", "mirror_of_a_test")}
    links = ["http://mirror.of.a.test/", "http://a.test/"]
    web = web_of(hub_test={"/": page("Hub", "hub", links)}, **{name: {"/": late[name]} for name in late})
    crawl(tmp_path, web, "http://hub.test/")
    assert hits(tmp_path, "copied") == ["http://a.test/"]


def canonical_page(words, target):
    return html(f'<link rel="canonical" href="{target}"><title>{words}</title>{words} <a href="/end">end</a>')


def test_a_canonical_address_is_a_hint_until_it_is_there(tmp_path):
    routes = {
        "/": page("Start", "start", ["/x", "/lost", "/a", "/b", "/p"]),
        "/x": canonical_page("circle words", "/y"),
        "/y": redirect("/x"),
        "/lost": canonical_page("forlorn words", "/nowhere"),
        "/a": canonical_page("mutual first", "/b"),
        "/b": canonical_page("mutual second", "/a"),
        "/p": canonical_page("product words", "/product-page"),
        "/product-page": canonical_page("product words", "/product-page"),
        "/end": page("End", "end"),
    }
    crawl(tmp_path, web_of(a_test=routes), "http://a.test/")
    assert hits(tmp_path, "circle") == ["http://a.test/x"]
    assert hits(tmp_path, "forlorn") == ["http://a.test/lost"]
    assert len(hits(tmp_path, "mutual")) == 1
    assert hits(tmp_path, "product") == ["http://a.test/product-page"]


def test_huge_and_wrongly_encoded_pages(tmp_path):
    web = web_of(a_test={
        "/": page("Home", "x", ["/huge", "/latin"]),
        "/huge": huge(300_000),
        "/latin": html("<title>Brod</title><p>Smørrebrød på dansk", charset="latin-1", declared="utf-8"),
    })  # fmt: skip
    progress = crawl(tmp_path, web, "http://a.test/", fetch={"max_bytes": 100_000})
    assert progress.pages == 3
    assert progress.bytes <= 100_000 + 2_000


def test_limits_and_filters(tmp_path):
    chain = {f"/{i}": page(f"Page {i}", f"text {i}", [f"/{i + 1}"]) for i in range(30)}
    assert crawl(tmp_path / "depth", web_of(a_test=chain), "http://a.test/0", crawl={"depth": 4}).pages == 5
    assert (
        crawl(tmp_path / "pages", web_of(a_test=chain), "http://a.test/0", crawl={"max_pages": 7}).pages == 7
    )
    only = crawl(tmp_path / "only", web_of(a_test=chain), "http://a.test/0", crawl={"exclude": ["/3$"]})
    assert only.pages == 3
    wide = web_of(a_test={"/": page("A", "a", ["http://b.test/", "http://x.a.test/"])},
                  b_test={"/": page("B", "b")}, x_a_test={"/": page("X", "x")})  # fmt: skip
    assert crawl(tmp_path / "stay", wide, "http://a.test/", crawl={"stay_on_site": True}).pages == 2


def test_staying_goes_on_without_naming_the_sites_again(tmp_path):
    web = web_of(
        a_test={"/": page("A", "a", ["/1", "http://b.test/"]), "/1": page("A1", "one", ["/2", "http://b.test/x"]),
                "/2": page("A2", "two")},
        b_test={"/": page("B", "b"), "/x": page("X", "x")},
    )  # fmt: skip
    assert crawl(tmp_path, web, "http://a.test/", crawl={"stay_on_site": True, "max_pages": 1}).pages == 1
    assert crawl(tmp_path, web, crawl={"stay_on_site": True}).pages == 2
    assert {url for url in asked(web) if url.startswith("b.test")} == set()


def test_staying_follows_a_seed_that_moved(tmp_path):
    web = web_of(old_test={"/": redirect("http://new.test/")},
                 new_test={"/": page("N", "new home", ["/more"]), "/more": page("M", "more")})  # fmt: skip
    assert crawl(tmp_path, web, "http://old.test/", crawl={"stay_on_site": True}).pages == 2


def test_a_crawl_goes_on_where_it_was(tmp_path):
    chain = {f"/{i}": page(f"Page {i}", f"text {i}", [f"/{i + 1}"]) for i in range(20)}
    web = web_of(a_test=chain)
    assert crawl(tmp_path, web, "http://a.test/0", crawl={"max_pages": 8}).pages == 8
    progress = crawl(tmp_path, web, "http://a.test/0")
    assert progress.pages == 12
    assert max(asked(web).values()) == 1
    assert crawl(tmp_path, web, "http://a.test/0").pages == 0


def test_a_failed_seed_is_tried_again_when_named_again(tmp_path):
    web = web_of(a_test={"/": Reply(failure=Failure.TLS)})
    progress = crawl(tmp_path, web, "http://a.test/")
    assert progress.pages == 0
    assert "http://a.test/" in progress.seed_errors
    assert crawl(tmp_path, web_of(a_test={"/": page("A", "well now")}), "http://a.test/").pages == 1


@pytest.mark.parametrize("partitions", [1, 3])
def test_no_host_is_asked_twice_within_its_delay(tmp_path, partitions):
    delay = 0.15
    links = [f"/{i}" for i in range(4)]
    hosts = {
        f"h{n}_test": {
            "/": page("Home", f"host {n}", [*links, *(f"http://h{m}.test/" for m in range(5))]),
            **{link: page(link, f"text of {n} {link}") for link in links},
        }
        for n in range(5)
    }
    web = web_of(**hosts)
    settings = {"frontier": {"delay": delay}}
    first = crawl(tmp_path, web, "http://h0.test/", partitions=partitions, crawl={"max_pages": 9}, **settings)
    second = crawl(tmp_path, web, "http://h0.test/", partitions=partitions, **settings)
    assert first.pages + second.pages == 25
    times = {}
    for one in web.asked:
        times.setdefault(one.authority, []).append(one.time)
    for authority, moments in times.items():
        gaps = [later - earlier for earlier, later in pairwise(moments)]
        assert min(gaps) >= delay * 0.99, authority


def test_the_better_address_represents_a_page(tmp_path):
    same = page("Home", "one and the same")
    web = web_of(
        a_test={"/x": page("X", "start", ["/index.html", "/"]), "/index.html": same, "/": slow(same, 0.05)}
    )
    progress = crawl(tmp_path, web, "http://a.test/x")
    assert (progress.kept, progress.duplicates) == (2, 1)
    assert hits(tmp_path, '"one and the same"') == ["http://a.test/"]


def test_a_page_that_kills_its_worker_costs_one_page(tmp_path):
    deep = html("<title>Deep</title>" + "<div>" * 200_000 + "bottom")
    web = web_of(
        a_test={
            "/": page("Home", "home", ["/deep", "/fine"]),
            "/deep": deep,
            "/fine": page("F", "perfectly healthy"),
        }
    )
    progress = crawl(
        tmp_path, web, "http://a.test/", extract={"workers": 2, "timeout": 5.0, "memory_mb": 400}
    )
    assert progress.pages == 3
    assert hits(tmp_path, "healthy") == ["http://a.test/fine"]


def test_the_filters_of_a_crawl_hold_for_what_an_earlier_one_queued(tmp_path):
    web = web_of(
        a_test={
            "/": page("Home", "front door", ["/cat", "/dog", "http://b.test/"]),
            "/cat": page("Cat", "a spotted cat"),
            "/dog": page("Dog", "a barking dog"),
        },
        b_test={"/": page("Other", "another host")},
    )
    crawl(tmp_path, web, "http://a.test/", crawl={"max_pages": 1})
    assert states(tmp_path)["http://b.test/"] == ("queued", "")
    crawl(tmp_path, web, "http://a.test/", crawl={"exclude": ["/dog"], "stay_on_site": True})
    assert set(asked(web)) == {"a.test/robots.txt", "a.test/", "a.test/cat"}
    progress = crawl(tmp_path, web)
    assert (progress.pages, progress.queue) == (2, 0)
    assert hits(tmp_path, "barking") == ["http://a.test/dog"]


def test_a_host_that_speaks_only_http_is_crawled_though_it_links_to_https(tmp_path):
    class OnlyHttp(ScriptedTransport):
        async def get(self, url, headers, max_bytes):
            if url.scheme == "https":
                return FetchResult(url, 1.0, failure=Failure.TLS, detail="no secure connection")
            return await super().get(url, headers, max_bytes)

    links = ["https://a.test/safe", *(f"/{number}" for number in range(9))]
    routes = {f"/{number}": page(f"Page {number}", f"number{number} stands here") for number in range(9)}
    web = web_of(a_test={"/": page("Home", "front door", links), **routes})
    with Engine.open(tmp_path, create=True, settings=QUICK) as engine:
        progress = engine.crawl(["http://a.test/"], transport=OnlyHttp(web, IMPATIENT))
    assert (progress.pages, progress.queue) == (10, 0)
    assert states(tmp_path)["https://a.test/safe"] == ("failed", "tls")


def test_a_named_seed_ends_the_silence_of_its_host(tmp_path):
    web = web_of(b_test={})
    crawl(tmp_path, web, "http://a.test/")
    web.hosts["a.test"] = ScriptedHost({"/other": page("Other", "an open door")})
    progress = crawl(tmp_path, web, "http://a.test/other")
    assert progress.pages == 1


def test_links_of_a_page_that_leads_on_by_itself_are_followed(tmp_path):
    leads = b'<meta http-equiv="refresh" content="0; url=/en"><a href="/de">Deutsch</a>'
    web = web_of(
        a_test={
            "/": Reply(200, leads, {"Content-Type": "text/html"}),
            "/en": page("English", "an open door"),
            "/de": page("Deutsch", "eine offene Tuer"),
        }
    )
    crawl(tmp_path, web, "http://a.test/")
    assert {url: state for url, (state, _) in states(tmp_path).items()} == {
        "http://a.test/": "redirect",
        "http://a.test/en": "fetched",
        "http://a.test/de": "fetched",
    }


@pytest.mark.parametrize("reply", [error(404), error(410), error(500), redirect("/")])
def test_failures_teach_nothing_about_traps(tmp_path, reply):
    """Forty URLs of one pattern without a page do not put the pattern to sleep."""
    paths = [f"/list/{number}" for number in range(40)]
    web = web_of(a_test={"/": page("Home", "front door", paths), **dict.fromkeys(paths, reply)})
    patient = {"breaker_failures": 1_000}
    progress = crawl(tmp_path, web, "http://a.test/", frontier=patient, traps={"window": 4})
    assert asked(web)["a.test/list/39"] > 0
    assert progress.sleeping == {}
    with sqlite3.connect(tmp_path / "partition-000" / "catalogue.sqlite") as connection:
        noted = connection.execute("SELECT count(*) FROM notes WHERE kind = 'traps'").fetchone()
    connection.close()
    assert noted == (0,)

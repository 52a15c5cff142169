"""The webs of the crawl benchmark, and its judges: what they find must be found, and nothing else."""

from __future__ import annotations

import http.client
import re
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from sites import audit as audits
from sites.audit import Audit
from sites.comparing import Comparison, Run
from sites.folder import FolderWeb
from sites.generated import ORPHAN, GeneratedSite
from sites.measuring import Cost, measured
from sites.report import audit_json, audit_text, comparison_json, comparison_text
from sites.serving import GIVEN_UP, Request, serving
from sites.synthetic import SyntheticWeb, mix
from sites.traps import ENTRIES, is_trap, never_says_no, trap_page
from sites.web import ROBOTS, Kind, Place, walk
from sites.words import Prose, vocabulary

PORT = 8123
SECOND = 10**9


class Anchors(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.found.append(dict(attrs)["href"])


def body(reply):
    return reply.content.partition(b"\r\n\r\n")[2].decode()


def read_links(web, place):
    """Where the HTML of a page leads, as a browser would say."""
    base = f"http://{place.host}:{PORT}{place.path}"
    for href in Anchors(body(web.reply(*place))).found:
        parts = urlsplit(urldefrag(urljoin(base, href)).url)
        if parts.scheme == "http":
            yield Place(parts.hostname, parts.path + (f"?{parts.query}" if parts.query else ""))


@pytest.fixture(scope="module")
def site():
    made = GeneratedSite(pages=300, hosts=5)
    made.open(PORT)
    return made


@pytest.fixture(scope="module")
def web():
    made = SyntheticWeb(urls=600, hosts=40)
    made.open(PORT)
    return made


def pages_of(web):
    return [place for place, kind in walk(web).items() if kind is Kind.PAGE]


class TestWords:
    def test_words_differ_and_the_first_are_the_frequent_and_short_ones(self):
        words = vocabulary(2_000)
        assert len(set(words)) == 2_000
        assert sum(map(len, words[:100])) < sum(map(len, words[-100:]))
        drawn = Prose(1).words(20_000)
        assert drawn.count(vocabulary()[0]) > 10 * drawn.count(vocabulary()[500])

    def test_the_same_seed_gives_the_same_text(self):
        assert Prose(5).sentences(3) == Prose(5).sentences(3) != Prose(6).sentences(3)


class TestGeneratedSite:
    def test_html_leads_where_the_plan_says(self, site):
        for place in pages_of(site):
            assert set(read_links(site, place)) - {place} == set(site.links(place)) - {place}

    def test_pages_are_as_ordinary_pages_are(self, site):
        sizes = sorted(len(site.reply(*place).content) for place in pages_of(site))
        assert 12_000 < sizes[len(sizes) // 2] < 30_000
        assert all(35 <= len(site.links(place)) <= 80 for place in pages_of(site))

    def test_everything_is_reached_but_what_is_forbidden_or_linked_from_nowhere(self, site):
        found = walk(site)
        reached = sum(kind is Kind.PAGE for kind in found.values())
        assert 300 * (1 - 2 / ORPHAN) <= reached < 300
        assert set(found.values()) == {Kind.PAGE, Kind.REDIRECT, Kind.MISSING}
        assert any(place.path.startswith("/private/open/") for place in found)

    def test_answers(self, site):
        for place, kind in walk(site).items():
            status = site.reply(*place).status
            assert status == {Kind.PAGE: 200, Kind.REDIRECT: 301, Kind.MISSING: 404}[kind]
        assert b"Disallow: /private/" in site.reply("site-01.test", ROBOTS).content

    def test_it_is_always_the_same(self, site):
        again = GeneratedSite(pages=300, hosts=5)
        again.open(PORT)
        assert {place: site.reply(*place) for place in walk(site)} == {
            place: again.reply(*place) for place in walk(again)
        }


class TestSyntheticWeb:
    def test_all_pages_can_be_reached(self, web):
        numbered = [place for place in pages_of(web) if not re.match(r"/private/\d", place.path)]
        assert len(numbered) == sum(web.size(host) for host in range(40)) >= 600

    def test_html_leads_where_the_plan_says(self, web):
        for place in pages_of(web):
            traps = {link for link in read_links(web, place) if web.kind(link) is Kind.TRAP}
            assert set(read_links(web, place)) - traps == {
                link for link in web.links(place) if web.kind(link) is not Kind.TRAP
            }

    def test_there_are_copies_under_two_addresses(self, web):
        texts = [body(web.reply(*place)) for place in pages_of(web)]
        assert 0.9 * len(texts) < len(set(texts)) < len(texts)

    def test_hosts_are_slow_patient_or_lawless(self, web):
        waits = {web.reply(f"h{host}.test", "/").wait for host in range(40)}
        assert len(waits) > 30
        assert 0 <= min(waits) < max(waits) < 0.3
        assert web.crawl_delay("h8.test") == 3.0
        assert b"Crawl-delay: 3" in web.reply("h8.test", ROBOTS).content
        assert web.reply("h9.test", ROBOTS).status == 404
        assert web.kind(Place("h9.test", "/private/4")) is Kind.PAGE
        assert web.kind(Place("h7.test", "/private/4")) is Kind.FORBIDDEN

    @pytest.mark.parametrize(
        "path", ["/docs/00.html", "/docs/99999.html", "/news/10.html", "/go/-1", "/x", "/go/²"]
    )
    def test_what_is_no_address_of_it_is_missing(self, web, path):
        assert web.kind(Place("h1.test", path)) is Kind.MISSING
        assert web.reply("h1.test", path).status == 404
        assert web.reply("nobody.test", path).status == 404

    def test_traps_never_end_and_can_be_left_out(self, web):
        entry = next(link for link in web.links(Place("h3.test", "/")) if web.kind(link) is Kind.TRAP)
        assert entry not in walk(web)
        assert web.reply(*entry).status == 200
        honest = SyntheticWeb(urls=600, hosts=40, traps=False)
        assert walk(honest) == walk(web)
        assert honest.kind(entry) is Kind.MISSING

    def test_a_server_that_never_says_no(self, web):
        host = next(host for host in range(3, 1_000, 25) if never_says_no(host))
        large = SyntheticWeb(urls=600, hosts=1_000)
        assert large.kind(Place(f"h{host}.test", "/gone/1")) is Kind.MISSING
        answer = large.reply(f"h{host}.test", "/gone/1")
        assert (answer.status, b"found nothing" in answer.content) == (200, True)
        assert large.reply("h0.test", "/gone/1").status == 404

    @pytest.mark.parametrize("entry", ENTRIES)
    def test_each_page_of_a_trap_leads_to_a_new_one(self, entry):
        seen, path = set(), entry
        for _ in range(30):
            assert is_trap(path)
            seen.add(path)
            links = [urljoin(path, href) for href in Anchors(trap_page(path).decode()).found]
            path = next(link for link in reversed(links) if link not in seen and link != "/")
        assert len(seen) == 30

    def test_mixing_depends_on_every_number_and_its_place(self):
        assert len({mix(1, 2), mix(2, 1), mix(1), mix(2), mix(1, 2, 0)}) == 5


def polite(web, delay=1.0):
    """The log of a crawler that does everything right."""
    clock, begun = {}, {}
    for place in walk(web):
        pause = max(delay, web.crawl_delay(place.host))
        if place.host not in begun:
            begun[place.host] = True
            yield Request(0, SECOND, 200, Place(place.host, ROBOTS))
            clock[place.host] = SECOND
        start = int(clock[place.host] + pause * SECOND)
        clock[place.host] = start + SECOND // 10
        yield Request(start, clock[place.host], 200, place)


class TestAudit:
    def judged(self, web, requests, limit=5):
        audit = Audit(web, walk(web), 1.0, limit)
        audit.hear(requests)
        return audit.verdict()

    def broken(self, verdict):
        return {complaints.rule: complaints.count for complaints in verdict.complaints if complaints.count}

    def test_nothing_is_said_against_a_polite_crawler(self, web):
        verdict = self.judged(web, polite(web))
        assert verdict.clean
        assert verdict.pages == len(pages_of(web))
        assert verdict.hosts == 40
        assert abs(verdict.shortest) < audits.TOLERANCE

    @pytest.mark.parametrize(("pause", "rule"), [(0.98, "before its delay"), (-0.05, "another request")])
    def test_impatience_is_seen(self, web, pause, rule):
        log = list(polite(web))
        before = [request for request in log if request.place.host == "h1.test"][-1]
        begun = before.ended + int(pause * SECOND)
        late = Request(begun, begun + SECOND, 200, Place("h1.test", "/nowhere"))
        (found,) = self.broken(self.judged(web, [*log, late]))
        assert rule in found
        within = late._replace(begun=before.ended + int(0.995 * SECOND))
        assert self.judged(web, [*log, within]).clean

    def test_a_crawl_delay_counts_more_than_the_delay(self, web):
        log = list(polite(web))
        before = [request for request in log if request.place.host == "h8.test"][-1]
        begun = before.ended + 2 * SECOND
        verdict = self.judged(web, [*log, Request(begun, begun, 200, Place("h8.test", "/nowhere"))])
        assert list(self.broken(verdict).values()) == [1]
        assert verdict.others == {"/nowhere": 1}

    def test_what_is_forgotten_or_repeated_is_seen(self, web):
        log = list(polite(web))
        last = log[-1]
        again = last._replace(begun=last.ended + 9 * SECOND, ended=last.ended + 10 * SECOND)
        assert self.broken(self.judged(web, log[:-1])) == {"never fetched": 1}
        assert self.broken(self.judged(web, [*log, again])) == {"fetched more than once": 1}
        given_up = last._replace(status=GIVEN_UP)
        verdict = self.judged(web, [*log[:-1], given_up, again])
        assert (verdict.clean, verdict.given_up) == (True, 1)
        assert self.broken(self.judged(web, [*log[:-1], given_up])) == {"never fetched": 1}

    def test_robots_come_first_and_once(self, web):
        log = [request for request in polite(web) if request.place != Place("h2.test", ROBOTS)]
        assert self.broken(self.judged(web, log)) == {"asked before its robots.txt": 1}
        late = log[-1].ended + 100 * SECOND
        again = [Request(late, late, 200, Place("h1.test", ROBOTS))]
        assert self.broken(self.judged(web, [*polite(web), *again])) == {
            "asked for robots.txt again within a day": 1
        }

    def test_forbidden_pages_and_traps_are_seen(self, web):
        log = list(polite(web))
        late = max(request.ended for request in log)
        asked = [
            Place("h7.test", "/private/1"),
            *(Place("h3.test", f"/calendar/{year}/1") for year in range(6)),
        ]
        more = [
            Request(late + at * 2 * SECOND, late + at * 2 * SECOND, 200, place)
            for at, place in enumerate(asked, 1)
        ]
        verdict = self.judged(web, [*log, *more])
        assert self.broken(verdict) == {
            "fetched although robots.txt forbids it": 1,
            "more than 5 pages of a trap fetched": 1,
        }
        assert verdict.trapped == 6
        assert "/private/1" in audit_text(verdict, COST)
        assert audit_json(verdict, COST)["audit"]["clean"] is False


COST = Cost(wall=10.0, user=3.0, system=1.0, peak_mb=100.0, largest_mb=80.0, cut=False, status=0)


class SlowWeb(SyntheticWeb):
    WAIT = 0.3

    def reply(self, host, path):
        return replace(super().reply(host, path), wait=self.WAIT)


class TestServing:
    def test_a_web_is_served_by_host_and_every_request_is_logged(self, tmp_path):
        web = SyntheticWeb(urls=20, hosts=2)
        with serving(web, tmp_path / "log") as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            answers = []
            for host, path in [("h0.test", "/"), ("H1.test:80", "/robots.txt"), ("h1.test", "/none")]:
                connection.request("GET", path, headers={"Host": host})
                answer = connection.getresponse()
                answers.append((answer.status, len(answer.read())))
            mark = server.mark()
            connection.request("GET", "/", headers={"Host": "h0.test"})
            connection.getresponse().read()
            connection.close()
            first, second = list(server.requests())[:3], list(server.requests(mark))
        assert [status for status, _ in answers] == [200, 200, 404]
        assert [(request.status, *request.place) for request in first] == [
            (200, "h0.test", "/"),
            (200, "h1.test", "/robots.txt"),
            (404, "h1.test", "/none"),
        ]
        assert all(request.begun <= request.ended for request in first)
        assert [request.place for request in second] == [Place("h0.test", "/")]

    def test_an_asker_who_hangs_up_gets_nothing(self, tmp_path):
        web = SlowWeb(urls=20, hosts=2)
        with serving(web, tmp_path / "log") as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.request("GET", "/", headers={"Host": "h0.test"})
            connection.close()
            time.sleep(2 * SlowWeb.WAIT)
            (request,) = server.requests()
        assert (request.status, request.place) == (GIVEN_UP, Place("h0.test", "/"))

    def test_files_are_served_as_a_web_server_would(self, tmp_path):
        for host, pages in (("small-docs.test", 2), ("large-docs.test", 9)):
            folder = tmp_path / "sites" / host / "part"
            folder.mkdir(parents=True)
            for number in range(pages):
                (folder / ("index.html" if number == 0 else f"{number}.html")).write_text(f"page {number}")
        web = FolderWeb(tmp_path, pages=5)
        assert web.hosts == ["small-docs.test"]
        assert body(web.reply("small-docs.test", "/part/")) == "page 0"
        assert b"Location: /part/\r\n" in web.reply("small-docs.test", "/part").content
        assert web.reply("small-docs.test", "/../../large-docs.test/part/1.html").status == 404
        assert web.reply("large-docs.test", "/part/1.html").status == 404


class TestMeasuring:
    BURN = "import time\nwhile time.process_time() < 0.3: pass"

    def test_the_time_of_children_left_behind_counts(self, tmp_path):
        leave = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {self.BURN!r}])"
        cost = measured([sys.executable, "-c", leave], tmp_path / "said.txt")
        assert cost.cpu >= 0.3
        assert cost.status == 0
        assert cost.peak_mb >= cost.largest_mb > 1

    def test_what_takes_too_long_is_interrupted(self, tmp_path):
        cost = measured([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path / "said.txt", 0.5)
        assert cost.cut
        assert cost.status != 0


class TestReport:
    def run(self, name, user):
        cost = Cost(wall=5.0, user=user, system=1.0, peak_mb=100.0, largest_mb=80.0, cut=False, status=0)
        return Run(name, cost, 1_000, 0, 0, 2)

    def test_the_faster_spider_is_compared_with(self):
        seconds = {"Scrapy, LinkExtractor": 9.0, "Scrapy, selector": 7.0, "Gossamer, 1 worker": 1.0}
        comparison = Comparison({name: [self.run(name, user)] * 3 for name, user in seconds.items()})
        assert comparison.scrapy == "Scrapy, selector"
        assert not comparison.complete
        assert comparison.ratios("Gossamer, 1 worker", comparison.scrapy) == [4.0] * 3
        told = comparison_text(comparison, "2.19")
        assert re.search(r"Gossamer, 1 worker +1,000 +500\.0 \(500\.0 to 500\.0\) +2\.00", told)
        assert "Gossamer, 1 worker: 2 asked for again" in told
        assert (
            comparison_json(comparison, "2.19", {})["crawlers"]["Gossamer, 1 worker"]["ratios"] == [4.0] * 3
        )

    def test_gossamer_alone(self):
        comparison = Comparison({"Gossamer, 1 worker": [self.run("Gossamer, 1 worker", 1.0)]})
        assert "times as fast" not in comparison_text(comparison, "")
        assert comparison_json(comparison, "", {"fetch": 1.0})["stages_us"] == {"fetch": 1.0}

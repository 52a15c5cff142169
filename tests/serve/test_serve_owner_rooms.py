"""The content of the owner's pages, and the effect of their buttons."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from html import unescape

import pytest
from fake_engine import FakeEngine
from fake_owned import RUNNING, FakeReport, FakeSteering, fake_owned
from test_serve_safety import EVIL, Elements

from gossamer.model import CollectionBusy, GossamerError
from gossamer.serve.i18n import translations
from gossamer.serve.owner_pages.charts import bars, bow_tie, sparkline
from gossamer.serve.owner_pages.crawl import CrawlPage, CrawlStarter, live_view, state_of
from gossamer.serve.owner_pages.health import GraphExamination

OWN = {"Origin": "http://testserver"}
ENGLISH = translations()["en"]


class Owner:
    """A client who has logged in."""

    def __init__(self, client, owned):
        self.client, self.owned = client, owned
        client.post("/owner/log-in", data={"token": owned.token.path.read_text()}, headers=OWN)
        self.field = re.search(r'name="owner" value="([0-9a-f]+)"', client.get("/owner").text)[1]

    def do(self, address, action, **fields):
        data = {"owner": self.field, "do": action, **fields}
        return self.client.post(address, data=data, headers=OWN)

    def shown(self, address):
        return unescape(self.client.get(address).text)


@pytest.fixture
def owner_of(tmp_path, client_of):
    def make(settings=None, **changes):
        owned = fake_owned(tmp_path, **changes)
        return Owner(client_of(FakeEngine(), owned=owned, **(settings or {})), owned)

    return make


def test_a_running_crawl_is_shown_in_figures_lists_and_a_line(owner_of):
    page = owner_of().shown("/owner")
    for said in ("1,234", "12.5", "4,567", "12.3 MB", "slow.example", "2.50 s", "empty-flood", "timeout"):
        assert said in page, said
    assert 'd="M0 78L200 46.33L400 2L600 21"' in page
    assert "the disk is nearly full" in page
    assert "Running since 14 November 2023, 22:13:20 UTC." in page


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "running"),
        ({"paused": True}, "paused"),
        ({"stopping": True, "paused": True}, "stopping"),
        ({"finishing": True}, "finishing"),
        ({"running": False, "finished": 1_700_000_100.0}, "ended"),
        ({"running": False, "finished": 1_700_000_100.0, "pages": 0, "queue": 0, "errors": {}}, "idle"),
        ({"running": False, "finished": 1_700_000_100.0, "pages": 0, "queue": 0}, "ended"),
        ({"running": False}, "died"),
    ],
)
def test_every_state_is_told_apart(changes, state):
    live = replace(RUNNING, **changes)
    assert state_of(live) == state
    for translation in translations().values():
        assert live_view(live, False, translation).said


def test_a_pause_is_shown_without_a_running_crawl():
    assert live_view(None, True, ENGLISH).states == ("none", "resting")
    assert live_view(RUNNING, True, ENGLISH).states == ("running",)


def test_a_crawl_is_steered(owner_of):
    owner = owner_of()
    for action, said in (("pause", "is paused"), ("resume", "continues"), ("stop", "is stopping")):
        assert said in owner.do("/owner", action).text
    owner.do("/owner", "seeds", seeds="a.example\n\n  https://b.example/x \n")
    assert owner.owned.crawl.did == [
        "pause",
        "resume",
        "stop",
        ("seeds", ["https://a.example/", "https://b.example/x"]),
    ]


class Late(FakeSteering):
    """A crawl that has not noticed yet what is wanted when one looks for the first and the second time."""

    def __init__(self, **state):
        self.before = replace(RUNNING, **state)
        self.looks = 0
        super().__init__(self.before)

    def live(self):
        self.looks += 1
        return self.before if self.looks < 3 else self.crawl


@pytest.mark.parametrize(
    ("action", "before", "done", "asked"),
    [
        ("pause", {}, "paused", "asked"),
        ("resume", {"paused": True}, "resumed", "asked"),
        ("stop", {"paused": True}, "stopped", "stopped"),
    ],
)
def test_the_page_waits_for_the_crawl_to_follow(action, before, done, asked):
    crawl = Late(**before)
    assert CrawlPage(crawl, CrawlStarter(crawl)).actions[action]({}) == done
    assert crawl.looks == 3
    crawl = Late(**before)
    assert CrawlPage(crawl, CrawlStarter(crawl), patience=0.0).actions[action]({}) == asked
    assert ENGLISH.say(f"done_{asked}")


def test_nobody_waits_for_a_crawl_that_does_not_run():
    crawl = FakeSteering(None)
    room = CrawlPage(crawl, CrawlStarter(crawl), patience=60.0)
    assert [room.actions[one]({}) for one in ("pause", "resume")] == ["paused", "resumed"]


def test_a_crawl_is_started_with_seeds(owner_of):
    owner = owner_of(crawl=FakeSteering(None))
    owner.do("/owner", "start", seeds="https://a.example/", continuous="on")
    assert owner.owned.crawl.did == [("start", ["https://a.example/"], True)]


def test_a_starting_crawl_is_not_shown_as_the_last_one():
    last, may_run = replace(RUNNING, running=False, finished=1_700_000_100.0), threading.Event()

    class Slow(FakeSteering):
        def start(self, seeds=(), continuous=False):
            may_run.wait()
            raise GossamerError(f"the crawl could not be started: {seeds[0]}")

    starting = CrawlStarter(Slow(last), patience=0.0)
    assert starting.view(ENGLISH).states == ("ended",)
    starting.start(["no room"], False)
    view = starting.view(ENGLISH)
    assert (view.states, view.said) == (("starting",), "A crawl is starting. This takes a moment.")
    assert (view.figures, view.lists) == ({}, {})  # nothing of the last one
    with pytest.raises(CollectionBusy, match="already starting"):
        starting.start(["again"], False)
    may_run.set()
    while starting.under_way:
        time.sleep(0.001)
    view = starting.view(ENGLISH)
    assert view.states == ("ended",)
    assert view.lists["live_troubles"] == [("the crawl could not be started: no room", "")]


def test_early_errors_of_a_crawl_are_shown_once(owner_of):
    owner = owner_of(crawl=FakeSteering())
    assert "a crawl is running already" in owner.do("/owner", "start").text
    owner.owned.crawl.crawl = None
    assert "a crawl is running already" not in owner.shown("/owner")


@pytest.mark.parametrize("seeds", ["", " \n ", "http://", "x" * 40_000, "\n".join(["a.example"] * 1001)])
def test_invalid_seeds_are_refused_with_a_reason(owner_of, seeds):
    owner = owner_of()
    answer = owner.do("/owner", "seeds", seeds=seeds)
    assert answer.status_code == 409
    assert 'role="alert"' in answer.text
    assert owner.owned.crawl.did == []


def test_sites_are_blocked_boosted_and_cleared(owner_of):
    owner = owner_of()
    owner.do("/owner/sites", "block", site=" *.spam.example ")
    owner.do("/owner/sites", "boost", site="good.example", factor="1,5")
    assert [(one.action, one.pattern, one.factor) for one in owner.owned.sites.rules()][1:] == [
        ("boost", "good.example", 1.5)
    ]
    page = owner.shown("/owner/sites")
    assert "*.spam.example" in page
    assert "× 1.5" in page
    owner.do("/owner/sites", "clear", site="*.spam.example")
    owner.do("/owner/sites", "clear", site="good.example")
    assert owner.owned.sites.rules() == ()


def test_actions_are_reported_once(owner_of):
    owner = owner_of()
    answer = owner.do("/owner/sites", "block", site="spam.example")
    assert "The site is blocked." in answer.text
    assert "The site is blocked." not in owner.shown(str(answer.url))
    assert "The rule was removed." not in owner.shown("/owner/sites?done=cleared"), "nothing was done"
    sent = {"owner": owner.field, "do": "clear", "site": "spam.example"}
    cleared = owner.client.post("/owner/sites", data=sent, headers=OWN, follow_redirects=False)
    owner.client.head(cleared.headers["location"])
    assert "The rule was removed." in owner.shown(cleared.headers["location"])


@pytest.mark.parametrize(
    ("action", "site", "factor"),
    [("block", "", ""), ("block", "a b", ""), ("boost", "a.example", "many"), ("boost", "a.example", "99"),
     ("boost", "a.example", "nan"), ("block", "a.example\nboost b.example 10", "")],
)  # fmt: skip
def test_invalid_rules_are_refused(owner_of, action, site, factor):
    owner = owner_of()
    assert owner.do("/owner/sites", action, site=site, factor=factor).status_code == 409
    assert owner.owned.sites.rules() == ()


def test_mistakes_in_the_file_of_sites_are_shown(owner_of):
    owner = owner_of()
    owner.owned.sites.path.write_text("block spam.example\nbost typo.example 2\n")
    page = owner.shown("/owner/sites")
    assert "line 2" in page
    assert "spam.example" in page


def test_reports_are_dismissed_or_their_site_blocked(owner_of):
    owner = owner_of({"reports": True})
    owner.owned.reports.add("https://a.example/x", "spam", "cats", "not about cats")
    owner.owned.reports.add("https://a.example/x", "spam", "cats", "not about cats")
    owner.owned.reports.add("https://b.example/y", "broken")
    page = owner.shown("/owner/reports")
    assert "2 open reports" in page
    assert "not about cats" in page
    assert "2 times" in page
    keys = {one.url: one.key for one in owner.owned.reports.open_ones()}
    owner.do("/owner/reports", "dismiss", key=keys["https://b.example/y"])
    owner.do("/owner/reports", "block", key=keys["https://a.example/x"], site="other.example")
    assert owner.owned.reports.open_ones() == []
    assert [one.pattern for one in owner.owned.sites.rules()] == ["a.example"]
    assert "There are no open reports." in owner.shown("/owner/reports")


def test_submissions_become_seeds_or_not(owner_of):
    owner = owner_of({"submissions": True})
    owner.owned.submissions.add("https://a.example/")
    owner.owned.submissions.add("https://b.example/")
    keys = {one.url: one.key for one in owner.owned.submissions.open_ones()}
    owner.do("/owner/submissions", "accept", key=keys["https://a.example/"])
    owner.do("/owner/submissions", "refuse", key=keys["https://b.example/"])
    owner.do("/owner/submissions", "accept", key="unknown")
    assert owner.owned.crawl.did == [("seeds", ["https://a.example/"])]
    assert owner.owned.submissions.open_ones() == []


def test_disabled_forms_explain_how_to_enable_them(owner_of):
    owner = owner_of()
    assert "reports = true" in owner.shown("/owner/reports")
    assert "submissions = true" in owner.shown("/owner/submissions")


def test_queries_are_shown_without_who_asked_them(owner_of):
    owner = owner_of()
    for query, found in (("cats", True), ("cats", True), ("catz", False)):
        owner.owned.queries.note(query, found)
    page = owner.shown("/owner/queries")
    assert re.search(r"<bdi>cats</bdi></th><td>2</td>", page)
    assert re.search(r"<bdi>catz</bdi></th><td>1</td><td>1</td>", page)


def test_a_disabled_query_log_explains_how_to_enable_it(owner_of):
    page = owner_of(queries=None).shown("/owner/queries")
    assert "query_log = true" in page
    assert "<table" not in page


def test_health_is_drawn(owner_of):
    page = owner_of().shown("/owner/health")
    kept, gone = '<rect class="alive" x="0.0" width="75.0"', '<rect class="gone" x="75.0" width="25.0"'
    assert f'{kept} height="8"/>{gone} height="8"/>' in page
    for said in ("0/000001", "60, 20 deleted", "2.5 MB", "editorial, pagerank", "less than a week"):
        assert said in page, said


def test_the_graph_is_examined_when_asked_for(owner_of):
    owner = owner_of()
    assert "<polygon" not in owner.shown("/owner/health")
    begun = owner.do("/owner/health", "examine")
    join_examinations()
    page = owner.shown(str(begun.url))
    assert "is being examined" not in page
    assert "<polygon" in page
    assert "60 · 60.0 %" in page
    assert "Dead ends: 4." in page


def test_one_examination_at_a_time_and_a_failure_is_told():
    begun, go_on, count = threading.Event(), threading.Event(), []

    def examine():
        count.append(1)
        begun.set()
        go_on.wait()
        if len(count) > 1:
            raise GossamerError("there is no graph yet; run: gossamer rank")
        return FakeReport()

    examination = GraphExamination(examine)
    examination.start()
    begun.wait()
    examination.start()
    assert examination.running
    go_on.set()
    join_examinations()
    assert (len(count), examination.running, examination.problem) == (1, False, "")
    examination.start()
    join_examinations()
    assert examination.problem == "there is no graph yet; run: gossamer rank"
    assert examination.report is not None  # what was known stays


def join_examinations():
    for thread in threading.enumerate():
        if thread.name == "examining the graph":
            thread.join()


def test_an_empty_collection_has_pages_too(owner_of):
    from gossamer.owner.health import AGES, Health

    nothing = Health((), tuple((days, 0) for days in AGES), None)
    owner = owner_of(health=lambda: nothing, crawl=FakeSteering(None))
    assert "The index is empty." in owner.shown("/owner/health")
    assert "There has been no crawl yet." in owner.shown("/owner")


def test_hostile_text_is_escaped(owner_of):
    """What pages, visitors and hosts say is text, on every page and in every list."""
    hostile = replace(
        RUNNING,
        current=EVIL,
        errors={EVIL: 1},
        slowest=((EVIL, 1.0),),
        busiest=((EVIL, 1),),
        troubles=(EVIL,),
        seed_errors={EVIL: EVIL},
    )
    owner = owner_of(crawl=FakeSteering(hostile))
    address = "https://a.example/" + EVIL.replace(" ", "")
    owner.owned.reports.add(address, "spam", EVIL, EVIL)
    owner.owned.submissions.add(address)
    owner.owned.queries.note(EVIL, False)
    pages = [owner.client.get(f"/owner{room}").text for room in ("", "/reports", "/submissions", "/queries")]
    pages.append(owner.do("/owner", "seeds", seeds="http://" + EVIL).text)
    pages.append(owner.do("/owner/sites", "block", site=EVIL).text)
    pages.append(owner.client.get("/owner", params={"done": EVIL}).text)
    for page in pages:
        elements = Elements(page)
        assert set(elements.scripts) <= {"/static/live.js"}
        assert elements.names.isdisjoint({"img", "iframe", "object", "base", "style"})
        assert not [name for name in elements.attributes if name.startswith("on") or name == "style"]
        assert all(link.startswith(("/", "#", "http://", "https://")) for link in elements.links)


@pytest.mark.parametrize("code", list(translations()))
def test_every_page_speaks_every_language(owner_of, code):
    owner = owner_of({"reports": True})
    owner.owned.reports.add("https://a.example/", "harmful", "q", "n")
    for room in ("", "/sites", "/reports", "/submissions", "/queries", "/health"):
        page = owner.client.get(f"/owner{room}?ui={code}").text
        assert f'<html lang="{code}">' in page
        assert f'href="/owner/sites?ui={code}"' in page  # and keeps to it


def test_pictures_have_their_places():
    assert sparkline([]) == sparkline([3]) == ""
    assert sparkline([0, 0]) == "M0 78L600 78"
    (empty,) = bars([("a", "0", [("alive", 0)])])
    assert empty.pieces == ()
    rows = bars([("a", "", [("alive", 1)]), ("b", "", [("alive", 1000)])])
    assert rows[0].pieces[0][2] >= 0.6  # what is there can be seen
    tie = bow_tie(0.2, 0.5, 0.3)
    assert 0 < tie.radius < 100
    assert bow_tie(0, 0, 0).radius == 0
    assert bow_tie(0, 1, 0).radius == pytest.approx(98, abs=1)

"""Forms for visitors: proof of work, limits, and escaping of what they send."""

from __future__ import annotations

import re
from html import unescape

import pytest
from fake_engine import FakeEngine, hit
from fake_owned import fake_owned
from test_serve_puzzles import EASY, solve
from test_serve_safety import EVIL, Elements

from gossamer.owner.visitor_messages import LONGEST_NOTE, REASONS
from gossamer.serve import app
from gossamer.serve.i18n import translations
from gossamer.serve.public_forms import BURST, ProofOfWork

OWN = {"Origin": "http://testserver"}
RESULT = "https://example.org/cats"


@pytest.fixture(autouse=True)
def easy(monkeypatch):
    monkeypatch.setattr(app, "ProofOfWork", lambda: ProofOfWork(EASY))


@pytest.fixture
def open_to(tmp_path, client_of):
    """A client of a server that takes sites and reports, and what the owner will find."""
    owned = fake_owned(tmp_path)

    def make(visitor="127.0.0.1", **settings):
        chosen = {"submissions": True, "reports": True} | settings
        return client_of(FakeEngine([hit(RESULT)]), visitor, owned=owned, **chosen), owned

    return make


def challenge_of(page):
    return re.search(r'name="challenge" value="([^"]+)"', page)[1]


def send(client, path, headers=OWN, **fields):
    """Fills in the form and does the work, unless the fields say otherwise."""
    challenge = challenge_of(client.get(path, params={"url": RESULT}).text)
    data = {"challenge": challenge, "solution": solve(challenge), **fields}
    return client.post(path, data=data, headers=headers)


def test_a_site_waits_for_the_owner(open_to):
    client, owned = open_to()
    answer = send(client, "/submit", url=" Example.org/new ")
    assert answer.status_code == 200
    assert "Thank you." in answer.text
    assert [one.url for one in owned.submissions.open_ones()] == ["https://example.org/new"]
    assert owned.crawl.did == []  # nothing is crawled until the owner says so


def test_a_report_waits_for_the_owner(open_to):
    client, owned = open_to()
    answer = send(client, "/report", url=RESULT, q="cats", reason="spam", note="not about cats")
    assert "Thank you." in answer.text
    (report,) = owned.reports.open_ones()
    assert (report.url, report.query, report.reason, report.note) == (
        RESULT,
        "cats",
        "spam",
        "not about cats",
    )


def test_the_menu_of_a_result_leads_to_the_report(open_to):
    client, _ = open_to()
    page = unescape(client.get("/search?q=cats").text)
    (link,) = re.findall(r'href="(/report[^"]+)"', page)
    assert link == "/report?url=https%3A%2F%2Fexample.org%2Fcats&q=cats"
    shown = client.get(link).text
    assert f'name="url" value="{RESULT}"' in shown
    assert all(f'value="{reason}"' in shown for reason in REASONS)


@pytest.mark.parametrize(
    ("path", "fields"), [("/submit", {"url": "a.example"}), ("/report", {"url": RESULT, "reason": "spam"})]
)
def test_without_the_work_nothing_is_kept(open_to, path, fields):
    client, owned = open_to()
    fresh = ProofOfWork(EASY).challenge("site")  # of another server
    for more, said in (
        ({"solution": ""}, "The calculation is missing."),
        ({"solution": "1,2,3,4,5,6,7,8"}, "belongs to another form"),
        ({"challenge": fresh, "solution": solve(fresh)}, "belongs to another form"),
        ({"challenge": ""}, "belongs to another form"),
    ):
        answer = send(client, path, **(fields | more))
        assert answer.status_code == 422
        assert said in answer.text
        assert challenge_of(answer.text) != fresh  # and it can be tried again at once
    assert owned.submissions.open_ones() == owned.reports.open_ones() == []


def test_a_solution_counts_once_and_for_its_own_form(open_to):
    client, owned = open_to()
    challenge = challenge_of(client.get("/submit").text)
    data = {"challenge": challenge, "solution": solve(challenge)}
    client.post("/report", data=data | {"url": RESULT, "reason": "spam"}, headers=OWN)
    assert owned.reports.open_ones() == []
    for url in ("a.example", "b.example"):
        client.post("/submit", data=data | {"url": url}, headers=OWN)
    assert [one.url for one in owned.submissions.open_ones()] == ["https://a.example/"]


def test_a_mistake_does_not_cost_the_work(open_to):
    client, owned = open_to()
    challenge = challenge_of(client.get("/submit").text)
    data = {"challenge": challenge, "solution": solve(challenge)}
    answer = client.post("/submit", data=data | {"url": "http://"}, headers=OWN)
    assert "This is not a valid URL." in answer.text
    assert 'value="http://"' in answer.text
    client.post("/submit", data=data | {"url": "a.example"}, headers=OWN)
    assert len(owned.submissions.open_ones()) == 1


@pytest.mark.parametrize("url", ["", "http://", "javascript:alert(1)", "ftp://a.example/", "a" * 3000])
def test_invalid_sites_are_refused(open_to, url):
    client, owned = open_to()
    assert send(client, "/submit", url=url).status_code == 422
    assert owned.submissions.open_ones() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "javascript:alert(1)", "reason": "spam"},
        {"url": "", "reason": "spam"},
        {"url": "https://a.example/" + "a" * 2000, "reason": "spam"},
        {"url": RESULT, "reason": "boredom"},
        {"url": RESULT},
    ],
)
def test_invalid_reports_are_refused(open_to, fields):
    client, owned = open_to()
    assert send(client, "/report", **fields).status_code in {400, 422}
    assert owned.reports.open_ones() == []


def test_long_notes_and_queries_are_cut(open_to):
    client, owned = open_to()
    send(client, "/report", url=RESULT, reason="other", note="n" * 5000, q="q" * 5000)
    (report,) = owned.reports.open_ones()
    assert len(report.note) == LONGEST_NOTE
    assert len(report.query) == 200


def test_an_address_may_send_only_so_much(open_to):
    client, owned = open_to(visitor="192.0.2.7")
    told = [send(client, "/submit", url=f"site{n}.example").status_code for n in range(BURST + 2)]
    assert told == [200] * BURST + [422] * 2
    assert "Wait a minute, then try again." in send(client, "/submit", url="one.more.example").text
    assert len(owned.submissions.open_ones()) == BURST


def test_a_full_box_takes_no_more(open_to, monkeypatch):
    client, owned = open_to()
    monkeypatch.setattr(type(owned.submissions), "add", lambda *_: False)
    answer = send(client, "/submit", url="a.example")
    assert answer.status_code == 422
    assert "no more can be stored" in answer.text


def test_forms_of_other_sites_are_not_taken(open_to):
    client, owned = open_to()
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {}):
        answer = send(client, "/submit", headers, url="a.example")
        assert answer.status_code == 403
    assert "Not allowed" in answer.text
    assert owned.submissions.open_ones() == []


def test_a_get_sends_nothing(open_to):
    client, owned = open_to()
    challenge = challenge_of(client.get("/submit").text)
    query = {"url": RESULT, "reason": "spam", "challenge": challenge, "solution": solve(challenge)}
    client.get("/submit", params=query)
    client.get("/report", params=query)
    assert owned.submissions.open_ones() == owned.reports.open_ones() == []


def test_forms_are_there_only_where_they_are_wanted(open_to):
    client, _ = open_to(submissions=False, reports=False)
    assert [client.get(path).status_code for path in ("/submit", "/report")] == [404, 404]
    assert "/report" not in client.get("/search?q=cats").text
    assert "/submit" not in client.get("/").text
    wanted, _ = open_to()
    assert 'href="/submit"' in wanted.get("/").text
    assert "Disallow: /report" in wanted.get("/robots.txt").text


def test_a_report_without_a_url_redirects_to_the_start_page(open_to):
    client, _ = open_to()
    for url in ("", "javascript:alert(1)"):
        answer = client.get("/report", params={"url": url}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_challenges_are_not_kept_by_anybody(open_to):
    client, _ = open_to()
    for path in ("/submit", f"/report?url={RESULT}"):
        assert client.get(path).headers["cache-control"] == "no-store"


def test_hostile_words_are_text(open_to):
    client, _ = open_to()
    pages = [
        client.get("/report", params={"url": "https://a.example/" + EVIL, "q": EVIL}).text,
        send(client, "/submit", url=EVIL, solution="").text,
        send(client, "/report", url="https://a.example/" + EVIL, q=EVIL, note=EVIL, reason=EVIL).text,
    ]
    for page in pages:
        elements = Elements(page)
        assert set(elements.scripts) <= {"/static/suggest.js", "/static/you.js", "/static/work.js"}
        assert elements.names.isdisjoint({"img", "iframe", "object", "base", "style"})
        assert not [name for name in elements.attributes if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("code", list(translations()))
def test_forms_speak_every_language(open_to, code):
    client, _ = open_to()
    for path in ("/submit", f"/report?url={RESULT}"):
        page = client.get(path, params={"ui": code, "url": RESULT}).text
        assert f'<html lang="{code}">' in page
        assert f"?ui={code}" in page

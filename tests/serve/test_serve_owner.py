"""Access to the owner's pages, and cross-site request forgery."""

from __future__ import annotations

import re
import stat
from http.cookies import SimpleCookie

import pytest
from fake_engine import FakeEngine, hits
from fake_owned import FakeSteering, fake_owned

from gossamer.model import GossamerError
from gossamer.serve.owner_pages import login as door
from gossamer.serve.owner_pages.sessions import LASTS, OwnerSessions, OwnerToken

OWN = {"Origin": "http://testserver"}
ROOMS = ["/owner", *(f"/owner/{name}" for name in ("sites", "reports", "submissions", "queries", "health"))]
ACTIONS = [
    ("/owner", "start"),
    ("/owner", "pause"),
    ("/owner", "resume"),
    ("/owner", "stop"),
    ("/owner", "seeds"),
    ("/owner/sites", "block"),
    ("/owner/sites", "boost"),
    ("/owner/sites", "clear"),
    ("/owner/reports", "dismiss"),
    ("/owner/reports", "block"),
    ("/owner/submissions", "accept"),
    ("/owner/submissions", "refuse"),
    ("/owner/health", "examine"),
]
FIELDS = {"seeds": "https://seed.example/", "site": "spam.example", "factor": "2", "key": "x"}


@pytest.fixture
def slept(monkeypatch):
    """How long wrong tokens were held back, without waiting for it."""
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    monkeypatch.setattr(door, "sleep", sleep)
    return waits


@pytest.fixture
def house(tmp_path, client_of, slept):
    """A client who has not logged in, and what it could get at."""
    owned = fake_owned(tmp_path)
    return client_of(FakeEngine(hits(3)), owned=owned, submissions=True, reports=True), owned


def token_of(owned):
    return owned.token.path.read_text().strip()


def log_in(client, owned, **headers):
    data = {"token": token_of(owned)}
    return client.post("/owner/log-in", data=data, headers=OWN | headers, follow_redirects=False)


def field_of(client):
    return re.search(r'name="owner" value="([0-9a-f]+)"', client.get("/owner").text)[1]


def untouched(owned):
    return owned.crawl.did == [] and owned.sites.rules() == ()


def test_the_token_is_made_once_and_is_the_owner_s_alone(tmp_path):
    token = OwnerToken(tmp_path)
    token.ensure()
    made = token.path.read_text()
    assert stat.S_IMODE(token.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(token.path.parent.stat().st_mode) == 0o700
    assert len(made.strip()) >= 43  # 256 bits
    token.ensure()
    assert token.path.read_text() == made
    assert token.is_it(made)
    assert not token.is_it(made[:-2])
    assert not token.is_it("")


@pytest.mark.parametrize("content", ["", "short", "\n", "\xff\xfe" * 30])
def test_an_invalid_token_is_refused_with_advice(tmp_path, content):
    token = OwnerToken(tmp_path)
    token.path.parent.mkdir()
    token.path.write_bytes(content.encode("latin-1"))
    with pytest.raises(GossamerError, match=r"owner/token holds no token.*remove it"):
        token.ensure()
    assert not token.is_it(content)
    assert not token.is_it("")


def test_without_a_token_nobody_can_log_in(house):
    client, owned = house
    log_in(client, owned)
    owned.token.path.unlink()
    assert client.get("/owner", follow_redirects=False).headers["location"] == "/owner/log-in"
    answer = client.post("/owner/log-in", data={"token": ""}, headers=OWN)
    assert answer.status_code == 403


@pytest.mark.parametrize("address", ROOMS)
def test_nobody_sees_a_page_without_the_token(house, address):
    client, _ = house
    answer = client.get(address, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/owner/log-in")
    assert answer.headers["cache-control"] == "no-store"


def test_the_live_data_needs_a_session(house):
    client, _ = house
    answer = client.get("/owner/live.json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "log_in_needed")


def test_the_owner_gets_in_and_out(house):
    client, owned = house
    answer = log_in(client, owned)
    assert (answer.status_code, answer.headers["location"]) == (303, "/owner")
    for address in ROOMS:
        shown = client.get(address)
        assert shown.status_code == 200
        assert shown.headers["cache-control"] == "no-store"
        assert shown.headers["x-robots-tag"] == "noindex"
        assert token_of(owned) not in shown.text
    assert client.get("/owner/live.json").json()["figures"]["live_pages"] == "1,234"
    cookies = dict(client.cookies)
    client.post("/owner/log-out", data={"owner": field_of(client)}, headers=OWN)
    client.cookies.update(cookies)  # somebody who kept the cookie
    assert client.get("/owner", follow_redirects=False).status_code == 303


def test_a_log_out_by_another_s_form_is_refused(house):
    client, owned = house
    log_in(client, owned)
    assert client.post("/owner/log-out", data={"owner": "0"}, headers=OWN).status_code == 403
    assert client.get("/owner", follow_redirects=False).status_code == 200


def flags(answer):
    cookie = SimpleCookie(answer.headers["set-cookie"])["gossamer-owner"]
    return (
        cookie["httponly"],
        cookie["samesite"],
        cookie["path"],
        bool(cookie["secure"]),
        int(cookie["max-age"]),
    )


def test_the_cookie_is_kept_from_scripts_and_from_other_sites(house):
    client, owned = house
    assert flags(log_in(client, owned)) == (True, "strict", "/owner", False, LASTS)
    told = log_in(client, owned, **{"Origin": "https://testserver"})
    assert flags(told) == (True, "strict", "/owner", True, LASTS)


def test_the_cookie_is_secure_behind_a_proxy_and_keeps_to_where_the_pages_are(tmp_path, client_of, slept):
    owned = fake_owned(tmp_path)
    client = client_of(
        FakeEngine(), owned=owned, root="/find", visitor="192.0.2.1", trusted_proxies=["192.0.2.1"]
    )
    answer = client.post(
        "/find/owner/log-in",
        data={"token": token_of(owned)},
        headers={"Sec-Fetch-Site": "same-origin", "X-Forwarded-Proto": "https"},
        follow_redirects=False,
    )
    assert answer.headers["location"] == "/find/owner"
    assert flags(answer)[2:4] == ("/find/owner", True)


def test_the_response_to_a_wrong_token_is_delayed(house, slept):
    client, owned = house
    answer = client.post("/owner/log-in", data={"token": token_of(owned)[:-1]}, headers=OWN)
    assert answer.status_code == 403
    assert "Wrong token." in answer.text
    assert "set-cookie" not in answer.headers
    assert slept == [door.LATE]


def test_an_address_may_try_only_so_often(house, slept):
    client, owned = house
    tries = [
        client.post("/owner/log-in", data={"token": "wrong"}, headers=OWN).status_code
        for _ in range(door.TRIES + 3)
    ]
    assert tries == [403] * door.TRIES + [429] * 3
    assert log_in(client, owned).status_code == 429  # nothing is compared any more


def test_another_token_ends_all_sessions(house):
    client, owned = house
    log_in(client, owned)
    assert client.get("/owner", follow_redirects=False).status_code == 200
    owned.token.path.write_text("another token, just as long as this")
    assert client.get("/owner", follow_redirects=False).status_code == 303


def test_sessions_end_by_themselves(tmp_path):
    token, now = OwnerToken(tmp_path), [1000.0]
    token.ensure()
    sessions = OwnerSessions(token, lambda: now[0])
    cookie = sessions.begin()
    assert sessions.known(cookie) is not None
    now[0] += LASTS
    assert sessions.known(cookie) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda expires, name, mac: f"{int(expires) + 1}.{name}.{mac}",
        lambda expires, name, mac: f"{expires}.{name}x.{mac}",
        lambda expires, name, mac: f"{expires}.{name}.{mac[:-1]}",
        lambda expires, name, mac: f"{expires}.{name}.",
        lambda expires, name, mac: mac,
        lambda expires, name, mac: "",
        lambda expires, name, mac: "é" * 500,
    ],
)
def test_modified_cookies_are_rejected(tmp_path, change):
    token = OwnerToken(tmp_path)
    token.ensure()
    sessions = OwnerSessions(token)
    assert sessions.known(change(*sessions.begin().split("."))) is None


@pytest.mark.parametrize(("address", "action"), ACTIONS)
def test_an_action_needs_a_session_its_field_and_our_own_page(house, address, action):
    client, owned = house
    data = FIELDS | {"do": action}
    without = client.post(address, data=data, headers=OWN, follow_redirects=False)
    assert (without.status_code, without.headers["location"]) == (303, "/owner/log-in")
    log_in(client, owned)
    field = field_of(client)
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://testserver.evil.example"},
        {"Origin": "http://[broken"},
        {"Sec-Fetch-Site": "cross-site", **OWN},
        {"Sec-Fetch-Site": "same-site", **OWN},
        {},
    ):
        answer = client.post(address, data=data | {"owner": field}, headers=headers, follow_redirects=False)
        assert answer.status_code == 403, headers
    for wrong in ("", "0", field[:-1], field.upper(), "é"):
        answer = client.post(address, data=data | {"owner": wrong}, headers=OWN, follow_redirects=False)
        assert answer.status_code == 403, wrong
    assert untouched(owned)
    told = client.post(address, data=data | {"owner": field}, headers=OWN, follow_redirects=False)
    assert told.status_code in {303, 409}  # 409: a crawl runs already


@pytest.mark.parametrize(("address", "action"), ACTIONS)
def test_a_get_changes_nothing(house, address, action):
    client, owned = house
    log_in(client, owned)
    query = FIELDS | {"do": action, "owner": field_of(client)}
    assert client.get(address, params=query).status_code == 200
    assert untouched(owned)


def test_the_field_of_another_session_is_no_use(house):
    client, owned = house
    log_in(client, owned)
    first = field_of(client)
    client.cookies.clear()
    log_in(client, owned)
    data = {"owner": first, "do": "pause"}
    assert client.post("/owner", data=data, headers=OWN).status_code == 403
    assert untouched(owned)


def test_other_bodies_than_forms_are_rejected(house):
    client, owned = house
    log_in(client, owned)
    asked = {"content": b'{"do": "pause"}', "headers": OWN | {"Content-Type": "application/json"}}
    assert client.post("/owner", **asked).status_code == 400
    kind = OWN | {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/owner", content=b"a=%ff\xff", headers=kind).status_code == 400
    assert client.post("/owner", content=b"&".join([b"a=1"] * 100), headers=kind).status_code == 400
    assert client.post("/owner", content=b"a=" + b"1" * 70_000, headers=kind).status_code == 413
    assert untouched(owned)


def test_there_are_no_owner_s_pages_where_they_are_not_wanted(tmp_path, client_of):
    owned = fake_owned(tmp_path)
    client = client_of(FakeEngine(), owned=owned, owner=False, submissions=True)
    assert [client.get(address).status_code for address in [*ROOMS, "/owner/log-in"]] == [404] * 7
    assert not owned.token.path.exists()
    assert client.get("/submit").status_code == 200
    bare = client_of(FakeEngine(), submissions=True, reports=True)
    assert [bare.get(path).status_code for path in ("/owner", "/submit", "/report")] == [404] * 3
    assert "/submit" not in bare.get("/").text


def test_no_page_links_to_the_owner_s_pages(house):
    client, _ = house
    assert not [path for path in client.get("/openapi.json").json()["paths"] if "owner" in path]
    assert "owner" not in client.get("/robots.txt").text
    assert "/owner" not in client.get("/").text


def test_other_sites_may_not_read_the_figures(tmp_path, client_of, slept):
    client = client_of(FakeEngine(), owned=fake_owned(tmp_path), cors=["*"])
    asked = {"Origin": "https://other.example"}
    assert "access-control-allow-origin" in client.get("/api/status", headers=asked).headers
    assert "access-control-allow-origin" not in client.get("/owner/live.json", headers=asked).headers


def test_errors_for_wrong_methods_name_the_right_ones(house):
    client, _ = house
    for address, methods in (
        ("/owner", "GET, HEAD, POST"),
        ("/owner/queries", "GET, HEAD"),
        ("/owner/log-out", "POST"),
        ("/search", "GET, HEAD"),
        ("/static/style.css", "GET, HEAD"),
    ):
        answer = client.put(address)
        assert (answer.status_code, answer.headers["allow"]) == (405, methods), address


def test_a_crawl_that_cannot_begin_says_why(tmp_path, client_of, slept):
    owned = fake_owned(tmp_path, crawl=FakeSteering())
    client = client_of(FakeEngine(), owned=owned)
    log_in(client, owned)
    data = {"owner": field_of(client), "do": "start", "seeds": "https://kept.example/"}
    answer = client.post("/owner", data=data, headers=OWN)
    assert answer.status_code == 409
    assert "a crawl is running already" in answer.text
    assert "https://kept.example/</textarea>" in answer.text  # nothing must be typed again

"""Each kind of trap, and its notes."""

import json
import re

import pytest
from guarding import no_hanging
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.hosts.trap_detectors import (
    FIRST_GAP,
    HUBS,
    PageKind,
    PatternWatch,
    dated,
    longest_run,
    path_trap,
    places,
    repeats,
)
from gossamer.crawl.hosts.traps import FetchOutcome, HostTraps, Traps
from gossamer.crawl.hosts.url_pattern import pattern
from gossamer.crawl.settings import TrapSettings
from gossamer.web.url import canonical

TODAY = 1_763_000_000.0
DEFAULTS = TrapSettings()


def asleep(book, host):
    """Return the patterns of a host that are refused now."""
    notes = book.get(host)
    return notes.asleep() if notes else []


def url(path, host="example.com"):
    return canonical(f"http://{host}{path}")


def refusal(path, depth=0, found_on=None, settings=DEFAULTS):
    return path_trap(url(path), depth, url(found_on) if found_on else None, settings)


def flooded(shape="/list/{}", pages=60, **outcome):
    """Notes after many fruitless pages of one pattern."""
    traps = Traps(DEFAULTS)
    outcome = {"words": 300, "duplicate_of": url("/list/0")} | outcome
    for n in range(1, pages + 1):
        traps.observe(url(shape.format(n)), FetchOutcome(TODAY + n, **outcome))
    return traps


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a/b/a/b/a/b", "repeated-segments"),
        ("/x/a/b/a/b/a/b/y.html", "repeated-segments"),
        ("/a/a/a", "repeated-segments"),
        ("/a/b/c/a/b/c/a/b/c/", "repeated-segments"),
        ("/a/x/a/y/a/z/a", "repeated-segments"),
        ("/a/7/a/7/a/7", "repeated-segments"),
        ("/a/b/a/b/a", ""),
        ("/a/x/a/y/a", ""),
        ("/2011/11/11/11", ""),
        ("/00/00/00/00/00/file", ""),
        ("/1/2/1/2/1/2", ""),
        ("/src/main/java/org/main/test", ""),
        ("/" + "/".join(map(str, range(1001, 1021))), ""),
        ("/" + "/".join(f"p{n}x" for n in range(21)), "growing-path"),
        ("/x?" + "&".join(f"p{n}={n}" for n in range(12)), ""),
        ("/x?" + "&".join(f"p{n}={n}" for n in range(13)), "too-many-parameters"),
    ],
)
def test_addresses_that_look_like_traps(path, reason):
    assert refusal(path) == reason
    assert Traps(DEFAULTS).refusal(url(path)) == reason


def test_a_path_that_grew_link_by_link():
    path = "/next/1/2/3/4/5/6/7/8/9/"
    assert refusal(path, 9, "/next/1/2/3/4/5/6/7/8/") == "growing-path"
    assert refusal(path, 2, "/next/1/2/3/4/5/6/7/8/") == "", "too few links to have grown so far"
    assert refusal(path, 9, "/overview/") == "", "somebody links into the depth"
    assert refusal(path, 9) == "", "a sitemap names it"


def test_limits_are_settings():
    assert refusal("/a/b/a/b", settings=TrapSettings(repeats=2)) == "repeated-segments"
    assert refusal("/a/b/c", settings=TrapSettings(max_segments=2)) == "growing-path"
    assert refusal("/a?b=1", settings=TrapSettings(max_parameters=0)) == "too-many-parameters"


segments = st.lists(st.sampled_from(["a", "b", "c", "7"]), max_size=14)


def plain_repeats(found, times):
    """Plain reference of `repeats`: try every group at every place."""
    if any(found.count(name) > times for name in set(found) if not name.isdigit()):
        return True
    for size in range(1, len(found) + 1):
        for start in range(len(found)):
            group = found[start : start + size]
            together = found[start : start + size * times]
            if any(not name.isdigit() for name in group) and together == group * times:
                return True
    return False


@given(segments, st.integers(2, 5))
def test_repeats_finds_what_trying_all_groups_finds(found, times):
    assert repeats(found, times) == plain_repeats(found, times)


def test_runs_of_one_kind():
    assert longest_run([]) == 0
    assert longest_run(["a", "b", "a"]) == 1
    assert longest_run(["p1", "p2", "p3", "q"]) == 3


@pytest.mark.parametrize(
    ("path", "calendar", "month"),
    [
        ("/events/2031/05/12", "/events/<date>", "2031-05"),
        ("/events/2031/5/party", "/events/<date>", "2031-05"),
        ("/events-2031-05.html", "/events-<date>", "2031-05"),
        ("/20310512/", "/<date>", "2031-05"),
        ("/cal?year=2031&month=5", "/cal?year=<date>", "2031-05"),
        ("/cal?m=05&y=2031&view=list", "/cal?year=<date>", "2031-05"),
        ("/cal?year=2031", "/cal?year=<date>", "2031-01"),
        ("/cal?day=2031-05-12", "/cal?day=<date>", "2031-05"),
        ("/cal?day=20310512", "/cal?day=<date>", "2031-05"),
        ("/cal?t=1936353600", "/cal?t=<date>", "2031-05"),
    ],
)
def test_dates_in_addresses(path, calendar, month):
    found = dated(url(path), pattern(url(path)))
    year, number = map(int, month.split("-"))
    assert (found.calendar, found.month) == (calendar, 12 * year + number - 1)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a/b",
        "/2031",
        "/article/203105",
        "/x?id=203105",
        "/x?thread=1936353600",
        "/12031/05",
        "/x?month=5",
    ],
)
def test_addresses_without_a_date(path):
    assert dated(url(path), pattern(url(path))) is None


@given(st.text("0123456789/-?=&ymtdate", max_size=40))
def test_any_address_may_be_looked_at_for_a_date(text):
    address = url(f"/{text}")
    found = dated(address, pattern(address))
    assert found is None or 0 < found.month < 12 * 10_000


def test_a_shape_falls_asleep_and_says_why():
    traps = flooded()
    assert traps.refusal(url("/list/777")) == "asleep: /list/<n> duplicate-flood"
    (sleeping,) = traps.asleep()
    assert sleeping.pattern == "/list/<n>"
    assert sleeping.reason == "duplicate-flood"
    assert (sleeping.since, sleeping.refused) == (TODAY + 30, 1)
    assert sleeping.example == "http://example.com/list/30"
    assert traps.refused() == {"asleep": 1}
    assert traps.refusal(url("/list/about")) == ""
    assert traps.refusal(url("/other/1")) == ""


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ({"words": 0, "duplicate_of": None}, "empty-flood"),
        ({"soft_404": True}, "soft-404"),
        ({"soft_404": True, "words": 0}, "soft-404"),
    ],
)
def test_reasons(outcome, reason):
    assert [one.reason for one in flooded(**outcome).asleep()] == [reason]


def test_pages_without_words_that_lead_on_are_no_flood():
    assert flooded(words=0, new_links=5, pages=HUBS).asleep() == []
    assert flooded(words=0, new_links=5, pages=HUBS + 40).asleep() != []


def test_a_sleeping_shape_is_tried_more_and_more_rarely():
    traps = flooded()
    let_in = [n for n in range(1, 5_001) if not traps.refusal(url(f"/list/{10_000 + n}"))]
    gaps = [b - a for a, b in zip([0, *let_in], let_in, strict=False)]
    assert gaps == [16, 32, 64, 128, 256, 512, 1000, 1000, 1000]
    assert traps.refusal(url(f"/list/{10_000 + let_in[-1]}")) == "", "the same when it leaves its queue"


def test_a_sleeping_shape_wakes_when_tries_bring_something():
    traps = flooded()
    traps.observe(url("/list/7001"), FetchOutcome(TODAY, words=300))
    assert traps.refusal(url("/list/7002")) != "", "once may be chance"
    traps.observe(url("/list/7003"), FetchOutcome(TODAY, words=300))
    assert traps.refusal(url("/list/7002")) == ""
    assert traps.asleep() == []


@given(st.text(".des", max_size=200))
def test_a_watch_sleeps_exactly_when_its_window_says_so(kinds):
    watch = PatternWatch()
    recent = []
    for kind in kinds:
        was_asleep = bool(watch.reason)
        watch.observe(PageKind(kind), 1.0, "x", DEFAULTS)
        recent.append(kind)
        if was_asleep and recent[-2:] == [".", "."]:
            recent = [".", "."]
            assert not watch.reason
        else:
            window = recent[-30:]
            full = len(window) == 30 and window.count(".") <= 3
            assert bool(watch.reason) == (was_asleep or full)


def test_one_flood_does_not_put_its_neighbours_to_sleep():
    traps = flooded("/cal?d={}")
    assert traps.refusal(url("/cal?d=9999")) == "asleep: /cal?d=<n> duplicate-flood"
    assert traps.refusal(url("/about")) == ""


def test_combinations_of_parameters_do_not_put_their_neighbours_to_sleep():
    traps = Traps(DEFAULTS)
    for n in range(1, 200):
        names = "&".join(f"{chr(97 + i)}=1" for i in range(8) if n & 1 << i)
        traps.observe(url(f"/shop?{names}"), FetchOutcome(TODAY, words=300, duplicate_of=url("/shop")))
    assert traps.refusal(url("/shop?a=1&b=1&y=1")) == "parameter-permutation"
    assert traps.refusal(url("/about")) == ""
    assert traps.refusal(url("/shop?y=1&page=2")) == "", "one facet and a page"


def test_a_mirror_is_no_flood():
    """Each page is a copy of a page on another host, each of a different one."""
    traps = Traps(DEFAULTS)
    for n in range(200):
        copy_of = url(f"/2001/05/{n}", "other.example.com")
        traps.observe(url(f"/2001/05/{n}"), FetchOutcome(TODAY, words=50 + n, duplicate_of=copy_of))
    assert traps.asleep() == []
    assert traps.refusal(url("/2001/05/777")) == ""


def test_the_same_parameters_in_another_order():
    traps = Traps(DEFAULTS)
    assert traps.refusal(url("/x?a=1&b=2")) == ""
    assert traps.refusal(url("/x?b=2&a=1")) == "parameter-permutation"
    assert traps.refusal(url("/x?a=1&b=2")) == "", "it is not a permutation of itself"
    assert traps.refusal(url("/x?a=2&b=1")) == ""
    assert traps.refusal(url("/y?b=2&a=1")) == ""


def test_honest_hosts_leave_nothing_to_remember():
    book = HostTraps(DEFAULTS)
    for n in range(100):
        assert book.refusal(url(f"/a/{n}")) == ""
        book.observe(url(f"/a/{n}"), FetchOutcome(TODAY, words=300))
        book.observe(url(f"/b/{n}"), FetchOutcome(TODAY, words=20))
    assert len(book) == 0
    assert book.changes() == {}
    assert asleep(book, "example.com") == []


def test_a_book_knows_its_hosts_apart_and_is_bounded():
    book = HostTraps(DEFAULTS, most_entries=50)
    for host in range(100):
        for n in range(40):
            address = url(f"/list/{n}", f"h{host}.example.com")
            copy_of = url("/", f"h{host}.example.com")
            book.observe(address, FetchOutcome(TODAY, words=300, duplicate_of=copy_of))
    assert len(book) <= 25
    assert asleep(book, "h0.example.com") == []
    assert asleep(book, "h99.example.com") != []
    assert book.refusal(url("/list/99", "h99.example.com")).startswith("asleep")
    assert book.refusal(url("/list/99", "h0.example.com")) == ""


def test_the_shapes_of_a_host_are_bounded():
    traps = flooded()
    for n in range(3_000):
        name = "".join(chr(97 + n // 26**i % 26) for i in range(3))
        traps.observe(url(f"/{name}/x"), FetchOutcome(TODAY, words=0))
    assert len(traps) <= 300
    assert "/list/<n>" in {one.pattern for one in traps.asleep()}, "those that are awake go first"


def learned_everything():
    book = HostTraps(DEFAULTS)
    session = "0123456789abcdef0123456789abcd{:02x}"
    for n in range(40):
        book.observe(url(f"/list/{n}"), FetchOutcome(TODAY + n, words=300, duplicate_of=url("/")))
        book.observe(url(f"/cal/2031/{n % 12 + 1:02}/{n % 28 + 1:02}"), FetchOutcome(TODAY + n, words=30))
        copy_of = url(f"/s/{session.format(200)}/p{n}")
        book.observe(
            url(f"/s/{session.format(n)}/p{n}"), FetchOutcome(TODAY, words=300, duplicate_of=copy_of)
        )
        names = "&".join(f"{chr(97 + i)}=1" for i in range(8) if n & 1 << i)
        book.observe(url(f"/shop?{names}&z=1"), FetchOutcome(TODAY, words=300, duplicate_of=url("/shop")))
    return book


def test_a_state_is_taken_up_where_it_was():
    book = learned_everything()
    probed = ["/list/99", "/cal/2199/01", "/shop?a=1&b=1&q=1&y=2", "/a/a/a"]
    assert [book.refusal(url(path)).partition(":")[0] for path in probed] == [
        "asleep",
        "calendar",
        "parameter-permutation",
        "repeated-segments",
    ]
    other = HostTraps(DEFAULTS)
    other.restore(json.loads(json.dumps(book.state())))
    assert other.state() == book.state()
    assert asleep(other, "example.com") == asleep(book, "example.com")
    assert {one.reason for one in asleep(book, "example.com")} == {
        "duplicate-flood",
        "calendar",
        "parameter-permutation",
        "session-id",
    }
    later = [f"/list/{n}" for n in range(FIRST_GAP * 3)]
    assert [other.refusal(url(path)) for path in later] == [book.refusal(url(path)) for path in later]


def test_changes_are_the_state_of_what_changed():
    book = learned_everything()
    assert book.changes() == book.state()
    book.observe(url("/new"), FetchOutcome(TODAY, words=300))
    assert set(book.changes()) == {"example.com"}, (
        "other shapes of the host are watched, and this counts there"
    )
    book.refusal(url("/fine"))
    assert book.changes() == {}
    book.refusal(url("/a/a/a"))
    assert set(book.changes()) == {"example.com"}


@given(
    st.lists(st.tuples(st.text("ab1/?&=-", max_size=20), st.integers(0, 5), st.integers(0, 300)), max_size=60)
)
def test_any_history_is_taken_and_decided_the_same_twice(history):
    books = [HostTraps(TrapSettings(window=4)) for _ in range(2)]
    for text, kind, words in history:
        address = url(f"/{text}")
        copy_of = url("/1") if kind == 1 else url(f"/{text}x") if kind == 2 else None
        outcome = FetchOutcome(TODAY, words, kind, copy_of, kind == 3)
        reasons = {book.refusal(address, kind, url("/")) for book in books}
        assert len(reasons) == 1
        for book in books:
            book.observe(address, outcome)
    assert books[0].state() == books[1].state()
    json.dumps(books[0].state())


def test_what_other_hosts_say_too_does_not_speak_for_an_identifier():
    """Thousands of hosts have the same software, with the same empty pages."""
    session, book = "0123456789abcdef0123456789abcd{:02x}", HostTraps(DEFAULTS)
    for n in range(6):
        copy_of = url(f"/s/{session.format(200)}/p{n}")
        book.observe(
            url(f"/s/{session.format(n)}/p{n}"), FetchOutcome(TODAY, words=300, duplicate_of=copy_of)
        )
    for n in range(6):
        elsewhere = url(f"/s/{session.format(99)}/p{n}", "example.org")
        for visit in (30, 40):
            asked = url(f"/s/{session.format(visit + n)}/p{n}")
            book.observe(asked, FetchOutcome(TODAY, words=300, duplicate_of=elsewhere))
    assert [one.reason for one in asleep(book, "example.com")] == ["session-id"]


def test_hosts_under_suspicion_stay_in_the_book_when_many_take_turns():
    """Otherwise, a trap among thousands of normal hosts would be forgotten between two of its turns."""
    book = HostTraps(DEFAULTS, most_entries=300)
    asked = 0
    for turn in range(60):
        trap = url(f"/list/{turn}", "trap.example")
        if not book.refusal(trap):
            asked += 1
            book.observe(trap, FetchOutcome(TODAY, words=300, duplicate_of=url("/list/0", "trap.example")))
        for n in range(200):  # a page and its copy to print are no crime
            host = f"honest-{n}.example"
            copy_of = url(f"/news/{turn}", host) if turn >= 10 else None
            book.observe(url(f"/print/{turn}", host), FetchOutcome(TODAY, words=300, duplicate_of=copy_of))
    assert len(book) < 200
    assert asked < 2 * DEFAULTS.window
    assert [one.reason for one in asleep(book, "trap.example")] == ["duplicate-flood"]


pieces = st.sampled_from(["/", "?", "&", "<id>", "<id", "id>", "a", "b=", "\n", "."])


@given(st.lists(pieces, max_size=14).map("".join))
def test_places_of_identifiers(masked):
    assert places(masked) == re.findall("([^/?&]*/?[^/?&]*)<id>", masked)


def test_addresses_that_are_made_to_be_slow_to_read():
    session, book = "0123456789abcdef0123456789abcd{:02x}", HostTraps(DEFAULTS)
    for n in range(4):
        copy_of = url(f"/{session.format(200)}/p{n}")
        book.observe(url(f"/{session.format(n)}/p{n}"), FetchOutcome(TODAY, words=300, duplicate_of=copy_of))
    with no_hanging():
        for n in range(40):
            assert book.refusal(url(f"/{session.format(n)}/" + "-._~" * 470), 1) in {"", "session-id"}
        assert places("/<id>/" + "-._~" * 100_000) == ["/"]
        assert places("<id>" * 100_000) == ["<id>" * 99_999]

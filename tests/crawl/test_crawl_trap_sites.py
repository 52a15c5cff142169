"""Crawls of generated sites: traps end, and normal sites are crawled completely."""

import random
from collections import Counter, deque
from dataclasses import dataclass, field
from itertools import combinations, permutations, product

import pytest

from gossamer.crawl.hosts.trap_detectors import HUBS
from gossamer.crawl.hosts.traps import FetchOutcome, HostTraps
from gossamer.crawl.settings import TrapSettings
from gossamer.web.url import canonical

TODAY = 1_763_000_000.0  # November 2025
BUDGET = 4_000


@dataclass
class Answer:
    content: object  # equal for pages that say the same
    links: list = field(default_factory=list)
    words: int = 400
    soft_404: bool = False


@dataclass
class Walk:
    asked: list
    refused: Counter
    book: HostTraps

    def reasons(self):
        return {sleeping.reason for sleeping in self.asleep()}

    def asleep(self):
        notes = self.book.get("example.com")
        return notes.asleep() if notes else []


def walk(site, *starts, budget=BUDGET, recheck=False, **settings):
    """Crawl breadth-first from `starts`, and obey every refusal."""
    book = HostTraps(TrapSettings(**settings))
    queue, seen, owners = deque(), set(), {}
    done = Walk([], Counter(), book)

    def admit(url, depth, found_on):
        if url.fingerprint in seen:
            return 0
        seen.add(url.fingerprint)
        reason = book.refusal(url, depth, found_on)
        done.refused[reason.partition(":")[0]] += 1
        if not reason:
            queue.append((url, depth))
        return 1

    for start in starts or ("/",):
        admit(canonical(f"http://example.com{start}"), 0, None)
    while queue and len(done.asked) < budget:
        url, depth = queue.popleft()
        if recheck and (reason := book.refusal(url, depth)):
            done.refused[reason.partition(":")[0]] += 1
            continue
        done.asked.append(url.path)
        answer = site(url.path)
        new = sum(admit(canonical(link, url), depth + 1, url) for link in answer.links)
        owner = owners.setdefault(answer.content, url)
        outcome = FetchOutcome(
            TODAY + len(done.asked),
            answer.words,
            new,
            None if owner is url else owner,
            answer.soft_404,
        )
        book.observe(url, outcome)
    done.refused.pop("", None)
    return done


def months(year, month):
    return (year * 12 + month - 1 + step for step in (-1, 1))


def empty_calendar(path):
    """Every month links to the next and the one before; no month has entries."""
    if path == "/":
        return Answer("home", ["/calendar/2025/11", "/about"])
    if path == "/about":
        return Answer("about")
    _, _, year, month = path.split("/")
    links = [f"/calendar/{m // 12}/{m % 12 + 1:02}" for m in months(int(year), int(month))]
    return Answer(path, links, words=40 + int(month) % 3)


def test_an_endless_calendar_ends():
    done = walk(empty_calendar)
    assert "/about" in done.asked
    assert 12 * 10 < len(done.asked) < 12 * 14
    assert done.refused["calendar"] >= 2
    assert done.reasons() == {"calendar"}


@pytest.mark.parametrize(
    "address",
    [
        lambda m: f"/cal?year={m // 12}&month={m % 12 + 1}",
        lambda m: f"/cal?month={m // 12}-{m % 12 + 1:02}",
        lambda m: f"/cal?date={m // 12}{m % 12 + 1:02}01&view=month",
        lambda m: f"/cal/{m // 12}-{m % 12 + 1:02}.html",
        lambda m: f"/cal?t={int((m - 1970 * 12) * 30.44 * 86400) + 500_000}",
    ],
)
def test_calendars_in_all_ways_of_writing(address):
    present = 2025 * 12 + 10
    names = {address(m): m for m in range(present - 1000, present + 1000)}
    done = walk(
        lambda path: Answer(path, [address(names[path] + step) for step in (-1, 1)], words=50),
        address(present),
    )
    assert 12 * 10 < len(done.asked) < 12 * 14
    assert done.refused["calendar"] == 2


def test_a_calendar_with_entries_is_followed_to_its_last_one():
    def site(path):
        answer = empty_calendar(path)
        busy = path.startswith(("/calendar/1998/", "/calendar/2030/"))
        return Answer(path, answer.links, words=600) if busy else answer

    done = walk(site)
    assert "/calendar/1998/01" not in done.asked, "it lies behind years of nothing"
    assert "/calendar/2030/12" not in done.asked

    done = walk(site, "/calendar/1998/06", "/calendar/2030/06", "/calendar/2025/11")
    assert {"/calendar/1998/01", "/calendar/1989/01", "/calendar/2032/12"} <= set(done.asked)
    assert len(done.asked) < 12 * 60


def test_a_dated_archive_has_no_end():
    """A newspaper since 1851, one page a month, each with content of any length."""
    lengths = random.Random(7)

    def site(path):
        _, year, month, _ = path.split("/")
        links = [f"/{m // 12}/{m % 12 + 1:02}/" for m in months(int(year), int(month)) if m >= 1851 * 12]
        links = [link for link in links if link <= "/2025/11/"]
        return Answer(path, links, words=int(lengths.lognormvariate(5.5, 0.8)))

    done = walk(site, "/2025/11/")
    assert len(done.asked) == (2025 - 1851) * 12 + 11
    assert not done.refused


def link_farm(path):
    """The same relative links under any path, with new text each time."""
    return Answer(path, ["shoes/", "hats/", "sale/shoes/"])


def test_a_link_farm_with_repeated_segments():
    done = walk(link_farm)
    assert done.refused["repeated-segments"] > 10
    assert max(path.count("shoes") for path in done.asked) <= 3
    assert len(done.asked) < 1000


def test_a_farm_that_counts_deeper_and_deeper():
    done = walk(lambda path: Answer(path, [f"{path}{len(path)}/"]))
    assert done.refused == {"growing-path": 1}
    assert len(done.asked) == 1 + TrapSettings().max_same_segments


def test_paths_end_somewhere():
    done = walk(lambda path: Answer(path, [f"{path}{chr(97 + path.count('/'))}/"]))
    assert len(done.asked) == 1 + TrapSettings().max_segments


class SessionShop:
    """200 pages; every response has a new session id in all of its links."""

    def __init__(self, write, names=200):
        self.write = write
        self.names = names
        self.visits = 0

    def __call__(self, path):
        self.visits += 1
        session = f"{self.visits * 0x9E3779B97F4A7C15 % (1 << 128):032x}"
        name = int("".join(filter(str.isdigit, path.partition("item-")[2].partition("?")[0])) or 0)
        others = [(name * 7 + step) % self.names for step in range(1, 7)]
        return Answer(name, [self.write(session, other) for other in others])


@pytest.mark.parametrize(
    "write",
    [
        lambda session, name: f"/s/{session}/item-{name}",
        lambda session, name: f"/item-{name}?visit={session}",
        lambda session, name: f"/visit-{session}/shop/item-{name}",
    ],
)
def test_sessions(write):
    done = walk(SessionShop(write))
    found = {path.partition("item-")[2].partition("?")[0] for path in done.asked} - {""}
    assert len(found) == 200, "every page is found"
    assert done.reasons() == {"session-id"}
    assert len(done.asked) < 1_500, "what was queued before the session was recognised is asked for"

    done = walk(SessionShop(write), recheck=True)
    found = {path.partition("item-")[2].partition("?")[0] for path in done.asked} - {""}
    assert (len(found), len(done.asked) < 500) == (200, True), "unless it is looked at again"


def facets(path):
    """A shop with eight filters in any combination, most of which change nothing."""
    names = [f"f{chr(97 + i)}" for i in range(8)]
    query = path.partition("?")[2]
    pairs = sorted(filter(None, query.split("&")))
    used = {pair.partition("=")[0] for pair in pairs}
    links = [f"/shop?{'&'.join([*pairs, f'{name}=on'])}" for name in names if name not in used]
    return Answer("fa=on" in pairs, links)


def test_facets_in_all_combinations():
    done = walk(facets, max_facets=16)
    assert {f"/shop?f{letter}=on" for letter in "abcdefgh"} <= set(done.asked)
    assert len(done.asked) < 100, "of 256"
    assert done.reasons() & {"parameter-permutation", "duplicate-flood"}


def chosen(path):
    """A list with four filters of six values each: only 16 sets of names, and 2,401 URLs."""
    pairs = dict(pair.split("=") for pair in path.partition("?")[2].split("&") if pair)
    choices = [pairs | {name: str(value)} for name in "abcd" for value in range(6)]
    links = ["&".join(f"{name}={one[name]}" for name in sorted(one)) for one in choices]
    return Answer("the same list", [f"/list?{link}" for link in links])


def test_facets_with_many_values():
    done = walk(chosen)
    assert {f"/list?{name}={value}" for name in "abcd" for value in range(6)} <= set(done.asked)
    assert len(done.asked) < 400, "of 2,401; those with one or two are always welcome"
    assert done.reasons() & {"parameter-permutation", "duplicate-flood"}


def test_facets_in_all_orders():
    orders = ["&".join(order) for order in permutations(["a=1", "b=2", "c=3", "d=4"])]
    done = walk(lambda path: Answer(path, [f"/shop?{order}" for order in orders]))
    assert done.refused == {"parameter-permutation": len(orders) - 1}
    assert done.asked == ["/", f"/shop?{orders[0]}"]


def test_a_host_that_answers_anything():
    """The same page under every name, with a few links to new names each time."""
    counter = iter(range(10**6))
    words = ["".join(letters) for letters in product("bdfg", "aeiou", "lmnr", "aeiou")]

    def site(path):
        if path.startswith("/real"):
            return Answer(path)
        if path == "/":
            return Answer("home", ["/real-a", "/any", *(f"/real-b/{n}" for n in range(50))])
        return Answer("sorry", [f"/{words[next(counter) % 400]}{words[next(counter) * 7 % 400]}"] * 3)

    done = walk(site)
    assert done.reasons() == {"duplicate-flood"}
    assert len(done.asked) < 53 + 60
    assert {"/real-a", *(f"/real-b/{n}" for n in range(50))} <= set(done.asked)


def test_soft_404_and_empty_floods():
    links = [f"/item/{n}" for n in range(1000)]
    for answer, reason in (
        (Answer("gone", soft_404=True), "soft-404"),
        (Answer("empty", words=0), "empty-flood"),
    ):
        pages = {"/": Answer("home", links)}
        done = walk(lambda path, pages=pages, answer=answer: pages.get(path, answer))
        assert len(done.asked) == 1001, "what is queued already is asked for"
        assert done.reasons() == {reason}


def test_a_chain_of_empty_pages_ends():
    """Empty pages may have useful links; these only link to further empty pages."""
    done = walk(lambda path: Answer(path, [f"/item/{int(path[6:] or 0) + 1}"], words=2))
    assert done.reasons() == {"empty-flood"}
    assert HUBS < len(done.asked) < HUBS + 40


def honest_sites():
    articles = [f"/article/{n}" for n in range(100_000, 101_500)]
    yield "numbered articles", {"/": articles} | dict.fromkeys(articles, ())
    yield (
        "a list in pages",
        {f"/list?page={n}": [f"/list?page={n + 1}", f"/item?id={n}"] for n in range(800)}
        | {f"/item?id={n}": [] for n in range(800)}
        | {"/": ["/list?page=0"], "/list?page=800": []},
    )
    days = [f"/blog/{y}/{m:02}/{d:02}/" for y in range(1999, 2026) for m in range(1, 13) for d in (1, 9, 17)]
    yield "a blog by day", {"/": days} | dict.fromkeys(days, ())
    docs = [f"/api/v{v}.{w}/module{m}/class{c}.html" for v, w, m, c in product(*map(range, (4, 5, 8, 8)))]
    yield "documentation in versions", {"/": docs} | dict.fromkeys(docs, ())
    commits = [f"/commit/{n * 0x9E3779B97F4A7C15 % (1 << 160):040x}" for n in range(1, 1000)]
    yield "a repository", {"/": commits} | dict.fromkeys(commits, ())
    names = ["".join(letters) for letters in combinations("abcdefgh", 3)]
    deep = [f"/{a}/src/{b}/main/src/index.html" for a, b in product(names[:20], names[:20])]
    yield "a tree of folders", {"/": deep} | dict.fromkeys(deep, ())


@pytest.mark.parametrize(("name", "site"), [pytest.param(*one, id=one[0]) for one in honest_sites()])
@pytest.mark.parametrize("words", [400, 60])
def test_honest_sites_are_found_whole(name, site, words):
    done = walk(lambda path: Answer(path, site[path], words=words))
    assert not done.refused
    assert set(done.asked) == set(site), name
    assert done.asleep() == []


def test_honest_sites_with_copies_here_and_there_are_found_whole():
    """Every fourth page is a copy, and a few are empty: that is not enough for a pattern to fall asleep."""
    chance = random.Random(3)

    def site(path):
        if path == "/":
            return Answer("home", [f"/page/{n}" for n in range(500)])
        number = int(path.rpartition("/")[2])
        links = [f"/page/{number + 500}"] if number < 2500 else []
        kind = chance.random()
        return Answer(number % 7 if kind < 0.25 else path, links, words=0 if kind > 0.95 else 300)

    done = walk(site)
    assert not done.refused
    assert len(done.asked) == 3001


def test_the_second_edition_of_a_manual_does_not_hide_the_third():
    """Each edition repeats nine in ten pages of the one before, under new names."""

    def site(path):
        if path == "/":
            return Answer("home", ["/1.0/"])
        _, edition, name = path.split("/")
        if not name:
            new = [f"/{int(float(edition)) + 1}.0/"] if edition != "6.0" else []
            return Answer(
                path, [*(f"/{edition}/{'abcdefghijkl'[n // 10]}-{n % 10}.html" for n in range(100)), *new]
            )
        is_changed = name.endswith("-0.html")
        return Answer(path if is_changed else name)

    done = walk(site)
    assert not done.refused
    assert len(done.asked) == 1 + 6 * 101

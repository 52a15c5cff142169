"""DNS cache: one lookup for each name, expiry, lookups in advance."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.fetch import dns
from gossamer.crawl.fetch.dns import DnsCache, NameAnswer
from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.model import Failure
from gossamer.web.host import HostOverride
from gossamer.web.url import canonical

PUBLIC = "93.184.215.14"


class Book:
    """A resolver with prepared answers; a name with several answers gets them in turn."""

    def __init__(self, entries, wait=None):
        self.entries = {name: list(answers) for name, answers in entries.items()}
        self.asked = []
        self.wait = wait
        self.at_once = self.most_at_once = 0
        self.is_closed = False

    async def ask(self, host):
        self.asked.append(host)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await (self.wait.wait() if self.wait else asyncio.sleep(0))
        finally:
            self.at_once -= 1
        answers = self.entries.get(host, [NameAnswer(())])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self):
        self.is_closed = True


def names_of(book, clock=lambda: 0.0, overrides=(), most_kept=1_000, **settings):
    return DnsCache(FetchSettings(**settings), overrides, book, clock, most_kept)


@pytest.mark.parametrize(
    ("ttl", "after", "asked"),
    [(300, 299, 1), (300, 301, 2), (0, 59, 1), (0, 61, 2), (10**9, 86_399, 1), (10**9, 86_401, 2)],
)
def test_answers_hold_for_their_time_within_bounds(ttl, after, asked):
    book, now = Book({"a.test": [NameAnswer((PUBLIC,), ttl)]}), [1_000.0]

    async def look():
        names = names_of(book, lambda: now[0])
        assert await names.addresses("a.test") == (PUBLIC,)
        now[0] += after
        assert await names.addresses("a.test") == (PUBLIC,)

    asyncio.run(look())
    assert len(book.asked) == asked


@pytest.mark.parametrize("answer", [NameAnswer(()), OSError("no name server answered")])
def test_what_is_not_known_is_not_asked_again_at_once(answer):
    book, now = Book({"a.test": [answer, NameAnswer((PUBLIC,), 60)]}), [0.0]

    async def look():
        names = names_of(book, lambda: now[0])
        for _ in range(3):
            assert await names.addresses("a.test") == ()
        assert names.address_of("a.test") is None
        now[0] = 61.0
        assert await names.addresses("a.test") == (PUBLIC,)

    asyncio.run(look())
    assert len(book.asked) == 2


def test_our_own_lack_of_descriptors_is_not_held_against_a_name(monkeypatch):
    monkeypatch.setattr(dns, "is_starved", lambda _error: True)
    for nothing in (NameAnswer(()), OSError("x")):
        book = Book({"a.test": [nothing, NameAnswer((PUBLIC,), 60)]})

        async def look(names):
            return [await names.addresses("a.test") for _ in range(2)]

        assert asyncio.run(look(names_of(book))) == [(), (PUBLIC,)]


def test_a_look_up_under_way_is_shared_and_outlives_who_gives_up():
    async def look():
        ready = asyncio.Event()
        book = Book({"a.test": [NameAnswer((PUBLIC,), 60)]}, ready)
        names = names_of(book)
        waiting = [asyncio.create_task(names.addresses("a.test")) for _ in range(5)]
        await asyncio.sleep(0.01)
        waiting[0].cancel()
        ready.set()
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError)
        assert found[1:] == [(PUBLIC,)] * 4
        return book.asked

    assert asyncio.run(look()) == ["a.test"]


def test_overrides_and_literals_ask_nobody():
    overrides = [HostOverride.parse("six.test=[::1]"), HostOverride.parse("*.test=10.0.0.1:81")]
    book = Book({})

    async def look():
        names = names_of(book, overrides=overrides)
        names.prefetch(["six.test", "x.test", "127.0.0.1"])
        hosts = ["six.test", "x.test", "[::1]", "127.0.0.1"]
        found = [await names.addresses(host) for host in hosts]
        assert [(one,) for one in map(names.address_of, hosts)] == found
        return found

    assert asyncio.run(look()) == [("::1",), ("10.0.0.1",), ("::1",), ("127.0.0.1",)]
    assert book.asked == []
    assert names_of(book, overrides=overrides).override_for("example.com") is None
    assert names_of(book, overrides=overrides).override_for("x.test").port == 81


async def until(condition):
    for _ in range(1_000):
        if condition():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it never happened")


def test_names_are_looked_up_ahead_a_few_at_a_time():
    hosts = [f"h{number}.test" for number in range(200)]
    book = Book({host: [NameAnswer((PUBLIC,), 60)] for host in hosts[:-1]} | {hosts[-1]: [OSError("down")]})

    async def look():
        names = names_of(book)
        names.prefetch(hosts)
        names.prefetch(hosts)
        assert names.address_of(hosts[0]) is None
        await until(lambda: len(book.asked) == 200 and not names._workers)
        assert all(names.address_of(host) == PUBLIC for host in hosts[:-1])
        assert await names.addresses(hosts[3]) == (PUBLIC,)
        names.prefetch(hosts)
        await asyncio.sleep(0.01)
        await names.close()

    asyncio.run(look())
    assert sorted(book.asked) == sorted(hosts), "each once"
    assert book.most_at_once == dns.AHEAD_AT_ONCE
    assert book.is_closed


def test_only_so_many_wait_to_be_looked_up_ahead(monkeypatch):
    monkeypatch.setattr(dns, "MOST_AHEAD", 40)

    async def look():
        never = asyncio.Event()
        book = Book({}, never)
        names = names_of(book)
        names.prefetch(f"h{number}.test" for number in range(500))
        await asyncio.sleep(0.01)
        assert len(names._ahead) + len(names._under_way) == 40
        await names.close()
        assert book.at_once == 0

    asyncio.run(look())


@given(st.lists(st.integers(0, 12), max_size=60), st.integers(1, 6))
def test_the_name_not_used_for_longest_is_forgotten_first(uses, room):
    book = Book({f"h{number}": [NameAnswer((f"10.0.0.{number}",), 60)] for number in range(13)})

    async def look():
        names = names_of(book, most_kept=room)
        for number in uses:
            assert await names.addresses(f"h{number}") == (f"10.0.0.{number}",)
        return {number for number in range(13) if names.address_of(f"h{number}")}

    newest = list(dict.fromkeys(reversed(uses)))[:room]
    assert asyncio.run(look()) == set(newest)


@pytest.mark.parametrize("second", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"])
def test_a_name_that_turns_private_at_the_second_look_up_is_refused(second):
    book = Book({"rebind.test": [NameAnswer((PUBLIC,), 0), NameAnswer((second,), 0)]})
    settings = FetchSettings(dns_least_ttl=0.0)

    async def ask():
        transport = HttpTransport(settings, DnsCache(settings, (), book))
        transport.prefetch(["rebind.test"])
        await until(lambda: transport.address_of("rebind.test") == PUBLIC)
        await asyncio.sleep(0.02)  # an answer that holds for no time holds for this instant
        try:
            return await transport.get(canonical("http://rebind.test/"), {}, 1_000)
        finally:
            await transport.close()

    result = asyncio.run(ask())
    assert (result.failure, result.status) == (Failure.PRIVATE_ADDRESS, 0)
    assert len(book.asked) == 2


def test_a_name_service_that_never_answers_costs_the_time_of_a_connection():
    async def ask():
        settings = FetchSettings(connect_timeout=0.1)
        transport = HttpTransport(settings, DnsCache(settings, (), Book({}, asyncio.Event())))
        try:
            return await transport.get(canonical("http://slow.test/"), {}, 1_000)
        finally:
            await transport.close()

    assert asyncio.run(ask()).failure is Failure.TIMEOUT

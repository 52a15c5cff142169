"""The engine in an event loop: nothing makes the loop wait, and what is cancelled ends honestly."""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
import signal
import threading
from contextlib import closing

import pytest
from linked_web import SEEDS, SETTINGS, web
from replies import slow

from gossamer import AsyncEngine, CrawlProgress, CrawlRun, Engine, UsageError
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, error, page
from gossamer.model import BadQuery, EngineClosed, GossamerError, SearchOptions, UnknownPage


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("async") / "c"

    async def make():
        async with await AsyncEngine.open(place, create=True, partitions=2, settings=SETTINGS) as engine:
            progress = await engine.crawl(SEEDS, transport=ScriptedTransport(web()))
            ranked = await engine.rank()
            return progress.pages, ranked.pages

    fetched, ranked = asyncio.run(make())
    assert fetched == ranked > 30
    return place


def endless():
    """A host whose every page leads to the next, and takes its time."""

    def reply(path):
        number = int(path.strip("/"))
        said = f"words of page {number}: " + " ".join(f"w{number}x{n}" for n in range(20))
        return slow(page(f"Page {number}", said, [f"/{number + 1}"]), 0.02)

    return ScriptedWeb({"a.test": ScriptedHost({"/robots.txt": error(404)}, reply)})


def test_answers_are_those_of_the_engine(folder):
    async def ask():
        async with await AsyncEngine.open(folder, settings=SETTINGS) as engine:
            return (
                [hit.url for hit in await engine.search("cat", 5)],
                [hit.url for hit in await engine.search("cat", options=SearchOptions(5))],
                [hit.url async for hit in engine.results("cat")],
                sorted([one.url async for one in engine.pages("site:cats.test")]),
                (await engine.page("cats.test/lion")).title,
                [hit.url for hit in await engine.similar("cats.test/lion", 3)],
                (await engine.links("cats.test/lion")).in_degree,
                (await engine.cached("http://cats.test/lion")).title,
                await engine.suggest("the l"),
                (await engine.status()).documents,
            )

    with Engine.open(folder, settings=SETTINGS) as engine:
        best = [hit.url for hit in engine.search("cat", 5)]
        assert asyncio.run(ask()) == (
            best,
            best,
            [hit.url for hit in engine.results("cat")],
            sorted(one.url for one in engine.pages("site:cats.test")),
            "The lion",
            [hit.url for hit in engine.similar("cats.test/lion", 3)],
            engine.links("cats.test/lion").in_degree,
            "The lion",
            engine.suggest("the l"),
            engine.status().documents,
        )


def test_errors_come_to_whoever_awaits(folder):
    async def ask():
        async with await AsyncEngine.open(folder, settings=SETTINGS) as engine:
            with pytest.raises(BadQuery):
                await engine.search('"never closed')
            with pytest.raises(BadQuery):
                async for _ in engine.results('"never closed'):
                    pass
            with pytest.raises(UnknownPage):
                await engine.page("nowhere.test")

    asyncio.run(ask())


def test_the_loop_goes_on_while_a_question_is_answered(folder):
    """The answer waits for something that only the loop does: were the loop to wait, it would never come."""
    asked, told = threading.Event(), threading.Event()

    async def ask():
        async with await AsyncEngine.open(folder, settings=SETTINGS) as engine:
            search = engine.engine.search

            def held(*given, **how):
                asked.set()
                assert told.wait(120)
                return search(*given, **how)

            engine.engine.search = held
            answer = asyncio.create_task(engine.search("cat"))
            while not asked.is_set():
                await asyncio.sleep(0.001)
            told.set()
            return await answer

    assert asyncio.run(ask()).total


def test_who_is_cancelled_goes_on_at_once_and_the_engine_stays_usable(folder):
    begun, told = threading.Event(), threading.Event()

    async def ask():
        async with await AsyncEngine.open(folder, settings=SETTINGS, threads=1) as engine:
            search = engine.engine.search

            def held(*given, **how):
                begun.set()
                assert told.wait(120)
                return search(*given, **how)

            engine.engine.search = held
            answer = asyncio.create_task(engine.search("cat"))
            while not begun.is_set():
                await asyncio.sleep(0.001)
            answer.cancel()
            with pytest.raises(asyncio.CancelledError):
                await answer
            told.set()
            return await engine.search("cat")

    assert asyncio.run(ask()).total


def test_a_closed_engine_says_so(folder):
    with Engine.open(folder, settings=SETTINGS) as engine:
        results = engine.results("cat")
        engine.index()
        assert engine.search("cat"), "what is written lets go of files, but closes nothing"
    engine.close()
    for ask in (
        lambda: engine.search("cat"),
        lambda: engine.search("cat", options=SearchOptions()),
        lambda: engine.results("cat"),
        engine.pages,
        lambda: engine.suggest("ca"),
        lambda: engine.page("cats.test/lion"),
        lambda: engine.cached("cats.test/lion"),
        lambda: engine.top(3),
        results.more,
        engine.status,
        engine.index,
        engine.crawl,
    ):
        with pytest.raises(EngineClosed, match="closed; open the collection again"):
            ask()
    assert issubclass(EngineClosed, GossamerError)


def test_a_closed_engine_of_an_event_loop_says_so(folder):
    async def ask():
        async with await AsyncEngine.open(folder, settings=SETTINGS) as engine:
            assert await engine.search("cat")
        await engine.close()
        for question in (engine.search("cat"), engine.status(), engine.index(), engine.crawl()):
            with pytest.raises(EngineClosed):
                await question
        with pytest.raises(EngineClosed):
            async for _ in engine.results("cat"):
                pass

    asyncio.run(ask())


def test_a_crawl_is_watched_while_searches_go_on(tmp_path):
    async def watch():
        async with await AsyncEngine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
            seen = []
            async with engine.crawling("http://a.test/0", transport=ScriptedTransport(endless())) as crawl:
                async for progress in crawl:
                    seen.append(progress.pages)
                    await engine.search("words")
                    await engine.status()
                    if progress.pages >= 5:
                        break
            # the block is left: the crawl has ended, and what came is searchable
            return seen, crawl.progress, (await engine.search("words")).total

    seen, progress, found = asyncio.run(watch())
    assert seen == sorted(seen)
    assert progress.stopping
    assert progress.finished
    assert found == progress.pages >= 5


def test_the_last_progress_is_that_of_the_end(tmp_path):
    async def watch():
        async with await AsyncEngine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
            async with engine.crawling(SEEDS, transport=ScriptedTransport(web())) as crawl:
                told = [progress async for progress in crawl]
            return told, crawl.progress

    told, progress = asyncio.run(watch())
    assert told[-1] is progress
    assert [one.what for one in told].count("done") == 1
    assert progress.finished
    assert not progress.stopping


def test_a_crawl_that_is_cancelled_keeps_what_came(tmp_path):
    async def give_up():
        async with await AsyncEngine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
            web = endless()
            crawl = asyncio.create_task(engine.crawl("http://a.test/0", transport=ScriptedTransport(web)))
            while len(web.asked) < 6:
                await asyncio.sleep(0.01)
            crawl.cancel()
            with pytest.raises(asyncio.CancelledError):
                await crawl
            return (await engine.status()).pages, len(web.asked)

    pages, asked = asyncio.run(give_up())
    assert asked - 2 <= pages <= asked  # robots.txt is no page
    with Engine.open(tmp_path / "c") as engine:  # nobody writes to it any more
        assert engine.index().documents == pages


def test_a_crawl_that_is_stopped_twice_lets_go(tmp_path):
    """The page that is in flight would take a minute."""
    web = ScriptedWeb(
        {"a.test": ScriptedHost({"/": page("A", "words", ["/slow"]), "/slow": slow(page("S", "w"), 60)})}
    )

    async def let_go():
        async with await AsyncEngine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
            async with engine.crawling("http://a.test/", transport=ScriptedTransport(web)) as crawl:
                while not any(one.path == "/slow" for one in web.asked):
                    await asyncio.sleep(0.01)
                crawl.stop()
                crawl.stop()
            return crawl.progress, (await engine.status()).pages

    progress, pages = asyncio.run(let_go())
    assert progress.finished is None
    assert pages <= 1  # what the last commit had
    with Engine.open(tmp_path / "c") as engine:  # nobody writes to it any more
        assert engine.index().documents == pages


def test_what_goes_wrong_with_a_crawl_is_told(tmp_path):
    class Broken(ScriptedTransport):
        async def get(self, *given, **how):
            raise OSError("no space left on device")

    async def fail():
        async with await AsyncEngine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
            with pytest.raises(OSError, match="no space"):
                await engine.crawl("http://a.test/", transport=Broken(web()))

    asyncio.run(fail())


def test_a_crawl_where_a_loop_runs_already_as_in_a_notebook(tmp_path):
    async def cell():
        with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
            progress = engine.crawl(SEEDS, transport=ScriptedTransport(web()))
            return progress.pages, engine.index(rebuild=True).documents

    fetched, documents = asyncio.run(cell())
    assert fetched == documents


def test_signals_are_given_back_after_a_crawl(tmp_path):
    wishes = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(wish) for wish in wishes]
    settings = SETTINGS | {"crawl": {"max_pages": 2}}
    with Engine.open(tmp_path / "c", create=True, settings=settings) as engine:
        engine.crawl("http://a.test/0", transport=ScriptedTransport(endless()))
    assert [signal.getsignal(wish) for wish in wishes] == before


@pytest.fixture
def ctrl_c_interrupts():
    """As in every notebook; whoever runs the tests in the background may have taken it away."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_ctrl_c_in_a_notebook_keeps_what_came(tmp_path):
    interrupted = []

    def interrupt(progress):
        if progress.pages >= 5 and not interrupted:
            interrupted.append(progress.pages)
            os.kill(os.getpid(), signal.SIGINT)

    async def cell():
        with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
            with pytest.raises(KeyboardInterrupt):
                engine.crawl("http://a.test/0", transport=ScriptedTransport(endless()), observer=interrupt)
            return engine.search("words").total

    with closing(
        asyncio.new_event_loop()
    ) as loop:  # as a notebook runs it; asyncio.run handles Ctrl-C itself
        found = loop.run_until_complete(cell())
    assert found >= interrupted[0]


def public(kind):
    return {name: getattr(kind, name) for name in vars(kind) if not name.startswith("_")}


def test_both_engines_have_the_same_methods():
    plain, awaited = public(Engine), public(AsyncEngine)
    assert set(awaited) == {*plain, "crawling"}
    for name, method in plain.items():
        own = inspect.signature(method).parameters
        theirs = dict(inspect.signature(awaited[name]).parameters)
        if name == "open":
            assert theirs.pop("threads").default == 4
        assert [(one.name, one.default, one.kind) for one in theirs.values()] == [
            (one.name, one.default, one.kind) for one in own.values()
        ], name
        told, whole = inspect.getdoc(awaited[name]), inspect.getdoc(method)
        if name in {"results", "pages", "in_links", "out_links"}:
            assert told.startswith(f"{whole.splitlines()[0]} Use it with `async for`.")
        elif name not in {"open", "close"}:
            assert told == whole
    crawling, crawl = inspect.signature(AsyncEngine.crawling), inspect.signature(Engine.crawl)
    assert crawling.parameters == crawl.parameters


def test_every_method_gives_what_the_engine_gives(folder, tmp_path):
    own = shutil.copytree(folder, tmp_path / "c")

    async def ask():
        async with await AsyncEngine.open(own, settings=SETTINGS) as engine:
            lion = "cats.test/lion"
            return [
                await engine.top(3),
                await engine.personal("cats.test", 3),
                await engine.propose_seeds(3),
                await engine.topics(),
                [link async for link in engine.in_links(lion)],
                [link async for link in engine.out_links(lion)],
                len([link async for link in engine.in_links("farm.test/target")]),
                (await engine.graph()).page(0),
                (await engine.graph_report()).pages,
                (await engine.health()).segments,
                (await engine.host_status("cats.test")).pages,
                await engine.export(tmp_path / "a.warc.gz", "warc"),
                (await engine.check()).problems,
                (await engine.import_files(tmp_path / "a.warc.gz")).kept,
            ]

    answered = asyncio.run(ask())
    with Engine.open(folder, settings=SETTINGS) as engine:
        assert answered[:-2] == [
            engine.top(3),
            engine.personal("cats.test", 3),
            engine.propose_seeds(3),
            engine.topics(),
            list(engine.in_links("cats.test/lion")),
            list(engine.out_links("cats.test/lion")),
            len(list(engine.in_links("farm.test/target"))),
            engine.graph().page(0),
            engine.graph_report().pages,
            engine.health().segments,
            engine.host_status("cats.test").pages,
            engine.export(tmp_path / "b.warc.gz", "warc"),
        ]
    assert answered[-2] == ()
    assert answered[-1] > 30


def test_the_observer_of_a_crawl_may_stop_it(tmp_path):
    seen = []

    def observe(progress):
        seen.append(progress.what)
        if progress.done >= 3:
            progress.stop()

    async def crawl():
        async with await AsyncEngine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
            return await engine.crawl(
                "http://a.test/0", transport=ScriptedTransport(endless()), observer=observe
            )

    progress = asyncio.run(crawl())
    assert progress.stopping
    assert progress.pages >= 3
    assert seen[0] == "crawling"
    assert seen[-1] == "done"


def test_a_crawl_that_has_not_begun_says_how_to_begin(tmp_path):
    async def wait_for_it():
        async with await AsyncEngine.open(tmp_path / "c", create=True) as engine:
            await engine.crawling("http://a.test/").wait()

    with pytest.raises(UsageError, match=r"async with engine\.crawling"):
        asyncio.run(wait_for_it())


def test_a_misspelt_attribute_of_a_crawl_is_named():
    with pytest.raises(AttributeError, match="'CrawlRun' object has no attribute 'progres'"):
        CrawlRun(lambda _: CrawlProgress()).progres  # noqa: B018


@pytest.mark.parametrize(
    ("name", "result"),
    [("crawling", "CrawlRun"), ("results", "AsyncIterator"), ("out_links", "AsyncIterator")],
)
def test_the_help_shows_what_the_asynchronous_method_returns(name, result):
    method = getattr(AsyncEngine, name)
    assert inspect.signature(method).return_annotation == result
    assert "async " in method.__doc__
    assert method.__name__ == name


def test_a_negative_number_of_best_pages_is_an_error(tmp_path):
    with Engine.open(tmp_path / "c", create=True) as engine, pytest.raises(UsageError, match="not -1"):
        engine.top(-1)

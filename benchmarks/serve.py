"""How quickly does the results page come, and what takes the time?

    .venv/bin/python benchmarks/serve.py [--cache DIR] [--passages 500000] [--rate 100] [--seconds 20]
        [--clients 1,64] [--core 1] [--json]

The passages are those that `search.py` keeps in its cache, a thousand to a host, imported once as a
collection of their own. `gossamer serve` runs on one core, the clients on the others. Each asks for the HTML
page of another query (groups, filters and spelling included), every tenth with a typing error: first as fast
as answers come, then at a fixed rate whatever happens, so that a slow answer makes others wait. There are
3,000 queries, those that `search.py` asks for any of the words, all of them and phrases, here all as plain
words; none comes again before all have come, and a third of them comes before anything is timed. What the
server gathers once after its start, for suggestions, is waited for and told apart. Then the stages of a page
are timed in this process, in processor time, each by what it adds; what the server took more is HTTP's. The
exit status is 1 when the 95th percentile at that rate is 25 ms or more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
import timeit
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote

import numpy as np
from passages.corpus import KINDS, opened
from search import default_cache

PROMISE = 25.0  # milliseconds, 95 of 100 pages
A_HOST = 1_000  # passages
TITLE = 6  # words
MISTYPED = 10  # one query in so many
STAGED = 1_100  # queries whose stages are timed
AT_A_TIME = 20  # of them, before another stage has its turn: how fast a machine is may change by the second
WARM_UP = 1_000  # queries before anything is measured: a server that runs has met most words
LONGEST_START = 300.0  # seconds
IDLE = 0.05  # of a second, in one


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--cache", type=Path, default=default_cache(), help="where search.py keeps its corpus"
    )
    parser.add_argument("--passages", type=int, default=500_000)
    parser.add_argument("--rate", type=float, default=100.0, help="requests a second")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement")
    parser.add_argument("--clients", type=lambda text: [*map(int, text.split(","))], default=[1, 64])
    parser.add_argument("--core", type=int, default=1, help="the core that serves")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    return parser.parse_args()


def collection_of(corpus, cache, passages):
    """A collection of the first passages, made once."""
    folder = cache / f"served-{passages}"
    if (folder / "done").exists():
        return folder
    source = cache / f"served-{passages}.jsonl"
    with corpus.file.open(encoding="ascii") as lines, source.open("w", encoding="ascii") as out:
        for number, line in enumerate(islice(lines, passages)):
            text = line.rstrip("\n")
            title = " ".join(text.split(" ", TITLE)[:TITLE])
            url = f"http://host{number // A_HOST:04}.test/{number:08}"
            out.write(json.dumps({"url": url, "title": title, "text": text}) + "\n")
    say(f"importing {passages:,} passages, which takes some minutes ...")
    subprocess.run([*gossamer(folder), "import", "--quiet", str(source)], check=True)
    source.unlink()
    (folder / "done").touch()
    return folder


def gossamer(folder):
    return [sys.executable, "-m", "gossamer", "-C", str(folder)]


def queries_of(corpus):
    """The corpus's queries, mixed; some with two letters in the wrong order."""
    source, texts = random.Random(1), [text for kind in KINDS for text in corpus.queries(kind)]
    source.shuffle(texts)
    for place in range(0, len(texts), MISTYPED):
        text = texts[place]
        at = source.randrange(max(1, len(text) - 1))
        texts[place] = text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
    return texts


class Server:
    """`gossamer serve` on one core."""

    def __init__(self, folder, core):
        self._process = subprocess.Popen(
            [*gossamer(folder), "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        os.sched_setaffinity(self._process.pid, {core})
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the server did not start")
        self.port = int(line.split("/")[2].rpartition(":")[2])

    def cpu(self):
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def settle(self):
        """Waits until what is gathered once after a start is there; seconds of the core that this took."""
        begun, end = self.cpu(), time.perf_counter() + LONGEST_START
        while time.perf_counter() < end:
            before = self.cpu()
            time.sleep(1.0)
            if self.cpu() - before < IDLE:
                break
        return self.cpu() - begun

    def close(self):
        self._process.send_signal(signal.SIGINT)
        self._process.wait(30)


class Client:
    """One kept connection, one request after the other."""

    def __init__(self, port):
        self._port = port
        self._lock = asyncio.Lock()
        self._reader = self._writer = None

    async def get(self, query):
        """The size of a page; raises when it is no page of results."""
        async with self._lock:
            if self._writer is None:
                self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
            self._writer.write(f"GET /search?q={quote(query)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            head = await self._reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
            body = await self._reader.readexactly(length)
            if b" 200 " not in head[:20] or b"</html>" not in body:
                raise SystemExit(f"no page for {query!r}: {head[:60]!r}")
            return length


async def as_fast_as_they_come(port, queries, clients, seconds):
    """Milliseconds of every page, with so many clients that never wait; and the pages a second."""
    taken, end = [], time.perf_counter() + seconds

    async def one():
        client = Client(port)
        while time.perf_counter() < end:
            begun = time.perf_counter()
            await client.get(next(queries))
            taken.append((time.perf_counter() - begun) * 1e3)

    await asyncio.gather(*(one() for _ in range(clients)))
    return taken, len(taken) / seconds


async def one_by_one(port, queries):
    client = Client(port)
    for query in queries:
        await client.get(query)


async def at_a_rate(port, queries, clients, seconds, rate):
    """Milliseconds of every page from the moment when it was due."""
    pool, taken, begun = [Client(port) for _ in range(clients)], [], time.perf_counter()

    async def one(number, due):
        await pool[number % clients].get(next(queries))
        taken.append((time.perf_counter() - due) * 1e3)

    async with asyncio.TaskGroup() as group:
        for number in range(int(seconds * rate)):
            due = begun + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            group.create_task(one(number, due))
    return taken


def measured(server, queries, chosen, clients):
    before = server.cpu()
    fast, pages = asyncio.run(as_fast_as_they_come(server.port, queries, clients, chosen.seconds))
    between = server.cpu()
    paced = asyncio.run(at_a_rate(server.port, queries, clients, chosen.seconds, chosen.rate))
    after = server.cpu()
    return {
        "pages a second": pages,
        "unpaced": spread(fast),
        "paced": spread(paced),
        "core ms unpaced": (between - before) * 1e3 / len(fast),
        "core ms paced": (after - between) * 1e3 / len(paced),
    }


def spread(taken):
    names = ("mean", "p50", "p95", "p99")
    return dict(
        zip(names, [float(np.mean(taken)), *np.quantile(taken, [0.5, 0.95, 0.99]).tolist()], strict=True)
    )


def stages(folder, queries):
    """Milliseconds of processor time that each stage of a page adds, as means over queries."""
    from gossamer import Engine
    from gossamer.cli.serve import settle

    with Engine.open(folder) as engine:
        engine.warm_up()
        settle(engine)
        ways = {
            "search": lambda text: engine.search(text, snippets=False),
            "snippets": engine.search,
            "filters": lambda text: engine.search(text, facets=True),
            "groups": lambda text: engine.search(text, facets=True, clusters=True),
            "page": page_of(engine),
        }
        told, last = alternately(ways, queries[:STAGED]), 0.0
    for name in ways:
        told[name], last = max(0.0, told[name] - last), told[name]
    return told


def page_of(engine):
    """What answers a request for the page, without what HTTP takes."""
    from starlette.requests import Request

    from gossamer.config import ServeSettings
    from gossamer.serve.location import VisitorLocation
    from gossamer.serve.rendering import Templates
    from gossamer.serve.search_page.results_page import ResultPages
    from gossamer.serve.search_queue import SearchQueue

    settings = ServeSettings()
    pages = ResultPages(engine, Templates(), VisitorLocation(settings), SearchQueue(settings.timeout))
    scope = {"type": "http", "method": "GET", "path": "/search", "root_path": "", "headers": []}
    return lambda text: pages.search(Request({**scope, "query_string": f"q={quote(text)}".encode()}))


def alternately(ways, queries):
    """Milliseconds of processor time that each way takes for a query.

    Their words are known, as those of most queries are. Each way has its turn at a query long after the one
    before it, when what was read for that is cold, and what was grouped is no longer remembered.
    """
    for query in queries:
        ways["search"](query)
    taken, apart = dict.fromkeys(ways, 0.0), len(queries) // len(ways)
    for begin in range(0, len(queries), AT_A_TIME):
        for number, (name, ask) in enumerate(ways.items()):
            first = (begin - number * apart) % len(queries)
            before = time.process_time()
            for query in queries[first : first + AT_A_TIME]:
                ask(query)
            taken[name] += time.process_time() - before
    return {name: seconds * 1e3 / len(queries) for name, seconds in taken.items()}


def interpreter():
    """Which Python runs all this, and how fast: how it was compiled makes half as much again."""
    taken = min(timeit.repeat("len([n for n in range(1000)])", number=1_000, repeat=5)) * 1e3
    return f"Python {sys.version.split()[0]}, a million steps of a loop in {taken:.0f} ms"


def say(text):
    print(text, file=sys.stderr, flush=True)


def main():
    chosen = options()
    corpus = opened(chosen.cache / "passages")
    if corpus is None:
        sys.exit(f"there is no corpus in {chosen.cache / 'passages'}: search.py makes it")
    folder, queries = collection_of(corpus, chosen.cache, chosen.passages), queries_of(corpus)
    others = os.sched_getaffinity(0) - {chosen.core}
    os.sched_setaffinity(0, others or {chosen.core})
    server = Server(folder, chosen.core)
    try:
        asked = cycle(queries)
        asyncio.run(one_by_one(server.port, islice(asked, WARM_UP)))
        gathering = server.settle()
        told = {f"{clients} clients": measured(server, asked, chosen, clients) for clients in chosen.clients}
    finally:
        server.close()
    os.sched_setaffinity(0, {chosen.core})
    told["stages"] = stages(folder, queries)
    core = min(told[f"{clients} clients"]["core ms unpaced"] for clients in chosen.clients)
    told["stages"]["HTTP"] = max(0.0, core - sum(told["stages"].values()))
    told["gathering"], told["python"] = gathering, interpreter()
    print(json.dumps(told, indent=2) if chosen.json else table(told, chosen))
    worst = max(told[f"{clients} clients"]["paced"]["p95"] for clients in chosen.clients)
    return 1 if worst >= PROMISE else 0


def table(told, chosen):
    lines = [f"{'':34}{'mean':>8}{'p50':>8}{'p95':>8}{'p99':>8}  ms"]
    for clients in chosen.clients:
        own = told[f"{clients} clients"]
        for name, label in (("unpaced", "as fast as they come"), ("paced", f"at {chosen.rate:g} a second")):
            figures = "".join(f"{value:8.2f}" for value in own[name].values())
            lines.append(f"{clients:>3} clients, {label:22}{figures}")
        lines.append(
            f"{'':13}{own['pages a second']:.0f} pages a second; processor time of a page "
            f"{own['core ms unpaced']:.1f} ms, {own['core ms paced']:.1f} ms at the rate"
        )
    total = sum(told["stages"].values())
    shares = ", ".join(f"{name} {ms:.2f} ({ms / total:.0%})" for name, ms in told["stages"].items())
    once = f"suggestions were gathered once after the start, in {told['gathering']:.0f} s of the core"
    return "\n".join([*lines, f"processor time of a page {total:.2f} ms: {shares}", once, told["python"]])


if __name__ == "__main__":
    sys.exit(main())

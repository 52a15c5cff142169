"""Make the collections of a recording: a crawl of the demo web, and a larger one that is imported."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from golden_recording.code_under_test import Clock, find
from golden_recording.rows import Row

BEGIN = 1_794_700_800.0  # 2026-11-15 00:00 UTC: the demo web is crawled then, a second for each request
NOW = BEGIN + 129_600.0  # noon of the next day: when questions are asked
LAST_MODIFIED = "Sun, 01 Nov 2026 00:00:00 GMT"  # of every file: a checkout gives files times of its own
TIMED = ("time", "ms")  # fields of the crawl log that a clock writes
IMPORTED = ("*.warc", "*.warc.gz", "*.jsonl", "*.jsonl.gz")
DEMO_SETTINGS = """
[rank]
trusted = ["good-links.localhost:8808", "northfield-university.localhost:8808"]
spam = ["best-cheap-lanterns.localhost:8808"]

[[rank.topics]]
name = "cats"
pages = ["wildcats.localhost:8808"]

[[rank.topics]]
name = "cooking"
query = "intitle:cake OR intitle:bread OR recipe"

[[rank.topics]]
name = "directory"
directory = "http://good-links.localhost:8808/"
"""
PAGES, HOSTS, WORDS = 2_000, 20, 3_000  # of the generated web


def crawl_demo(folder: Path, clock: Clock) -> Iterator[Row]:
    """Crawl, index and rank the demo web into a folder; give the crawl log and what became of every page.

    One connection makes the order of requests the same each time, and the clock moves by a second with each
    request. So times in the collection are the same each time, too.
    """
    from gossamer import Engine

    clock.now = BEGIN
    folder.mkdir(parents=True)
    (folder / "gossamer.toml").write_text(DEMO_SETTINGS)
    with find("LoopbackServer")(_TimedWeb(find("demo_web")(), clock), 0) as server:
        settings = {
            "crawl": {"max_pages": 600, "depth": 5, "connections": 1, "commit_seconds": 3600.0},
            "frontier": {"delay": 0.0},
            "fetch": {"allow_private": True, "host_overrides": [f"*.localhost=127.0.0.1:{server.port}"]},
        }
        with Engine.open(folder, create=True, settings=settings) as engine:
            engine.crawl(find("SEEDS"))
    with Engine.open(folder) as engine:
        engine.rank()
        yield from _log(folder)
        for page in engine.pages():
            yield f"page {page.url}", page
        status = engine.status().as_dict()
        yield "status", {name: status[name] for name in status if name not in {"directory", "bytes_on_disk"}}


def _log(folder: Path) -> Iterator[Row]:
    """Give the lines of the crawl log in their order, without times and commits."""
    files = sorted(folder.glob("logs/crawl-*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    kept = [line for line in lines if line["event"] != "commit"]
    for number, line in enumerate(kept):
        yield f"log {number:04}", {name: own for name, own in line.items() if name not in TIMED}


class _TimedWeb:
    """A scripted web in which each request takes a second, and files have one date."""

    def __init__(self, web: Any, clock: Clock) -> None:
        self._web = web
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._web, name)

    def reply(self, authority: str, path: str, headers: Any = None) -> Any:
        """Answer as the web does."""
        self._clock.now += 1.0
        reply = self._web.reply(authority, path, headers)
        if reply is None or "Last-Modified" not in reply.headers:
            return reply
        return replace(reply, headers={**reply.headers, "Last-Modified": LAST_MODIFIED})


def import_large(folder: Path, source: Path | None, work: Path) -> int:
    """Import, index and rank the files of a folder, or a generated web; returns the number of pages."""
    from gossamer import Engine

    files = sorted(file for form in IMPORTED for file in source.glob(form)) if source else []
    if source and not files:
        raise SystemExit(f"{source} has no file to import ({', '.join(IMPORTED)}): name another with --large")
    # Worker processes finish in any order, and of two copies the first is kept: so none are used here.
    with Engine.open(folder, create=True, settings={"extract": {"workers": 0}}) as engine:
        engine.import_files(files or [generated_warc(work / "generated.warc")])
        hosts = Counter(urlsplit(page.url).netloc for page in engine.pages())
    best = sorted(hosts, key=lambda host: (-hosts[host], host))[:4]
    if len(best) == 4:
        (folder / "gossamer.toml").write_text(_topics(best))
    with Engine.open(folder) as engine:
        engine.rank()
        return int(engine.status().documents)


def _topics(hosts: list[str]) -> str:
    """Settings that name hosts as trusted, spam and topics, so that every rank is computed."""
    topic = '[[rank.topics]]\nname = "topic-{}"\npages = ["{}"]\n'
    topics = [topic.format(number, host) for number, host in enumerate(hosts[:2])]
    return "\n".join([f'[rank]\ntrusted = ["{hosts[2]}"]\nspam = ["{hosts[3]}"]\n', *topics])


def generated_warc(path: Path) -> Path:
    """Write a web of linked pages, the same each time, as a WARC file."""
    dice = random.Random(7)
    syllables = [a + b for a in "bdfgklmnprstv" for b in ("a", "e", "i", "o", "u", "ar", "en", "is")]
    words = sorted({"".join(dice.choices(syllables, k=dice.randint(2, 4))) for _ in range(WORDS)})
    dice.shuffle(words)
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))
    hosts = [f"http://site-{dice.randrange(HOSTS):02}.test" for _ in range(PAGES)]
    urls = [f"{host}/{dice.choice(words)}-{number}.html" for number, host in enumerate(hosts)]
    with path.open("wb") as file:
        for number, url in enumerate(urls):
            file.write(_record(number, url, _page(urls, words, weights, dice)))
    return path


def _page(urls: list[str], words: list[str], weights: list[float], dice: random.Random) -> str:
    def prose(least: int, most: int) -> str:
        return " ".join(dice.choices(words, cum_weights=weights, k=dice.randint(least, most)))

    targets = dice.choices(urls[:200], k=2) + dice.choices(urls, k=dice.randint(0, 8))
    links = "".join(f'<p><a href="{target}">{prose(1, 3)}</a> {prose(3, 9)}</p>' for target in targets)
    body = "".join(f"<p>{prose(10, 60)}.</p>" for _ in range(dice.randint(1, 6)))
    return f"<!doctype html><title>{prose(2, 5)}</title><h1>{prose(2, 4)}</h1>{body}{links}"


def _record(number: int, url: str, page: str) -> bytes:
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.encode()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
        f"WARC-Date: 2026-11-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
    )
    return head.encode() + answer + b"\r\n\r\n"

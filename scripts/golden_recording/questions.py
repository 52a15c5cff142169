"""Choose the questions of a recording: judged queries, every operator, words of the pages' titles."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import chain, count, cycle
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

Question = dict[str, Any]  # q, and what else /api/search takes

WORD = re.compile(r"[^\W\d_]{3,}")
FIXED = Path(__file__).with_name("fixed_queries.txt")  # a query a line: operators, mistakes, scripts, answers
PATHS = (
    "/", "/you", "/healthz", "/opensearch.xml", "/openapi.json", "/robots.txt", "/nowhere", "/search",
    "/api/search", "/api/search?q=a&k=0", "/api/search?q=a&rank=nothing", "/api/page?url=nowhere.test",
    "/search?q=jaguar&page=2", "/search?q=jaguar&within=cat", "/search?q=jaguar&explain=true", "/api/status",
)  # fmt: skip
FORMS = (
    "{a}", "{a} {b}", "{a} {b} {c}", '"{a} {b}"', "{a} {b} {x}", "{a} OR {x}", "{a} -{x}", "{a} AND {b}",
    "{a} NEAR/5 {b}", "{a} {b}", "{start}*", "{typo}", "{typo} {b}", "{a} {typo_b} {c}", "{typo}~",
    "sounds:{a}", "intitle:{a}", "intitle:{a} {x}", "inurl:{a}", "inbody:{a} {b}", "inanchor:{a}",
    "site:{host} {x}", "lang:{language} {a}", "{a} {b} {c}", "after:2020 {a} {b}", "before:2026-10 {a}",
    "filetype:html {a} {x}", "-intitle:{a} {b}", '"{a} {b}" {x}', "{x} {y}", "{x} {y} {z}", "{title}",
    "related:{url}", "link:{url}", "info:{url}", "{url}", "{host}", "{a} site:{host} -{b}",
    "({a} OR {x}) AND {b}", "soundex:{a}", "{a}{b}", "{a} {b} {c} {x} {y} {z} {title}", "{a}-{b}",
    "country:us {a}",
)  # fmt: skip
WAYS: tuple[Question, ...] = (
    {}, {}, {"clusters": "true"}, {"facets": "true"}, {}, {"offset": "10"}, {"newest": "true"}, {},
    {"everything": "true"}, {"rank": "hits"}, {"rank": "salsa"}, {"rank": "hubs"}, {"rank": "none"}, {},
    {"rank": "trust"}, {"rank": "pagerank"}, {"rank": "indegree"}, {"rank": "harmonic"},
    {"rank": "popularity"}, {"topic": "{topic}"}, {"prefer_topic": "{topic}"}, {"country": "de"},
    {"country": "gb"}, {"country": "none"}, {"languages": "de,en"}, {"languages": "fr"}, {},
    {"context": "{x}"}, {"prefer": "{host}"}, {"k": "100"}, {"correct": "false"}, {"k": "3"}, {},
    {"scheme": "bm25"}, {"scheme": "tfidf"}, {"scheme": "tf"}, {"scheme": "tfidf-norm"},
    {"scheme": "lnc.ltc"}, {"scheme": "boolean"}, {}, {"algorithm": "blockmax"}, {"algorithm": "maxscore"},
    {"algorithm": "exhaustive"}, {"algorithm": "threshold"}, {"algorithm": "champion"},
    {"clusters": "true", "offset": "10"}, {"newest": "true", "offset": "10"}, {"ui": "de"}, {"ui": "el"},
    {"facets": "true", "clusters": "true"}, {"everything": "true", "k": "50"},
)  # fmt: skip


def questions(engine: Any, name: str, wanted: int) -> list[Question]:
    """Choose at least so many questions for a collection, the same each time for the same pages."""
    fixed: list[Question] = [{"q": text} for text in FIXED.read_text("utf-8").splitlines()]
    if name == "demo":
        fixed += [{"q": text} for text in _judged()]
        fixed += list(_of_ambiguous_words(engine))
        ways = cycle(way for way in WAYS if way and "{" not in json.dumps([*way.values()]))
        fixed += [{**one, **way} for one, way in zip(fixed[:150], ways, strict=False)]
    chosen: dict[str, Question] = {}
    for question in chain(fixed, _made(_pages(engine), random.Random(f"golden {name}"), engine.topics())):
        if len(chosen) >= max(wanted, len(fixed)):
            break
        chosen[json.dumps(question, sort_keys=True)] = question
    return list(chosen.values())


def addresses(engine: Any, name: str, wanted: int) -> list[str]:
    """Choose paths to ask the server for beside searches: suggestions, pages, links, feeds, cached pages."""
    dice, pages = random.Random(f"addresses {name}"), _pages(engine)
    paths = list(PATHS)
    for url, title, _ in dice.sample(pages, min(wanted, len(pages))):
        words = WORD.findall(title) or ["page"]
        start = quote(" ".join(words[: dice.randint(1, 3)])[: dice.randint(2, 14)])
        word, page, form = quote(words[0]), quote(url, safe=""), dice.choice(["rss", "atom", "csv"])
        paths += [f"/api/suggest?q={start}", f"/suggest?q={start}&k=3", f"/api/suggest?q={word}%20"]
        paths += [f"/api/{what}?url={page}" for what in ("page", "similar", "links")]
        paths += [f"/cache?url={page}&q={word}", f"/cache/copy?url={page}"]
        paths += [f"/search.{form}?q={word}&newest={dice.choice(['true', 'false'])}"]
    return paths


def _pages(engine: Any) -> list[tuple[str, str, str]]:
    return sorted((page.url, page.title, page.language) for page in engine.pages())


def _judged() -> Iterator[str]:
    for line in (resources.files("gossamer") / "demo/queries.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)["text"]


def _of_ambiguous_words(engine: Any) -> Iterator[Question]:
    for word in ("jaguar", "mercury", "python", "java", "crane"):
        yield {"q": word, "clusters": "true"}
        for cluster in engine.search(word, clusters=True).clusters:
            yield {"q": word, "cluster": cluster.label}


def _made(
    pages: list[tuple[str, str, str]], dice: random.Random, topics: Sequence[str]
) -> Iterator[Question]:
    """Make questions without end, every form in every way; half of them are plain."""
    titled = [(page, words) for page in pages if len(words := WORD.findall(page[1])) >= 3]
    for number in count() if titled else ():
        way = WAYS[(number // 2) % len(WAYS)] if number % 2 else {}
        slots = _slots(titled, dice) | {"topic": dice.choice(list(topics) or ["none"])}
        form = FORMS[(number + number // len(FORMS)) % len(FORMS)]  # the next round meets other ways
        yield {"q": form.format(**slots), **{name: value.format(**slots) for name, value in way.items()}}


def _slots(titled: list[tuple[tuple[str, str, str], list[str]]], dice: random.Random) -> dict[str, str]:
    """Draw a page, three words in a row of its title, and words of other titles."""
    (url, title, language), words = dice.choice(titled)
    place = dice.randrange(len(words) - 2)
    a, b, c = words[place : place + 3]
    x, y, z = (dice.choice(dice.choice(titled)[1]) for _ in range(3))
    page = {"title": title[:200], "url": url, "host": urlsplit(url).netloc, "language": language or "en"}
    spelt = {"start": a[: max(2, len(a) - 2)], "typo": _typo(a, dice), "typo_b": _typo(b, dice)}
    return {"a": a, "b": b, "c": c, "x": x, "y": y, "z": z, **page, **spelt}


def _typo(word: str, dice: random.Random) -> str:
    """Swap two letters of a word, leave one out, or double one."""
    place = dice.randrange(len(word) - 1)
    swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return dice.choice([swapped, word[:place] + word[place + 1 :], word[: place + 1] + word[place:]])

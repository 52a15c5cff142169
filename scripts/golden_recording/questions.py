"""Choose the questions of a recording: judged queries, every operator, and words of the collection's titles."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from importlib import resources
from itertools import count, cycle
from typing import Any
from urllib.parse import urlsplit

Question = dict[str, Any]  # q, and what else /api/search takes

WORD = re.compile(r"[^\W\d_]{3,}")
FIXED = """
jaguar|"black panther" -car|jaguar AND (panther OR leopard) -car|jaguar NOT car|jaguar NEAR/3 cat|panth*|jagaur~|jagaur~1
sounds:meyer|soundex:robert|site:wildcats.localhost|site:wildcats.localhost jaguar|intitle:jaguar|intitle:"great cat"
inurl:jaguar|inbody:jaguar|inanchor:jaguar|inanchor:"big cat"|filetype:pdf|filetype:pdf lang:English|lang:de|lang:el
lang:ja 京都|before:2024|after:2024-05-01|after:2024 before:2026|country:dk|country:Denmark|near:Odense|near:"Paris, Texas"
link:wildcats.localhost:8808/jaguar.html|related:wildcats.localhost:8808/jaguar.html|info:wildcats.localhost:8808/jaguar.html
wildcats.localhost:8808/jaguar.html|http://wildcats.localhost:8808/|wildcats|jaguar motors|northfield university
jaguar jaguar jaguar|the who|cat OR dog food|big (cat dog)|NOT a NEAR b AND c|cat OR site:wildcats.localhost|-jaguar|"jaguar
jaguar ""|(jaguar|jaguar)|jaguar ()|jaguar AND|OR jaguar|jaguar NEAR site:a.org|intitle:jaguar NEAR cat|lang:klingon
before:yesterday|sounds:"big cat"|country:?|near:4|note:this|HEAD~3|C++|wall-mounted|-wall-mounted lamp|tv|colour|laptop
jagaur|jaguarr panthr|lampion lantren|encylopedia|univercity libary|κουζινα|κουζίνα|mamaliga|mămăligă|京都|茶|お茶|чай
مكتبة|Käse|fromage de chèvre|ricette pesce|opskrift|latest news|news 2026|how do jaguars hunt in water at night with cubs
2 * (3 + 4)|15% of 80|80 + 15%|2^64|square root of 2|sin(30°)|100 / 7|5 / 0|5 miles in km|100f to c|1 acre in m2|5'11" in cm
how many feet in a mile|1 gallon in litres|100 Mb in MB|30 mpg in l/100km|100 usd in eur|3pm CET in New York|time in tokyo
days since 1 May 1945|day of the week 1 May 1945|2 months before 31 December 2026|unix timestamp 1700000000|what day is it
week number|days until 24 December|1Z999AA10123456784|RA473124829DE|fedex 986578788855|978-3-16-148410-0|issn 0378-5955
4006381333931|doi:10.1000/182|DE89 3704 0044 0532 0130 00|LH400|+49|+1 212 555 0100|area code 415|.gr|$AAPL|NASDAQ:AAPL
dialling code for Romania|country code for Denmark|52.5200, 13.4050|192.168.0.1|10.0.0.0/8|#ff8800|where is heraklion|athens
"""
FORMS = (
    "{a}", "{a} {b}", "{a} {b} {c}", '"{a} {b}"', "{a} {b} {x}", "{a} OR {x}", "{a} -{x}", "{a} AND {b}", "{a} NEAR/5 {b}",
    "{a} {b}", "{start}*", "{typo}", "{typo} {b}", "{a} {typo_b} {c}", "{typo}~", "sounds:{a}", "intitle:{a}",
    "intitle:{a} {x}", "inurl:{a}", "inbody:{a} {b}", "inanchor:{a}", "site:{host} {x}", "lang:{language} {a}", "{a} {b} {c}",
    "after:2020 {a} {b}", "before:2026-10 {a}", "filetype:html {a} {x}", "-intitle:{a} {b}", '"{a} {b}" {x}', "{x} {y}",
    "{x} {y} {z}", "{title}", "related:{url}", "link:{url}", "info:{url}", "{url}", "{host}", "{a} site:{host} -{b}",
    "({a} OR {x}) AND {b}", "{a} {b} {c} {x} {y} {z} {title}", "soundex:{a}", "{a}{b}", "{a}-{b}", "country:us {a}",
)  # fmt: skip
WAYS: tuple[Question, ...] = (
    {}, {}, {"clusters": "true"}, {"facets": "true"}, {}, {"offset": "10"}, {"newest": "true"}, {"everything": "true"}, {},
    {"rank": "hits"}, {"rank": "salsa"}, {"rank": "hubs"}, {"rank": "none"}, {"rank": "trust"}, {"rank": "pagerank"}, {},
    {"rank": "indegree"}, {"rank": "harmonic"}, {"rank": "popularity"}, {"topic": "{topic}"}, {"prefer_topic": "{topic}"},
    {"country": "de"}, {"country": "gb"}, {"country": "none"}, {"languages": "de,en"}, {"languages": "fr"}, {},
    {"context": "{x}"}, {"prefer": "{host}"}, {"correct": "false"}, {"k": "100"}, {"k": "3"}, {"scheme": "bm25"}, {},
    {"scheme": "tfidf"}, {"scheme": "tf"}, {"scheme": "tfidf-norm"}, {"scheme": "lnc.ltc"}, {"scheme": "boolean"}, {},
    {"algorithm": "blockmax"}, {"algorithm": "maxscore"}, {"algorithm": "exhaustive"}, {"algorithm": "threshold"},
    {"algorithm": "champion"}, {"clusters": "true", "offset": "10"}, {"newest": "true", "offset": "10"},
    {"facets": "true", "clusters": "true"}, {"everything": "true", "k": "50"}, {"ui": "de"}, {"ui": "el"},
)  # fmt: skip


def questions(engine: Any, name: str, wanted: int) -> list[Question]:
    """Choose so many questions for a collection, the same each time for the same pages."""
    dice, pages = random.Random(f"golden {name}"), _pages(engine)
    fixed: list[Question] = [{"q": text} for line in FIXED.strip().splitlines() for text in line.split("|")]
    if name == "demo":
        fixed += [{"q": text} for text in _judged()]
        fixed += list(_of_ambiguous_words(engine))
        fixed += [{**one, **way} for one, way in zip(fixed[:100], cycle(WAYS[5:]), strict=False) if way]
    asked = _distinct(fixed, pages, dice, engine.topics() or ["cats"])
    return [question for question, _ in zip(asked, range(max(wanted, len(fixed))), strict=False)]


def addresses(engine: Any, name: str, wanted: int) -> list[str]:
    """Choose paths of the server to ask for beside searches: suggestions, pages, links, feeds, cached pages."""
    from urllib.parse import quote

    dice, pages = random.Random(f"addresses {name}"), _pages(engine)
    chosen = dice.sample(pages, min(wanted, len(pages)))
    paths = ["/", "/you", "/healthz", "/opensearch.xml", "/openapi.json", "/robots.txt", "/nowhere", "/search", "/api/search"]
    paths += ["/api/search?q=a&k=0", "/api/search?q=a&rank=nothing", "/search?q=jaguar&page=2", "/search?q=jaguar&within=cat"]
    for url, title, _ in chosen:
        words = WORD.findall(title) or ["page"]
        start = " ".join(words[: dice.randint(1, 3)])[: dice.randint(2, 14)]
        paths += [f"/api/suggest?q={quote(start)}", f"/suggest?q={quote(start)}&k=3", f"/api/suggest?q={quote(words[0])}%20"]
        paths += [f"/api/{what}?url={quote(url, safe='')}" for what in ("page", "similar", "links")]
        paths += [f"/cache?url={quote(url, safe='')}&q={quote(words[0])}", f"/cache/copy?url={quote(url, safe='')}"]
        form = dice.choice(["rss", "atom", "csv"])
        paths += [f"/search.{form}?q={quote(words[0])}&newest={dice.choice(['true', 'false'])}"]
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


def _distinct(
    fixed: list[Question], pages: list[tuple[str, str, str]], dice: random.Random, topics: Any
) -> Iterator[Question]:
    """Give the fixed questions, then made ones without end."""
    seen: set[str] = set()
    titled = [(page, words) for page in pages if len(words := WORD.findall(page[1])) >= 3]
    made = (_made(form, way, titled, dice, topics) for form, way in _pairs()) if titled else iter(())
    for question in [*fixed, *()] if not titled else _chained(fixed, made):
        told = json.dumps(question, sort_keys=True)
        if question["q"].strip() and told not in seen:
            seen.add(told)
            yield question


def _chained(fixed: list[Question], made: Iterator[Question]) -> Iterator[Question]:
    yield from fixed
    yield from made


def _pairs() -> Iterator[tuple[str, Question]]:
    """Every form with every way in turn; half of the questions are plain."""
    for number in count():
        yield FORMS[number % len(FORMS)], WAYS[(number // 2) % len(WAYS)] if number % 2 else {}


def _made(
    form: str, way: Question, titled: list[tuple[tuple[str, str, str], list[str]]], dice: random.Random, topics: Any
) -> Question:
    (url, title, language), words = dice.choice(titled)
    place = dice.randrange(len(words) - 2)
    a, b, c = words[place : place + 3]
    x, y, z = (dice.choice(dice.choice(titled)[1]) for _ in range(3))
    slots = {
        "a": a, "b": b, "c": c, "x": x, "y": y, "z": z, "start": a[: max(2, len(a) - 2)], "typo": _typo(a, dice),
        "typo_b": _typo(b, dice), "title": title[:200], "url": url, "host": urlsplit(url).netloc, "language": language or "en",
        "topic": dice.choice(list(topics)),
    }  # fmt: skip
    return {"q": form.format(**slots), **{name: value.format(**slots) for name, value in way.items()}}


def _typo(word: str, dice: random.Random) -> str:
    """Swap two letters of a word, leave one out, or double one."""
    place = dice.randrange(len(word) - 1)
    swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return dice.choice([swapped, word[:place] + word[place + 1 :], word[: place + 1] + word[place:]])

"""The demo web's queries for people of whom something is known: what is meant comes first, as docs/ranking.md says."""

from __future__ import annotations

import re
from math import log2
from pathlib import Path

import pytest

from gossamer import Engine
from gossamer.demo.site import PORT, SEEDS, demo_web
from gossamer.demo.tour import settings
from gossamer.fetch.scripted import ScriptedTransport

RANKING = Path(__file__).parents[2] / "docs" / "ranking.md"
ROW = re.compile(r"^\| `([^`]+)` \| (context|country) `([^`]+)` \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)
WITHIN = 0.1  # how far a crawl gets into the endless hosts changes the answers a bit

# What a person means who asks so, judged by reading the pages: 3 is exactly what is wanted, 2 good.
MEANT = {
    ("jaguar", "big cats of africa"): {
        "wildcats/jaguar.html": 3, "encyclopaedia/jaguar-animal.html": 3, "wildcats/corridors.html": 2,
        "wildcats/black-panthers.html": 2, "wildcats/camera-traps.html": 2,
    },
    ("jaguar", "classic car repair"): {
        "jaguar-motors/": 3, "encyclopaedia/jaguar-cars.html": 3, "jaguar-motors/e-type.html": 2,
        "jaguar-motors/xk120.html": 2, "jaguar-motors/buying.html": 2,
    },
    ("mercury", "planets in the evening sky"): {
        "encyclopaedia/mercury-planet.html": 3, "skywatchers/mercury.html": 3, "skywatchers/mercury-transits.html": 2,
    },
    ("java", "ID"): {
        "encyclopaedia/java-island.html": 3, "encyclopaedia/volcano.html": 2, "encyclopaedia/java-coffee.html": 2,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    with Engine.open(tmp_path_factory.mktemp("demo") / "c", create=True, settings=settings(PORT)) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(demo_web()))
        engine.rank()
        yield engine


def address(short):
    host, _, path = short.partition("/")
    return f"http://{host}.localhost:{PORT}/{path}"


def ndcg(found, judged):
    """nDCG@10 (Järvelin, Kekäläinen 2002)."""
    gains = {address(short): score for short, score in judged.items()}
    reached = sum(gains.get(hit.url, 0) / log2(hit.rank + 1) for hit in found.hits)
    ideal = sorted(gains.values(), reverse=True)[:10]
    return reached / sum(gain / log2(place + 1) for place, gain in enumerate(ideal, 1))


def test_judged_pages_are_there(engine):
    wanted = {address(short) for judged in MEANT.values() for short in judged}
    assert {url for url in wanted if engine.page(url).state == "indexed"} == wanted


def test_what_is_known_of_a_person_helps_as_is_told(engine):
    told = {(query, known): (float(before), float(after)) for query, _, known, before, after in ROW.findall(RANKING.read_text("utf-8"))}  # fmt: skip
    reached = {}
    for (query, known), judged in MEANT.items():
        how = {"country": known} if len(known) == 2 else {"context": [known]}
        reached[query, known] = ndcg(engine.search(query), judged), ndcg(engine.search(query, **how), judged)
    assert all(after > before for before, after in reached.values()), reached
    assert told.keys() == reached.keys()
    for asked, figures in reached.items():
        assert figures == pytest.approx(told[asked], abs=WITHIN), asked

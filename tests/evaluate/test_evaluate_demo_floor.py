"""The demo web's judged queries: how good the answers are may only rise."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer import Engine
from gossamer.demo.site import PORT, SEEDS, demo_web
from gossamer.demo.tour import settings
from gossamer.evaluate.collection import Named, read_parts
from gossamer.evaluate.floors import fallen, read_floors
from gossamer.evaluate.owned import evaluate_engine
from gossamer.fetch.scripted import ScriptedTransport

DEMO = Path(__import__("gossamer.demo").demo.__file__).parent
FLOORS = Path(__file__).parent.parent / "floors.toml"
WITHIN = 0.02  # a floor further than this below what is reached has been forgotten


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    with Engine.open(tmp_path_factory.mktemp("demo") / "c", create=True, settings=settings(PORT)) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(demo_web()))
        engine.rank()
        yield engine


@pytest.fixture(scope="module")
def judged():
    return read_parts(Named(topics=DEMO / "queries.jsonl", qrels=DEMO / "qrels.tsv").alone())


def test_the_floor_holds_and_is_up_to_date(engine, judged):
    floors = read_floors(FLOORS)
    reached = evaluate_engine(engine, judged, None).measures
    assert not list(map(str, fallen(floors, {"demo-web": reached})))
    forgotten = {
        name: reached[name] for name, floor in floors["demo-web"].items() if reached[name] >= floor + WITHIN
    }
    assert not forgotten, f"raise the floors in {FLOORS.name}"


def test_every_relevant_page_was_crawled(engine, judged):
    relevant = {judgement.document for judgement in judged.judgements if judgement.score > 0}
    found = set()
    for site in {url.split("/")[2] for url in relevant}:
        found |= {hit.url for hit in engine.search(f"site:{site}", k=1000).hits}
    assert relevant <= found


def test_traps_mirrors_and_forbidden_pages(engine):
    hosts = ("private-archive", "old-maya-kings", "northfield-university")
    pages = [engine.search(f"site:{host}.localhost", k=1000) for host in hosts]
    urls = {hit.url for page in pages for hit in page.hits}
    at = "http://private-archive.localhost:8808"
    assert f"{at}/vault/catalogue.html" in urls
    assert f"{at}/c.html" in urls
    for hidden in ("vault/letters-1911.html", "draft-history.html", "reading-room-rota.html", "attic.html"):
        assert f"{at}/{hidden}" not in urls
    assert not [url for url in urls if "old-maya-kings" in url], "a mirror is not shown beside its original"
    assert "http://northfield-university.localhost:8808/files/information-retrieval-syllabus.pdf" in urls
    assert "http://northfield-university.localhost:8808/files/reading-list.txt" in urls

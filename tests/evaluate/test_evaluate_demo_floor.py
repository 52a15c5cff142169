"""The demo web's judged queries: how good the answers are may only rise."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from gossamer import Engine
from gossamer.demo.site import PORT, SEEDS, demo_web
from gossamer.demo.tour import settings
from gossamer.evaluate.collection import Judgement
from gossamer.evaluate.measures import measures
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
    rows = (DEMO / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [Judgement(query, url, int(score)) for query, url, score in (row.split("\t") for row in rows)]


def rankings(engine):
    lines = (DEMO / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = {row["_id"]: row["text"] for row in map(json.loads, lines)}
    return {name: [hit.url for hit in engine.search(text, k=100).hits] for name, text in queries.items()}


def test_the_floor_holds_and_is_up_to_date(engine, judged):
    reached = measures(judged, rankings(engine))
    for name, floor in tomllib.loads(FLOORS.read_text())["demo-web"].items():
        assert reached[name] >= floor, f"{name} fell to {reached[name]}, the floor is {floor}"
        assert reached[name] < floor + WITHIN, (
            f"{name} has risen to {reached[name]}: raise the floor in {FLOORS.name}"
        )


def test_every_relevant_page_was_crawled(engine, judged):
    relevant = {judgement.document for judgement in judged if judgement.score > 0}
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

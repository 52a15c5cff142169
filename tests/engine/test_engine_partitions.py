"""One partition, two or five: the same pages, the same ranking, the same scores."""

from __future__ import annotations

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page

WORDS = "jaguar cat car river forest engine speed spots hunter road night city moon tree stone".split()
QUERIES = ["jaguar", "jaguar cat", "car engine speed", '"cat river"', "forest -car", "site:host7.test",
           "moon stone tree night", "nothing-at-all", "jaguar AND cat -moon", "ja* NEAR/3 rivr~",
           "st* inurl:host", "intitle:forest OR (moon AND NOT stone)", "car OR site:host7.test"]  # fmt: skip


def web():
    hosts = {}
    for n in range(12):
        routes = {}
        for i in range(8):
            words = [WORDS[(n * 7 + i * 3 + j * (1 + n % 4)) % len(WORDS)] for j in range(5 + (n * i) % 17)]
            links = [f"/{(i + 1) % 8}", f"http://host{(n * 5 + i) % 12}.test/{i}"]
            routes[f"/{i}"] = page(f"{words[0]} {n}.{i}", " ".join(words) + f" page{n}x{i}", links)
        hosts[f"host{n}.test"] = ScriptedHost(routes)
    return ScriptedWeb(hosts)


def answers(folder, partitions):
    settings = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
    with Engine.open(folder, create=True, partitions=partitions, settings=settings) as engine:
        seeds = [f"http://host{n}.test/0" for n in range(12)]
        assert engine.crawl(seeds, transport=ScriptedTransport(web()), index=False).pages == 96
        engine.index()
        ranked = engine.rank()
        found = {}
        for query in QUERIES:
            for algorithm in ("maxscore", "exhaustive"):
                result = engine.search(query, k=40, algorithm=algorithm, explain=True)
                hits = [(hit.url, hit.score, hit.title, hit.snippet, hit.explanation) for hit in result.hits]
                found[query, algorithm] = (result.total, hits)
        return ranked.pages, ranked.links, engine.top(10), found, used_partitions(folder)


def used_partitions(folder):
    return sum(1 for path in folder.glob("partition-*/pages/*.warc.gz") if path.stat().st_size)


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    return answers(tmp_path_factory.mktemp("one"), 1)


@pytest.mark.parametrize("partitions", [2, 5])
def test_the_number_of_partitions_changes_nothing(tmp_path, one, partitions):
    many = answers(tmp_path, partitions)
    assert many[:4] == one[:4]
    assert many[4] >= min(partitions, 4), "the hosts of many domains spread over the partitions"


def test_there_is_something_to_compare(one):
    found = one[3]
    assert found["jaguar cat", "maxscore"] == found["jaguar cat", "exhaustive"]
    assert len(found["jaguar", "maxscore"][1]) > 20
    assert {url.split("/")[2] for url, *_ in found["site:host7.test", "maxscore"][1]} == {"host7.test"}
    assert found["nothing-at-all", "maxscore"] == (0, [])

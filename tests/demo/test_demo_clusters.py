"""The demo web's ambiguous words fall apart into their senses."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import urlsplit

import pytest

from gossamer import Engine
from gossamer.demo.bundled_web import PORT, SEEDS, demo_web
from gossamer.demo.scripted_web import ScriptedTransport
from gossamer.demo.tour import settings

# What pages that name jaguars are about, where they are about one sense of the word; by the beginning of an
# address.
SENSES = {
    "cat": ["wildcats/", "encyclopaedia/jaguar-animal", "harbour-herald/2021/06/jaguar-cub"],
    "car": ["jaguar-motors/", "encyclopaedia/jaguar-cars", "harbour-herald/2024/06/jaguar-rally"],
    "console": ["retroconsoles/", "encyclopaedia/atari-jaguar"],
    "team": ["gridiron-fans/", "encyclopaedia/jacksonville", "harbour-herald/2023/10/jaguars-visit"],
    "system": ["osmuseum/mac-os-x-jaguar", "encyclopaedia/mac-os-x-jaguar", "osmuseum/unix"],
    "king": ["maya-kings/", "encyclopaedia/jaguar-paw", "harbour-herald/2023/11/maya-exhibition"],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    own = {**settings(PORT), "extract": {"workers": 0}}
    with Engine.open(tmp_path_factory.mktemp("demo") / "c", create=True, settings=own) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(demo_web()))
        engine.rank()
        yield engine


def sense_of(hit):
    parts = urlsplit(hit.url)
    address = parts.hostname.removesuffix(".localhost") + parts.path
    return next((name for name, begins in SENSES.items() if address.startswith(tuple(begins))), "")


def members(engine, query):
    """Of each group, its hits."""
    found = engine.search(query, clusters=True, snippets=False)
    return {
        one.label: engine.search(query, 100, cluster=one.label, snippets=False).hits for one in found.clusters
    }


def test_jaguar_falls_apart_into_its_senses(engine):
    senses = {
        label: Counter(sense for hit in hits if (sense := sense_of(hit)))
        for label, hits in members(engine, "jaguar").items()
    }
    main = {label: counts.most_common(1)[0][0] for label, counts in senses.items() if counts}
    assert 3 <= len(senses) <= 8
    assert sorted(main.values()) == sorted(SENSES), senses
    pure = sum(counts[main[label]] for label, counts in senses.items() if counts)
    known = sum(counts.total() for counts in senses.values())
    assert pure >= 0.95 * known, senses
    listed = engine.search("jaguar", 64, everything=True, snippets=False).hits
    assert known >= 0.9 * sum(map(bool, map(sense_of, listed)))


@pytest.mark.parametrize(
    ("sense", "word"),
    [
        ("cat", "leopard|lion|cat|panther|cub"),
        ("car", "car"),
        ("console", "atari|console|cd"),
        ("team", "jacksonville|football"),
        ("system", "mac|os"),
        ("king", "paw|maya"),
    ],
)
def test_its_groups_are_named_for_them(engine, sense, word):
    """What a crawl finds, and so the best phrase, varies a bit with what the endless hosts answer."""
    named = [
        label
        for label, hits in members(engine, "jaguar").items()
        if Counter(map(sense_of, hits)).most_common(1)[0][0] == sense
    ]
    assert [label for label in named if re.search(rf"(?i)\b({word})s?\b", label)], named


@pytest.mark.parametrize(
    ("query", "apart"),
    [
        ("mercury", ["mercury-planet", "mercury-element", "mercury-god"]),
        ("java", ["java-language", "java-coffee", "java-island"]),
        ("crane", ["crane-bird", "crane-machine"]),
    ],
)
def test_senses_of_other_words_are_not_mixed(engine, query, apart):
    """The encyclopaedia's articles on the senses of a word stand in groups of their own, or in none."""
    found = members(engine, query)
    assert 3 <= len(found) <= 8
    homes = {
        name: label
        for label, hits in found.items()
        for hit in hits
        for name in apart
        if hit.url.endswith(f"/{name}.html")
    }
    assert len(homes) > 1
    assert len(set(homes.values())) == len(homes), homes


def test_labels_begin_and_end_with_words_that_tell_something(engine):
    for query in ("jaguar", "mercury", "java", "crane", "lantern", "light"):
        for label in members(engine, query):
            words = label.casefold().split()
            assert 1 <= len(words) <= 3
            assert words != [query]
            assert not {words[0], words[-1]} & {"the", "of", "and", "a", "in", "to", "is"}

"""`inanchor:` finds the pages to which links say something, in whatever partition they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import url

from gossamer import Engine
from gossamer.demo.scripted_web import (
    ScriptedHost,
    ScriptedTransport,
    ScriptedWeb,
    error,
    html,
    page,
    redirect,
)
from gossamer.graph.generation import forget_anchors
from gossamer.model import DamagedFile, GossamerError, Link, Links

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
SEEDS = ["http://a.test/", "http://b.test/", "http://c.test/"]


def web():
    """Three hosts that speak of each other's pages in words which these do not have."""
    bad = '<a rel="nofollow" href="http://c.test/cat">worthless praise</a>'
    lost = '<a href="/gone">lost page</a>'
    return ScriptedWeb(
        {
            "a.test": ScriptedHost(
                {
                    "/": page("A", "first", {"/dog": "loyal friend", "http://c.test/cat": "spotted hunter"}),
                    "/dog": page("Dog", "it barks", {"http://c.test/old": "moved away", "/dog": "myself"}),
                }
            ),
            "b.test": ScriptedHost(
                {
                    "/": page(
                        "B", "zweite", {"http://c.test/cat": "große Häuser", "/more": "»"}, language="de"
                    ),
                    "/more": page(
                        "More", "third", {"http://c.test/cat": "of the night", "http://a.test/dog": "barks"}
                    ),
                }
            ),
            "c.test": ScriptedHost(
                {
                    "/": html(f'<html lang="en"><title>C</title><p>fourth {bad} {lost}'),
                    "/cat": page("Cat", "it purrs"),
                    "/old": redirect("/new"),
                    "/new": page("New", "it stays"),
                    "/gone": error(404),
                }
            ),
        }
    )  # fmt: skip


def collection(folder, partitions=1, rank=True, **settings):
    with Engine.open(folder, create=True, partitions=partitions, settings=SETTINGS | settings) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(web()))
        if rank:
            engine.rank()
    return folder


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    return collection(tmp_path_factory.mktemp("anchors") / "c")


@pytest.fixture
def copy(ranked, tmp_path):
    return shutil.copytree(ranked, tmp_path / "c")


def found(folder, query):
    with Engine.open(folder, settings=SETTINGS) as engine:
        return {hit.url.removeprefix("http://") for hit in engine.search(query).hits}


QUERIES = {
    "inanchor:spotted": {"c.test/cat"},
    'inanchor:"spotted hunter"': {"c.test/cat"},
    'inanchor:"hunter of"': set(),  # two links
    'inanchor:"hunter spotted"': set(),
    "inanchor:friends": {"a.test/dog"},  # stemmed in the language of the linking page
    "inanchor:haus": {"c.test/cat"},
    'inanchor:"grosse Häuser"': {"c.test/cat"},
    'inanchor:"großen haus"': {"c.test/cat"},
    "inanchor:barks": {"a.test/dog"},
    "inanchor:worthless": set(),  # nofollow
    "inanchor:myself": set(),  # a page of itself
    "inanchor:moved": {"c.test/new"},  # through the redirect
    "inanchor:lost": set(),  # never fetched
    "inanchor:first": set(),  # stands in a page only
    "inanchor:spot*": {"c.test/cat"},
    "inanchor:huntr~": {"c.test/cat"},
    "inanchor:night AND inanchor:spotted": {"c.test/cat"},
    "inanchor:moved OR inanchor:loyal": {"c.test/new", "a.test/dog"},
    "site:c.test -inanchor:spotted": {"c.test/", "c.test/new"},
    "site:c.test NOT (inanchor:spotted OR inanchor:away)": {"c.test/"},
    "it AND inanchor:friend": {"a.test/dog"},
    "purrs inanchor:friend": {"a.test/dog"},
}  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_links_are_found_by_their_words(ranked, query):
    assert found(ranked, query) == QUERIES[query]


@pytest.mark.parametrize("partitions", [2, 5])
def test_the_number_of_partitions_changes_no_answer(tmp_path, partitions):
    folder = collection(tmp_path / "c", partitions)
    assert {query: found(folder, query) for query in QUERIES} == QUERIES
    with_texts = [path.parent for path in folder.glob("partition-*/anchors/gen-000001/segment-*")]
    assert len(set(with_texts)) > 1, "texts stand in the partitions of their targets"


def test_small_memory_gives_many_segments_and_the_same_answers(tmp_path):
    folder = collection(tmp_path / "c", index={"memory_mb": 0})
    assert {query: found(folder, query) for query in QUERIES} == QUERIES


def test_nothing_is_opened_for_other_queries(copy):
    shutil.rmtree(copy / "partition-000" / "anchors")
    assert found(copy, "site:c.test") == {"c.test/", "c.test/cat", "c.test/new"}
    with pytest.raises(DamagedFile, match="anchors"):
        found(copy, "inanchor:spotted")


def test_a_new_process_searches_anchor_text(ranked):
    code = f"""
from gossamer import Engine
with Engine.open({str(ranked)!r}) as engine:
    hits = engine.search('inanchor:"spotted hunter" OR inanchor:spot*').hits
print([hit.url for hit in hits])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['http://c.test/cat']\n"


def test_before_ranking_a_note_says_what_to_do(tmp_path):
    folder = collection(tmp_path / "c", rank=False)
    with Engine.open(folder, settings=SETTINGS) as engine:
        before = engine.search("inanchor:spotted")
        assert before.hits == ()
        assert before.notes == (
            "inanchor: finds nothing, because anchor text is not indexed yet; run: gossamer rank",
        )
        assert engine.status().anchors == 0
        engine.rank()
        after = engine.search("inanchor:spotted")
        assert len(after.hits) == 1
        assert after.notes == ()
        assert engine.status().anchors == 7


def test_ranks_of_an_earlier_version_have_no_texts(copy):
    forget_anchors(copy / "graph")
    with Engine.open(copy, settings=SETTINGS) as engine:
        assert "run: gossamer rank" in engine.search("inanchor:spotted").notes[0]
        assert engine.check().problems == ()


def fetched_again(engine, address, links):
    """What a crawl leaves that finds other links on a page than the last time."""
    partition = engine._partitions[0]
    with engine._writing():
        partition.link_log.append(url(address).fingerprint, 2e9, Links.of(links))
        partition.sync_files()
        partition.catalogue.commit()


def test_a_second_generation_takes_the_place_of_the_first(copy):
    with Engine.open(copy, settings=SETTINGS) as engine:
        assert len(engine.search("inanchor:spotted").hits) == 1
        fetched_again(engine, "http://a.test/", [Link(url("http://c.test/cat"), "fearless climber")])
        assert len(engine.search("inanchor:spotted").hits) == 1
        engine.rank()
        assert engine.search("inanchor:spotted OR inanchor:loyal").hits == ()
        assert [hit.url for hit in engine.search('inanchor:"fearless climber"').hits] == ["http://c.test/cat"]
    assert [path.name for path in copy.glob("partition-*/anchors/*")] == ["gen-000002"]


def test_a_page_that_is_gone_is_not_found(copy):
    with Engine.open(copy, settings=SETTINGS) as engine:
        assert len(engine.search("inanchor:spotted").hits) == 1
        partition = engine._partitions[0]
        (row,) = [row for row in partition.catalogue.fetched() if row.url.path == "/cat"]
        partition.close()
        with engine._writing():
            partition.catalogue.refuse(row.fingerprint, "robots")
            partition.catalogue.commit()
        engine.index()
        assert engine.search("inanchor:spotted").hits == ()


@pytest.mark.parametrize(
    "place", ["columns.arrays", "segment-000001", "anchors/gen-000002/MANIFEST", "graph"]
)
def test_a_full_disk_leaves_the_old_generation(copy, monkeypatch, place):
    real = Path.open

    def full(path, mode="r", *more, **options):
        if "w" in mode and place in str(path):
            raise OSError(28, "No space left on device")
        return real(path, mode, *more, **options)

    monkeypatch.setattr(Path, "open", full)
    with Engine.open(copy, settings=SETTINGS) as engine, pytest.raises(GossamerError, match="No space left"):
        engine.rank()
    monkeypatch.undo()
    assert [path.name for path in copy.glob("partition-*/anchors/*")] == ["gen-000001"]
    assert found(copy, "inanchor:spotted") == {"c.test/cat"}


def test_a_killed_build_leaves_the_old_generation(copy):
    child = os.fork()
    if not child:
        from gossamer.graph.generation import NewGeneration

        NewGeneration.finish = lambda *_: os.kill(os.getpid(), 9)
        Engine.open(copy, settings=SETTINGS).rank()
    assert os.waitpid(child, 0)[1] == 9
    assert (copy / "partition-000" / "anchors" / "gen-000002" / "MANIFEST").exists()
    assert found(copy, "inanchor:spotted") == {"c.test/cat"}
    with Engine.open(copy, settings=SETTINGS) as engine:
        assert engine.check().problems == ()
        engine.rank()
    assert [path.name for path in copy.glob("partition-*/anchors/*")] == ["gen-000002"]
    assert found(copy, "inanchor:spotted") == {"c.test/cat"}


@pytest.mark.parametrize(
    "name",
    [
        "MANIFEST",
        "terms",
        "entries",
        "documents",
        "positions",
        "columns",
        "unfetched",
        "near",
        "near/*/terms",
    ],
)
def test_damage_is_named_and_forgotten(copy, name):
    folder = copy / "partition-000" / "anchors" / "gen-000001"
    (path,) = [*folder.glob(f"{name}/MANIFEST"), *folder.glob(f"{name}*"), *folder.glob(f"seg*/{name}*")][:1]
    data = bytearray(path.read_bytes())
    data[-30] ^= 4  # no padding stands there
    path.write_bytes(data)
    with Engine.open(copy, settings=SETTINGS) as engine:
        with pytest.raises(DamagedFile, match=path.name):
            engine.search("inanchor:spotted")
        (problem,) = engine.check().problems
        assert problem.path == str(path)
        assert engine.check(repair=True).problems[0].repaired
        assert engine.check().problems == ()
        assert "run: gossamer rank" in engine.search("inanchor:spotted").notes[0]
        engine.rank()
        assert len(engine.search("inanchor:spotted").hits) == 1


def test_a_missing_manifest_is_no_empty_answer(copy):
    path = copy / "partition-000" / "anchors" / "gen-000001" / "MANIFEST"
    path.unlink()
    with Engine.open(copy, settings=SETTINGS) as engine:
        with pytest.raises(DamagedFile, match=r"anchors/gen-000001/MANIFEST: it is missing"):
            engine.search("inanchor:spotted")
        assert [problem.path for problem in engine.check().problems] == [str(path)]


def test_a_reader_that_meets_the_swap_takes_the_new_generation(copy):
    with Engine.open(copy, settings=SETTINGS) as engine:
        assert engine.search("it").hits
        newest = engine._searching._indexes
        stale, real = newest._opened, newest._newest

        def swapped_meanwhile():
            newest._newest = real
            with Engine.open(copy, settings=SETTINGS) as other:
                other.rank()
            return stale

        newest._newest = swapped_meanwhile
        assert [hit.url for hit in engine.search("inanchor:spotted").hits] == ["http://c.test/cat"]


def test_pages_that_are_not_indexed_speak_the_language_of_the_collection(tmp_path):
    """Ranked before it was indexed: the texts are read in the default language, and found in it."""
    with Engine.open(tmp_path / "c", create=True, settings=SETTINGS | {"text": {"language": "de"}}) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(web()), index=False)
        engine.rank()
        engine.index()
        assert {hit.url for hit in engine.search('inanchor:"große häuser"').hits} == {"http://c.test/cat"}
        assert {hit.url for hit in engine.search("inanchor:hunter").hits} == {"http://c.test/cat"}

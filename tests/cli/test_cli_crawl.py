"""`gossamer crawl`: what it asks of the engine, and what it says afterwards."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature

import pytest
from cli_fakes import failed_seed

from gossamer import Config, Engine
from gossamer.collection.collection import Collection
from gossamer.crawl.options import CrawlOptions
from gossamer.model.progress import CrawlProgress


def test_options_become_arguments(command, engine, tmp_path):
    command(
        *("-C", tmp_path / "new", "crawl", "https://a.test/", "--max-pages", 500, "--depth", 0, "--delay", 0),
        *("--include", "/en/", "--include", "/de/", "--exclude", "tag", "--resolve", "*.test=127.0.0.1:80"),
        *("--allow-private", "--user-agent", "Me/1", "--stay", "--partitions", 3, "--no-index"),
    )
    folder, options = engine.asked("open")
    assert folder == tmp_path / "new"
    assert options == {"create": True, "partitions": 3, "settings": None}
    seeds, index, _, limits = engine.asked("crawl")
    assert seeds == ["https://a.test/"]
    assert index is False
    assert limits == {
        "max_pages": 500,
        "depth": 0,
        "include": ["/en/", "/de/"],
        "exclude": ["tag"],
        "stay": True,
        "delay": 0.0,
        "resolve": ["*.test=127.0.0.1:80"],
        "allow_private": True,
        "user_agent": "Me/1",
    }


def test_options_become_settings():
    """Each stands for a setting, and a limit of `Engine.crawl`."""
    limits = CrawlOptions(500, 0, True, ("/en/", "/de/"), "tag", 0, "*.test=127.0.0.1:80", True, "Me/1")
    assert limits.settings() == {
        "crawl": {
            "max_pages": 500,
            "depth": 0,
            "include": ["/en/", "/de/"],
            "exclude": ["tag"],
            "stay_on_site": True,
        },
        "frontier": {"delay": 0},
        "fetch": {"host_overrides": ["*.test=127.0.0.1:80"], "allow_private": True, "user_agent": "Me/1"},
    }
    assert Config().changed(limits.settings()).frontier.delay == 0.0
    names = [one.name for one in fields(CrawlOptions)]
    assert names == [name for name in signature(Engine.crawl).parameters if name in set(names)]


def test_what_was_not_given_is_left_to_the_file(command, engine, collection):
    command("-C", collection, "crawl")
    assert engine.asked("open")[1] == {"create": False, "partitions": 1, "settings": None}
    assert engine.asked("crawl")[:2] == ([], True)
    assert engine.asked("crawl")[3] == {}


def test_quiet_watches_nothing(command, engine, collection):
    ran = command("-C", collection, "crawl", "--quiet")
    assert engine.asked("crawl")[2] is None
    assert ran.err == ""


def test_a_url_without_scheme_is_repaired_and_said(command, engine, tmp_path):
    ran = command("-C", tmp_path, "crawl", "a.test/x")
    assert engine.asked("crawl")[0] == ["https://a.test/x"]
    assert ran.err == "a.test/x taken as https://a.test/x\n"


def test_seeds_from_a_file(command, engine, tmp_path):
    file = tmp_path / "seeds.txt"
    file.write_text("\ufeffhttps://a.test/\n\n# a remark\nb.test\n", encoding="utf-8")
    command("-C", tmp_path / "c", "crawl", "https://first.test/", "--seeds", file)
    assert engine.asked("crawl")[0] == ["https://first.test/", "https://a.test/", "https://b.test/"]


def test_a_mistake_in_the_file_names_the_line(command, engine, tmp_path):
    file = tmp_path / "seeds.txt"
    file.write_text("https://a.test/\nmailto:me@a.test\n")
    ran = command("-C", tmp_path / "c", "crawl", "--seeds", file)
    assert ran.code == 2
    assert f"gossamer: {file}, line 2: not a web address" in ran.err


@pytest.mark.parametrize("urls", [[], ["https://a.test/"]])
def test_a_file_without_a_url(command, engine, tmp_path, urls):
    file = tmp_path / "seeds.txt"
    file.write_text("\n# a remark\n")
    ran = command("-C", tmp_path / "c", "crawl", *urls, "--seeds", file)
    assert ran == (2, "", f"gossamer: {file} contains no URL; write one URL per line\n")
    assert engine.calls == []


def test_no_url_and_no_collection(command, engine, tmp_path):
    ran = command("-C", tmp_path, "crawl")
    assert ran.code == 2
    assert "is not a Gossamer collection" in ran.err
    assert engine.calls == []


def test_partitions_cannot_change_later(command, engine, tmp_path):
    Collection.prepare(tmp_path, 3).finish({})
    ran = command("-C", tmp_path, "crawl", "https://a.test/", "--partitions", 2)
    assert ran.code == 2
    assert "exists already, with 3 partitions" in ran.err
    assert command("-C", tmp_path, "crawl", "https://a.test/", "--partitions", 3).code == 0


def test_the_summary(command, engine, tmp_path):
    engine.progress.errors["timeout"] = 2
    engine.progress.queue = 1234
    engine.progress.hosts = 2
    ran = command("-C", tmp_path / "new", "crawl", "https://a.test/")
    assert ran.code == 0
    assert ran.out == (
        "fetched 4 pages (3 indexed, 1 duplicate) from 2 hosts in 2.0 s (2.0 pages/s), "
        "2 errors, 1,234 waiting\n"
    )


def test_the_summary_without_indexing(command, engine, collection):
    assert "(3 kept, 1 duplicate)" in command("-C", collection, "crawl", "--no-index").out
    engine.progress.pages = 6
    assert "(3 kept, 1 duplicate, 2 not kept)" in command("-C", collection, "crawl", "--no-index").out


def test_the_summary_says_how_many_pages_cannot_be_found(command, engine, collection):
    engine.progress.pages = 11
    assert (
        "fetched 11 pages (3 indexed, 1 duplicate, 7 not indexed) from"
        in command("-C", collection, "crawl").out
    )


def test_the_summary_when_pages_of_earlier_crawls_are_indexed_too(command, engine, collection):
    engine.progress = CrawlProgress(
        started=100.0, finished=102.0, pages=100, kept=98, indexed=152, duplicates=2, hosts=3
    )
    assert command("-C", collection, "crawl").out == (
        "fetched 100 pages (98 kept, 2 duplicates) from 3 hosts in 2.0 s (50.0 pages/s), "
        "152 pages indexed, 0 errors, 0 waiting\n"
    )


def test_a_failed_seed_and_nothing_else(command, engine, tmp_path):
    engine.progress = failed_seed()
    ran = command("-C", tmp_path, "crawl", "https://nosuch.test/")
    assert ran == (1, "", "gossamer: https://nosuch.test/: the name nosuch.test is unknown\n")


def test_a_failed_seed_beside_good_ones(command, engine, tmp_path):
    engine.progress = failed_seed(pages=1, kept=1, indexed=1)
    ran = command("-C", tmp_path, "crawl", "https://nosuch.test/", "https://a.test/")
    assert ran.code == 0
    assert ran.err == "gossamer: https://nosuch.test/: the name nosuch.test is unknown\n"
    assert ran.out.startswith("fetched 1 page (1 indexed")


@pytest.mark.parametrize(
    ("progress", "seeds", "said"),
    [
        (CrawlProgress(), ["https://a.test/"], "nothing new: all these URLs were fetched before"),
        (CrawlProgress(), [], "nothing is queued; name a URL to start from"),
        (
            CrawlProgress(),
            ["--refresh"],
            "no known page is due (gossamer -C DIR status --host HOST shows when the next one is)",
        ),
        (
            CrawlProgress(queue=3),
            [],
            "no queued URL is due yet: 3 waiting; try again later"
            " (gossamer -C DIR status --host HOST shows why, and until when)",
        ),
        (CrawlProgress(refused=2), [], "fetched no page: 0 errors, 2 forbidden by robots.txt"),
    ],
)
def test_nothing_new(command, engine, collection, progress, seeds, said):
    engine.progress = progress
    assert command("-C", collection, "crawl", *seeds) == (0, f"{said}\n".replace("DIR", str(collection)), "")


def test_a_crawl_that_was_stopped(command, engine, collection):
    engine.progress.stopping = True
    ran = command("-C", collection, "crawl")
    assert ran.code == 130
    assert ran.out.startswith("fetched 4 pages")
    assert ran.err == "gossamer: stopped\n"

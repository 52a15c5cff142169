"""`gossamer links` and the options of `gossamer rank`, on a stand-in for the engine."""

from __future__ import annotations

import json
from dataclasses import replace

from gossamer.graph.ranks.explain import PageLinks, RankFlow
from gossamer.graph.ranks.seed_sets import _lines
from gossamer.graph.ranks.top_pages import RankedPage
from gossamer.graph.reader import GraphLink, GraphPage, RankPosition
from gossamer.jobs.rank import RankSummary
from gossamer.model import UsageError

CATS = GraphPage(1, 11, "http://cats.test/", "All \x1b[31mcats", "cats.test")
FANS = GraphPage(2, 12, "http://fans.test/", "Fans", "fans.test")
FOUND = PageLinks(
    page=CATS,
    typed="http://cats.test/",
    in_degree=3,
    out_degree=1,
    unvouched_in_degree=0,
    unvouched_out_degree=0,
    in_links=[GraphLink(FANS, 0.25, ("fine cats", "more"), True)],
    out_links=[GraphLink(FANS, 0.25, (), True)],
    unvouched_in=[],
    unvouched_out=[],
    standings=[RankPosition("pagerank", 0.5, 99.0, 1)],
    pagerank=0.5,
    flows=[RankFlow(FANS, 0.25, 2, 0.10625, 0.2125)],
    from_links=0.3,
    from_jumps=0.15,
    from_dead_ends=0.05,
    why=["93% of its PageRank comes from 5,000 pages that no trusted page reaches."],
)


def test_links_of_a_page(command, engine):
    engine.links = lambda url, most: FOUND
    out = command("links", "cats.test", "-n", "1").out
    assert "\x1b" not in out
    for part in (
        "! 93% of its PageRank",
        "pagerank    0.5",
        "0.25          2  http://fans.test/",
        "(2 more pages)",
        "(jumps out of dead ends)",
        "3 pages link here",
        "It links to 1 page",
        "fine cats | more",
    ):
        assert part in out
    assert "nobody vouches" not in out
    engine.links = lambda url, most: replace(FOUND, in_degree=1)
    assert "1 page links here" in command("links", "cats.test").out


def test_links_as_json_and_of_a_page_that_nobody_knows(command, engine):
    engine.links = lambda url, most: FOUND
    told = json.loads(command("links", "cats.test", "--json").out)
    assert told["page"]["url"] == "http://cats.test/"
    assert told["flows"][0]["share"] == 0.2125

    def unknown(url, most):
        raise UsageError(f"{url} is not in the link graph")

    engine.links = unknown
    ran = command("links", "x.test")
    assert (ran.code, ran.err) == (2, "gossamer: x.test is not in the link graph\n")


def test_one_rank_alone_with_its_notes(command, engine):
    engine.rank = lambda only, observer: RankSummary(5, 7, 0, 0.0, True, 0.1, "", tuple(only), ("a note",))
    out = command("rank", "--only", "trust", "--only", "spam-mass").out
    assert out.startswith("computed trust, spam-mass of 5 pages, 0.1 s\nnote: a note\n")


def test_what_is_computed_of_sites_is_told_with_their_numbers(command, engine):
    done = RankSummary(500, 7, 9, 0.0, True, 0.1, hosts=40, domains=1)
    engine.rank = lambda only, observer: replace(done, ranks=tuple(only))
    assert (
        command("rank", "--only", "domains:topic:cats").out
        == "computed domains:topic:cats of 1 domain, 0.1 s\n"
    )
    out = command("rank", "--only", "hosts:trust", "--only", "trust").out
    assert out == "computed trust of 500 pages, hosts:trust of 40 hosts, 0.1 s\n"


def test_that_there_is_nothing_to_show_is_said(command, engine):
    engine.top = lambda count, by: []
    said = command("rank", "--stored", "--by", "hosts:spam-mass").out
    assert said.startswith("no host is suspicious: none has ten times the lowest PageRank")
    assert command("rank", "--stored").out == "there is no page to show by pagerank\n"
    assert json.loads(command("rank", "--stored", "--json").out)["top"] == []


def test_what_is_stored_is_shown_without_computing(command, engine):
    out = command("rank", "--stored", "--by", "hosts:pagerank", "--top", "3").out
    assert engine.asked("top") == (3, "hosts:pagerank")
    assert not [call for call in engine.calls if call[0] == "rank"]
    assert "site" in out
    assert command("rank", "--stored", "--only", "trust").code == 2


def test_the_best_pages_for_a_person(command, engine):
    asked = []

    def personal(liked, count):
        asked.append((liked, count))
        return [RankedPage(1, "http://cats.test/", "Cats", 0.5)]

    engine.personal = personal
    out = command("rank", "--from", "cats.test", "--from", "@liked.txt", "--top", "3").out
    assert out.splitlines()[0].split() == ["personal", "title", "url"]
    assert asked == [(["cats.test", "@liked.txt"], 3)]
    assert not [call for call in engine.calls if call[0] == "rank"]
    told = json.loads(command("rank", "--from", "cats.test", "--json").out)
    assert told["top"][0]["url"] == "http://cats.test/"
    assert command("rank", "--from", "cats.test", "--by", "trust").code == 2
    assert command("rank", "--from", "cats.test", "--stored").code == 2


def test_seeds_are_proposed(command, engine):
    engine.propose_seeds = lambda count: [RankedPage(1, "http://cats.test/", "Cats", 0.5)]
    out = command("rank", "--propose-seeds", "5").out
    assert "http://cats.test/" in out
    assert "Check each page" in out
    told = json.loads(command("rank", "--propose-seeds", "5", "--json").out)
    assert told["proposed"][0]["rank"] == 1


def test_proposals_become_a_list_to_confirm(command, engine, tmp_path):
    engine.propose_seeds = lambda count: [
        RankedPage(1, "http://cats.test/", "Cats", 0.5),
        RankedPage(2, "http://farm.test/#top", "Buy # now\nhttp://spam.test/", 0.4),
        RankedPage(3, "http://bare.test/", "", 0.3),
    ]
    out = tmp_path / "trusted.txt"
    told = command("rank", "--propose-seeds", "3", "--out", out).out
    assert f"written to {out}" in told
    assert '["@trusted.txt"]' in told
    assert out.read_text("utf-8").splitlines() == [
        "# Remove the first # from the pages that you trust.",
        "# http://cats.test/ # Cats",
        "# http://farm.test/#top # Buy # now http://spam.test/",
        "# http://bare.test/",
    ]
    assert _lines(out) == [], "nothing is trusted until somebody has looked"
    out.write_text(out.read_text("utf-8").replace("# http", "http"), "utf-8")
    assert _lines(out) == ["http://cats.test/", "http://farm.test/#top", "http://bare.test/"]
    again = command("rank", "--propose-seeds", "3", "--out", out)
    assert again.code == 2
    assert "exists already" in again.err
    assert command("rank", "--out", tmp_path / "x.txt").code == 2


def test_a_page_whose_address_is_not_known_is_named_by_its_fingerprint(command, engine):
    nobody = replace(FANS, url="", title="")
    engine.links = lambda url, most: replace(FOUND, in_links=[GraphLink(nobody, 0.25, (), True)])
    assert "(not in the catalogue: 000000000000000c)" in command("links", "cats.test").out
    assert json.loads(command("links", "cats.test", "--json").out)["in_links"][0]["page"]["url"] == ""

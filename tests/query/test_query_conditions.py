"""Queries against a plain reading of the pages: trees, fields, filters, deletions, segments, partitions."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page
from plain_matching import answers, is_ranked

from gossamer.index.bm25f import Weighting
from gossamer.index.dictionary import Dictionary
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import (
    After,
    And,
    BadQuery,
    Before,
    FileType,
    Fuzzy,
    Group,
    In,
    Language,
    Near,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Site,
    Word,
)
from gossamer.query.conditions import All, Conjunction, TermSequence
from gossamer.query.expansion import choose, gather, patterns_of
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.search.searcher import Searcher
from gossamer.text.terms import analyser
from gossamer.text.words import words

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
NOTHING = np.empty(0, np.uint64)
YEAR = 365.25 * 86400


def build(folder, batches, gone=()):
    index = Index(folder)
    for batch in batches:
        writer = SegmentWriter("xx")
        for one in batch:
            writer.add(one)
        index.commit(writer, NOTHING, PIVOTS)
    if gone:
        index.commit(SegmentWriter("xx"), np.array(gone, np.uint64), PIVOTS)
    return index.snapshot()


def run(searchers, query, k=1000, algorithm="exhaustive", **more):
    """The two-phase search over several partitions, as the engine does it."""
    languages = {name for one in searchers for name in one.snapshot.languages()}
    patterns = patterns_of(query.texts(), languages)
    wanted = plan(query, languages, choose((gather(one.snapshot, patterns) for one in searchers), **more))
    stats = [one.snapshot.term_stats(wanted.terms) for one in searchers]
    summed = sum(stats[1:], stats[0])
    found = [one.search(wanted, summed, k, "bm25f", algorithm) for one in searchers]
    candidates = sorted(
        (c for part in found for c in part.candidates), key=lambda c: (-c.score, c.fingerprint)
    )[:k]
    return sum(part.total for part in found), [(c.score, c.fingerprint) for c in candidates]


def urls(snapshot, typed):
    """The addresses of all that a typed query finds."""
    total, ranking = run([Searcher(0, snapshot, None, 0.5)], parse(typed))
    names = {
        int(fp): view.segment.stored.document(doc).url
        for view in snapshot.views
        for doc, fp in enumerate(view.segment.columns.fingerprints)
    }
    assert total == len(ranking)
    return {names[fp] for _, fp in ranking}


# Random trees over random pages

VOCABULARY = ["a", "ab", "abc", "b", "ba", "cab", "d"]
WORD = st.sampled_from(VOCABULARY)
LINE = st.lists(WORD, max_size=9).map(" ".join)
TEXT = (
    WORD.map(Word)
    | st.lists(WORD, min_size=1, max_size=3).map(" ".join).map(Phrase)
    | st.sampled_from(["a", "ab", "b", "c", "z"]).map(Prefix)
    | st.builds(Fuzzy, WORD, st.sampled_from([None, 1, 2]))
    | st.tuples(WORD, WORD).map("-".join).map(Word)
)
LEAF = (
    TEXT
    | st.builds(In, st.sampled_from(["title", "url", "body", "anchor"]), TEXT)
    | st.builds(Near, st.lists(TEXT, min_size=2, max_size=3).map(tuple), st.integers(1, 4))
    | st.sampled_from(["h0.test", "sub.h0.test", "h1.test", "test"]).map(Site)
    | st.sampled_from(["pdf", "html", "text/html", "log"]).map(FileType)
    | st.sampled_from(["xx", "en", "zz"]).map(Language)
    | st.sampled_from(["1971", "1972-06", "1973-01-02"]).flatmap(
        lambda day: st.sampled_from([Before(day), After(day)])
    )
)
TREE = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(And),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(Or),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(Group),
    ),
    max_leaves=7,
)
QUERY = (
    st.lists(TREE, min_size=1, max_size=3)
    .map(lambda clauses: Query("", tuple(clauses)))
    .filter(lambda query: any(wanted for _, wanted in query.leaves()))
)
MOMENT = st.integers(0, 4).map(lambda years: years * YEAR)


@st.composite
def corpora(draw):
    pages = []
    for i in range(draw(st.integers(1, 14))):
        host = draw(st.sampled_from(["h0.test", "sub.h0.test", "h1.test", "other.test"]))
        pages.append(
            page(
                f"http://{host}/{draw(WORD)}/{i}{draw(st.sampled_from(['', '.pdf', '.log']))}",
                draw(LINE),
                draw(LINE),
                language=draw(st.sampled_from(["xx", "yy", "en", "de"])),
                headings=tuple(draw(st.lists(LINE.filter(bool), max_size=1))),
                surroundings=draw(LINE),
                media_type=draw(st.sampled_from(["text/html", "application/pdf"])),
                published=draw(st.none() | MOMENT),
                fetched_at=draw(MOMENT),
            )
        )
    return pages


@settings(max_examples=40)
@given(corpora(), st.lists(QUERY, min_size=1, max_size=12), st.data())
def test_trees_equal_a_plain_reading(tmp_path_factory, pages, queries, data):
    cut = data.draw(st.integers(0, len(pages)))
    gone = data.draw(st.sets(st.sampled_from([one.url.fingerprint for one in pages]), max_size=3))
    snapshot = build(tmp_path_factory.mktemp("i"), [b for b in (pages[:cut], pages[cut:]) if b], sorted(gone))
    searcher = Searcher(0, snapshot, None, 0.5)
    living = [one for one in pages if one.url.fingerprint not in gone]
    for query in queries:
        expected = {one.url.fingerprint for one in living if answers(query, one)}
        total, ranking = run([searcher], query)
        assert {fp for _, fp in ranking} == expected
        assert total == len(expected)
        assert is_ranked(ranking)
        for algorithm in ("maxscore", "blockmax"):
            assert run([searcher], query, algorithm=algorithm) == (total, ranking)
            assert run([searcher], query, k=2, algorithm=algorithm) == (total, ranking[:2])


@settings(max_examples=15)
@given(corpora(), st.lists(QUERY, min_size=1, max_size=6), st.integers(1, 4))
def test_many_partitions_answer_like_one(tmp_path_factory, pages, queries, most):
    """Also where a pattern stands for more terms than are looked for."""
    parts = [pages[i::3] for i in range(3)]
    one = [Searcher(0, build(tmp_path_factory.mktemp("one"), [pages]), None, 0.5)]
    many = [
        Searcher(i, build(tmp_path_factory.mktemp("p"), [part] if part else []), None, 0.5)
        for i, part in enumerate(parts)
    ]
    for query in queries:
        assert run(one, query, 5) == run(many, query, 5)
        assert run(one, query, 5, most=most) == run(many, query, 5, most=most)


# The examples of the literature

JAGUAR = [
    "The jaguar is a New World mammal of the Felidae family.",
    "Jaguar has designed four new engines.",
    "For Jaguar, Atari was keen to use a 68K family device.",
    "The Jacksonville Jaguars are a professional US football team.",
    "Mac OS X Jaguar is available at a price of US $199 for Apple’s new 'family pack'.",
    "One such ruling family to incorporate the jaguar into their name is Jaguar Paw.",
    "It is a big cat.",
]
PLAYS = ["Antony and Cleopatra", "Julius Caesar", "The Tempest", "Hamlet", "Othello", "Macbeth"]
INCIDENCE = {
    "Antony": "110001",
    "Brutus": "110100",
    "Caesar": "110111",
    "Calpurnia": "010000",
    "Cleopatra": "100000",
    "mercy": "101111",
    "worser": "101110",
}


@pytest.fixture(scope="module")
def seven(tmp_path_factory):
    pages = [page(f"http://d{i}/", text, language="en") for i, text in enumerate(JAGUAR, 1)]
    return build(tmp_path_factory.mktemp("seven"), [pages[:4], pages[4:]])


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("(jaguar AND new AND NOT family) OR cat", "2 7"),
        ("jaguar AND new AND NOT family OR cat", "2 7"),
        ("jaguar AND new", "1 2 5"),
        ("jaguar NOT family", "2 4"),
        ("family NEAR/2 rule", "6"),
        ("new NEAR/1 family", "5"),
        ("family NEAR/1 new", "5"),
        ('"new world" NEAR/5 families', "1"),
        ('"new world" NEAR/4 families', ""),
        ("jaguar NEAR/5 jaguar", "6"),
        ("jaguar NEAR/4 jaguar", ""),
        ("us NEAR football NEAR jaguar", "4"),
        ("jag* -jaguar~", ""),
        ("jac* OR foot*", "4"),
        ("jagaur~", "1 2 3 4 5 6"),
        ("jagauar~1 AND rule~1", "6"),
        ('engine -"four new"', ""),
        ("cats (atari OR 68k)", "3"),
        ("cats atari", "3 7"),
        ("cat OR NOT jaguar", "7"),
        ("NOT (NOT cat)", "7"),
        ("intitle:jaguar", ""),
        ("inbody:jaguar inbody:us", "4 5"),
        ("cat lang:english lang:ro", "7"),
        ("cat lang:ro", ""),
    ],
)
def test_the_seven_documents(seven, typed, expected):
    assert urls(seven, typed) == {f"http://d{number}/" for number in expected.split()}


def test_incidence(tmp_path):
    """Brutus AND Caesar AND NOT Calpurnia = 110100 AND 110111 AND 101111 = 100100."""
    pages = [
        page(f"http://p{i}/", " ".join(name for name, row in INCIDENCE.items() if row[i] == "1"))
        for i in range(len(PLAYS))
    ]
    found = urls(build(tmp_path, [pages]), "Brutus AND Caesar AND NOT Calpurnia")
    assert {PLAYS[int(url[8])] for url in found} == {"Antony and Cleopatra", "Hamlet"}


# What a plan says


def planned(typed):
    return plan(parse(typed), ["xx"])


def terms(*words):
    return tuple((f"{word}\x1f",) for word in words)


def test_plain_words_are_no_condition():
    for typed in ("big cat", "big OR cat", "(big cat)", "(big OR cat)", "big OR (cat)"):
        assert planned(typed) == plan(Query("", (Word("big"), Word("cat"))), ["xx"])
        assert planned(typed).condition is None
    assert planned("big (cat OR dog)").condition is not None


def test_pure_conjunctions_and_phrases_can_be_recognised():
    assert planned("big AND cat").together == Conjunction((("big\x1f", "cat\x1f"),))
    assert planned("big AND (cat AND dog)").together == Conjunction((("big\x1f", "cat\x1f", "dog\x1f"),))
    assert planned('"big cat big"').together == Conjunction(
        (("big\x1f", "cat\x1f", "big\x1f"),), in_a_row=True
    )
    for typed in (
        "big cat",
        "big AND cat dog",
        "big AND cat site:a.test",
        "big AND NOT cat",
        'intitle:"big cat"',
        "a OR b AND c",
    ):
        assert planned(typed).together is None


def readings(text, languages):
    """The terms of each word, read by hand."""
    readers = {one.language: one for one in map(analyser, sorted(languages))}.values()
    return [tuple(one[word] for one in readers) for word in words(text)]


PLAIN_TEXTS = st.lists(st.sampled_from(["big", "Cats", "foo-bar", "---", "京都市", "cats's"]), max_size=6)
SPOKEN = st.sampled_from([["xx"], ["en"], ["de", "en", "xx"]])


@given(PLAIN_TEXTS, SPOKEN)
def test_words_side_by_side_are_wishes(typed, languages):
    try:
        made = plan(parse(" ".join(typed)), languages)
    except BadQuery:
        assert not "".join(typed).strip("-")
        return
    assert set(made.words) == set(readings(" ".join(typed), languages))
    assert (made.condition, made.together, made.decided, made.ranks) == (None, None, False, True)
    assert made.languages == tuple(sorted(languages))


@given(PLAIN_TEXTS, SPOKEN)
def test_a_phrase_is_a_row(typed, languages):
    slots = readings(" ".join(typed), languages)
    if not slots:
        return
    made = plan(parse(f'"{" ".join(typed)}"'), languages)
    assert set(made.words) == set(slots)
    assert (made.condition, made.decided) == (TermSequence(tuple(slots)), True)
    assert made.together == Conjunction(tuple(zip(*slots, strict=True)), len(slots) > 1)


@given(st.lists(st.sampled_from(["big", "Cats", "dogs", "the"]), min_size=2, max_size=6), SPOKEN)
def test_words_that_are_joined_must_all_be_there(typed, languages):
    made = plan(parse(" AND ".join(typed)), languages)
    slots = tuple(dict.fromkeys(readings(" ".join(typed), languages)))
    rows = tuple(TermSequence((slot,)) for slot in slots)
    assert set(made.words) == set(slots)
    assert (made.condition, made.decided) == (All(rows) if len(rows) > 1 else rows[0], True)
    assert made.together == Conjunction(tuple(zip(*slots, strict=True)))


def test_words_that_are_ruled_out_do_not_rank():
    assert planned('cat -dog NOT "big bird" NOT (NOT mouse)').terms == ("cat\x1f", "mouse\x1f")


@pytest.mark.parametrize(
    "typed", ["!!!", '"?!"', "!!! site:a.test", "intitle:- -cat ?", "zz*", "zz* AND cat"]
)
def test_empty_clauses_find_nothing(tmp_path, typed):
    assert urls(build(tmp_path, [[page("http://a.test/", "big cat")]]), typed) == set()


def test_empty_clauses_are_ignored(tmp_path):
    snapshot = build(tmp_path, [[page("http://a.test/", "big cat"), page("http://b.test/", "dog")]])
    assert urls(snapshot, "cat AND !!!") == urls(snapshot, "cat NEAR ???") == {"http://a.test/"}
    assert urls(snapshot, 'dog "?!"') == {"http://b.test/"}


def test_links_are_asked_outside(tmp_path):
    """`inanchor:` is answered by whoever knows the texts of links, by fingerprint."""
    pages = [page(f"http://h{i}.test/", text) for i, text in enumerate(["cat", "dog", "cat dog"])]
    asked = []

    def anchors(condition):
        asked.append(condition.slots)
        return np.array([pages[0].url.fingerprint, pages[1].url.fingerprint, 7], np.uint64)

    searchers = [Searcher(0, build(tmp_path, [pages]), None, 0.5, anchors)]

    def found(typed):
        _, ranking = run(searchers, parse(typed))
        return {i for i, one in enumerate(pages) if one.url.fingerprint in {fp for _, fp in ranking}}

    assert found('inanchor:"big bird"') == {0, 1}
    assert asked[0] == terms("big", "bird")
    assert found("inanchor:x AND dog") == {1}
    assert found("cat -inanchor:x") == {2}
    assert found("NOT inanchor:x AND dog OR cat") == {0, 2}


def test_expansions_are_the_most_frequent_over_all_partitions(tmp_path):
    first = build(tmp_path / "1", [[page("http://a.test/", "jaguar jag jagged")]])
    second = build(tmp_path / "2", [[page(f"http://b{i}.test/", "jagged jagging") for i in range(3)]])
    (pattern,) = patterns_of(parse("jag*").texts(), ["xx"])
    gathered = [gather(one, [pattern]) for one in (first, second)]
    assert choose(gathered).terms[pattern] == ("jag\x1f", "jagged\x1f", "jagging\x1f", "jaguar\x1f")
    assert choose(gathered).cut == ()
    assert choose(gathered, 2).terms[pattern] == ("jag\x1f", "jagged\x1f")
    assert choose(gathered, 2).cut == (pattern,)


WRITTEN = st.lists(st.text("ab", min_size=1, max_size=4), max_size=12).map(" ".join)


@settings(max_examples=25)
@given(st.lists(WRITTEN, min_size=1, max_size=12), st.integers(1, 3), st.integers(1, 8))
def test_the_number_of_partitions_changes_no_expansion(tmp_path_factory, texts, partitions, most):
    folder = tmp_path_factory.mktemp("parts")
    pages = [page(f"http://h{n}.test/", text) for n, text in enumerate(texts)]
    built = [
        build(folder / str(n), [pages[n::partitions][::2], pages[n::partitions][1::2]])
        for n in range(partitions)
    ]
    (pattern,) = patterns_of(parse("a*").texts(), ["xx"])
    counts = Counter(word for text in texts for word in set(text.split()) if word.startswith("a"))
    expected = sorted(counts, key=lambda word: (word != "a", -counts[word], word))
    found = choose([gather(one, [pattern]) for one in built], most)
    assert found.terms[pattern] == tuple(f"{word}" for word in expected[:most])
    assert found.cut == ((pattern,) if len(expected) > most else ())


def test_terms_that_begin_alike_are_not_read_one_by_one(tmp_path, monkeypatch):
    words = [f"a{n:03d}" for n in range(300)]
    snapshot = build(tmp_path, [[page("http://a.test/", " ".join(["a", *words]))]])
    read = []
    one_term = Dictionary.term
    monkeypatch.setattr(Dictionary, "term", lambda own, n: read.append(n) or one_term(own, n))
    (pattern,) = patterns_of(parse("a*").texts(), ["xx"])
    assert choose([gather(snapshot, [pattern])], 100).terms[pattern] == tuple(
        f"{word}" for word in ["a", *words[:99]]
    )
    assert len(read) <= 1


def test_a_word_with_a_star_is_found_even_where_its_stem_is_shorter(tmp_path):
    snapshot = build(tmp_path, [[page("http://a.test/", "the ruling family", language="en")]])
    assert urls(snapshot, "families*") == urls(snapshot, "famil*") == {"http://a.test/"}
    assert urls(snapshot, '"the ruling" AND ruling-fam*') == {"http://a.test/"}


def test_dates_reach_from_the_beginning_of_a_day_to_before_the_next(tmp_path):
    day = 86400.0
    snapshot = build(tmp_path, [[
        page("http://a.test/", "cat", published=day - 1, fetched_at=9 * YEAR),
        page("http://b.test/", "cat", published=day, fetched_at=9 * YEAR),
        page("http://c.test/", "cat", fetched_at=day),
    ]])  # fmt: skip
    assert urls(snapshot, "before:1970-01-02") == {"http://a.test/"}
    assert urls(snapshot, "after:1970-01-02 before:1970-01-03") == {"http://b.test/", "http://c.test/"}
    assert urls(snapshot, "cat after:1971") == set()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("pdf", "1 2"), ("application/pdf", "1"), ("txt", "3"), ("text/html", "2"), ("html", "2"), ("log", "3")],
)
def test_file_types_by_media_type_and_extension(tmp_path, typed, expected):
    snapshot = build(tmp_path, [[
        page("http://h.test/1", "cat", media_type="application/pdf"),
        page("http://h.test/2.PDF", "cat"),
        page("http://h.test/3.log?x=a.pdf", "cat", media_type="text/plain"),
    ]])  # fmt: skip
    assert {url[14] for url in urls(snapshot, f"filetype:{typed}")} == set(expected.split())


def test_a_new_process_answers(tmp_path):
    """Kernels are loaded on the way."""
    build(tmp_path, [[page("http://a.test/", "big cat and dog", "cat")]])
    program = f"""
from pathlib import Path
from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.index import Index
from gossamer.search.settings import SearchSettings
searching = AnswerPipeline([Index(Path({str(tmp_path)!r}))], None, SearchSettings())
for typed in ('"big cat" NEAR/2 do*', "cat intitle:cat -mouse~ lang:xx", "cat OR before:2000 site:a.test"):
    assert searching.search(typed).total == 1, typed
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_filters_that_are_asked_again_leave_out_what_was_deleted(tmp_path):
    pages = [page(f"http://a.test/{n}", "cat") for n in range(3)]
    snapshot = build(tmp_path, [pages], [pages[1].url.fingerprint])
    searcher = Searcher(0, snapshot, None, 0.0)
    wanted = plan(parse("cat site:a.test"), snapshot.languages())
    stats = snapshot.term_stats(wanted.terms)
    for _ in range(2):
        assert searcher.search(wanted, stats, 10, "bm25f", "blockmax").total == 2


@pytest.mark.parametrize(
    ("host", "site", "is_on_it"),
    [
        ("co.co.co", "co.co", True),
        ("x.com.com.com", "com.com", True),
        ("cocoa.test", "co", False),
        ("[::1]:8080", "[::1]", True),
        ("[::1]", "[::1]:8080", False),
        ("a.test:8080", "a.test", True),
        ("a.test:8080", "a.test:8080", True),
        ("a.test", "a.test:8080", False),
    ],
)
def test_hosts_of_a_site(tmp_path, host, site, is_on_it):
    snapshot = build(tmp_path, [[page(f"http://{host}/", "cat")]])
    assert bool(urls(snapshot, f"cat site:{site}")) == is_on_it


@pytest.mark.parametrize(
    ("typed", "is_there"),
    [
        ("jaguar.html", True),
        ("big_cats/jaguar.html", True),
        ("cats.example", True),
        ("http://www.cats.example/big_cats/jaguar.html?page=2", True),
        ('"big cats"', True),
        ("v1.2", True),
        ("v1.3", False),
        ("dogs.example", False),
    ],
)
def test_addresses_are_read_as_they_are_indexed(tmp_path, typed, is_there):
    snapshot = build(tmp_path, [[page("http://www.cats.example/big_cats/jaguar.html", "x"),
                                 page("http://www.cats.example/v1.2/", "x")]])  # fmt: skip
    assert bool(urls(snapshot, f"inurl:{typed}")) == is_there

"""Which documents belong to a place: the column is what the rules say, document by document."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import ByPlace
from gossamer.query.conditions import All, AtPlace, Except
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.search.match.places import FULLY, levels_of
from gossamer.search.match.restriction import DocumentMask

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
DENMARK = AtPlace(
    hosts=("dk",),
    sure=("denmark", "new haven"),
    unsure=(("odense",), ("aalborg", "ålborg")),
    company=("scandinavia",),
    company_hosts=("nordic.test",),
)
WORDS = "denmark new haven Odense Aalborg Ålborg scandinavia ship".split()
HOSTS = ("a.dk", "b.test", "c.nordic.test", "dk.test")


def view_of(folder, pages):
    writer = SegmentWriter("xx")
    for one in pages:
        writer.add(one)
    index = Index(folder)
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    return index.snapshot().views[0]


def belongs(text, host):
    """The same by the rules, whether or not."""
    held = text.lower().split()
    in_a_row = " new haven " in f" {text} "
    sure = "denmark" in held or in_a_row
    unsure = [bool({"odense"} & {*held}), bool({"aalborg", "ålborg"} & {*held})]
    company = sure or "scandinavia" in held or host.endswith((".dk", "nordic.test"))
    return host.endswith(".dk") or sure or (any(unsure) and company) or all(unsure)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.sampled_from(HOSTS)),
        min_size=1,
        max_size=8,
    )
)
def test_a_document_belongs_to_a_place_as_the_rules_say(tmp_path_factory, several):
    pages = [page(f"http://{host}/{n}", title="", text=text) for n, (text, host) in enumerate(several)]
    view = view_of(tmp_path_factory.mktemp("located"), pages)
    found = levels_of(view.segment, DENMARK)
    order = view.segment.places(np.array([one.url.fingerprint for one in pages], np.uint64))
    expected = [belongs(text, host) for text, host in several]
    assert (found[order] > 0).tolist() == expected
    mask = DocumentMask(view).satisfied(DENMARK)
    assert mask[order].tolist() == expected


def test_levels_of_documents(tmp_path):
    pages = [
        page("http://a.dk/", title="Ships", text="ships"),
        page("http://b.test/", title="Denmark", text="ships of denmark"),
        page("http://c.test/", title="Ships", text="ships of denmark and of many other lands beside it"),
    ]
    view = view_of(tmp_path, pages)
    levels = levels_of(view.segment, DENMARK)
    host, title, text = levels[
        view.segment.places(np.array([one.url.fingerprint for one in pages], np.uint64))
    ]
    assert host == FULLY > title > text > 0


def test_no_document_belongs_to_an_unknown_place(tmp_path):
    view = view_of(tmp_path, [page("http://a.dk/", text="denmark")])
    assert not levels_of(view.segment, AtPlace()).any()


def test_a_place_is_one_condition_among_others(tmp_path):
    pages = [page(f"http://b.test/{n}", title="", text=text) for n, text in enumerate(
        ["ship denmark", "ship", "denmark", "ship Odense Aalborg"])]  # fmt: skip
    view = view_of(tmp_path, pages)
    places = view.segment.places(np.array([one.url.fingerprint for one in pages], np.uint64))
    ship = plan(parse('"ship"'), ["xx"]).condition
    both, other = All((ship, DENMARK)), All((ship, Except(DENMARK)))
    restriction = DocumentMask(view)
    assert restriction.satisfied(both)[places].tolist() == [True, False, False, True]
    assert restriction.satisfied(other)[places].tolist() == [False, True, False, False]


def test_operators_become_places(tmp_path):
    query = parse("ship country:dk")
    made = plan(query, ["xx"], places={ByPlace("country", "dk"): DENMARK})
    assert made.condition == DENMARK
    assert not made.decided
    assert plan(query, ["xx"]).condition == AtPlace()


def test_a_column_is_made_once(tmp_path):
    view = view_of(tmp_path, [page("http://a.dk/", text="denmark")])
    restriction = DocumentMask(view)
    assert restriction.belonging(DENMARK) is restriction.belonging(DENMARK)


@pytest.mark.parametrize("name", ["", "-", "?"])
def test_names_without_letters_are_no_names(tmp_path, name):
    view = view_of(tmp_path, [page("http://b.test/", text="denmark")])
    assert not levels_of(view.segment, AtPlace(sure=(name,))).any()


LEEDS = AtPlace(towns=("leeds", "lids"), unsure=(("reading",), ("poole",)), company=("england",))


def belonging(folder, place, texts, language="en"):
    """Whether pages with these texts belong to a place."""
    pages = [
        page(f"http://b.test/{n}", title="", text=text, language=language) for n, text in enumerate(texts)
    ]
    view = view_of(folder, pages)
    places = view.segment.places(np.array([one.url.fingerprint for one in pages], np.uint64))
    return (levels_of(view.segment, place)[places] > 0).tolist()


def test_towns_are_not_other_words_with_their_stems(tmp_path):
    texts = ["the Leeds canal", "a lid", "pots and lids", "a lid for a pot", "lid"]
    assert belonging(tmp_path, LEEDS, texts) == [True, False, False, False, False]


def test_towns_are_written_with_a_capital(tmp_path):
    lyon = AtPlace(towns=("lyon", "lion"))
    texts = ["Lyon on the Rhône", "Lion, king of the plain. A lion sleeps", "the lion", "Lion"]
    assert belonging(tmp_path, lyon, texts) == [True, False, False, False]


def test_a_word_that_is_also_a_town_needs_company(tmp_path):
    texts = ["a town in England called Reading", "reading by the pool", "reading", "a pool"]
    assert belonging(tmp_path, LEEDS, texts) == [True, False, False, False]


def test_towns_with_endings_are_the_same_towns(tmp_path):
    texts = ["nocleg w Warszawie", "z Warszawy", "w Warszawie", "warzywa"]
    assert belonging(tmp_path, AtPlace(towns=("warszawa",)), texts, "pl") == [True, True, True, False]


def test_scripts_without_capitals(tmp_path):
    assert belonging(tmp_path, AtPlace(towns=("京都",)), ["京都 の 寺", "奈良"], "ja") == [True, False]

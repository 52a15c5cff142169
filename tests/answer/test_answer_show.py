import json
from dataclasses import replace
from html import escape

from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.as_dict import as_dict
from gossamer.model import (
    Cluster,
    Contribution,
    Explanation,
    Hit,
    InstantAnswer,
    ResultPage,
    Sitelink,
    Snippet,
)
from gossamer.model.notebook import marked
from gossamer.text.words import shortened

HIT = Hit(
    rank=1,
    url="http://cats.example/",
    title="Cats",
    snippet=Snippet("a cat", ((2, 5),)),
    score=1.5,
    fingerprint=7,
    language="en",
    media_type="text/html",
    published=1714557600.0,
    fetched_at=1714557601.4,
)


def test_shows_all_that_the_contract_names():
    groups = (Cluster("big cats", 2, ("Lion", "Tiger")),)
    page = ResultPage("cat", 12, 0.7, (HIT,), 0, "cats", "en", ("a note",), clusters=groups)
    assert json.loads(json.dumps(as_dict(page))) == {
        "query": "cat",
        "total": 12,
        "folded": 0,
        "took_ms": 0.7,
        "offset": 0,
        "hits": [
            {
                "rank": 1,
                "url": "http://cats.example/",
                "title": "Cats",
                "snippet": "a cat",
                "highlights": [[2, 5]],
                "score": 1.5,
                "language": "en",
                "media_type": "text/html",
                "published": "2024-05-01T10:00:00+00:00",
                "fetched": "2024-05-01T10:00:01+00:00",
                "unfetched": False,
                "similar": [],
                "more_from_host": 0,
            }
        ],
        "did_you_mean": "cats",
        "searched": "",
        "searched_because": "",
        "language": "en",
        "ranked_by": "",
        "related": [],
        "notes": ["a note"],
        "intent": "",
        "answers": [],
        "clusters": [{"label": "big cats", "count": 2, "titles": ["Lion", "Tiger"]}],
        "sitelinks": [],
        "facets": [],
        "country": "",
        "context": [],
        "preferred_topic": "",
    }


def test_what_is_said_beside_the_hits():
    answer, link = (
        InstantAnswer("units", "1 m in cm", "100 cm"),
        Sitelink("Sport", "http://cats.example/sport"),
    )
    page = ResultPage("cat", 0, 0.1, intent="navigational", answers=(answer,), sitelinks=(link,))
    shown = json.loads(json.dumps(as_dict(page)))
    assert shown["intent"] == "navigational"
    assert shown["answers"] == [
        {"kind": "units", "question": "1 m in cm", "answer": "100 cm", "detail": "", "link": ""}
    ]
    assert shown["sitelinks"] == [{"title": "Sport", "url": "http://cats.example/sport"}]


def test_what_nobody_fetched_has_no_date():
    shown = as_dict(ResultPage("cat", 1, 0.1, (replace(HIT, unfetched=True),)))["hits"][0]
    assert (shown["fetched"], shown["unfetched"]) == (None, True)


def test_what_was_searched_for_instead():
    page = ResultPage("jagaur", 3, 0.1, searched="jaguar", searched_because="corrected")
    shown = as_dict(page)
    assert (shown["query"], shown["searched"], shown["searched_because"]) == ("jagaur", "jaguar", "corrected")


def test_an_empty_answer():
    shown = as_dict(ResultPage("cat", 0, 0.1))
    assert (shown["hits"], shown["did_you_mean"], shown["notes"]) == ([], None, [])


def test_unknown_date_is_null_and_explanation_is_shown_when_there():
    explanation = Explanation((Contribution("cat", 2.0, 0.5, 1.0, 0.5, 0.25),), 1.5)
    hit = Hit(1, "u", "t", Snippet(""), 1.5, 7, explanation=explanation)
    shown = json.loads(json.dumps(as_dict(ResultPage("cat", 1, 0.1, (hit,)))))["hits"][0]
    assert shown["published"] is None
    assert shown["explanation"] == {
        "contributions": [
            {"term": "cat", "weight": 2.0, "impact": 0.5, "score": 1.0, "links": 0.5, "near_links": 0.25}
        ],
        "static_factor": 1.5,
        "links": "",
        "freshness": 1.0,
        "language": 1.0,
        "address": 1.0,
        "site": 1.0,
        "country": 1.0,
        "preferred": 1.0,
        "context": 1.0,
        "support": 1.0,
    }


def test_html_is_escaped_inside_and_outside_of_marks():
    shown = marked('<b> & "cat"', ((0, 3), (6, 11)))
    assert shown == "<mark>&lt;b&gt;</mark> &amp; <mark>&quot;cat&quot;</mark>"


@given(st.text(), st.data())
def test_html_says_the_same_as_the_text(text, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    places = tuple(zip(cuts[::2], cuts[1::2], strict=False))
    shown = marked(text, places)
    bare = shown.replace("<mark>", "").replace("</mark>", "")
    assert bare == escape(text)
    assert shown.count("<mark>") == len(places)


def test_short_enough_stays():
    assert shortened("exactly", 7) == "exactly"


def test_cut_between_words_if_that_costs_little():
    assert shortened("one two three", 9) == "one two…"
    assert shortened("one two, three", 10) == "one two…"
    assert shortened("a " + "b" * 50, 20) == "a " + "b" * 17 + "…"


def test_marks_stay_with_their_letter():
    assert shortened("e\u0301" * 10, 8) == "e\u0301" * 3 + "…"


@given(st.text(max_size=80), st.integers(1, 40))
def test_never_longer_than_wished(text, longest):
    shown = shortened(text, longest)
    assert len(shown) <= longest
    assert shown == text or text.startswith(shown.removesuffix("…"))
